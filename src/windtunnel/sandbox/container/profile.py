"""Our system-call filter as container engines want it: the same tables as ``seccomp.py``, as a JSON profile.

What holds is what holds there, with one difference of the format: where this filter stands alone, a refused variant of
an allowed call may get another error (ENOSYS for EPERM; ENOSYS or EPROTONOSUPPORT for a socket).

Of two filters the kernel takes the stricter answer, and to refuse is stricter than to ask a listener. So where the
starter takes a second filter, which asks, this one must leave to it what it asks about (the calls in ``WATCHED``, flags
of ``clone``, requests of ``ioctl``, kinds of sockets), and must let it take a listener. The second refuses all of that,
with the listener's answer, with ENOSYS once that is closed; it refuses every listener but its own; and no process of
the container is without it, but for the engine's process 1. All else is refused by both.
"""

from __future__ import annotations

import errno
import functools
import json
import platform
from collections.abc import Iterable, Iterator
from typing import Any

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox import seccomp
from windtunnel.sandbox.syscalls import ALLOWED, MACHINES, WATCHED

_ALLOW, _ERRNO = "SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"
_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_BITS = 32
_WHOLE = (1 << _BITS) - 1
_TYPES = range(16)
"""Of sockets, without their flags."""
Rule = dict[str, Any]


@functools.cache
def profile(machine: str | None = None, *, asks: bool = False) -> str:
    """The profile for one machine, as JSON text; ``asks`` says that the filter that asks a listener stands behind."""
    name = machine or platform.machine()
    if name not in MACHINES:
        raise IsolationUnavailable(
            f"no system call filter for machine {name!r} (there is one for {' and '.join(MACHINES)})")
    checked = [*_checked(asks=asks), *(_asked_sockets() if asks else _sockets())]
    return json.dumps({
        "defaultAction": _ERRNO, "defaultErrnoRet": errno.ENOSYS, "architectures": [_ARCHITECTURES[name]],
        "syscalls": [*_plain(MACHINES[name].numbers, checked, asks=asks), *checked]})


def _plain(numbers: Iterable[str], checked: Iterable[Rule], *, asks: bool) -> Iterator[Rule]:
    """Calls that need no look at their arguments."""
    known = set(numbers) - {name for rule in checked for name in rule["names"]}
    allowed = known & (ALLOWED | WATCHED if asks else ALLOWED) | {"connect", "sendto"}
    yield {"names": sorted(allowed), "action": _ALLOW}
    yield {"names": sorted(known - allowed), "action": _ERRNO, "errnoRet": errno.EPERM}


def _checked(*, asks: bool) -> Iterator[Rule]:
    """Calls whose arguments decide."""
    yield _rule("clone3", action=_ERRNO, code=errno.ENOSYS)
    for value in seccomp.PERSONALITIES:
        yield _rule("personality", _masked(0, _WHOLE, value))
    yield _rule("prlimit64", _masked(0, _WHOLE, 0))
    yield _rule("prlimit64", {"index": 2, "value": 0, "op": "SCMP_CMP_EQ"})
    yield from _unless("fcntl", 1, (seccomp.SET_PIPE_SIZE,), code=errno.EPERM)
    if asks:
        yield from (_rule(name) for name in ("clone", "seccomp", "ioctl"))
        return
    yield _rule("clone", _masked(0, seccomp.NEW_NAMESPACE, 0))
    for bit in (1 << shift for shift in range(_BITS)):
        if bit & seccomp.NEW_NAMESPACE:
            yield _rule("clone", _masked(0, bit, bit), action=_ERRNO, code=errno.EPERM)
    yield _rule("seccomp", _masked(1, seccomp.NEW_LISTENER, 0))
    yield from _unless("ioctl", 1, seccomp.TERMINAL_REQUESTS, code=errno.EPERM)


def _sockets() -> Iterator[Rule]:
    """Local, TCP, UDP and route netlink; the others as if the kernel had never been built with them."""
    for family, (types, protocols) in seccomp.SOCKETS.items():
        yield from _protocols(family, types, protocols)
        if family in (seccomp.AF_INET, seccomp.AF_INET6):
            for mask, value in outside(protocols):
                yield _rule("socket", _masked(0, _WHOLE, family), _masked(2, mask, value), action=_ERRNO,
                            code=errno.EPROTONOSUPPORT)
    for mask, value in outside(seccomp.FAMILIES):
        yield _rule("socket", _masked(0, mask, value), action=_ERRNO, code=seccomp.SOCKET_ERRNO)
    yield _rule("socketpair", _masked(0, _WHOLE, seccomp.AF_UNIX))
    for mask, value in outside((seccomp.AF_UNIX,)):
        yield _rule("socketpair", _masked(0, mask, value), action=_ERRNO, code=seccomp.SOCKET_ERRNO)


def _asked_sockets() -> Iterator[Rule]:
    """All that the second filter asks about; it does not ask about unusual protocols, but for netlink's.

    Which error those get it says itself: of two that refuse the kernel takes the younger one's.
    """
    others = tuple(family for family in seccomp.FAMILIES if family != seccomp.AF_NETLINK)
    for family in others:
        types, protocols = seccomp.SOCKETS[family]
        yield from _protocols(family, types, protocols)
        yield from (_rule("socket", _masked(0, _WHOLE, family), _masked(1, 0xF, kind))
                    for kind in _TYPES if kind not in types)
    yield from (_rule("socket", _masked(0, mask, value)) for mask, value in outside(others))
    yield _rule("socketpair")


def _protocols(family: int, types: Iterable[int], protocols: Iterable[int]) -> Iterator[Rule]:
    """Those of a family that are allowed."""
    protocols = tuple(protocols)
    for kind in types:
        for protocol in protocols:
            yield _rule("socket", _masked(0, _WHOLE, family), _masked(1, 0xF, kind), _masked(2, _WHOLE, protocol))


def _unless(name: str, index: int, refused: Iterable[int], *, code: int) -> Iterator[Rule]:
    """Allowed, but not with one of these values."""
    refused = tuple(refused)
    for mask, value in outside(refused):
        yield _rule(name, _masked(index, mask, value))
    for value in refused:
        yield _rule(name, _masked(index, _WHOLE, value), action=_ERRNO, code=code)


def outside(values: Iterable[int]) -> list[tuple[int, int]]:
    """Masks and values that together match every 32-bit number but these.

    An engine joins several tests of one argument by *or*, so "none of these" must be said as "begins like that".
    """
    left: list[tuple[int, int]] = [(0, 0)]
    for unwanted in values:
        left = [part for prefix in left for part in _without(prefix, unwanted)]
    return left


def _without(prefix: tuple[int, int], unwanted: int) -> list[tuple[int, int]]:
    mask, value = prefix
    if unwanted & mask != value:
        return [prefix]
    parts = []
    for shift in range(_BITS - mask.bit_count() - 1, -1, -1):
        mask |= 1 << shift
        parts.append((mask, (unwanted ^ (1 << shift)) & mask))
    return parts


def _masked(index: int, mask: int, value: int) -> Rule:
    return {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}


def _rule(name: str, *arguments: Rule, action: str = _ALLOW, code: int | None = None) -> Rule:
    made: Rule = {"names": [name], "action": action, "args": list(arguments)}
    return made if code is None else {**made, "errnoRet": code}
