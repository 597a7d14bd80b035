"""Two versions of Python tests compared: what no longer has to hold.

Claims are counted over all files together, so that a test may be split, renamed or moved; what was claimed before must
be claimed by something that still runs.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from windtunnel.core.trial import TamperFinding
from windtunnel.tamper.claims import Claim
from windtunnel.tamper.rule import MOST_EVIDENCE, Severity
from windtunnel.tamper.suite import COMPUTED, Suite, Test, suite
from windtunnel.tamper.trees import parse

_WEAK = {
    "in",
    "not in",
    "is not",
    "!=",
    "isinstance",
    "truth",
    ">",
    ">=",
    "<",
    "<=",
    "hasattr",
    "callable",
    "not",
    "len",
    "isclose",
    "allclose",
    "startswith",
}


def _finding(
    rule: str, message: str, *, path: str, line: int = 0, severity: Severity = "block", evidence: str = ""
) -> TamperFinding:
    return TamperFinding(
        rule=rule, message=message, path=path, line=line or None, severity=severity, evidence=evidence[:MOST_EVIDENCE]
    )


@dataclass(slots=True)
class Pool:
    """Claims that are new somewhere in the change: where those that are gone may have gone to."""

    spare: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    tables: list[frozenset[str]] = field(default_factory=list)
    operators: set[str] = field(default_factory=set)
    bodies: Counter[str] = field(default_factory=Counter)
    entries: Counter[str] = field(default_factory=Counter)

    def take(self, claim: Claim) -> bool:
        """Whether a claim that is gone here is new elsewhere; each is taken once."""
        wanted = [claim.key] if not claim.conditional else [f"{claim.key}?", claim.key]
        for key in wanted:
            if self.spare[key] > 0:
                self.spare[key] -= 1
                return True
        return False

    def tabled(self, claim: Claim) -> bool:
        """Whether its values stand in a new row, held by a claim of the same kind."""
        return (
            len(claim.literals) > 1
            and claim.operator in self.operators
            and any(claim.literals <= table for table in self.tables)
        )


def _body(test: Test) -> str:
    return ast.dump(ast.Module(body=test.node.body, type_ignores=[]))


def _key(claim: Claim) -> str:
    return f"{claim.key}?" if claim.conditional else claim.key


def pool(pairs: Mapping[str, tuple[bytes | None, bytes | None]]) -> Pool:
    """What is new over all test files of a change: in each test, what its namesake did not have before."""
    made, tables = Pool(), Counter[frozenset[str]]()
    for before, after in pairs.values():
        old, new = suite(before), suite(after)
        made.entries += new.entries() - old.entries()
        for test in new.reachable():
            _surplus(test, old.tests.get(test.name), made)
        tables += Counter(new.tables()) - Counter(old.tables())
    made.tables = list(tables)
    return made


def _surplus(test: Test, twin: Test | None, made: Pool) -> None:
    if any(skip.severity == "block" for skip in test.skips):
        return
    made.operators |= {claim.operator for claim in test.live}
    made.spare += Counter(map(_key, test.live)) - Counter(map(_key, twin.live if twin else ()))
    made.rows += Counter(test.rows) - Counter(twin.rows if twin else ())
    made.bodies[_body(test)] += int(twin is None and test.collected)


def _at_least(old: Claim, new: Claim) -> bool:
    """Whether the new claim lets nothing through that the old one caught."""
    if new.dead or (new.conditional and not old.conditional) or old.subject != new.subject:
        return False
    if old.operator == new.operator:
        if old.operator == "raises":
            kind, _, match = old.expected.partition(" ")
            other, _, other_match = new.expected.partition(" ")
            return (kind == other or kind in ("Exception", "BaseException")) and (not match or match == other_match)
        return old.expected == new.expected and new.tolerance <= old.tolerance
    if new.operator in ("==", "is"):
        same = (
            old.operator in ("==", "is") and old.expected == new.expected and old.expected in ("None", "True", "False")
        )
        return same or old.operator in _WEAK
    return old.operator == "truth" and new.operator in ("isinstance", "in", "is not")


def _lost(test: Test, new: Test | None, shared: Pool) -> Iterator[tuple[Claim, list[Claim]]]:
    """Claims that nothing makes any more, each with the claims that could have replaced it."""
    have = Counter(_key(claim) for claim in new.live) if new else Counter[str]()
    missing = []
    for claim in test.live:
        for key in [claim.key] if not claim.conditional else [f"{claim.key}?", claim.key]:
            if have[key] > 0:
                have[key] -= 1
                break
        else:
            missing.append(claim)
    spare = [claim for claim in (new.claims if new else []) if have[_key(claim)] > 0 or claim.dead]
    for claim in missing:
        stronger = next((each for each in spare if _at_least(claim, each)), None)
        if stronger is not None:
            spare.remove(stronger)
        elif not shared.take(claim) and not shared.tabled(claim):
            yield claim, spare


def _describe(claim: Claim, spare: list[Claim]) -> tuple[str, str, Severity]:
    text = f"{claim.subject} {claim.operator} {claim.expected}".strip()
    for each in spare:
        if each.key == claim.key:
            rule = "assert-disabled" if each.dead else "assert-conditional"
            return rule, f"no longer has to hold: {text}", "block"
    for each in spare:
        if each.subject == claim.subject and each.operator == claim.operator and not each.dead:
            if each.expected == claim.expected or claim.operator == "raises":
                return "assert-weakened", f"holds for more than before: {text}", "block"
            return "expected-changed", f"expected {claim.expected}, now {each.expected}", "block"
    for each in spare:
        if each.subject == claim.subject and not each.dead:
            return "assert-weakened", f"was {text}, now {each.operator} {each.expected}".strip(), "block"
    for each in spare:
        same = each.operator == claim.operator and each.expected == claim.expected and claim.literals < each.literals
        if same and not each.dead and not each.conditional:
            return "assert-changed", f"was {text}, now asked of {each.subject}", "show"
    return "assert-removed", f"no longer claimed: {text}", "block"


def _silenced(old: Test, new: Test, path: str) -> Iterator[TamperFinding]:
    had = Counter(skip.text for skip in old.skips)
    for skip in new.skips:
        if had[skip.text] > 0:
            had[skip.text] -= 1
        else:
            yield _finding(
                "test-skipped",
                f"{new.name} is now silenced",
                path=path,
                line=new.node.lineno,
                severity=skip.severity,
                evidence=skip.text,
            )


def _rows(old: Test, new: Test, *, path: str, shared: Pool) -> Iterator[TamperFinding]:
    for row in (Counter(old.rows) - Counter(new.rows)).elements():
        values = frozenset(row.split(", "))
        if (
            shared.rows[row] > 0
            or any(values <= claim.literals for claim in new.live)
            or any(values <= table for table in shared.tables)
        ):
            continue
        yield _finding(
            "case-removed",
            f"{old.name} no longer tries ({row})",
            path=path,
            line=new.node.lineno,
            evidence=row,
            severity="show" if row.startswith(COMPUTED) else "block",
        )


def _pair(old: Test, new: Test, *, path: str, shared: Pool) -> Iterator[TamperFinding]:
    yield from _silenced(old, new, path)
    yield from _rows(old, new, path=path, shared=shared)
    for claim, spare in _lost(old, new, shared):
        rule, message, severity = _describe(claim, spare)
        yield _finding(
            rule,
            f"{old.name}: {message}",
            path=path,
            line=new.node.lineno,
            severity=severity,
            evidence=claim.key.strip(),
        )
    if old.timeout is not None and (new.timeout is None or new.timeout > old.timeout):
        yield _finding(
            "timeout-raised",
            f"{old.name} may take {new.timeout or 'any number of'} seconds instead of {old.timeout:g}",
            path=path,
            line=new.node.lineno,
        )
    if Counter(new.mocks) - Counter(old.mocks):
        yield _finding(
            "test-mocked",
            f"{old.name} now replaces something that it ran before",
            path=path,
            line=new.node.lineno,
            severity="show",
        )


def _gone(old: Test, now: Suite, *, path: str, shared: Pool) -> Iterator[TamperFinding]:
    """A test that is no longer there under its name."""
    if shared.bodies[_body(old)] > 0:
        shared.bodies[_body(old)] -= 1
        for claim in old.live:
            shared.take(claim)
        return
    lost = list(_lost(old, None, shared))
    if not lost and old.live:
        return
    keys = {claim.key for claim in old.live}
    hidden = next(
        (
            test
            for test in now.tests.values()
            if not test.collected and (keys & {claim.key for claim in test.claims} or _body(test) == _body(old))
        ),
        None,
    )
    if hidden is not None:
        yield _finding(
            "test-renamed-away",
            f"{old.name} became {hidden.name}, which no runner collects",
            path=path,
            line=hidden.node.lineno,
        )
    else:
        yield _finding("test-deleted", f"{old.name} is gone", path=path, evidence="; ".join(keys))


def compare_python(path: str, old: bytes, new: bytes | None, *, shared: Pool | None = None) -> Iterator[TamperFinding]:
    """What the new version of a test file no longer demands."""
    before, after = parse(old), parse(new if new is not None else b"")
    shared = shared if shared is not None else pool({path: (old, new)})
    if before is None:
        return
    if after is None:
        yield _finding("test-deleted", "the file can no longer be read as Python", path=path)
        return
    was, now = suite(old), suite(new or b"")
    for test in was.tests.values():
        twin = now.tests.get(test.name)
        if twin is not None and (twin.collected or not test.collected):
            yield from _pair(test, twin, path=path, shared=shared)
        elif test.collected:
            yield from _gone(test, now, path=path, shared=shared)
    for entry in (was.entries() - now.entries()).elements():
        if shared.entries[entry] <= 0 and new is not None:
            yield _finding("case-removed", f"a table no longer holds {entry}", path=path, evidence=entry)
    yield from _replaced(was, now, path)


def _replaced(was: Suite, now: Suite, path: str) -> Iterator[TamperFinding]:
    for name in sorted(now.redefined() - was.redefined()):
        yield _finding("assert-redefined", f"{name} no longer is unittest's own", path=path)
    made = was.imported() & now.defined() - was.defined()
    for name in sorted(made & {node.id for node in ast.walk(was.tree) if isinstance(node, ast.Name)}):
        yield _finding("subject-replaced", f"{name} was imported and is now made by the test itself", path=path)
