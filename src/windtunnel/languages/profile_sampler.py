"""Runs a Python program as ``python main.py`` would, and samples where its threads are.

Placed inside the sandbox as a script: ``profiler SOURCE PROFILE [ARGUMENT …]``. It imports only what is built into
the interpreter or always loaded, and keeps what it calls, so that the program finds its modules as usual and does not
break the sampling by accident. The program owns this process: what it wants to break, it can.

A thread samples, not a timer signal: processor timers tick every 4 ms or more, see nothing of a program that
waits, and their signals meet the program's own handlers and children.
"""

import atexit
import os
import sys
from _thread import LockType, allocate_lock, get_ident, start_new_thread
from posix import O_CLOEXEC, O_CREAT, O_TRUNC, O_WRONLY, close, getpid, replace, write
from posix import open as open_file
from time import perf_counter_ns, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType, ModuleType, TracebackType

INTERVAL_NS = 1_000_000
SWITCH_SECONDS = 0.001
"""How long the sampler waits for a busy thread to let it in; the usual 5 ms would hide short functions."""
IDLE_SHARE = 20
"""The sampler pauses this many times as long as its last sample took, so that deep stacks stay cheap."""
CHECKPOINT_NS = 500_000_000
CHECKPOINT_SHARE = 50
MOST_STACKS = 19_999
MOST_FRAMES = 200
MOST_LETTERS = 200

_IMPORT = "import (<frozen importlib>)"
_STANDARD = os.__file__.rpartition("/")[0] + "/"
_INSTALLED = ("/site-packages/", "/dist-packages/")
_current_frames = sys._current_frames  # noqa: SLF001 -- the documented way to all threads' stacks


class Sampler:
    """Adds up, by stack, the microseconds of wall time that each thread was seen there.

    Weighing by time and not by count matters: a waiting program is seen more often than a busy one.
    """

    def __init__(self, profile: str, *, folder: str) -> None:
        """Write to ``profile``; files below ``folder`` are named relative to it."""
        self._profile, self._folder = profile, folder.rstrip("/") + "/"
        self._weights: dict[tuple[CodeType | None, ...], int] = {}
        self._labels: dict[CodeType | None, str] = {None: "(omitted frames)"}
        self._omitted = 0
        self._owner = getpid()
        self._lock = allocate_lock()
        self._ended = False

    def start(self) -> None:
        """Sample from now to the very end; the first exit function registered is the last one called."""
        atexit.register(self.finish)
        sys.setswitchinterval(SWITCH_SECONDS)
        # Not a threading.Thread: the program's own count and list of threads stay as they are.
        start_new_thread(self._watch, (begun := allocate_lock(),))
        # A program that begins with one long call would keep the sampler from even looking at the clock.
        while not begun.locked():
            sleep(0)

    def finish(self) -> None:
        """Write what was seen; a forked child that comes here leaves its parent's profile alone."""
        if getpid() != self._owner:
            return
        with self._lock:
            self._ended = True
            self._write()

    def _watch(self, begun: "LockType") -> None:
        begun.acquire()
        last, pause = perf_counter_ns(), INTERVAL_NS
        due = last + CHECKPOINT_NS
        while not self._ended:
            sleep(pause / 1e9)
            now = perf_counter_ns()
            try:
                due = self._step((now - last) // 1000, due=due)
            except MemoryError:
                # The program's memory is full; it may free some, and its own error is the one to show.
                continue
            finally:
                last = now
                pause = max(INTERVAL_NS, IDLE_SHARE * (perf_counter_ns() - now))

    def _step(self, microseconds: int, *, due: int) -> int:
        """One sample, and a checkpoint when due, so that a program that is killed leaves a profile; the next due."""
        with self._lock:
            if self._ended:
                return due
            self._sample(microseconds)
            begun = perf_counter_ns()
            if begun < due:
                return due
            self._write()
            ended = perf_counter_ns()
            return ended + max(CHECKPOINT_NS, CHECKPOINT_SHARE * (ended - begun))

    def _sample(self, microseconds: int) -> None:
        own = get_ident()
        for thread, frame in _current_frames().items():
            stack = None if thread == own else _stack(frame)
            if not stack:
                continue
            if stack in self._weights or len(self._weights) < MOST_STACKS:
                self._weights[stack] = self._weights.get(stack, 0) + microseconds
            else:
                self._omitted += microseconds

    def _write(self) -> None:
        """Replace the profile as a whole, heaviest stacks first; where that fails there is none, or an older one."""
        lines = [
            f"{';'.join(self._names(stack))} {weight}\n"
            for stack, weight in sorted(self._weights.items(), key=lambda item: -item[1])
        ]
        if self._omitted:
            lines.append(f"(omitted stacks) {self._omitted}\n")
        data = "".join(lines).encode("utf-8", "replace")
        part = self._profile + ".part"
        try:
            descriptor = open_file(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            try:
                while data:
                    data = data[write(descriptor, data) :]
            finally:
                close(descriptor)
            replace(part, self._profile)
        except OSError:
            return

    def _names(self, stack: "tuple[CodeType | None, ...]") -> list[str]:
        """A label for each frame; the five that each import goes through count as one, as in tracebacks."""
        names: list[str] = []
        for code in stack:
            label = self._label(code)
            if label != _IMPORT or names[-1:] != [_IMPORT]:
                names.append(label)
        return names

    def _label(self, code: "CodeType | None") -> str:
        """Made once for each code."""
        if code is not None and code not in self._labels:
            self._labels[code] = _label(code, folder=self._folder)
        return self._labels[code]


def _label(code: "CodeType", *, folder: str) -> str:
    """``function (file:line of its definition)``, without what would break the line format."""
    if code.co_filename.startswith("<frozen importlib."):
        return _IMPORT
    label = f"{code.co_qualname} ({_file(code.co_filename, folder=folder)}:{max(1, code.co_firstlineno)})"
    return "".join(letter if letter.isprintable() and letter != ";" else "?" for letter in label[:MOST_LETTERS])


def _file(path: str, *, folder: str) -> str:
    """The program's own files relative to it, those of Python and of installed packages as ``python:…``."""
    for place in _INSTALLED:
        if place in path:
            return "python:" + path.rpartition(place)[2]
    if path.startswith(_STANDARD):
        return "python:" + path.removeprefix(_STANDARD)
    return path.removeprefix(folder)


def _stack(frame: "FrameType | None") -> "tuple[CodeType | None, ...]":
    """The code of each frame, outermost first, without this script's; None stands for the middle of a deep one."""
    own = globals()
    codes: list[CodeType | None] = []
    while frame is not None:
        if frame.f_globals is not own:
            codes.append(frame.f_code)
        frame = frame.f_back
    codes.reverse()
    if len(codes) > MOST_FRAMES:
        codes[MOST_FRAMES // 2 : len(codes) - MOST_FRAMES // 2 + 1] = [None]
    return tuple(codes)


def _beyond(traceback: "TracebackType | None") -> "TracebackType | None":
    """The part of a traceback that is the program's."""
    while traceback is not None and traceback.tb_frame.f_globals is globals():
        traceback = traceback.tb_next
    return traceback


def _program(source: str) -> "ModuleType":
    """What a program finds as ``__main__``, which this script stops being."""
    main = type(sys)("__main__")
    loader = type(globals()["__loader__"])("__main__", source)
    main.__dict__.update(
        __loader__=loader, __annotations__={}, __builtins__=__builtins__, __file__=source, __cached__=None,
    )  # fmt: skip
    sys.modules["__main__"] = main
    return main


if __name__ == "__main__":
    source, profile = sys.argv[1:3]
    sys.argv = [source, *sys.argv[3:]]
    folder = source.rpartition("/")[0] or "."
    if not sys.flags.safe_path:
        sys.path[0] = folder
    try:
        with open(source, "rb") as file:  # noqa: PTH123 -- pathlib is a module the program may not have asked for
            code = compile(file.read(), source, "exec", dont_inherit=True)
        # Held as a module, which the interpreter empties at its end, so that its objects are finalised as usual.
        program = _program(source)
        Sampler(profile, folder=folder).start()
        exec(code, program.__dict__)  # noqa: S102 -- the sandbox is around this process
    except BaseException as error:
        # A bare raise adds no frame of its own, so the interpreter prints and exits as without the profiler.
        error.__traceback__ = _beyond(error.__traceback__)
        raise
