"""Two versions of JavaScript or TypeScript tests compared by what they claim."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from windtunnel.core.trial import TamperFinding
from windtunnel.tamper.paths import is_test
from windtunnel.tamper.rule import MOST_EVIDENCE, Severity
from windtunnel.tamper.script import read_script
from windtunnel.tamper.script_blocks import DOES, JUDGES, OUTSIDE, RUNNERS, ScriptSuite, script_suite
from windtunnel.tamper.script_claims import LOOSE, Expectation, ScriptTest, at_least
from windtunnel.tamper.script_values import split_origin

Lost = tuple[Expectation, list[Expectation]]
"""A claim that is gone, and those that are new in its test."""


def _finding(
    rule: str, message: str, *, path: str, line: int = 0, severity: Severity = "block", evidence: str = ""
) -> TamperFinding:
    return TamperFinding(
        rule=rule, message=message, path=path, line=line or None, severity=severity, evidence=evidence[:MOST_EVIDENCE]
    )


def script_pool(pairs: Mapping[str, tuple[bytes | None, bytes | None]]) -> Counter[str]:
    """Claims that are new somewhere in the change, each with the conditions around it."""
    made = Counter[str]()
    for path, (before, after) in pairs.items():
        old, new = (script_suite(data or b"", path=path) for data in (before, after))
        for test in new.tests.values():
            if not test.silent:
                twin = old.tests.get(test.name)
                had = Counter(each.exact for each in (twin.live if twin else ()))
                made += Counter(each.exact for each in test.live) - had
    return made


def _lost(old: ScriptTest, new: ScriptTest | None, spare: Counter[str]) -> Iterator[Lost]:
    have = Counter(each.exact for each in new.live) if new else Counter[str]()
    missing = []
    for each in old.live:
        if have[each.exact] > 0:
            have[each.exact] -= 1
        else:
            missing.append(each)
    fresh = [each for each in (new.expectations if new else []) if each.dead or have[each.exact] > 0]
    for each in missing:
        stronger = next((one for one in fresh if at_least(each, one)), None)
        stricter = each.meaning.replace(f" {LOOSE} ", " = ", 1)
        drawn = next((key for key in (each.exact, each.meaning, stricter) if spare[key] > 0), None)
        if stronger is not None:
            fresh.remove(stronger)
        elif drawn is not None:
            spare[drawn] -= 1
        else:
            yield each, fresh


def _describe(lost: Expectation, fresh: list[Expectation]) -> tuple[str, str]:
    for each in fresh:
        if each.key == lost.key:
            rule = "assert-disabled" if each.dead else "assert-conditional"
            return rule, f"no longer has to hold: {lost.key}"
    if lost.row:
        return "case-removed", f"no longer tries {lost.row}"
    for each in fresh:
        if each.subject == lost.subject and each.matcher == lost.matcher:
            return "expected-changed", f"expected {' '.join(lost.expected)}, now {' '.join(each.expected)}"
    if any(each.subject == lost.subject for each in fresh):
        return "assert-weakened", f"holds for more than before: {lost.key}"
    return "assert-removed", f"no longer claimed: {lost.key}"


def compare_script(
    path: str, old: bytes, new: bytes | None, *, spare: Counter[str] | None = None
) -> Iterator[TamperFinding]:
    """What the new version of a test file no longer demands."""
    was, now = (script_suite(data or b"", path=path) for data in (old, new))
    spare = spare if spare is not None else script_pool({path: (old, new)})
    # Claims that came from a test which is there no more may be drawn by the others first.
    for test in sorted(was.tests.values(), key=lambda each: each.name not in now.tests):
        twin = now.tests.get(test.name)
        if twin is None:
            if list(_lost(test, None, spare)):
                yield _finding("test-deleted", f"{test.name} is gone", path=path, evidence=test.name)
        else:
            yield from _pair(test, twin, path=path, spare=spare)
    yield from _replaced(path, old, new)
    yield from _whole(path, was, now)


def _whole(path: str, was: ScriptSuite, now: ScriptSuite) -> Iterator[TamperFinding]:
    if now.only and not was.only and any(not test.only for test in now.tests.values()):
        yield _finding("test-skipped", "`only` keeps the other tests of the file from running", path=path)
    before, after = (each.tests[OUTSIDE].mocks if OUTSIDE in each.tests else set() for each in (was, now))
    for mocked in sorted(each for each in after - before if each.startswith("'.")):
        message = f"all tests of the file now get something in the place of {mocked}"
        yield _finding("test-mocked", message, path=path, evidence=mocked)
    if was.timeout is not None and now.timeout is not None and now.timeout > was.timeout:
        yield _finding("timeout-raised", f"tests may take {now.timeout:g} ms instead of {was.timeout:g}", path=path)


def _pair(old: ScriptTest, new: ScriptTest, *, path: str, spare: Counter[str]) -> Iterator[TamperFinding]:
    if new.silent and not old.silent:
        yield _finding("test-skipped", f"{old.name} is now silenced", path=path, line=new.line, evidence=new.silent)
    for lost, fresh in _lost(old, new, spare):
        if lost.matcher == DOES and any(each.subject for each in new.live):
            continue
        rule, message = _describe(lost, fresh)
        yield _finding(rule, f"{old.name}: {message}", path=path, line=new.line, evidence=lost.key)
    for mocked in sorted(new.mocks - old.mocks):
        message = f"{old.name} now puts something in the place of {mocked}"
        yield _finding("test-mocked", message, path=path, line=new.line, evidence=mocked)
    if new.timeout is not None and new.timeout > (old.timeout or float("inf")):
        yield _finding(
            "timeout-raised",
            f"{old.name} may take {new.timeout:g} ms instead of {old.timeout:g}",
            path=path,
            line=new.line,
        )


def _replaced(path: str, old: bytes, new: bytes | None) -> Iterator[TamperFinding]:
    """A name that came from the runner and now comes from the product, or from the product and now from the tests."""
    before, after = (read_script(data or b"").aliases for data in (old, new))
    for name, module in before.items():
        now = after.get(name, "")
        if not now.startswith("."):
            continue
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), split_origin(now)[0]))
        own = is_test(place) or not now.startswith("..")
        if RUNNERS.match(module) or JUDGES.match(module):
            message = f"{name} came from {module.partition('.')[0]} and now comes from {now}"
            severity: Severity = "show" if own else "block"
            yield _finding("runner-replaced", message, path=path, severity=severity, evidence=f"{name}: {now}")
        elif re.match(r"^\.\.?/", module) and is_test(place) and not _of_tests(path, module):
            message = f"{name} came from {module} and now comes from {now}, which belongs to the tests"
            yield _finding("subject-replaced", message, path=path, evidence=f"{name}: {now}")


def _of_tests(path: str, module: str) -> bool:
    return is_test(posixpath.normpath(posixpath.join(posixpath.dirname(path), split_origin(module)[0])))
