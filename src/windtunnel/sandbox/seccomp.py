"""The system call filter: a classic BPF program, built by a person who changes the tables, loaded as bytes at run time.

What holds: a call of another convention (32-bit, x32) ends the process; a known call that is not allowed gets EPERM;
a call the tables do not know gets ENOSYS; a socket that is not local, TCP, UDP or route netlink cannot be made.
What does not hold: the kernel shows a filter numbers, never memory. So clone3 is refused whole, and what a pointer
points to (an address, a path) is left to namespaces, mounts and Landlock.

``python -m windtunnel.sandbox.seccomp`` writes the files in ``filters`` anew.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.sandbox.syscalls import ALLOWED, MACHINES, WATCHED, Machine

ALLOW = 0x7FFF0000
NOTIFY = 0x7FC00000
"""Asks the listener; where there is none the kernel answers ENOSYS, so the call stays refused."""
KILL = 0x80000000
ERRNO = 0x00050000

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
FAMILIES = (AF_UNIX, AF_INET, AF_INET6, AF_NETLINK)
SOCKET_ERRNO = errno.EAFNOSUPPORT
"""What a refused socket or socketpair gets, as if the kernel had never been built with that family."""

_STREAM, _DATAGRAM, _RAW, _SEQUENCED = 1, 2, 3, 5
_TCP, _UDP = 6, 17
_INTERNET = ((_STREAM, _DATAGRAM), (0, _TCP, _UDP))
SOCKETS: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]] = {
    AF_UNIX: ((_STREAM, _DATAGRAM, _SEQUENCED), (0, AF_UNIX)),
    AF_INET: _INTERNET,
    AF_INET6: _INTERNET,
    AF_NETLINK: ((_DATAGRAM, _RAW), (0,)),
}
"""Types and protocols of each family; an unusual protocol would make the kernel load a module for it."""
_NO_PROTOCOL = errno.EPROTONOSUPPORT
"""For an unusual protocol of an allowed family: not worth a record, and what runtimes that try MPTCP fall back on."""

NEW_NAMESPACE = 0x7E020000
"""Every CLONE_NEW* flag that clone can carry; CLONE_NEWTIME shares its bit with the exit signal and is ignored."""
PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)
TERMINAL_REQUESTS = (0x5412, 0x541C, 0x5423)
"""TIOCSTI and TIOCLINUX type into a terminal; TIOCSETD loads a line discipline."""
NEW_LISTENER = 0x8
_X32_BIT = 0x40000000
_NO_NUMBER = 0xFFFFFFFF

RESTRICTED, UNSCOPED = "restricted", "unscoped"
"""Variants for a program that shares the host's namespaces; the second where Landlock cannot hold back signals."""
BROKERED = ("chmod", "fchmod", "fchmodat", "fchmodat2", "utimensat", "truncate")
"""Asked of a listener that does them itself, below the private folder alone, because Landlock does not look at them."""
_SHARED = (
    "msgctl", "msgget", "msgrcv", "msgsnd", "semctl", "semget", "semop", "semtimedop", "shmat", "shmctl", "shmdt",
    "shmget", "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedsend", "mq_unlink",
    "inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch",
    "chown", "lchown", "fchown", "fchownat", "utime", "utimes", "futimesat",
    "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
)
"""What would reach host objects past Landlock, where no namespace and no throw-away user stands before them."""
_SIGNALS = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")
SET_PIPE_SIZE = 1031
"""Large pipes use up what all processes of the host's user may have together."""
_SET_OWNER = {"fcntl": (8, 15, SET_PIPE_SIZE), "ioctl": (*TERMINAL_REQUESTS, 0x8901, 0x8902)}
"""F_SETOWN, F_SETOWN_EX, FIOSETOWN and SIOCSPGRP say who gets the signal of a descriptor."""
_OF_ONESELF = ("prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler")
"""Allowed when the first argument, a process number, is zero."""
_PROCESS_WHO = {"setpriority": 0, "ioprio_set": 1}
"""Allowed with this first argument, which means one process, and zero as the second."""

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05
_EQUAL, _AT_LEAST, _ANY_BIT = 0x15, 0x35, 0x45
_NUMBER, _ARCHITECTURE = 0, 4
_FAR = 255


class Instruction(NamedTuple):
    """One ``struct sock_filter``."""

    code: int
    when_true: int = 0
    when_false: int = 0
    value: int = 0


Block: TypeAlias = tuple[Instruction, ...]
"""Instructions that end in a verdict on every path, so blocks can be put behind one another."""


def _verdict(action: int) -> Block:
    return (Instruction(_RETURN, value=action),)


def _argument(index: int, *, high: bool = False) -> Block:
    """Load 32 bits of an argument; the kernel reads no more of an int, so a set bit 32 hides nothing."""
    return (Instruction(_LOAD, value=16 + 8 * index + 4 * high),)


def _when(test: int, value: int, *, then: Block, otherwise: Block) -> Block:
    """Test the loaded number; a branch further away than one byte can say goes over a long jump."""
    if len(otherwise) <= _FAR:
        return (Instruction(test, len(otherwise), 0, value), *otherwise, *then)
    return (Instruction(test, 0, 1, value), Instruction(_JUMP, value=len(otherwise)), *otherwise, *then)


def _one_of(values: Iterable[int], *, then: Block, otherwise: Block) -> Block:
    block = otherwise
    for value in reversed(tuple(values)):
        block = _when(_EQUAL, value, then=then, otherwise=block)
    return block


def _search(spans: Sequence[tuple[int, Block]]) -> Block:
    """Find the span of the loaded number by halving; a span reaches up to the start of the next."""
    if len(spans) == 1:
        return spans[0][1]
    middle = len(spans) // 2
    return _when(_AT_LEAST, spans[middle][0], then=_search(spans[middle:]), otherwise=_search(spans[:middle]))


def _socket(families: Iterable[int], *, refused: Block) -> Block:
    """Check family, then type without its flags, then protocol."""
    block = refused
    for family in families:
        types, protocols = SOCKETS[family]
        other = refused if family == AF_NETLINK else _verdict(ERRNO | _NO_PROTOCOL)
        protocol = (*_argument(2), *_one_of(protocols, then=_verdict(ALLOW), otherwise=other))
        kind = (Instruction(_AND, value=0xF), *_one_of(types, then=protocol, otherwise=refused))
        block = _when(_EQUAL, family, then=(*_argument(1), *kind), otherwise=block)
    return (*_argument(0), *block)


def _sendto() -> Block:
    """Ask about a message that carries an address; one on a connected socket was asked about at connect."""
    low = _when(_EQUAL, 0, then=_verdict(ALLOW), otherwise=_verdict(NOTIFY))
    high = (*_argument(4), *low)
    return (*_argument(4, high=True), *_when(_EQUAL, 0, then=high, otherwise=_verdict(NOTIFY)))


def _prlimit(*, allow: Block, denied: Block) -> Block:
    """Limits of oneself; those of another process, init among them, may be read but not set."""
    reads = (*_argument(2, high=True), *_when(_EQUAL, 0, then=allow, otherwise=denied))
    other = (*_argument(2), *_when(_EQUAL, 0, then=reads, otherwise=denied))
    return (*_argument(0), *_when(_EQUAL, 0, then=allow, otherwise=other))


def _checked(families: Iterable[int], *, watch: bool) -> dict[str, Block]:
    """Calls whose arguments decide."""
    allow, denied = _verdict(ALLOW), _verdict(ERRNO | errno.EPERM)
    refused = _verdict(NOTIFY) if watch else denied
    no_socket = _verdict(NOTIFY) if watch else _verdict(ERRNO | SOCKET_ERRNO)
    return {
        "clone": (*_argument(0), *_when(_ANY_BIT, NEW_NAMESPACE, then=refused, otherwise=allow)),
        "clone3": _verdict(ERRNO | errno.ENOSYS),
        "personality": (*_argument(0), *_one_of(PERSONALITIES, then=allow, otherwise=denied)),
        "ioctl": (*_argument(1), *_one_of(TERMINAL_REQUESTS, then=refused, otherwise=allow)),
        "seccomp": (*_argument(1), *_when(_ANY_BIT, NEW_LISTENER, then=denied, otherwise=allow)),
        "socket": _socket(families, refused=no_socket),
        "socketpair": (*_argument(0), *_when(_EQUAL, AF_UNIX, then=allow, otherwise=no_socket)),
        "fcntl": (*_argument(1), *_when(_EQUAL, SET_PIPE_SIZE, then=denied, otherwise=allow)),
        "prlimit64": _prlimit(allow=allow, denied=denied),
        "connect": _verdict(NOTIFY) if watch else allow,
        "sendto": _sendto() if watch else allow,
    }


def _restricted(variant: str) -> dict[str, Block]:
    """Calls that decide otherwise where the program shares the host's processes, sockets and files."""
    allow, denied, no_socket = _verdict(ALLOW), _verdict(ERRNO | errno.EPERM), _verdict(ERRNO | SOCKET_ERRNO)
    # A datagram pair would do: it sends to any address, and Landlock does not look at sockets that have a path.
    kind = (*_argument(1), Instruction(_AND, value=0xF),
            *_one_of((_STREAM, _SEQUENCED), then=allow, otherwise=no_socket))
    oneself = _when(_EQUAL, 0, then=allow, otherwise=denied)
    blocks = dict.fromkeys(_SHARED, denied) | dict.fromkeys(BROKERED, _verdict(NOTIFY))
    blocks |= {
        "socket": no_socket,
        "socketpair": (*_argument(0), *_when(_EQUAL, AF_UNIX, then=kind, otherwise=no_socket)),
        **dict.fromkeys(_OF_ONESELF, (*_argument(0), *oneself)),
        **{name: (*_argument(0), *_when(_EQUAL, which, then=(*_argument(1), *oneself), otherwise=denied))
           for name, which in _PROCESS_WHO.items()},
    }
    if variant == UNSCOPED:
        blocks |= dict.fromkeys(_SIGNALS, denied)
        blocks |= {name: (*_argument(1), *_one_of(requests, then=denied, otherwise=allow))
                   for name, requests in _SET_OWNER.items()}
    return blocks


def _spans(machine: Machine, blocks: Mapping[int, Block]) -> list[tuple[int, Block]]:
    """Ranges of numbers with one verdict, from 0 to the last number there is."""
    unknown = _verdict(ERRNO | errno.ENOSYS)
    end = max(blocks) + 1
    spans = [(number, blocks.get(number, unknown)) for number in range(end + 1)]
    if machine.has_x32:
        spans += [(_X32_BIT, _verdict(KILL)), (_NO_NUMBER, unknown)]
    return [span for before, span in zip([None, *spans], spans, strict=False) if not before or before[1] != span[1]]


def build(machine: str, *, families: Sequence[int] = FAMILIES, watch: bool, variant: str = "") -> bytes:
    """The filter for one machine; with ``watch`` it asks a listener about what it would refuse and about addresses.

    ``families`` are the socket families allowed, of those in ``FAMILIES``. A ``variant`` allows no socket but pairs,
    and needs its listener: without one the calls in ``BROKERED`` get ENOSYS.
    """
    known = _machine(machine)
    if strangers := set(families) - set(SOCKETS):
        raise UsageError(f"families: no rule for {sorted(strangers)} (there are some for {FAMILIES})", field="families")
    denied, watched = _verdict(ERRNO | errno.EPERM), _verdict(NOTIFY if watch else ERRNO | errno.EPERM)
    checked = _checked(families, watch=watch) | (_restricted(variant) if variant else {})
    blocks = {
        number: checked.get(name) or (_verdict(ALLOW) if name in ALLOWED else watched if name in WATCHED else denied)
        for name, number in known.numbers.items()
    }
    program = (
        Instruction(_LOAD, value=_ARCHITECTURE),
        Instruction(_EQUAL, 1, 0, known.audit),
        *_verdict(KILL),
        Instruction(_LOAD, value=_NUMBER),
        *_search(_spans(known, blocks)),
    )
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def load(machine: str, *, watch: bool, variant: str = "") -> bytes:
    """The shipped filter for one machine, as ``platform.machine()`` names it."""
    _machine(machine)
    path = _path(machine, watch=watch, variant=variant)
    try:
        return path.read_bytes()
    except OSError as error:
        raise IsolationUnavailable(f"the system call filter {path.name} cannot be read ({error.strerror}); "
                                   "install windtunnel again") from error


def _machine(name: str) -> Machine:
    try:
        return MACHINES[name]
    except KeyError:
        raise IsolationUnavailable(f"no system call filter for machine {name!r} "
                                   f"(there is one for {' and '.join(MACHINES)})") from None


def _path(machine: str, *, watch: bool, variant: str = "") -> Path:
    name = "-".join([machine, *(["watch"] if watch else []), *([variant] if variant else [])])
    return Path(__file__).with_name("filters") / f"{name}.bpf"


def generate() -> Mapping[Path, bytes]:
    """Every shipped file and what it holds."""
    made = {_path(machine, watch=watch): build(machine, watch=watch) for machine in MACHINES for watch in (False, True)}
    return made | {_path(machine, watch=False, variant=variant): build(machine, watch=False, variant=variant)
                   for machine in MACHINES for variant in (RESTRICTED, UNSCOPED)}


if __name__ == "__main__":
    for path, content in generate().items():
        path.write_bytes(content)
