"""Single faults of Python syntax in realistic files: does the first proposal give the right tree?

A file of ``tests/corpus/repair/syntax`` is one program and its faults, each as ``(kind, text, what stands there
instead)``; the text stands once in the program. Positions in the tree do not count, everything else does.
"""

from __future__ import annotations

import ast
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.repair_corpus import CORPUS
from benchmarks.repair_outcomes import GROUP
from benchmarks.rows import Row, Target
from benchmarks.timing import NotRun
from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.core.repair import Proposal, Scene

_NAMED = 12
_LEAST_RIGHT, _MOST_MILLISECONDS = 90.0, 50.0
Propose = Callable[[Scene], Iterator[Proposal]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One fault in one file."""

    file: str
    kind: str
    good: str
    broken: str

    def __str__(self) -> str:
        return f"{self.file}: {self.kind}"


def broken_files() -> list[Broken]:
    """All of the corpus."""
    if not (CORPUS / "syntax").is_dir():
        raise NotRun("the corpus of syntax errors is not here (it comes with the source)")
    found = []
    for file in sorted((CORPUS / "syntax").glob("*.txt")):
        program, _, faults = file.read_text().removeprefix("#### program\n").partition("#### faults\n")
        for line in faults.splitlines():
            kind, old, new = ast.literal_eval(line)
            if program.count(old) != 1:
                raise RuntimeError(f"{file.name} has {program.count(old)} times {old[:60]!r}")
            found.append(Broken(file=file.stem, kind=kind, good=program, broken=program.replace(old, new)))
    return found


def part_rows(propose: Propose | None = None, *, most: int | None) -> Iterator[Row]:
    """How many are right at once, and what one takes."""
    every = broken_files()
    those = every if most is None else every[::max(1, len(every) // most)][:most]
    asked = propose or _source()
    asked_first(asked, those[0])  # what is loaded at the first call is loaded once in a process
    found = [(one, *asked_first(asked, one)) for one in those]
    wrong = [str(one) for one, text, _ in found if not same_tree(one.good, text)]
    yield Row(group=GROUP, name="syntax errors: first diff right", value=100 * (len(found) - len(wrong)) / len(found),
              unit="%", of="value", target=Target(limit=_LEAST_RIGHT, least=True),
              note=f"{len(found) - len(wrong)} of {len(found)}; not: {', '.join(wrong[:_NAMED]) or 'none'}"
                   f"{' …' if len(wrong) > _NAMED else ''}")
    times = [1000 * seconds for *_, seconds in found]
    yield Row(group=GROUP, name="syntax errors: processor time to the first diff", value=statistics.median(times),
              p99=max(times), unit="ms", of="value", target=Target(limit=_MOST_MILLISECONDS),
              note=f"{sum(one > _MOST_MILLISECONDS for one in times)} of {len(times)} above; without what loads once")


def _source() -> Propose:
    try:
        from windtunnel.repair.syntax import propose  # noqa: PLC0415 -- who measures other groups does not load it
    except ImportError as error:
        raise NotRun("nothing here repairs syntax") from error
    return propose


def asked_first(propose: Propose, one: Broken) -> tuple[str, float]:
    """The text of the first proposal, and the seconds of processor time until it was there."""
    path = f"{one.file}.py"
    scene = Scene(paths=(path,), read={path: one.broken}.get, problems=(_problem(path, one.broken),))
    began = time.process_time()
    try:
        first = next(iter(propose(scene)), None)
    except Exception:  # noqa: BLE001 -- a source that raises has no first diff
        first = None
    seconds = time.process_time() - began
    return (first.edits[0].text if first is not None and first.edits else "", seconds)


def _problem(path: str, text: str) -> Problem:
    try:
        compile(text, path, "exec")
    except SyntaxError as error:
        return Problem(kind=ProblemKind.SYNTAX, message=error.msg, name=type(error).__name__, tool="python",
                       language="python", place=Place(file=path, line=error.lineno, column=error.offset))
    raise RuntimeError(f"{path} is no syntax error")


def same_tree(one: str, other: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError):
        return False
