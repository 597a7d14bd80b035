"""The corpora of broken programs: how their files are read, and how one program is laid out as a project.

A file of ``tests/corpus/repair`` holds many programs, each written once, as it should be, with its fault beside it::

    #### name | kind
    while low <= high:  #~ while low < high:     the line as it should be, and as it is in the broken program
    total = 0  #-                                a line that the broken program lacks
    #+ total += 1                                a line that only the broken program has
    #### tests
    name([1, 3], 3) == 1                         each line a test of its own
    raises ValueError: name(None, 3)
    #### inputs
    ints(), n(0, 9)                              arguments, drawn anew for each comparison with the good program
    #### driver
    def driver(*arguments): ...                  what to call with them, where it is not the function ``name``

In other languages than Python the marks stand behind ``//``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ground import ROOT
from benchmarks.timing import NotRun

CORPUS = ROOT / "tests/corpus/repair"
_HEAD = re.compile(r"^#### (.+)$", re.MULTILINE)
_INSTEAD = re.compile(r"^(?P<good>\s*.*?)\s+(?:#|//)~ (?P<broken>.*)$")
_LACKING = re.compile(r"^(?P<good>.*?)\s+(?:#|//)-$")
_ADDED = re.compile(r"^(?P<indent>\s*)(?:#|//)\+ (?P<broken>.*)$")
_SECTIONS = ("tests", "inputs", "driver", "command", "output", "also")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One program with one fault."""

    name: str
    kind: str
    good: str
    broken: str
    tests: tuple[str, ...] = ()
    """Expressions that must hold, or ``raises Name: expression``."""
    inputs: str = ""
    """What draws the arguments of a comparison; see ``repair_behaviour``."""
    driver: str = ""
    sections: tuple[tuple[str, str], ...] = ()
    """All others, by name."""

    def section(self, name: str) -> str:
        return dict(self.sections).get(name, "")


def faults(part: str) -> list[Fault]:
    """All of a folder of the corpus, file by file."""
    folder = CORPUS / part
    if not folder.is_dir():
        raise NotRun("the corpus of broken programs is not here (it comes with the source)")
    return [fault for file in sorted(folder.glob("*.txt")) for fault in read(file.read_text())]


def sample(those: Sequence[Fault], most: int | None) -> list[Fault]:
    """At most so many, the same ones each time, spread evenly over the corpus."""
    if most is None or most >= len(those):
        return list(those)
    return [those[place * len(those) // most] for place in range(most)]


def read(text: str) -> Iterator[Fault]:
    """The programs of one file."""
    _, *parts = _HEAD.split(text)
    head, sections = "", {}
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        if title in _SECTIONS:
            sections[title] = body.strip("\n")
            continue
        if head:
            yield _fault(head, sections)
        head, sections = title, {"program": body.strip("\n")}
    if head:
        yield _fault(head, sections)


def _fault(head: str, sections: dict[str, str]) -> Fault:
    name, _, kind = (part.strip() for part in head.partition("|"))
    good, broken = both(sections["program"])
    tests = tuple(line for line in sections.get("tests", "").splitlines() if line.strip())
    return Fault(name=name, kind=kind, good=good, broken=broken, tests=tests, inputs=sections.get("inputs", ""),
                 driver=sections.get("driver", ""), sections=tuple(sections.items()))


def both(program: str) -> tuple[str, str]:
    """The program as it should be, and as it is."""
    good: list[str] = []
    broken: list[str] = []
    for line in program.splitlines():
        if found := _ADDED.match(line):
            broken.append(found["indent"] + found["broken"])
        elif found := _LACKING.match(line):
            good.append(found["good"])
        elif found := _INSTEAD.match(line):
            good.append(found["good"])
            broken.append(_indent(line) + found["broken"])
        else:
            good.append(line)
            broken.append(line)
    return "\n".join(good) + "\n", "\n".join(broken) + "\n"


def _indent(line: str) -> str:
    return line[:len(line) - len(line.lstrip())]


def lay_out(fault: Fault, folder: Path, *, source: str | None = None) -> Path:
    """The program and its tests as a project; the broken program unless another is given."""
    folder.mkdir(parents=True)
    (folder / f"{fault.name}.py").write_text(fault.broken if source is None else source)
    (folder / f"test_{fault.name}.py").write_text(test_file(fault))
    return folder


def test_file(fault: Fault) -> str:
    """Each line of the tests as a function of its own."""
    names = [node.name for node in ast.parse(fault.good).body
             if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    used = [name for name in names if any(re.search(rf"\b{name}\b", line) for line in fault.tests)]
    head = "import pytest\n\n" if any(line.startswith("raises ") for line in fault.tests) else ""
    return f"{head}from {fault.name} import {', '.join(used)}\n" + "".join(
        f"\n\ndef test_{fault.name}_{number}():\n{_assertion(line)}" for number, line in enumerate(fault.tests, 1))


test_file.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test where it is imported


def _assertion(line: str) -> str:
    if not line.startswith("raises "):
        return f"    assert {line}\n"
    error, _, call = line.removeprefix("raises ").partition(": ")
    return f"    with pytest.raises({error}):\n        {call}\n"
