"""What the tests of a project do: which fail, what each runs, and of which types things are in the failing ones.

What holds: it is seen in the sandbox of the judge, and the project on disk is never touched. What does not hold: code
that runs when a file is loaded is not seen test by test, and counts as run by all tests that run anything of the file;
in a function that runs for long, all of its lines count as run; what other processes run is not seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from windtunnel.core.repair import Suspicion
from windtunnel.core.testfile import is_test
from windtunnel.core.tool import PLACE
from windtunnel.engine.fix.judge_session import Ended, Session
from windtunnel.engine.fix.observe_places import Ran, lines_of, suspicions

_MOST_PASSING = 200
"""Passing tests whose lines are looked at: those nearest to the failing ones."""
_MOST_FAILING = 100
_SECOND_CHANCE = 4.0
"""How many times as long the first test gets that ran out of time, once more; where it ends, all others of them do."""
_MOST_RUNS = 20
"""Copies that one look may take, where tests end the process they run in."""
_SLACK_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What to look at."""

    failing: tuple[str, ...] = ()
    """Tests known to fail; none for running all."""
    seconds: float = 120.0
    test_seconds: float = 1.0
    """Of the processor, for one test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What was seen."""

    failing: tuple[str, ...] = ()
    """Tests that fail, and files (modules, for unittest) that do not load; in the order of the project's own run."""
    passing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()
    """Statements that failing tests ran, most suspicious first; where a test's trace passed through, more so."""
    types: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """As ``Scene.types``."""
    packages: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Of the processor, by test; none for those that ran out of it."""
    wall_seconds: Mapping[str, float] = field(default_factory=dict)
    """The same of the clock: more for tests that wait."""
    late: frozenset[str] = frozenset()
    """Failing tests that ran out of time."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Why files do not load."""
    spawning: frozenset[str] = frozenset()
    """Tests that start processes, or read the project's code as data."""
    load_seconds: float = 0.0
    """Of the processor, for the collection of all tests."""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Timed:
    """What became of each test, by its number."""

    status: dict[int, str] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    wall_seconds: dict[int, float] = field(default_factory=dict)
    spawning: set[int] = field(default_factory=set)

    def run(self, session: Session, names: Sequence[str], numbers: list[int], *, seconds: float, until: float) -> None:
        """Each test once; one that ends its process fails, and the others go on in another."""
        _each(session, "time", numbers, seconds, until=until, done=self.status,
              take=lambda words: self.take(words, names), crashed=lambda at: self.status.update({at: "failed"}))

    def add(self, more: _Timed) -> None:
        """The times of others."""
        self.seconds |= more.seconds
        self.wall_seconds |= more.wall_seconds
        self.spawning |= more.spawning

    def take(self, words: Iterable[Any], names: Sequence[str]) -> None:
        for word in words:
            if isinstance(word, list) and len(word) == 5 and _in(word[0], names) and isinstance(word[1], str):  # noqa: PLR2004 -- number, status, clock, processor, spawned
                self.status[word[0]] = word[1]
                if word[1] != "late":
                    self.seconds[word[0]], self.wall_seconds[word[0]] = _seconds(word[3]), _seconds(word[2])
                if word[4]:
                    self.spawning.add(word[0])


def observe(session: Session, read: Callable[[str], bytes | None], ask: Ask) -> Observation:
    """Look once; raises ``Ended`` where the sandbox ended."""
    until = time.monotonic() + ask.seconds
    told = session.ask({"do": "names"}, seconds=ask.seconds, slack=ask.seconds)
    names, broken, packages, load_seconds = _collected(told)
    if not told.get("whole"):
        return Observation(notes=(f"the tests could not be collected ({told.get('end')})",), load_seconds=load_seconds)
    known = {names.index(name) for name in ask.failing if name in names}
    timed = _timed(session, names, sorted(known) or range(len(names)), ask=ask, until=until)
    failing = [number for number in range(len(names)) if timed.status.get(number) in ("failed", "late")]
    near = _nearest(names, failing, [number for number in range(len(names)) if number not in failing])
    if known:
        more = _timed(session, names, near, ask=ask, until=until)
        timed.status |= {number: status for number, status in more.status.items() if status in ("passed", "skipped")}
        timed.add(more)
    passing = [number for number in near if timed.status.get(number) == "passed"]
    ran, types = _traced(session, names, failing[:_MOST_FAILING], passing[:_MOST_PASSING], ask=ask, until=until)
    return Observation(
        failing=(*broken, *(names[number] for number in failing)),
        passing=tuple(name for number, name in enumerate(names) if timed.status.get(number) == "passed"),
        skipped=tuple(name for number, name in enumerate(names) if timed.status.get(number) == "skipped"),
        suspicions=suspicions(ran, read), types=_by_definition(types, read), packages=packages, broken=broken,
        seconds={names[number]: seconds for number, seconds in timed.seconds.items()},
        wall_seconds={names[number]: seconds for number, seconds in timed.wall_seconds.items()},
        late=frozenset(names[number] for number in failing if timed.status[number] == "late"),
        spawning=frozenset(names[number] for number in timed.spawning), load_seconds=load_seconds,
        notes=("not all tests were run in the time there was",) if time.monotonic() > until else ())


def _collected(told: Mapping[str, Any]) -> tuple[list[str], dict[str, str], tuple[str, ...], float]:
    names: list[str] = []
    seconds = 0.0
    broken: dict[str, str] = {}
    packages: tuple[str, ...] = ()
    for word in told.get("words", ()):
        if isinstance(word, dict):
            names += [name for name in word.get("names", ()) if isinstance(name, str)]
            broken |= {str(pair[0]): str(pair[1]) for pair in word.get("broken", ()) if isinstance(pair, list)}
            packages += tuple(name for name in word.get("packages", ()) if isinstance(name, str))
            seconds = max(seconds, _seconds(word.get("seconds")))
    return names, broken, packages, seconds


def _timed(session: Session, names: Sequence[str], numbers: Iterable[int], *, ask: Ask, until: float) -> _Timed:
    """With a second chance for what ran out of time: a slow test is no endless one."""
    found = _Timed()
    found.run(session, names, list(numbers), seconds=ask.test_seconds, until=until)
    late = [number for number, status in found.status.items() if status == "late"]
    for again in (late[:1], late[1:]):
        if again and (again == late[:1] or found.status[late[0]] != "late"):
            more = _Timed()
            more.run(session, names, again, seconds=_SECOND_CHANCE * ask.test_seconds, until=until)
            found.status |= {number: "late" if status == "failed" and number not in more.seconds else status
                             for number, status in more.status.items()}
            found.add(more)
    return found


def _each(
    session: Session, act: str, numbers: list[int], seconds: float, *, until: float, take: Callable[[Any], None],
    crashed: Callable[[int], None], done: Collection[int], failing: Sequence[int] = (),
) -> None:
    waiting = list(numbers)
    for _ in range(_MOST_RUNS):
        left = until - time.monotonic()
        if not waiting or left <= 0:
            return
        order = {"do": act, "numbers": waiting, "seconds": seconds, "failing": list(failing)}
        try:
            told = session.ask(order, seconds=left + _SLACK_SECONDS, slack=_SLACK_SECONDS)
        except Ended as end:
            if "in time" in str(end):
                return
            raise
        take(told.get("words", ()))
        waiting = [number for number in waiting if number not in done]
        if waiting and not told.get("whole"):
            crashed(waiting.pop(0))
        elif told.get("whole"):
            return


def _traced(
    session: Session, names: Sequence[str], failing: list[int], passing: list[int], *, ask: Ask, until: float,
) -> tuple[list[Ran], dict[str, dict[str, list[str]]]]:
    ran: dict[int, Ran] = {}
    types: dict[str, dict[str, list[str]]] = {}

    def take(words: Iterable[Any]) -> None:
        for word in words:
            if isinstance(word, dict) and isinstance(word.get("types"), dict):
                types.update(word["types"])
            elif isinstance(word, list) and len(word) == 4 and _in(word[0], names):  # noqa: PLR2004 -- number, status, lines, frames
                ran[word[0]] = Ran(failed=word[0] in failing, lines=_lines(word[2]), frames=_frames(word[3]))

    if failing:
        _each(session, "trace", [*failing, *passing], ask.test_seconds, until=until, take=take, failing=failing,
              crashed=lambda number: ran.update({number: Ran(failed=number in failing)}), done=ran)
    return list(ran.values()), types


def _lines(told: object) -> dict[str, frozenset[int]]:
    """Only of the project's own code: no tests."""
    found = {}
    for path, lines in told.items() if isinstance(told, dict) else ():
        name = _relative(path)
        if name and not is_test(name) and isinstance(lines, list):
            found[name] = frozenset(line for line in lines if isinstance(line, int))
    return found


def _frames(told: object) -> tuple[tuple[str, int], ...]:
    found = []
    for pair in told if isinstance(told, list) else ():
        if isinstance(pair, list) and isinstance(pair[-1], int):
            name = _relative(pair[0])
            if name and not is_test(name):
                found.append((name, pair[-1]))
    return tuple(found)


def _by_definition(
    told: Mapping[str, Any], read: Callable[[str], bytes | None],
) -> dict[str, dict[str, tuple[str, ...]]]:
    """By the line of ``def`` instead of that of the first decorator."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    places: dict[str, Mapping[int, int]] = {}
    for key, names in told.items():
        path, _, line = key.rpartition(":")
        name = _relative(path)
        if not name or is_test(name) or not line.isdigit() or not isinstance(names, dict):
            continue
        if name not in places:
            places[name] = lines_of(read(name) or b"").definitions
        at = places[name].get(int(line), int(line))
        found[f"{name}:{at}"] = {str(local): tuple(map(str, kinds)) for local, kinds in names.items()}
    return found


def _nearest(names: Sequence[str], failing: Sequence[int], others: Sequence[int]) -> list[int]:
    """Tests of the same class first, then of the same file, of the same folder, all others."""
    if not failing:
        return list(others)
    own = {names[number].rpartition("::")[0] or names[number].rpartition(".")[0] for number in failing}
    files = {_file(names[number]) for number in failing}
    folders = {str(PurePosixPath(file).parent) for file in files}

    def distance(number: int) -> int:
        name = names[number]
        if (name.rpartition("::")[0] or name.rpartition(".")[0]) in own:
            return 0
        return 1 if _file(name) in files else 2 if str(PurePosixPath(_file(name)).parent) in folders else 3

    return sorted(others, key=distance)[:_MOST_PASSING]


def _file(name: str) -> str:
    return name.split("::", 1)[0] if "::" in name else ".".join(name.split(".")[:-2])


def _relative(path: object) -> str:
    return path.removeprefix(f"{PLACE}/") if isinstance(path, str) and path.startswith(f"{PLACE}/") else ""


def _in(number: object, names: Sequence[str]) -> bool:
    return isinstance(number, int) and 0 <= number < len(names)


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e6 else 0.0  # noqa: PLR2004 -- not for ever
