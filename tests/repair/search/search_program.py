"""Small programs with one fault each, and a judge for them: nothing here is untrusted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import sqrt

from windtunnel.core.repair import Scene, Suspicion
from windtunnel.repair.search import search

PATH = "program.py"
_STEPS = 4000


@dataclass(frozen=True, kw_only=True)
class Program:
    """A good program, the fragment that the fault replaces, calls that the tests make, and calls that they do not."""

    name: str
    good: str
    right: str
    wrong: str
    tests: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def broken(self) -> str:
        assert self.good.count(self.right) == 1, self.name
        return self.good.replace(self.right, self.wrong)


class OutOfStepsError(BaseException):
    """A program that does not end."""


@dataclass
class Watch:
    """Counts the lines that a program runs, and remembers which, with the types of its names."""

    lines: set[int]
    types: dict[int, dict[str, set[str]]]
    left: int = _STEPS

    def __call__(self, frame, event, argument):
        if frame.f_code.co_filename != PATH:
            return None
        self.left -= 1
        if self.left < 0 or any(_is_huge(value) for value in frame.f_locals.values()):
            raise OutOfStepsError
        self.lines.add(frame.f_lineno)
        if event == "return":
            known = self.types.setdefault(frame.f_code.co_firstlineno, {})
            for name, value in frame.f_locals.items():
                known.setdefault(name, set()).add(type(value).__name__)
        return self


def _is_huge(value: object) -> bool:
    """Whether the next step could take forever: one operation on it is not counted in lines."""
    return (isinstance(value, int) and abs(value) > 1_000_000) or (isinstance(value, list | str) and len(value) > 10_000)


def answer(space: Mapping[str, object], call: str, watch: Watch) -> str:
    """What a call gives, an error included."""
    before = sys.gettrace()
    sys.settrace(watch)
    try:
        return repr(eval(call, dict(space)))
    except (Exception, OutOfStepsError) as error:  # noqa: BLE001 -- an error is an answer
        return type(error).__name__
    finally:
        sys.settrace(before)


def loaded(text: str) -> dict[str, object] | None:
    space: dict[str, object] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, PATH, "exec"), space)
    except Exception:  # noqa: BLE001 -- it does not load, whatever the reason
        return None
    return space


def answers(text: str, calls: tuple[str, ...]) -> tuple[str, ...]:
    space = loaded(text)
    return () if space is None else tuple(answer(space, call, Watch(set(), {})) for call in calls)


def is_passing(text: str, calls: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    space = loaded(text)
    return space is not None and all(answer(space, call, Watch(set(), {})) == one for call, one in zip(calls, wanted, strict=True))


def scene(program: Program) -> Scene:
    """What a traced run of the program's tests shows."""
    space, wanted = loaded(program.broken), answers(program.good, program.tests)
    failed: dict[int, int] = {}
    ran: dict[int, int] = {}
    types: dict[int, dict[str, set[str]]] = {}
    failures = 0
    for call, one in zip(program.tests, wanted, strict=True):
        watch = Watch(set(), types)
        wrong = answer(space, call, watch) != one
        failures += wrong
        for line in watch.lines:
            ran[line] = ran.get(line, 0) + 1
            failed[line] = failed.get(line, 0) + wrong
    suspicions = [Suspicion(path=PATH, line=line, score=count / sqrt(failures * ran[line]), failing=count, passing=ran[line] - count)
                  for line, count in failed.items() if count]
    seen = {f"{PATH}:{line}": {name: tuple(sorted(kinds)) for name, kinds in names.items()} for line, names in types.items()}
    tests = "\n".join(f"assert {call} == {one}" for call, one in zip(program.tests, wanted, strict=True))
    return Scene(paths=(PATH,), read={PATH: program.broken, "test_program.py": tests}.get, types=seen, test_paths=("test_program.py",),
                 suspicions=tuple(sorted(suspicions, key=lambda item: -item.score)))


@dataclass(frozen=True)
class Outcome:
    """How the search went."""

    program: str
    rank: int | None
    """Of the first proposal that passes the tests, from one; None where none of those tried does."""
    right: bool
    """Whether that one also does as the good program on the calls that no test makes."""
    kind: str
    diff: str


def outcome(program: Program, most: int = 3000) -> Outcome:
    shown = scene(program)
    wanted, further = answers(program.good, program.tests), answers(program.good, program.extra)
    for rank, proposal in enumerate(_first(shown, most), start=1):
        text = proposal.edits[0].text
        if is_passing(text, program.tests, wanted):
            right = answers(text, program.extra) == further
            return Outcome(program.name, rank, right, proposal.name, proposal.reason)
    return Outcome(program.name, None, right=False, kind="", diff="")


def _first(shown: Scene, most: int) -> Iterator:
    return islice(search(shown), most)
