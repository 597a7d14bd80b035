"""Loads the project's modules, each once, and calls their sections, each in a copy of this process.

Runs below a process that has loaded nothing of the project and decides what is reported; a module that ends or stops
this one is left out, and those after it get another.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import os
import resource
import shutil
import sys
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

import windtunnel_section_forks as forks  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_call import Caller, calm  # type: ignore[import-not-found]  # the same
from windtunnel_section_target import Missing, Target  # type: ignore[import-not-found]  # the same

Row = Dict[str, Any]
PLACE = os.getcwd()
MOST_MESSAGE = 300
GRACE_SECONDS = 10.0
NEVER, ENDED = "never returned", "ended the process"


class Host:
    """Works through one order."""

    def __init__(self, order: Row, say: Callable[[Any], None]) -> None:
        """``say`` tells the process above."""
        self.order, self.say = order, say
        self.modules: Dict[str, Any] = {}
        self.failed: Dict[str, str] = {}
        self.learned: Any = None
        self.taught: Dict[str, Row] = {}
        self.held: Optional[Set[str]] = set()
        """Those that did not return once, which are tried again when all is learned; None when they are."""

    def work(self) -> None:
        """All of it, in as many turns as it needs."""
        roots = list(dict.fromkeys(os.path.join(PLACE, row["root"]) for row in self.order["sections"]))
        sys.path[:0] = [*roots, *(path for path in (PLACE, os.path.join(PLACE, "src")) if path not in roots)]
        if self.order["mode"] == "replay":
            self._load(self.order["sections"])
            self._each(self.order["sections"], self._replay)
            return
        import windtunnel_section_search as search  # type: ignore[import-not-found]  # what replays need not carry

        self.learned = search.Learned(self.order)
        kinds = [("class",), ("function",), ("method", "property", "class method", "static method")]
        for some in kinds:
            self._round([row for row in self.order["sections"] if row["kind"] in some])
        again, self.held = self.held or set(), None
        self._round([row for row in self.order["sections"] if row["id"] in again])

    def _round(self, rows: List[Row]) -> None:
        """What sections teach is learned when all of them are over, in their order: the same whoever is faster."""
        self._load(rows)
        self.learned.read()
        self._each(rows, self._explore)
        for row in rows:
            self.learned.learn(self.taught.pop(row["id"], {}))

    def _load(self, rows: List[Row]) -> None:
        """What lives by then is not looked at by the collector again, so that copies share its memory with us."""
        for row in rows:
            with contextlib.suppress(BaseException):
                self._module(row)
        gc.collect()
        gc.freeze()

    def _each(self, rows: List[Row], begin: Callable[[Row, Target], Any]) -> None:
        """As many at a time as the order says; each is a generator that gives copies to wait for."""
        waiting, running = iter(rows), {}  # type: Tuple[Iterator[Row], Dict[Any, Any]]
        for row in waiting:
            self._begin(row, begin, running)
            while len(running) >= self.order["jobs"]:
                self._follow(running)
        while running:
            self._follow(running)

    def _begin(self, row: Row, begin: Callable[[Row, Target], Any], running: Dict[Any, Any]) -> None:
        self.say({"begun": row["id"]})
        try:
            target = Target(row, self._module(row))
        except BaseException as error:
            self.say({"id": row["id"], "failed": _why(error)})
            return
        self._step(begin(row, target), running)

    def _step(self, course: Any, running: Dict[Any, Any]) -> None:
        copy = next(course, None)
        if copy is not None:
            running[copy] = course

    def _follow(self, running: Dict[Any, Any]) -> None:
        forks.follow(list(running))
        for copy in [copy for copy in running if copy.how]:
            course = running.pop(copy)
            copy.end()
            shutil.rmtree(folder_of(copy.pid), ignore_errors=True)
            self._step(course, running)
        forks.sweep({copy.pid for copy in running})

    def _module(self, row: Row) -> Any:
        name = row["module"]
        if name in self.failed:
            raise ImportError(self.failed[name])
        if name not in self.modules:
            self.say({"importing": name})
            try:
                self.modules[name] = _loaded(name, os.path.join(PLACE, row["path"]))
            except BaseException as error:
                self.failed[name] = _why(error)
                raise ImportError(self.failed[name]) from None
            finally:
                self.say({"imported": name})
        return self.modules[name]

    def _replay(self, row: Row, target: Target) -> Iterator[Any]:
        """Every call in turn, as often as asked; what ends the copy is left behind, the rest gets another."""
        turns = [(turn, at) for turn in range(self.order["repeats"]) for at in range(len(row["calls"]))]
        ends: List[Row] = []
        while len(ends) < len(turns):
            left = turns[len(ends) :]
            copy = forks.Copy(lambda say, left=left: self._calls(row, target, left, say),
                              line_seconds=self.order["seconds"], whole_seconds=1e9)
            yield copy
            told = copy.lines[: len(left)]
            ends += [{**end, "turn": turn, "call": at} for end, (turn, at) in zip(told, left)]
            if len(told) < len(left):
                how = NEVER if copy.how == forks.KILLED else ENDED
                turn, at = left[len(told)]
                seconds = self.order["seconds"] if how == NEVER else 0.0
                ends.append({"how": how, "message": copy.why(), "turn": turn, "call": at, "seconds": seconds})
        self.say({"id": row["id"], "ends": ends})

    def _calls(self, row: Row, target: Target, turns: List[Tuple[int, int]], say: Callable[[Any], None]) -> None:
        calm(folder_of(os.getpid()))
        bound_memory(self.order["memory"])
        caller = Caller(target, self.order["seed"])
        around = _faults(self.order.get("faults") or {})
        for _, at in turns:
            say(caller(tuple(map(tuple, row["calls"][at])), around))

    def _explore(self, row: Row, target: Target) -> Iterator[Any]:
        seconds = self.order["seconds"]
        copy = forks.Copy(lambda say: self._search(target, say), line_seconds=1e9,
                          whole_seconds=10 * seconds + GRACE_SECONDS)
        yield copy
        told = [line for line in copy.lines if isinstance(line, dict)]
        whole: Row = {"id": row["id"], "kept": [line["kept"] for line in told if "kept" in line]}
        last = next((line for line in reversed(told) if "tries" in line), None)
        if last is None:
            whole["note"] = copy.why()
        else:
            whole.update({name: last[name] for name in ("tries", "lines_run", "lines", "remarks", "unfit")})
            self.taught[row["id"]] = last
        if self.held is not None and not any(one.get("how") == "returned" for one in whole["kept"]):
            self.held.add(row["id"])
            self.say({"held": row["id"]})
            return
        self.say(whole)

    def _search(self, target: Target, say: Callable[[Any], None]) -> None:
        import windtunnel_section_search as search

        calm(folder_of(os.getpid()))
        bound_memory(self.order["memory"])
        search.explore(target, self.order, self.learned, say)


def _loaded(name: str, path: str) -> Any:
    """By its name; where that finds another file, by its path."""
    module = importlib.import_module(name)
    file = getattr(module, "__file__", None)
    if isinstance(file, str) and os.path.realpath(file) == os.path.realpath(path):
        return module
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("its name finds another file: " + str(file))
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def _faults(spec: Row) -> Any:
    """What breaks around a call; None where nothing does."""
    if not spec:
        return None
    import windtunnel_faults as faults  # type: ignore[import-not-found]  # laid beside this file where there are any

    return (lambda: faults.begin(spec)), faults.end


def probe(spec: Row) -> Row:
    """What the faults really do, measured in a copy of their own."""
    def measure(say: Callable[[Any], None]) -> None:
        calm(folder_of(os.getpid()))
        import windtunnel_faults as faults

        faults.begin(spec)
        try:
            found = faults.probe(spec)
        finally:
            faults.end()
        say(found)

    copy = forks.Copy(measure, line_seconds=60.0, whole_seconds=60.0)
    forks.follow([copy])
    copy.end()
    shutil.rmtree(folder_of(copy.pid), ignore_errors=True)
    return copy.lines[0] if copy.lines and isinstance(copy.lines[0], dict) else {"failed": copy.why()}


def folder_of(process: int) -> str:
    """The current folder of one section's process, which is there for it alone."""
    return os.path.join(tempfile.gettempdir(), "section-" + str(process))


def bound_memory(growth: int) -> None:
    """More than that above what this process has is refused to it, so that it gets an error and others live on."""
    with contextlib.suppress(OSError, ValueError):
        with open("/proc/self/statm", "rb") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + growth, now + growth))


def _why(error: BaseException) -> str:
    if isinstance(error, (Missing, ImportError)) and type(error) in (Missing, ImportError):
        return str(error)[:MOST_MESSAGE]
    return (type(error).__name__ + ": " + str(error))[:MOST_MESSAGE]
