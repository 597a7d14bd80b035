"""Small programs with one fault each, and real compilers and runtimes that judge many proposals at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.repair import Scene

PROGRAMS = Path(__file__).parent / "programs"
FILES = {"javascript": "lib.js", "typescript": "lib.ts", "java": "P.java", "go": "p.go", "rust": "lib.rs"}
TESTS = {
    "javascript": "lib.test.js",
    "typescript": "lib.test.ts",
    "java": "PTest.java",
    "go": "p_test.go",
    "rust": "tests/all.rs",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A program, what is asked of it, and what was made wrong in it."""

    language: str
    name: str
    kind: str
    good: str
    broken: str
    checks: tuple[str, ...]
    """What the tests of the project ask: a proposal that answers these as the good one does passes."""
    hidden: tuple[str, ...]
    """What else it must answer to be right."""

    @property
    def scene(self) -> Scene:
        texts = {FILES[self.language]: self.broken, TESTS[self.language]: "\n".join(self.checks)}
        return Scene(paths=(FILES[self.language],), read=texts.get, test_paths=(TESTS[self.language],))


def cases(language):
    """All faults of a language's programs."""
    text = (PROGRAMS / f"{language}.txt").read_text()
    return [case for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:] for case in _of(part, language)]


def _of(part, language):
    head, _, rest = part.partition("\n")
    good, *sections = re.split(r"^-- ", rest, flags=re.MULTILINE)
    said = {"check": (), "hidden": ()}
    faults = []
    for section in sections:
        title, _, body = section.partition("\n")
        if title in said:
            said[title] = tuple(body.splitlines())
        else:
            right, _, wrong = body.partition("=>\n")
            faults.append((title.removeprefix("fault "), right, wrong))
    return [
        _case(good, (right, wrong), language=language, name=f"{head}-{at}", kind=kind, said=said)
        for at, (kind, right, wrong) in enumerate(faults)
    ]


def _case(good, fault, *, language, name, kind, said):
    right, wrong = fault
    if right not in good:
        right, wrong = right.rstrip("\n"), wrong.rstrip("\n")
    assert good.count(right) >= 1, (language, name, right)
    broken = good.replace(right, wrong, 1)
    return Case(
        language=language, name=name, kind=kind, good=good, broken=broken, checks=said["check"], hidden=said["hidden"]
    )
