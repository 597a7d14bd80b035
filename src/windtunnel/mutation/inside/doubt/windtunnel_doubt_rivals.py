"""The process that has collected the tests: it has them judge the alternatives, and hands those that pass on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
import time
from typing import Any, Dict, List, Optional, Tuple

import pytest
from windtunnel_doubt_calls import Calls  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_doubt_compare import Comparison  # type: ignore[import-not-found]  # the same
from windtunnel_doubt_forks import forked  # type: ignore[import-not-found]  # the same
from windtunnel_doubt_worlds import World, fingerprint  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_calls import Calls as Reached  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_items import Items, bound_memory, own_folder  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_plugin import Plugin  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_words import Answer, fate_of  # type: ignore[import-not-found]  # the same

LEAST_SECONDS, TIMES, WALL_SECONDS = 0.15, 10, 30.0
FORK_SECONDS = 0.004
"""Of the processor, for a copy that does nothing."""
SUITE_SECONDS = 4.0
"""Of the processor, for all tests once."""
MOST_PASSING = 24
LEAST_TRIED, MOST_TRIED = 20, 60


def silence() -> None:
    """What the project prints goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def collect(options: Dict[str, Any], write: int) -> None:
    """In a process of its own, which then judges; does not return."""
    own = list(options["args"])
    at = own.index("--") if "--" in own else len(own)
    arguments = [*own[:at], "-q", "--continue-on-collection-errors", "-p", "no:cacheprovider", *own[at:]]
    with contextlib.suppress(BaseException):
        pytest.main(arguments, plugins=[Rivals(options, write)])
    os._exit(1)


class Rivals(Plugin, Items):  # type: ignore[misc]  # they lie beside this file when it runs
    """Behind the collection everything else happens."""

    def __init__(self, options: Dict[str, Any], write: int) -> None:
        """``write`` leads to the process that seals."""
        Plugin.__init__(self)
        Items.__init__(self)
        self.options, self.way = options, write
        self.until = time.monotonic() + options["seconds"] * 0.9

    def say(self, kind: str, **more: Any) -> None:
        """A line for the process that seals."""
        data = json.dumps({"kind": kind, **more}).encode() + b"\n"
        while data:
            data = data[os.write(self.way, data) :]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        self.items = session.items
        try:
            self.world = World(self.options["targets"])
            self._all()
        except BaseException as error:
            self.say("note", what="failed: " + repr(error)[:300])
        os._exit(0)

    def _all(self) -> None:
        if not self.world.live:
            self.say("note", what="the changed functions are not there when the tests are collected")
            return
        self.options["folder"] = tempfile.mkdtemp(prefix="wt")
        to_us, from_them = os.pipe()
        to_them, from_us = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(to_us)
            os.close(from_us)
            with contextlib.suppress(BaseException):
                self._keep_calls(from_them, to_them)
            os._exit(0)
        os.close(from_them)
        os.close(to_them)
        with os.fdopen(to_us, "rb") as file:
            line = file.readline(1 << 24)
        tests = json.loads(line) if line else []
        judges = [(number, cost) for number, (status, cost, called) in enumerate(tests) if status == "passed" and called
                  and self.name(self.items[number]) not in self.options["aside"]]
        passing = self._judge(sorted(judges, key=lambda one: one[1])) if judges else []
        with contextlib.suppress(BrokenPipeError), os.fdopen(from_us, "wb") as file:
            file.write(json.dumps({"passing": passing, "judges": len(judges)}).encode())
        os.waitpid(pid, 0)

    # --- the alternatives ---

    def _judge(self, judges: List[Tuple[int, float]]) -> List[int]:
        """The numbers of those that pass; of a long list the first ones that there is time for."""
        others = self.options["alternatives"]
        cost = FORK_SECONDS + 1.5 * sum(each for _, each in judges)
        most = max(LEAST_TRIED, min(MOST_TRIED, int(self.options["budget"] / cost)))
        # Those that are the change itself, or the code before it, are known already.
        seen = {(at, fingerprint(target[name], target["classes"])) for at, target in enumerate(self.options["targets"])
                for name in ("before", "after") if target[name]}
        kept = []
        for number, other in enumerate(others):
            if other["files"]:
                kept.append(number)
                continue
            target = self.options["targets"][other["target"]]
            mark = fingerprint(other["text"], target["classes"])
            if mark is not None and (other["target"], mark) not in seen:
                seen.add((other["target"], mark))
                kept.append(number)
        given = [number for number in kept if others[number]["files"]]
        asked = [*given, *[number for number in kept if not others[number]["files"]][:most]]
        passing = [ended.job for ended in forked(
            asked, lambda number, write: self._try(number, judges, write), workers=self.options["workers"],
            wall=WALL_SECONDS, until=self.until) if fate_of(ended.status, late=ended.late) == "survived"]
        self.say("judged", tried=len(asked), made=len(kept), passing=len(passing), judges=len(judges))
        return sorted(passing)[:MOST_PASSING]

    def _try(self, number: int, judges: List[Tuple[int, float]], write: int) -> None:
        answer = Answer(write)
        folder = os.path.join(self.options["folder"], f"a{number}")
        own_folder(folder)
        other = self.options["alternatives"][number]
        whole = bool(other["files"])
        if not (self.world.become(other["files"]) if whole else self.world.put(other["target"], other["text"])):
            answer.end("failed")
        bound_memory(self.options["memory"])
        items = [self.items[at] for at, _ in judges]
        self.first_killer(items, [LEAST_SECONDS + TIMES * cost for _, cost in judges], answer)

    # --- the calls ---

    def _keep_calls(self, write: int, read: int) -> None:
        """Run all tests, and those that call what changed once more to remember how; then compare what passed."""
        os.setpgid(0, 0)
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        own_folder(os.path.join(self.options["folder"], "calls"))
        told = self._callers()
        if told is None:
            self.say("note", what=f"all tests together take more than {SUITE_SECONDS:.0f} seconds of the processor")
            return
        calls = Calls(self.world.codes)
        for number, one in enumerate(told):
            if one[2]:
                calls.called = set()
                calls.start()
                self.run(self.items[number], self._after(number))
                calls.stop()
                one[2] = bool(calls.called)
        with os.fdopen(write, "wb") as file:
            file.write(json.dumps(told).encode() + b"\n")
        with os.fdopen(read, "rb") as file:
            word = json.loads(file.read())
        Comparison(self.options, self.world, calls, say=self.say, until=self.until).tell(
            word["passing"], judges=word["judges"])

    def _callers(self) -> Optional[List[List[Any]]]:
        """How each test ends, what it costs, and whether it may call what changed; None where all take too long."""
        watch = Reached(code.co_filename for code in self.world.codes)
        places = {(os.path.realpath(code.co_filename), code.co_firstlineno) for code in self.world.codes}
        told: List[List[Any]] = []
        begun = time.process_time()
        for number, item in enumerate(self.items):
            at = time.process_time()
            status = self.run(item, self._after(number))
            seconds = time.process_time() - at
            called = any((path, first) in places for path, first, _ in watch.take())
            told.append([status, seconds, watch.doubt() or called])
            if time.process_time() - begun > SUITE_SECONDS:
                return None
        watch.stop()
        return told

    def _after(self, number: int) -> Any:
        return self.items[number + 1] if number + 1 < len(self.items) else None
