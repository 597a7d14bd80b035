"""What tests do besides running code: processes they start, files they write, locks and ports they take.

Seen by the interpreter's own audit events. What does not hold: what extensions written in C do without such an event,
and what other processes do, is not seen here; after tests that start any, the project's files are looked at.
"""



from __future__ import annotations

import os
import sys
from typing import Any, Dict, FrozenSet, Set

SPAWNS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.exec", "os.system", "os.spawn", "os.fork", "os.forkpty"})
LOCKS = frozenset({"fcntl.flock", "fcntl.lockf"})
CHANGES = {"os.remove": (0,), "os.rename": (0, 1), "os.mkdir": (0,), "os.rmdir": (0,), "os.link": (1,),
           "os.symlink": (1,), "os.truncate": (0,), "os.chmod": (0,), "shutil.rmtree": (0,), "shutil.move": (0, 1)}
"""Events that change files, and which of their arguments are paths."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
ELSEWHERE = ("/dev/", "/proc/")


class Watch:
    """Listens from when it is made; a hook cannot be taken away, so it lives in a copy."""

    def __init__(self, root: str, own: str, sources: FrozenSet[str] = frozenset()) -> None:
        """``own`` is the copy's own folder for temporary files, in which anything may be done."""
        self.root, self.own, self.sources = root + os.sep, own + os.sep, sources
        self.spawned, self.locked, self.read = False, False, False
        self.written: Set[str] = set()
        self.names: Dict[Any, str] = {}
        sys.addaudithook(self.hear)

    @property
    def wrote(self) -> bool:
        """Whether the project's own files were changed."""
        return any(path.startswith(self.root) for path in self.written)

    def take(self) -> Dict[str, Any]:
        """What was seen since the last look."""
        found = {"spawned": self.spawned or self.read, "locked": self.locked, "written": sorted(self.written)[:100]}
        self.spawned = self.locked = self.read = False
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
                self.spawned = True
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
            self.read = True

    def _change(self, path: Any) -> None:
        if isinstance(path, (str, bytes, os.PathLike)):
            name = os.path.abspath(os.fsdecode(path))
            litter = "/__pycache__/" in name or "/.pytest_cache" in name or "/.hypothesis" in name
            if not name.startswith((self.own, *ELSEWHERE)) and not litter:
                self.written.add(name)

    def _bound(self, address: Any) -> None:
        fixed = isinstance(address, tuple) and len(address) > 1 and address[1]
        if fixed or (isinstance(address, (str, bytes)) and not os.fsdecode(address).startswith(self.own)):
            self.locked = True
