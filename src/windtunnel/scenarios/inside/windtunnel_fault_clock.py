"""Clocks of the wall that jump, or run too fast; those that only measure (``monotonic``) go on as they do.

Made in this process: ``time`` and ``datetime`` answer wrongly, also to modules that took the functions before. What
does not hold: a function kept in a default argument or a class, other processes, and the times of files are right.
"""

from __future__ import annotations

import datetime as dt
import gc
import time
from typing import Any, Dict, List, Optional, Tuple

from windtunnel_fault_base import Fault, Measured, Option, Patches  # type: ignore[import-not-found]  # lies beside this file

_time, _time_ns, _localtime, _gmtime, _monotonic = time.time, time.time_ns, time.localtime, time.gmtime, time.monotonic
_strftime, _ctime, _asctime, _gettime = time.strftime, time.ctime, time.asctime, time.clock_gettime
_gettime_ns = time.clock_gettime_ns
_NANO = 10**9


class _Wall:
    """The clocks of the wall, while one or more faults hold; what each of them adds is added up."""

    def __init__(self) -> None:
        self.faults: List[Any] = []
        self.patches, self.types, self.reason = Patches(), _Types(), ""

    def add(self, fault: Any) -> None:
        if not self.faults:
            for name, new in self.functions().items():
                self.patches.put(time, name, new)
            self.patches.spread(library=False)
            self.reason = self.types.change(self.now)
        self.faults.append(fault)

    def remove(self, fault: Any) -> None:
        if fault in self.faults:
            self.faults.remove(fault)
            if not self.faults:
                self.patches.undo()
                self.types.undo()

    def off(self) -> float:
        """How many seconds the clock is ahead at this look."""
        return float(sum(fault.off() for fault in self.faults))

    def now(self) -> float:
        """Seconds since 1970, as wrong as asked."""
        return _time() + self.off()

    def functions(self) -> Dict[str, Any]:
        """What stands for the functions of ``time``."""
        def time_ns() -> int:
            return _time_ns() + int(self.off() * _NANO)

        def localtime(seconds: Optional[float] = None) -> time.struct_time:
            return _localtime(self.now() if seconds is None else seconds)

        def gmtime(seconds: Optional[float] = None) -> time.struct_time:
            return _gmtime(self.now() if seconds is None else seconds)

        def ctime(seconds: Optional[float] = None) -> str:
            return _ctime(self.now() if seconds is None else seconds)

        def strftime(form: str, *given: Any) -> str:
            return _strftime(form, *(given or (localtime(),)))

        def asctime(*given: Any) -> str:
            return _asctime(*(given or (localtime(),)))

        def clock_gettime(clock: int) -> float:
            return self.now() if clock == time.CLOCK_REALTIME else _gettime(clock)

        def clock_gettime_ns(clock: int) -> int:
            return time_ns() if clock == time.CLOCK_REALTIME else _gettime_ns(clock)

        return {"time": self.now, "time_ns": time_ns, "localtime": localtime, "gmtime": gmtime, "ctime": ctime,
                "strftime": strftime, "asctime": asctime, "clock_gettime": clock_gettime,
                "clock_gettime_ns": clock_gettime_ns}


class _Types:
    """The methods of ``datetime`` that look at the clock; its types stay themselves, so that pickles hold."""

    def __init__(self) -> None:
        self.kept: List[Tuple[type, str, Any]] = []

    def change(self, now: Any) -> str:
        """An empty text, or why it is not possible."""
        def utcnow(cls: Any) -> Any:
            return cls.fromtimestamp(now(), dt.timezone.utc).replace(tzinfo=None)  # noqa: UP017 -- Python 3.8 has no dt.UTC

        try:
            self.put(dt.datetime, "now", lambda cls, tz=None: cls.fromtimestamp(now(), tz))
            self.put(dt.datetime, "utcnow", utcnow)
            self.put(dt.datetime, "today", lambda cls: cls.fromtimestamp(now()))
            self.put(dt.date, "today", lambda cls: cls.fromtimestamp(now()))
        except (ImportError, AttributeError, LookupError, TypeError) as problem:
            self.undo()
            return f"datetime answers rightly: its methods cannot be replaced here ({problem})"
        return ""

    def put(self, owner: type, name: str, function: Any) -> None:
        space = gc.get_referents(owner.__dict__)[0]
        self.kept.append((owner, name, space.get(name)))
        space[name] = classmethod(function)
        _forget(owner)

    def undo(self) -> None:
        while self.kept:
            owner, name, old = self.kept.pop()
            space = gc.get_referents(owner.__dict__)[0]
            if old is None:
                del space[name]
            else:
                space[name] = old
            _forget(owner)


def _forget(owner: type) -> None:
    """Let the interpreter look the methods of a type up again."""
    import ctypes  # noqa: PLC0415 -- who has no such fault does not load it

    ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))


_WALL = _Wall()


class _Clock(Fault):  # type: ignore[misc]  # known only where it runs
    approximate = True
    looks = 0

    def begin(self) -> None:
        _WALL.add(self)
        self.reason = _WALL.reason

    def end(self) -> None:
        _WALL.remove(self)

    def off(self) -> float:
        """How many seconds this one adds at this look."""
        raise NotImplementedError


class ClockJump(_Clock):
    """After the first look the clock is so much ahead, after the second as much behind, and stays there."""

    name = "clock_jump"
    options = {"seconds": Option(3600.0, 1.0, 1e9)}

    def off(self) -> float:
        self.looks += 1
        seconds: float = self.values["seconds"]
        return 0.0 if self.looks == 1 else seconds if self.looks == 2 else -seconds  # noqa: PLR2004 -- the second look

    def probe(self) -> Measured:
        """Look thrice; whoever looks next is again the first."""
        self.looks = 0
        offs = [round(time.time() - _time()) for _ in range(3)]
        self.looks = 0
        return Measured("off by " + ", ".join(f"{off} s" for off in offs),
                        max(map(abs, offs)) >= self.values["seconds"] - 1)


class ClockSkew(_Clock):
    """The clock runs so many times as fast, from the beginning on."""

    name = "clock_skew"
    options = {"rate": Option(10.0, 0.01, 1000.0)}

    def begin(self) -> None:
        self.begun = _monotonic()
        super().begin()

    def off(self) -> float:
        rate: float = self.values["rate"]
        return (_monotonic() - self.begun) * (rate - 1)

    def probe(self) -> Measured:
        """Compare a fiftieth of a second of both clocks, once the clock has jumped, where it does."""
        for _ in range(3):
            time.time()
        began, wall = _monotonic(), time.time()
        time.sleep(0.02)
        rate = (time.time() - wall) / (_monotonic() - began)
        for fault in _WALL.faults:
            fault.looks = 0
        return Measured(f"{rate:.2f} times as fast", abs(rate - self.values["rate"]) <= 0.05 * self.values["rate"])
