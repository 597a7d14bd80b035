"""Copies of three processes: one that has collected the tests, one that is about to, and this one, which knows nothing.

Each copy leads a process group of its own, has a folder of its own for temporary files, and ends with all that it
started in its group. What it says is read only after it has been seen to end.
"""



from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import pytest
from windtunnel_mutant_code import Sources, serve_mutant  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_counter import note_writes  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_items import own_folder  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_kin import Kin, become_plain  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_plugin import Fresh, run_fresh  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_shop import Shop  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_stage import Stage  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_words import Answer, fate_of, read, send_descriptors  # type: ignore[import-not-found]  # the same

MOST_ANSWER = 256 * 1024**2
MOST_DOORS = 20
SHOP, STAGE = "shop", "stage"
TICK_SECONDS = 1.0
MOST_UNREAD = 2000
"""Tests whose numbers fit into a pipe that nobody reads before the end."""


class Copy:
    """One under way."""

    def __init__(self, number: int, way: str, tests: List[str], *, deadline: float, mutant: int, folder: str) -> None:
        """``mutant`` is -1 where the project is as it is."""
        self.number, self.way, self.tests, self.mutant, self.deadline = number, way, tests, mutant, deadline
        self.door = ""
        """Which process was asked to make it, if not this one."""
        self.folder, self.begun = folder, time.monotonic()
        self.pid = 0
        self.data, self.told = b"", b""
        self.known: Optional[Tuple[int, Tuple[Dict[str, Any], Optional[int]]]] = None
        self.answer, self.keeper = -1, -1
        """Where its own words arrive, and its keeper's; below zero when that is closed."""
        self.late, self.over, self.disturbed = False, False, False
        self.status: Optional[int] = None

    @property
    def word(self) -> Dict[str, Any]:
        """What it said in the end; nothing where it did not come to it."""
        return dict(self._read[0])

    @property
    def at(self) -> Optional[int]:
        """The number of the test that it had begun last."""
        return self._read[1]

    @property
    def _read(self) -> Tuple[Dict[str, Any], Optional[int]]:
        """Read once for each length of what it said: the answer to some orders is long."""
        if self.known is None or self.known[0] != len(self.data):
            self.known = (len(self.data), read(self.data))
        return self.known[1]

    @property
    def fate(self) -> str:
        """What became of it."""
        return str(fate_of(self.status, late=self.late))


class Door:
    """The way to a process that takes orders."""

    def __init__(self) -> None:
        """It is made when there is an order for it."""
        self.orders: Optional[socket.socket] = None
        self.pid, self.made = 0, 0


class Copies:
    """Starts them, and waits for them."""

    def __init__(
        self, sources: Sources, options: Dict[str, Any], *, isolate: Callable[[], None],
        open_paths: Callable[[], None],
    ) -> None:
        """``isolate`` gives up the way out for records, ``open_paths`` lets the project be found; in copies alone."""
        self.sources, self.options, self.isolate, self.open_paths = sources, options, isolate, open_paths
        self.mutants: List[Dict[str, Any]] = options["mutants"]
        self.under_way: Dict[int, Copy] = {}
        """By number."""
        self.ways: Dict[int, Copy] = {}
        """By the descriptor on which something of them arrives."""
        self.poll = select.poll()
        self.numbers = 0
        self.doors = {SHOP: Door(), STAGE: Door()}
        self.kin = Kin()
        self.folder = tempfile.mkdtemp(prefix="wt")
        self.restore: Callable[[], None] = lambda: None
        self.plain = not any(word.startswith("--assert") for word in options["args"])
        """Whether assertions are left as the interpreter has them: pytest's own tell more of a failure, and take longer
        to make than most tests take to run."""

    def open(self, name: str = SHOP) -> bool:
        """Have a process that takes orders, unless there is one; whether there is."""
        door = self.doors[name]
        if door.orders is not None:
            return True
        if door.made >= MOST_DOORS:
            return False
        door.made += 1
        door.orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        door.pid = os.fork()
        if door.pid == 0:
            for other in self.doors.values():
                if other.orders is not None:
                    other.orders.close()
            self._become_copy()
            taking = {SHOP: Shop, STAGE: Stage}[name](theirs, self.sources, self.options)
            with contextlib.suppress(BaseException):
                pytest.main(self._arguments(), plugins=[taking])
            os._exit(1)
        theirs.close()
        self.poll.register(door.orders, select.POLLIN)
        return True

    def close(self) -> None:
        """Those that take orders end when nobody orders any more."""
        for door in self.doors.values():
            self._shut(door)
        shutil.rmtree(self.folder, ignore_errors=True)

    def rewrite(self) -> None:
        """From now on as pytest has it."""
        for door in self.doors.values():
            self._shut(door)
        self.plain = False

    def _shut(self, door: Door) -> None:
        if door.orders is not None:
            self.poll.unregister(door.orders)
            door.orders.close()
            door.orders = None
            _kill(door.pid, group=False)
            os.waitpid(door.pid, 0)

    def _become_copy(self) -> None:
        self.isolate()
        become_plain()
        _silence()
        self.open_paths()

    def _arguments(self) -> List[str]:
        own = list(self.options["args"])
        at = own.index("--") if "--" in own else len(own)
        more = ["--assert=plain"] if self.plain else []
        return [*own[:at], "-q", "--continue-on-collection-errors", "-p", "no:cacheprovider", *more, *own[at:]]

    def ask(self, order: Dict[str, Any], *, seconds: float, door: str = SHOP) -> Copy:
        """Have the collected process do something in a copy, or the other one, and wait for its end."""
        return self.ask_all([order], seconds=seconds, door=door)[0]

    def ask_all(self, orders: List[Dict[str, Any]], *, seconds: float, door: str = SHOP) -> List[Copy]:
        """Several at the same time."""
        made = [self._new("warm", [], seconds=seconds) for _ in orders]
        for order, one in zip(orders, made):
            self._warm(order, one, door=door)
        while any(one.number in self.under_way for one in made):  # ends with the deadline at the latest
            self.wait()
        return made

    def switched(self, mutant: int, tests: List[str], seconds: List[float], *, wall: float) -> None:
        """Try a mutant in a copy of the collected process."""
        made = self._new("switched", tests, seconds=wall, mutant=mutant)
        self._warm({"do": "try", "mutant": mutant, "tests": tests, "seconds": seconds}, made)

    def staged(self, mutant: int, tests: List[str], seconds: List[float], *, loading: float, wall: float) -> None:
        """Try a mutant in a copy of the process that is about to collect; ``loading`` seconds are for each file."""
        made = self._new("loaded", tests, seconds=wall, mutant=mutant)
        self._warm({"do": "load", "mutant": mutant, "tests": tests, "seconds": seconds, "loading": loading}, made,
                   door=STAGE)

    def _warm(self, order: Dict[str, Any], made: Copy, *, door: str = SHOP) -> None:
        """Hand over an order with the way for its answer."""
        made.door = door
        if not self.open(door) or self.doors[door].orders is None:
            made.over = True
            return
        made.answer, write = os.pipe()
        # In a file of no name: there is no bound on how many tests reach a mutant, but one on a message.
        letter = os.memfd_create("order")
        try:
            os.write(letter, json.dumps({**order, "number": made.number, "folder": made.folder}).encode())
            send_descriptors(self.doors[door].orders, b"order", [write, letter])
        except OSError:
            made.over = True  # it is gone
        os.close(letter)
        os.close(write)
        self._watch(made, made.answer, often=made.way == "warm" or len(made.tests) > MOST_UNREAD)

    def fresh(self, mutant: int, tests: List[str], seconds: float, *, wall: float, disk: bool = False) -> None:
        """Try a mutant in a copy that loads the project anew; ``disk``: with the mutant in the file itself.

        The latter is for one at a time: all that runs meanwhile would see it.
        """
        made = self._new("disk" if disk else "fresh", tests, seconds=wall, mutant=mutant)
        if disk:
            self.restore = self._write(mutant)
        made.answer, write = os.pipe()

        def act() -> None:
            os.close(made.answer)
            self._become_copy()
            own_folder(made.folder)
            if not disk:
                serve_mutant(self.sources, self.mutants[mutant])
            answer = Answer(write)
            note_writes(answer, made.folder)
            run_fresh(self._arguments(), Fresh(tests, answer), seconds=seconds, memory=self.options["memory"])

        try:
            made.keeper = self.kin.kept(act)
            self._watch(made, made.keeper)
        except OSError:
            made.over = True  # there is no room for it now
        os.close(write)
        self._watch(made, made.answer)

    def _new(self, way: str, tests: List[str], *, seconds: float, mutant: int = -1) -> Copy:
        self.numbers += 1
        made = Copy(self.numbers, way, tests, mutant=mutant, deadline=time.monotonic() + seconds,
                    folder=os.path.join(self.folder, str(self.numbers)))
        self.under_way[made.number] = made
        return made

    def _watch(self, made: Copy, descriptor: int, *, often: bool = True) -> None:
        """Read what arrives there; not ``often``: once, in the end, since each look costs and a pipe holds enough."""
        os.set_blocking(descriptor, False)
        self.ways[descriptor] = made
        if often:
            self.poll.register(descriptor, select.POLLIN)

    def _write(self, mutant: int) -> Callable[[], None]:
        """Lay the mutant over the file; what puts it back as it was."""
        path = self.mutants[mutant]["path"]
        before = os.stat(path)
        # Another time for each: compiled files are known by the time and size of what they were compiled from.
        _put(path, self.sources.mutated(self.mutants[mutant]), before.st_mtime_ns + 2 * 10**9 * (1 + self.numbers))
        return lambda: _put(path, self.sources.files[path], before.st_mtime_ns)

    # --- waiting ---

    def wait(self) -> List[Copy]:
        """Those that ended; after some time none."""
        ready = [made for made in self.under_way.values() if made.over]
        now = time.monotonic()
        until = min([made.deadline for made in self.under_way.values()] + [now + TICK_SECONDS])
        for descriptor, _ in () if ready else self.poll.poll(max(0.0, until - now) * 1000 + 1):
            asked = next((name for name, door in self.doors.items()
                          if door.orders is not None and door.orders.fileno() == descriptor), "")
            if asked:
                self._hear(asked)
            elif descriptor in self.ways:
                self._read(self.ways[descriptor], descriptor)
        for made in self.under_way.values():
            if time.monotonic() > made.deadline and not made.late:
                made.late = True
                _kill(made.pid)
                made.over = made.over or not made.pid
        return [self._end(made) for made in list(self.under_way.values()) if made.over]

    def _end(self, made: Copy) -> Copy:
        """All that it started in its group ends with it, and its folder goes."""
        _kill(made.pid)
        while made.answer >= 0 and self._read(made, made.answer):
            pass
        for descriptor in (made.answer, made.keeper):
            self._close(made, descriptor)
        del self.under_way[made.number]
        if made.way == "disk":
            self.restore()
        groups = {other.pid for other in self.under_way.values()}
        if (made.late or made.fate in ("lost", "crashed")) and 0 not in groups:
            self.kin.sweep(groups | {door.pid for door in self.doors.values()})
        shutil.rmtree(made.folder, ignore_errors=True)
        return made

    def _read(self, made: Copy, descriptor: int) -> bool:
        """What it says, or its keeper, who tells its number and its end; whether there may be more."""
        try:
            data = os.read(descriptor, 1 << 20)
        except BlockingIOError:
            return False
        if descriptor == made.answer:
            made.data = (made.data + data)[:MOST_ANSWER]
        else:
            made.told += data
            words = made.told.split()
            made.pid = int(words[0]) if words else 0
            made.status = int(words[1]) if len(words) > 1 else None
            made.over = not data or made.status is not None
        if not data:
            self._close(made, descriptor)
        return bool(data)

    def _close(self, made: Copy, descriptor: int) -> None:
        if self.ways.pop(descriptor, None) is not None:
            with contextlib.suppress(KeyError):  # one that is read once
                self.poll.unregister(descriptor)
            os.close(descriptor)
        made.answer = -1 if descriptor == made.answer else made.answer
        made.keeper = -1 if descriptor == made.keeper else made.keeper

    def _hear(self, name: str) -> None:
        """One that takes orders says which copy it made, and how one ended; or it is gone, and so is all it made."""
        door = self.doors[name]
        asked = [made for made in self.under_way.values() if made.door == name]
        try:
            word = json.loads(door.orders.recv(1 << 16))  # type: ignore[union-attr]  # only heard while it is there
        except (OSError, ValueError):
            self._shut(door)
            for made in asked:
                made.over = True
            return  # it is reaped, and another one is made when one is needed
        for made in asked:
            if made.number == word.get("begun"):
                made.pid = word["pid"]
            elif made.pid and made.pid == word.get("ended"):
                made.status, made.over = word["status"], True
            elif made.number == word.get("refused"):
                made.over = True


def _kill(pid: int, *, group: bool = True) -> None:
    if pid > 0:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            (os.killpg if group else os.kill)(pid, signal.SIGKILL)


def _put(path: str, data: bytes, time_ns: int) -> None:
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, ns=(time_ns, time_ns))


def _silence() -> None:
    """What the project prints goes nowhere: the way out is for records alone."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
