"""What goes wrong around one call of a function, other than the network: begun, measured and undone.

Runs inside the sandbox, in the child process that makes the call. ``begin`` leaves alone what the harness lives by:
pipes and sockets that are open, ``SIGALRM`` and the timers, ``time.monotonic``, and the loading of modules. It must be
called in the main thread (for signals), and the harness takes the functions of ``time`` and ``os`` it needs before. All
of it ends with the process, also when it is killed. Standard library alone, valid from Python 3.8 on.
"""

from __future__ import annotations

import contextlib
from typing import Any, Dict, List

import windtunnel_fault_clock as clock  # type: ignore[import-not-found]  # lies beside this file
import windtunnel_fault_disk as disk  # type: ignore[import-not-found]  # the same
import windtunnel_fault_limits as limits  # type: ignore[import-not-found]  # the same
import windtunnel_fault_siblings as siblings  # type: ignore[import-not-found]  # the same
import windtunnel_fault_surroundings as surroundings  # type: ignore[import-not-found]  # the same

FAULTS = {one.name: one for one in (
    siblings.CpuSpike, siblings.Signals, disk.DiskFull, surroundings.WrongTimeZone, surroundings.WrongLocale,
    surroundings.MissingEnvironment, disk.CorruptedReads, disk.SlowDisk, disk.ReadOnlyDisk, clock.ClockJump,
    clock.ClockSkew, limits.FewFileDescriptors, limits.MemoryPressure)}
"""In the order in which they are begun: each finds what it needs to be made, whatever else was asked for."""
_begun: Dict[str, Any] = {}


def begin(spec: Dict[str, Any]) -> None:
    """Let these faults happen: ``{"disk_full": True, "slow_disk": {"seconds": 0.05}}``.

    A name or an option that is not known is a ``ValueError``, and nothing is begun. One that this machine does not
    allow is left out, and ``probe`` says why.
    """
    made = _made(spec)
    end()
    for name, fault in made.items():
        _begun[name] = fault
        try:
            fault.begin()
        except (OSError, ValueError, ImportError) as problem:
            fault.reason = f"cannot be made here: {problem}"


def end() -> None:
    """Undo all of it, the last first; nothing when nothing was begun."""
    for name in reversed(list(_begun)):
        with contextlib.suppress(OSError, ValueError):
            _begun.pop(name).end()


def probe(spec: Dict[str, Any]) -> Dict[str, Dict[str, Any]]:
    """What a look at each finds now, whether it was begun or not, by the fields of ``core.scenario.Condition``."""
    return {name: _seen(_begun.get(name, fault)) for name, fault in _made(spec).items()}


def _seen(fault: Any) -> Dict[str, Any]:
    try:
        measured = fault.probe()
        text, holds, reason = measured.text, measured.holds, fault.reason
    except (OSError, ValueError, MemoryError) as problem:
        text, holds, reason = "", False, fault.reason or f"could not be measured: {problem}"
    if not holds and not reason:
        reason = "the probe did not see it"
    return {"requested": fault.requested(), "measured": text, "real": holds, "approximate": fault.approximate,
            "reason": reason}


def _made(spec: Dict[str, Any]) -> Dict[str, Any]:
    if not isinstance(spec, dict):
        raise ValueError(f"not a table of faults: {type(spec).__name__}")  # noqa: TRY004 -- one error for bad input
    unknown: List[str] = [repr(name)[:60] for name in spec if name not in FAULTS]
    if unknown:
        raise ValueError(f"no such fault: {', '.join(unknown)} (there are: {', '.join(sorted(FAULTS))})")
    return {name: one(spec[name]) for name, one in FAULTS.items() if name in spec}
