"""What a copy does besides running code: processes it starts, files of the project that it writes.

Seen by the interpreter's own audit events. What does not hold: what extensions written in C do without such an event,
and what other processes do, is not seen here; after copies that start any, the project's files are looked at.
"""

from __future__ import annotations

import linecache
import os
import sys
from typing import Any, FrozenSet

SPAWNS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.exec", "os.system", "os.spawn", "os.fork", "os.forkpty"})
CHANGES = {"os.remove": (0,), "os.rename": (0, 1), "os.mkdir": (0,), "os.rmdir": (0,), "os.link": (1,),
           "os.symlink": (1,), "os.truncate": (0,), "os.chmod": (0,), "os.utime": (0,), "shutil.rmtree": (0,),
           "shutil.move": (0, 1)}
"""Events that change files, and which of their arguments are paths."""
LOADERS = ("<frozen importlib._bootstrap_external>", linecache.__file__)
"""Who reads a source that is served to them from memory."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
ELSEWHERE = ("/dev/", "/proc/")


class Watch:
    """Listens from when it is made; a hook cannot be taken away, so it lives in a copy."""

    def __init__(self, own: str, sources: FrozenSet[str] = frozenset()) -> None:
        """``own`` is the copy's own folder for temporary files; ``sources`` are files whose reading is noted."""
        self.own, self.sources = own + os.sep, sources
        self.spawned, self.wrote, self.read = False, False, False
        self.paths = (str, bytes, os.PathLike)
        self.absolute, self.decode = os.path.abspath, os.fsdecode
        sys.addaudithook(self.hear)

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
        except Exception:
            pass

    def _opened(self, path: Any, flags: Any) -> None:
        if isinstance(flags, int) and flags & WRITES:
            self._change(path)
        elif self.sources and isinstance(path, (str, bytes)) and self.absolute(self.decode(path)) in self.sources:
            self.read = self.read or not _is_loading(sys._getframe(2))

    def _change(self, path: Any) -> None:
        if isinstance(path, self.paths):
            name = self.absolute(self.decode(path))
            self.wrote = self.wrote or not name.startswith((self.own, *ELSEWHERE))


def _is_loading(frame: Any) -> bool:
    """Whether a file is read to be imported, or for the lines of a traceback."""
    for _ in range(4):
        if frame is None:
            break
        if frame.f_code.co_filename in LOADERS:
            return True
        frame = frame.f_back
    return False
