"""Processes that wait for orders, before and after the collection of tests, and make a copy of themselves for each."""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import time
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from windtunnel_repair_code import Live, Sources, applied, loaded_paths, serve  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_repair_trace import Tracer  # type: ignore[import-not-found]  # the same
from windtunnel_repair_watch import Watch  # type: ignore[import-not-found]  # the same
from windtunnel_repair_words import (  # type: ignore[import-not-found]  # the same
    PR_SET_DUMPABLE,
    Answer,
    OutOfTime,
    bound_memory,
    bound_time,
    control,
    data_bytes,
    own_folder,
    receive_descriptors,
    soft_time,
    unbound_time,
)

PASSED, FAILED = "passed", "failed"
MOST_PACKAGES = 3000
Order = Dict[str, Any]


class Shop:
    """One such process; ``ready`` and ``collected`` are what its tests call on their way."""

    def __init__(self, sources: Sources, orders: socket.socket, *, memory: int, collect_seconds: float) -> None:
        """``orders`` come from the process that decides; ``collect_seconds`` of the processor are for all tests."""
        self.sources, self.memory, self.collect_seconds = sources, memory, collect_seconds
        self.orders: Optional[socket.socket] = orders
        self.mission: Optional[Order] = None
        """What to do once the tests are collected; None for waiting."""
        self.answer: Optional[Answer] = None
        self.ran: Dict[int, Any] = {}
        self.live: Optional[Live] = None
        self.root = os.getcwd() + os.sep
        self.memory_now = 0
        self.seconds = 0.0
        """Of the processor, for the collection."""

    # --- what the tests call ---

    def ready(self, tests: Any) -> None:
        """Nothing is collected yet."""
        self.tests = tests
        if self.mission is None:
            self.take(self.serve())
        if self.mission is not None:
            tests.narrow(self.mission["tests"])
        else:
            bound_time(self.collect_seconds)
            self.seconds = time.process_time()
            sys.setprofile(self._note)

    def collected(self, tests: Any) -> None:
        """All that was asked for is."""
        if self.mission is not None and self.answer is not None:
            self.judge(self.mission, self.answer)
        sys.setprofile(None)
        unbound_time()
        self.seconds = time.process_time() - self.seconds
        self.live = Live(self.sources, set(self.ran))
        self.sources.prepare(path for path in loaded_paths(self.root) if path in self.sources.files)
        gc.collect()
        self.take(self.serve())

    def _note(self, frame: Any, event: str, argument: object) -> None:
        """Code of the project that runs while it is loaded."""
        if event == "call" and frame.f_code.co_filename.startswith(self.root):
            self.ran[id(frame.f_code)] = frame.f_code

    # --- waiting ---

    def serve(self) -> Tuple[Order, int]:
        """Until nobody orders any more; returns in a copy, with the order and the way for its answer."""
        assert self.orders is not None
        control(PR_SET_DUMPABLE, 0)  # nothing of a proposal may look into who waits
        self.memory_now = data_bytes()
        gc.freeze()  # a copy that looks for garbage would make all of this its own
        wake, bell = os.pipe()
        os.set_blocking(bell, False)
        signal.set_wakeup_fd(bell)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poll = select.poll()
        poll.register(self.orders, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == wake:
                    os.read(wake, 512)
                    continue
                order, way = self._next()
                pid = _fork()
                if pid == 0:
                    self._become_copy((wake, bell))
                    return order, way
                os.close(way)
                self._say({"begun": order["number"], "pid": pid} if pid > 0 else {"refused": order["number"]})
            self._reap()

    def _next(self) -> Tuple[Order, int]:
        data, descriptors = receive_descriptors(self.orders, 2)
        if not data:
            os._exit(0)
        way, letter = descriptors
        with os.fdopen(letter, "rb") as file:
            file.seek(0)
            return json.load(file), way

    def _become_copy(self, bells: Sequence[int]) -> None:
        signal.set_wakeup_fd(-1)
        for descriptor in bells:
            os.close(descriptor)
        assert self.orders is not None
        self.orders.close()
        os.setpgid(0, 0)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control(PR_SET_DUMPABLE, 1)  # tests look into themselves

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._say({"ended": pid, "status": status})

    def _say(self, word: Dict[str, Any]) -> None:
        assert self.orders is not None
        self.orders.send(json.dumps(word).encode())

    # --- in a copy ---

    def take(self, given: Tuple[Order, int]) -> None:
        """Obey; returns only where the tests are to be collected first."""
        order, way = given
        if order["do"] == "collect":
            self.orders = socket.socket(fileno=way)
            return
        answer = self.answer = Answer(way, order["token"])
        own_folder(order["folder"])
        self.tests.forget_folder()
        sys.dont_write_bytecode = True
        if order["do"] == "load":
            self.load(order, answer)
            return
        acts = {"switch": self._switch, "names": self._names, "time": self._time, "trace": self._trace}
        try:
            acts[order["do"]](order, answer)
        except BaseException as error:
            answer.end(error=("the judge failed: " + repr(error))[:500])

    def load(self, order: Order, answer: Answer) -> None:
        """Serve the new text to whoever loads it, and have the tests collected; the rest follows there."""
        texts = applied(self.sources.files, _splices(order))
        if not order.get("disk") and not loaded_paths(self.root).isdisjoint(texts):
            answer.end(needs="fresh")
        if not order.get("disk"):
            serve(texts)
        self.mission, self.answer = order, answer
        self._bound(order, answer)
        bound_time(order["load_seconds"])

    def _switch(self, order: Order, answer: Answer) -> None:
        assert self.live is not None
        splices = _splices(order)
        if self._broken(order["tests"]):
            answer.end(needs="load")
        for splice in splices:
            pairs = self.sources.pairs(splice)
            if pairs is None or not self.live.switch(splice[0], pairs):
                answer.end(needs="load")
        serve(applied(self.sources.files, splices))
        self._bound(order, answer)
        self.judge(order, answer)

    def _bound(self, order: Order, answer: Answer) -> None:
        bound_memory(self.memory_now + self.memory)
        watch, end = Watch(order["folder"]), answer.end

        def last(**more: Any) -> None:
            answer.wrote, answer.spawned = watch.wrote, watch.spawned
            end(**more)

        answer.end = last

    def judge(self, order: Order, answer: Answer) -> None:
        """Run what was asked for, in that order; does not return."""
        names: List[str] = order["tests"]
        chosen = self.tests.chosen(names)
        broken = self._broken(names)
        if broken:
            answer.end(error="it does not load: " + broken[0])
        plan: List[Tuple[Any, Any, float]] = []
        known: Set[int] = set()
        for number, name in enumerate(names):
            many = not any(self.tests.name(item) == name for item in chosen[name])
            if not chosen[name]:
                answer.say([number, FAILED])
                if order["stop"]:
                    answer.end()
            elif many:
                answer.say([number, PASSED])
            for item in chosen[name]:
                if id(item) not in known:
                    known.add(id(item))
                    plan.append((item, self.tests.name(item) if many else number, order["limits"][number]))
        self._run(plan, answer, stop=order["stop"])
        answer.end()

    def _broken(self, names: List[str]) -> List[str]:
        """Why files of these tests were not collected."""
        return [reason for name in names for file, reason in self.tests.broken.items()
                if name == file or name.startswith((file + "::", file + "."))]

    def _run(self, plan: List[Tuple[Any, Any, float]], answer: Answer, *, stop: bool) -> None:
        for at, (item, key, seconds) in enumerate(plan):
            bound_time(seconds)
            status = self.tests.run(item, plan[at + 1][0] if at + 1 < len(plan) else None)
            answer.say([key, PASSED if status == PASSED else FAILED])
            if status != PASSED and stop:
                return

    # --- looking ---

    def _names(self, order: Order, answer: Answer) -> None:
        broken = [[name, reason] for name, reason in self.tests.broken.items()]
        answer.say({"names": [self.tests.name(item) for item in self.tests.items], "broken": broken})
        standard = os.path.dirname(os.__file__)
        own = (standard, os.path.join(standard, "lib-dynload"))
        found = {module.name for module in pkgutil.iter_modules()
                 if not module.name.startswith("_") and getattr(module.module_finder, "path", "") not in own}
        answer.end(packages=sorted(found)[:MOST_PACKAGES], seconds=self.seconds)

    def _time(self, order: Order, answer: Answer) -> None:
        """Each test without anybody watching its lines."""
        bound_memory(self.memory_now + self.memory)
        watch = Watch(order["folder"], frozenset(self.sources.files))
        items = [self.tests.items[number] for number in order["numbers"]]
        for at, item in enumerate(items):
            clock, processor = time.perf_counter(), time.process_time()
            soft_time(order["seconds"])
            status = self.tests.run(item, items[at + 1] if at + 1 < len(items) else None)
            bound_time(60.0)
            answer.say([order["numbers"][at], "late" if self._late() else status, time.perf_counter() - clock,
                        time.process_time() - processor, watch.spawned or watch.read])
            watch.spawned = watch.read = False
        answer.wrote, answer.spawned = watch.wrote, True
        answer.end()

    def _late(self) -> bool:
        return isinstance(self.tests.raised, OutOfTime)

    def _trace(self, order: Order, answer: Answer) -> None:
        """Each test with its lines; of those that are said to fail also the types of locals."""
        bound_memory(self.memory_now + self.memory)
        tracer, failing = Tracer(self.sources.files), set(order["failing"])
        items = [self.tests.items[number] for number in order["numbers"]]
        for at, item in enumerate(items):
            number = order["numbers"][at]
            soft_time(order["seconds"])
            tracer.start(typing=number in failing)
            status = self.tests.run(item, items[at + 1] if at + 1 < len(items) else None)
            lines = tracer.stop()
            bound_time(60.0)
            if not self._late():  # one that loops for ever does not come to the lines behind
                lines |= tracer.assumed
            frames = tracer.frames(self.tests.raised) if status == FAILED else []
            answer.say([number, status, _by_path(lines), frames])
        answer.end(types={key: {name: sorted(kinds) for name, kinds in names.items()}
                          for key, names in tracer.types.items()})


def _fork() -> int:
    try:
        return os.fork()
    except OSError:
        return -1  # no more processes may be made: the other side makes room


def _splices(order: Order) -> List[Tuple[str, int, int, bytes]]:
    return [(path, start, end, new.encode("latin-1")) for path, start, end, new in order["splices"]]


def _by_path(lines: Set[Tuple[str, int]]) -> Dict[str, List[int]]:
    found: Dict[str, List[int]] = {}
    for path, line in sorted(lines):
        found.setdefault(path, []).append(line)
    return found
