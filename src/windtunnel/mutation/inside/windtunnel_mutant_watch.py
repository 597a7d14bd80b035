"""What tests do besides running code: processes they start, files they write, locks and ports they take.

Seen by the interpreter's own audit events. What does not hold: what extensions written in C do without such an event,
and what other programs do, is not seen here; after tests that start any, the project's files are looked at. Copies that
a test makes of its own process are seen as far as starting programs and changing files goes.
"""



from __future__ import annotations

import importlib.machinery
import linecache
import mmap
import os
import sys
import tokenize
from typing import Any, Callable, Dict, FrozenSet, Set

SPAWNS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.exec", "os.system", "os.spawn"})
FORKS = frozenset({"os.fork", "os.forkpty"})
SPAWNED, READ, WROTE = range(3)
"""Where copies of the process note what they do, in memory that they share with it."""
LOCKS = frozenset({"fcntl.flock", "fcntl.lockf"})
CHANGES = {"os.remove": (0,), "os.rename": (0, 1), "os.mkdir": (0,), "os.rmdir": (0,), "os.link": (1,),
           "os.symlink": (1,), "os.truncate": (0,), "os.chmod": (0,), "shutil.rmtree": (0,), "shutil.move": (0, 1)}
"""Events that change files, and which of their arguments are paths."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
LOADER = importlib.machinery.SourceFileLoader.get_data.__code__.co_filename
BY_A_COPY = "?"
"""In the place of the name of a file that a copy of the process wrote, of which only that is known."""
ELSEWHERE = ("/dev/", "/proc/")


class Watch:
    """Listens from when it is made; a hook cannot be taken away, so it lives in a copy."""

    def __init__(self, root: str, own: str, sources: FrozenSet[str] = frozenset()) -> None:
        """``own`` is the copy's own folder for temporary files, in which anything may be done."""
        self.root, self.own, self.sources = root + os.sep, own + os.sep, sources
        self.forked, self.locked = False, False
        self.shared = mmap.mmap(-1, 3)
        self.written: Set[str] = set()
        self.names: Dict[Any, str] = {}
        _hear_of_programs(lambda: self.hear("subprocess.Popen", ()))
        sys.addaudithook(self.hear)

    @property
    def wrote(self) -> bool:
        """Whether the project's own files were changed."""
        return bool(self.shared[WROTE])

    def take(self) -> Dict[str, Any]:
        """What was seen since the last look."""
        if self.wrote and not any(path.startswith(self.root) for path in self.written):
            self.written.add(self.root + BY_A_COPY)
        found = {"spawned": bool(self.shared[SPAWNED] or self.shared[READ]), "forked": self.forked,
                 "locked": self.locked, "written": sorted(self.written)[:100]}
        self.forked = self.locked = False
        self.shared[:] = bytes(len(self.shared))
        self.written = set()
        return found

    def hear(self, event: str, arguments: Any) -> None:
        """Whatever is odd about the arguments, the program goes on as it would without us."""
        try:
            if event == "open":
                self._opened(arguments[0], arguments[2])
            elif event in CHANGES:
                for at in CHANGES[event]:
                    self._change(arguments[at])
            elif event in SPAWNS:
                self.shared[SPAWNED] = 1
            elif event in FORKS:
                self.forked = True
            elif event in LOCKS:
                self.locked = True
            elif event == "socket.bind":
                self._bound(arguments[1])
        except Exception:
            pass

    def _opened(self, path: Any, flags: Any) -> None:
        if isinstance(flags, int) and flags & WRITES:
            self._change(path)
        elif self.sources and isinstance(path, (str, bytes)) and os.path.abspath(os.fsdecode(path)) in self.sources:
            self.shared[READ] = self.shared[READ] or not _served()

    def _change(self, path: Any) -> None:
        if isinstance(path, (str, bytes, os.PathLike)):
            name = os.path.abspath(os.fsdecode(path))
            # The interpreter makes the folder of compiled files too, by its name alone.
            litter = "/__pycache__/" in name + "/" or "/.pytest_cache" in name or "/.hypothesis" in name
            if not name.startswith((self.own, *ELSEWHERE)) and not litter:
                self.written.add(name)
                self.shared[WROTE] = self.shared[WROTE] or name.startswith(self.root)

    def _bound(self, address: Any) -> None:
        fixed = isinstance(address, tuple) and len(address) > 1 and address[1]
        if fixed or (isinstance(address, (str, bytes)) and not os.fsdecode(address).startswith(self.own)):
            self.locked = True


def _served() -> bool:
    """Whether a file is opened by what gets the mutant in memory too: whoever loads a module, or shows its lines."""
    frame: Any = sys._getframe(3)  # of whoever opened it
    if frame.f_code.co_filename == tokenize.__file__:
        frame = frame.f_back
    name = (frame.f_code.co_filename, frame.f_code.co_name)
    if name == (linecache.__file__, "updatecache"):
        return True
    return name == (LOADER, "get_data") and (frame.f_back.f_code.co_filename, frame.f_back.f_code.co_name) == (
        LOADER, "get_code")


def _hear_of_programs(act: Callable[[], None]) -> None:
    """Those that are started without an event, as ``multiprocessing`` does."""
    try:
        import _posixsubprocess
    except ImportError:
        return
    usual = _posixsubprocess.fork_exec

    def fork_exec(*arguments: Any) -> Any:
        act()
        return usual(*arguments)

    _posixsubprocess.fork_exec = fork_exec
