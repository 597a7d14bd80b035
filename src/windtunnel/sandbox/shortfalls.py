"""What the restricted level is known not to hold, by the rows of the self-check, each with its reason.

A row that is not here must hold. Which are here depends on the kernel's Landlock, on control groups and on the caller.
"""

from __future__ import annotations

_SHM = "there is no private /dev/shm, and the host's is refused"
_BETWEEN = "without control groups the supervisor counts every 50 ms, and a burst passes the limit before it is ended"

ALWAYS = {
    "S08": "without a namespace of its own a program sees the host's name",
    "F06": "without a mount namespace the host's mounts are in its table; Landlock, not the mount, refuses writing",
    "N07": "without a network namespace the host's interfaces are its own; the filter refuses it every socket",
    "K16": "it has none of the namespaces that the row asks for",
    "H01": f"multiprocessing keeps its locks in shared memory: {_SHM}",
    "H03": "no socket can be made, so there is no loopback to listen on",
    "H12": _SHM,
    "H13": "the host's terminals are refused, and there are no others",
    "R09": "the supervisor counts files many times a second, and a burst passes the limit before it is ended",
}
"""On every machine."""

UNSCOPED = {
    "R13": "below Landlock 6 the filter refuses all signals, so a program cannot stop itself and ends early",
    "H10": "below Landlock 6 the filter refuses all signals, also those to itself",
}
"""Where Landlock cannot hold signals back."""

UNGROUPED = {"R02": _BETWEEN}
"""Where there are no control groups."""

ORDINARY = {"K10": "an ordinary user cannot empty the bounding set; without new privileges it gives nothing"}
"""For a caller who is not root."""

UNGROUPED_ORDINARY = dict.fromkeys(("R05", "R06", "R17"), _BETWEEN)
"""For both at once: the user's own limit on processes would count all that the caller has."""

UNCERTAIN = frozenset({"R02", "R09", *UNGROUPED_ORDINARY})
"""Decided by the moment of the supervisor's look, so they hold on some runs."""

_SCOPED_LANDLOCK = 6


def shortfalls(*, landlock: int, grouped: bool, throw_away: bool) -> dict[str, str]:
    """The rows that are not held there, with their reasons; ``throw_away`` says whether root's programs get a user."""
    found = dict(ALWAYS)
    if landlock < _SCOPED_LANDLOCK:
        found |= UNSCOPED
    if not grouped:
        found |= UNGROUPED
    if not throw_away:
        found |= ORDINARY
    if not grouped and not throw_away:
        found |= UNGROUPED_ORDINARY
    return found
