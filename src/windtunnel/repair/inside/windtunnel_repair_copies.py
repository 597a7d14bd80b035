"""Processes that wait, and the copies that are made of them, seen from the process that decides.

Three of them wait, each made of the one before: one that has loaded nothing of the project, one that is about to
collect the tests, and one that has collected them. Each copy leads a process group of its own, has a folder of its own
for temporary files, and ends with all that it started. What it says is read only after it has been seen to end.
What holds: a proposal that kills its parent kills one that waits, which is made anew. What does not hold: one that
kills every process it may, kills the one that decides too; the other side of the sandbox then begins again.
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
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Set, Tuple

from windtunnel_repair_words import (  # type: ignore[import-not-found]  # lies beside this file when it runs
    END,
    PR_SET_CHILD_SUBREAPER,
    control,
    read,
    send_descriptors,
)

BARE, READY, SHOP = "bare", "ready", "shop"
MOST_BEGINNINGS = 200
"""How often one that waits is made anew in one run."""
STALLED_SECONDS, MOST_SECONDS = 5.0, 60.0
"""Of the clock, without a word from a copy: so long for one that sleeps, and for one that is kept from running."""
WAITING_SECONDS = 300.0
"""The same for one that whoever waits has not made yet, because the tests are still being collected."""
TICK_SECONDS = 0.5
MOST_DESCRIPTORS = 4096


class Copy:
    """One under way."""

    def __init__(self, number: int, of: str, *, folder: str, most: int) -> None:
        """``of`` is whom it is made of; ``most`` bytes are heard of it."""
        self.number, self.of, self.folder, self.most = number, of, folder, most
        self.token = os.urandom(16).hex()
        self.pid, self.data, self.descriptor = 0, b"", -1
        self.status: Optional[int] = None
        self.over, self.late = False, False
        self.begun = self.heard = time.monotonic()
        self.slack = 0.0
        """Seconds more than usual for which it may be silent."""

    @property
    def words(self) -> List[Any]:
        """What it said."""
        return list(read(self.data, self.token)[0])

    @property
    def whole(self) -> bool:
        """Whether it came to its last word, and ended with it."""
        ended = self.status is not None and os.WIFEXITED(self.status) and os.WEXITSTATUS(self.status) == END
        return ended and bool(read(self.data, self.token)[1])

    @property
    def end(self) -> str:
        """How it ended, if not by its last word."""
        if self.late or (self.status is not None and os.WIFSIGNALED(self.status)
                         and os.WTERMSIG(self.status) in (signal.SIGPROF, signal.SIGXCPU)):
            return "time"
        if self.status is None:
            return "lost"
        if os.WIFSIGNALED(self.status):
            return "signal %d" % os.WTERMSIG(self.status)
        return "exit code %d" % os.WEXITSTATUS(self.status)


class _Waiting:
    """One that waits for orders."""

    def __init__(self, way: socket.socket, pid: int) -> None:
        """``pid`` is 0 until it is told."""
        self.way, self.pid = way, pid
        self.served = False
        """Whether it ever made a copy."""


class Copies:
    """Starts them, and waits for them."""

    def __init__(self, act: Callable[[socket.socket], None]) -> None:
        """``act`` is what the first one that waits does, for ever; it is called in a copy."""
        control(PR_SET_CHILD_SUBREAPER, 1)  # whoever loses its parent below us comes to us
        self.act = act
        self.waiting: Dict[str, _Waiting] = {}
        self.under_way: Dict[int, Copy] = {}
        self.poll = select.poll()
        self.numbers, self.beginnings = 0, 0
        self.hopeless: Set[str] = set()
        """Those that ended before they could serve: what they load does not let them."""
        self.folder = tempfile.mkdtemp(prefix="wt")

    # --- those that wait ---

    def open(self, name: str) -> bool:
        """Whether there is one of that name, made now if need be."""
        if name in self.waiting:
            return True
        if self.beginnings >= MOST_BEGINNINGS or name in self.hopeless:
            return False
        # Whom it is made of comes first: whoever is copied later must not hold the ways that are made here.
        if name != BARE and not self.open(_before(name)):
            return False
        self.beginnings += 1
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            made = self._fork(theirs) if name == BARE else self._order_one(name, theirs)
        finally:
            theirs.close()
        if made is None:
            ours.close()
            return False
        self.waiting[name] = _Waiting(ours, made)
        self.poll.register(ours, select.POLLIN)
        return True

    def _fork(self, theirs: socket.socket) -> Optional[int]:
        try:
            pid = os.fork()
        except OSError:
            return None
        if pid == 0:
            with contextlib.suppress(BaseException):
                os.closerange(3, theirs.fileno())  # ways of others, and the one for records
                os.closerange(theirs.fileno() + 1, MOST_DESCRIPTORS)
                self.act(theirs)
            os._exit(1)
        return pid

    def _order_one(self, name: str, theirs: socket.socket) -> Optional[int]:
        before = _before(name)
        self.numbers += 1
        letter = _letter({"do": "collect", "number": -self.numbers})
        try:
            send_descriptors(self.waiting[before].way, b"order", [theirs.fileno(), letter])
        except OSError:
            self._lose(before)
            return None
        finally:
            os.close(letter)
        return 0

    def close(self, name: str) -> None:
        """One that waits ends, and those under way of it are lost."""
        if name in self.waiting:
            self._lose(name)

    def _lose(self, name: str) -> None:
        gone = self.waiting.pop(name)
        if not gone.served and name != BARE:
            self.hopeless.add(name)
        self.poll.unregister(gone.way)
        gone.way.close()
        _kill(gone.pid)
        for made in self.under_way.values():
            made.over = made.over or made.of == name

    def finish(self) -> None:
        """All end."""
        for name in list(self.waiting):
            self._lose(name)
        self.sweep()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- copies ---

    def start(self, of: str, order: Dict[str, Any], *, most: int = 1 << 20, slack: float = 0.0) -> Copy:
        """Hand over an order with the way for its answer."""
        self.numbers += 1
        made = Copy(self.numbers, of, folder=os.path.join(self.folder, str(self.numbers)), most=most)
        made.slack = slack
        self.under_way[made.number] = made
        if not self.open(of):
            made.over = True
            return made
        made.descriptor, write = os.pipe()
        letter = _letter({**order, "number": made.number, "folder": made.folder, "token": made.token})
        try:
            send_descriptors(self.waiting[of].way, b"order", [write, letter])
        except OSError:
            made.over = True  # it is gone
        os.close(letter)
        os.close(write)
        os.set_blocking(made.descriptor, False)
        self.poll.register(made.descriptor, select.POLLIN)
        return made

    def wait(self, seconds: float = TICK_SECONDS) -> List[Copy]:
        """Those that ended; after some time none."""
        if not any(made.over for made in self.under_way.values()):
            self._hear(self.poll.poll(min(seconds, TICK_SECONDS) * 1000))
        for made in self.under_way.values():
            self._look_at_clock(made)
        return [self._end(made) for made in list(self.under_way.values()) if made.over]

    def _hear(self, events: List[Any]) -> None:
        ways = {one.way.fileno(): name for name, one in self.waiting.items()}
        answers = {made.descriptor: made for made in self.under_way.values() if made.descriptor >= 0}
        for descriptor, _ in events:
            if descriptor in answers:
                self._read(answers[descriptor])
            elif descriptor in ways and ways[descriptor] in self.waiting:
                self._hear_of(ways[descriptor])

    def _hear_of(self, name: str) -> None:
        """Which copies one that waits has made, and how they ended; or that it is gone."""
        try:
            word = json.loads(self.waiting[name].way.recv(1 << 16))
        except (OSError, ValueError):
            self._lose(name)
            return
        self.waiting[name].served = True
        made = self.under_way.get(word.get("begun", word.get("refused", 0)))
        if made is not None and made.of == name:
            made.pid, made.over, made.heard = word.get("pid", 0), "refused" in word, time.monotonic()
        elif word.get("begun", 0) < 0:
            self._place(name, word["pid"])
        elif "begun" in word:
            _kill(word["pid"])  # nobody waits for it any more
        for one in self.under_way.values():
            if one.of == name and one.pid and one.pid == word.get("ended"):
                one.status, one.over = word["status"], True

    def _place(self, name: str, pid: int) -> None:
        """The number of one that waits and was made of this one."""
        after = READY if name == BARE else SHOP
        if after in self.waiting and not self.waiting[after].pid:
            self.waiting[after].pid = pid

    def _look_at_clock(self, made: Copy) -> None:
        silent = time.monotonic() - made.heard - made.slack
        if made.late or made.over or silent < (STALLED_SECONDS if made.pid else WAITING_SECONDS):
            return
        if silent > MOST_SECONDS or not made.pid or not _runs(made.pid):
            made.late = True
            _kill(made.pid)
            made.over = not made.pid

    def _read(self, made: Copy) -> bool:
        try:
            data = os.read(made.descriptor, 1 << 20)
        except BlockingIOError:
            return False
        made.data += data[: max(0, made.most - len(made.data))]
        if not data:
            self._close(made)
        elif len(made.data) >= made.most:
            self._close(made)
            _kill(made.pid)
        elif made.token.encode() in data:
            made.heard = time.monotonic()
        return bool(data)

    def _close(self, made: Copy) -> None:
        if made.descriptor >= 0:
            self.poll.unregister(made.descriptor)
            os.close(made.descriptor)
            made.descriptor = -1

    def _end(self, made: Copy) -> Copy:
        """All that it started in its group ends with it, and its folder goes."""
        _kill(made.pid)
        while made.descriptor >= 0 and self._read(made):
            pass
        self._close(made)
        del self.under_way[made.number]
        last = made.words[-1] if made.whole else {"spawned": True}
        if last.get("spawned"):
            self.sweep()
        shutil.rmtree(made.folder, ignore_errors=True)
        return made

    def sweep(self) -> None:
        """End all that came of this process and neither waits nor is under way; those that hide in groups of their own.

        One that just begins and has not been told of yet is not known here, so nothing is swept then.
        """
        if any(not one.pid and not one.over for one in self.under_way.values()) or any(
                not one.pid for one in self.waiting.values()):
            return
        known = {one.pid for one in self.waiting.values()}
        groups = {made.pid for made in self.under_way.values()} | known
        for _ in range(20):  # they may be making others while they are looked for
            strangers = [pid for pid in _below(os.getpid()) if pid not in known and _group(pid) not in groups]
            for pid in strangers:
                _kill(pid, group=False)
            _reap()
            if not strangers:
                return


def _before(name: str) -> str:
    return BARE if name == READY else READY


def _letter(order: Dict[str, Any]) -> int:
    """In a file of no name: there is no bound on how long an order is, but one on a message."""
    letter = os.memfd_create("order")
    data = memoryview(json.dumps(order).encode())
    while data:
        data = data[os.write(letter, data) :]
    return letter


def _kill(pid: int, *, group: bool = True) -> None:
    if pid > 0:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            (os.killpg if group else os.kill)(pid, signal.SIGKILL)


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return -1


def _reap() -> None:
    """Those that came to us and ended; whoever waits is noticed by its silence."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass


def _processes() -> Iterator[Tuple[int, str, int, int]]:
    """All there are to be seen: number, state, parent, group."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open("/proc/" + name + "/stat", encoding="utf-8", errors="replace") as file:
                    state, parent, group = file.read().rpartition(")")[2].split()[:3]
                yield int(name), state, int(parent), int(group)


def _runs(group: int) -> bool:
    """Whether a process of a group would run if it were let."""
    return any(of == group and state in "RD" for _, state, _, of in _processes())


def _below(top: int) -> FrozenSet[int]:
    """All processes that came of one, at whatever distance; its own is not among them."""
    children: Dict[int, List[int]] = {}
    for pid, state, parent, _ in _processes():
        if state not in "ZX":
            children.setdefault(parent, []).append(pid)
    found: List[int] = []
    waiting = [top]
    while waiting:
        more = children.get(waiting.pop(), [])
        found += more
        waiting += more
    return frozenset(found)
