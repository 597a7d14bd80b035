"""Tests in other languages compared by what their text shows: names, marks that silence, counts of assertions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.core.trial import TamperFinding


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What tests of one language look like."""

    test: re.Pattern[str]
    """Its first group is the test's name."""
    silent: re.Pattern[str]
    claim: re.Pattern[str]


_SLASHES = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_HASHES = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*')

LANGUAGES: dict[str, Signs] = {
    ".go": Signs(
        test=re.compile(r"^func\s+((?:Test|Benchmark|Fuzz|Example)\w*)\s*\(", re.MULTILINE),
        silent=re.compile(r"\b[tb]\.Skip(?:f|Now)?\(|//go:build ignore"),
        claim=re.compile(r"\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require|is)\.\w+\("),
    ),
    ".rs": Signs(
        test=re.compile(r"#\[(?:\w+::)*test(?:\([^)]*\))?\](?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)"),
        silent=re.compile(r"#\[ignore\b|#\[cfg\(any\(\)\)\]"),
        claim=re.compile(r"\b(?:debug_)?assert(?:_eq|_ne|_matches)?!|\bpanic!|#\[should_panic"),
    ),
    ".java": Signs(
        test=re.compile(r"@(?:Test|ParameterizedTest|RepeatedTest)\b[^;{]*?\bvoid\s+(\w+)\s*\(", re.DOTALL),
        silent=re.compile(r"@(?:Disabled|Ignore)\b|\b(?:Assumptions|Assume)\.\w+\(|enabled\s*=\s*false"),
        claim=re.compile(r"\bassert\w*\s*\(|\bverify\s*\(|\bfail\s*\(|\bassertThat\b"),
    ),
    ".rb": Signs(
        test=re.compile(r"^\s*(?:def\s+(test_\w+)|(?:it|test|specify)\s+['\"][^'\"\n]+['\"])", re.MULTILINE),
        silent=re.compile(r"^\s*(?:xit|xdescribe|pending|skip)\b", re.MULTILINE),
        claim=re.compile(r"\bexpect\b|\bassert\w*|\bshould\b|\bmust_\w+"),
    ),
    ".php": Signs(
        test=re.compile(r"function\s+(test\w+)\s*\("),
        silent=re.compile(r"markTest(?:Skipped|Incomplete)\("),
        claim=re.compile(r"(?:->|::)(?:assert|expect)\w+\("),
    ),
    ".cs": Signs(
        test=re.compile(r"\[(?:Fact|Theory|Test|TestMethod|TestCase)\b[^\]]*\][^;{]*?\b(\w+)\s*\(", re.DOTALL),
        silent=re.compile(r"\bSkip\s*=|\[Ignore\b|Assert\.(?:Ignore|Inconclusive)"),
        claim=re.compile(r"\bAssert\.\w+|\.Should\(\)"),
    ),
}
LANGUAGES |= {".kt": LANGUAGES[".java"], ".groovy": LANGUAGES[".java"], ".scala": LANGUAGES[".java"]}


def signs(path: str) -> Signs | None:
    """What tests look like in a file of this name."""
    return LANGUAGES.get(path[path.rfind(".") :])


def _code(path: str, data: bytes) -> str:
    pattern = _HASHES if path.endswith(".rb") else _SLASHES
    # Strings stay, so that a slash inside one starts no comment.
    return pattern.sub(
        lambda match: match[0] if match[0][0] in "\"'" or "go:build" in match[0] else " ",
        data.decode("utf-8", "replace"),
    )


def compare_other(path: str, old: bytes, new: bytes | None, *, elsewhere: str = "") -> Iterator[TamperFinding]:
    """What the new version shows less of; ``elsewhere`` is the text of other test files that the change makes."""
    known = signs(path)
    if known is None:
        return
    before, after = _code(path, old), _code(path, new or b"")
    names = Counter(match[1] or match[0].strip() for match in known.test.finditer(before))
    here = Counter(match[1] or match[0].strip() for match in known.test.finditer(f"{after}\n{elsewhere}"))
    for name in (names - here).elements():
        yield TamperFinding(rule="test-deleted", message=f"{name} is gone", path=path, evidence=name)
    skipped = [match[0] for match in known.silent.finditer(after)]
    if not sum(names.values()) and not skipped:
        return
    if len(skipped) > len(known.silent.findall(before)):
        yield TamperFinding(
            rule="test-skipped", message="tests are now silenced", path=path, evidence=", ".join(skipped)
        )
    lost = len(known.claim.findall(before)) - len(known.claim.findall(f"{after}\n{elsewhere}"))
    if lost > 0 and not names - here:
        yield TamperFinding(rule="assert-removed", message=f"{lost} assertions fewer than before", path=path)
    elif before != after and new is not None:
        yield TamperFinding(rule="test-changed", message="a test was edited", path=path, severity="show")
