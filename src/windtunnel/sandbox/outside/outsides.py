"""The supervisor's hold on simulated outsides: one station for all of its runs, and a pair of channels for each run."""

from __future__ import annotations

import contextlib
import marshal
import math
import os
import socket
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from windtunnel.core.effects import NetworkAttempt
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.scenario import NETWORK_FAULTS, Fault, Link, Outside
from windtunnel.sandbox.handover import plain_python
from windtunnel.sandbox.outside.names import address_of
from windtunnel.spawn import handles, start

MOST_PORTS = 24
_LONGEST_DELAY_SECONDS = 60.0
_SLOWEST_BITS = 1000.0
_READY_SECONDS, _END_SECONDS = 20.0, 10.0
_MOST_ANSWER = 1 << 17
_RESOLVER_PORT, _LAST_PORT = 53, 65_535
_CODE = ("import sys; sys.path.append(sys.argv[3]); from windtunnel.sandbox.outside.station import main; "
         "main(int(sys.argv[1]), int(sys.argv[2]))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a simulated outside saw of one run."""

    packets: int = 0
    """That reached the link, in both directions."""
    lost: int = 0
    doubled: int = 0
    dropped: int = 0
    """That found the line full."""
    names: tuple[str, ...] = ()
    """That were asked for; the first 256."""


# --- what may be asked for ---

def check(outside: Outside) -> None:
    """Refuse what cannot be made, before anything starts."""
    if strange := outside.faults - NETWORK_FAULTS:
        raise UsageError(f"faults: {', '.join(sorted(strange))} are none of the network's "
                         f"(there are {', '.join(sorted(NETWORK_FAULTS))})", field="faults")
    wrong = [port for port in outside.ports if type(port) is not int or not 0 < port <= _LAST_PORT]
    if wrong or _RESOLVER_PORT in outside.ports or len(set(outside.ports)) != len(outside.ports):
        raise UsageError(f"ports: {outside.ports!r} (each once, from 1 to {_LAST_PORT}, without the resolver's "
                         f"{_RESOLVER_PORT})", field="ports")
    if len(outside.ports) > MOST_PORTS:
        raise UsageError(f"ports: {len(outside.ports)} of them (at most {MOST_PORTS})", field="ports")
    _check_link(outside.link)


def _check_link(link: Link) -> None:
    for name in ("loss", "duplication", "reordering"):
        _check_range(name, getattr(link, name), most=1.0)
    for name in ("delay_seconds", "jitter_seconds"):
        _check_range(name, getattr(link, name), most=_LONGEST_DELAY_SECONDS)
    if link.rate_bits is not None:
        _check_range("rate_bits", link.rate_bits, least=_SLOWEST_BITS, most=1e12)


def _check_range(name: str, value: object, *, most: float, least: float = 0.0) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not number or not least <= float(value) <= most:  # type: ignore[arg-type]  # a number by now
        raise UsageError(f"{name}: {value!r} (from {least:g} to {most:g})", field=name)


def ports_of(outside: Outside) -> list[int]:
    """Those that anybody listens on at all."""
    return [] if Fault.REFUSED_CONNECTIONS in outside.faults else list(outside.ports)


def _order(outside: Outside) -> dict[str, Any]:
    link = asdict(outside.link)
    if Fault.PARTITION in outside.faults:
        link["loss"] = 1.0
    return {"link": link, "faults": [str(fault) for fault in outside.faults], "ports": ports_of(outside),
            "seed": outside.seed}


# --- the processes ---

class Simulated:
    """The outside of one run; it is served from ``begin`` on, and until it is closed."""

    def __init__(self, outside: Outside, station: socket.socket) -> None:
        """Have the station start its processes, which then wait for what there is to serve."""
        self.ports = ports_of(outside)
        self._begun = False
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2)]
        self._channels = [ours for ours, _ in pairs]
        try:
            socket.send_fds(station, [marshal.dumps(_order(outside))], [theirs.fileno() for _, theirs in pairs])
        except OSError as error:
            self.close()
            raise SandboxFailure(f"the simulated outside cannot be started: {error.strerror}") from error
        finally:
            for _, theirs in pairs:
                theirs.close()

    def begin(self, descriptors: list[int], *, told: socket.socket) -> None:
        """Serve the sockets that a sandbox handed out, which are ours from here on; when that is so, it is told."""
        self._begun = True
        try:
            for channel, given in zip(self._channels, (descriptors[:2], descriptors[2:]), strict=True):
                channel.settimeout(_READY_SECONDS)
                socket.send_fds(channel, [b"S"], given)
            ready = [channel.recv(1) for channel in self._channels]
        except OSError as error:
            raise SandboxFailure(f"the simulated outside was not ready: {error}") from error
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        if ready != [b"R", b"R"]:
            raise SandboxFailure("a process of the simulated outside ended before it was ready")
        with contextlib.suppress(ConnectionError):  # it was killed while it waited
            told.send(b"G")

    def end(self) -> Seen:
        """Stop it; what it saw. A failure where it stopped by itself, because then the run's outside was not real."""
        if not self._begun:
            return Seen()
        try:
            for channel in self._channels:
                channel.settimeout(_END_SECONDS)
                channel.send(b"E")
            counts, names = (_last_word(channel) for channel in self._channels)
        except OSError as error:
            raise SandboxFailure("the simulated outside ended before the run did") from error
        finally:
            self.close()
        return Seen(**counts, names=tuple(names))

    def attempts(self, asked: tuple[NetworkAttempt, ...]) -> tuple[NetworkAttempt, ...]:
        """End it; what was asked for, by the names that were resolved where an address is one made for a name."""
        if not asked:
            self._drop()
            return ()
        by_address = {address_of(name): name for name in reversed(self.end().names)}
        made = []
        for attempt in asked:
            address, _, port = attempt.target.rpartition(":")
            target = f"{by_address[address]}:{port}" if address in by_address else attempt.target
            made.append(NetworkAttempt(target=target, outcome="allowed", rule="simulated outside", count=attempt.count))
        return tuple(made)

    def _drop(self) -> None:
        """End it without waiting for what it saw; a failure where it is not there any more."""
        if self._begun and not all(map(_is_alive, self._channels)):
            raise SandboxFailure("the simulated outside ended before the run did")
        self.close()

    def close(self) -> None:
        """Let go; its processes end then, whatever they do."""
        for channel in self._channels:
            with contextlib.suppress(OSError):  # they are gone already
                channel.shutdown(socket.SHUT_RDWR)  # a fork of the caller may hold it as well
            channel.close()
        self._channels = []


def _is_alive(channel: socket.socket) -> bool:
    """Whether somebody holds the other end; it says nothing before it is asked."""
    channel.settimeout(0)
    try:
        channel.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _last_word(channel: socket.socket) -> Any:  # noqa: ANN401 -- each of the two has its own
    data = channel.recv(_MOST_ANSWER)
    if not data:
        raise ConnectionResetError
    return marshal.loads(data)  # noqa: S302 -- from a process of ours


class Outsides:
    """Starts the station when it is first needed; safe to use from many threads."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: handles.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def prepare(self, outside: Outside) -> Simulated:
        """Check what is asked for, and have a station for it."""
        check(outside)
        return Simulated(outside, self._ready())

    def _ready(self) -> socket.socket:
        with self._lock:
            if self._control is None or self._process is None or self._process.poll() is not None:
                self._let_go()
                self._control, self._process = _station()
            return self._control

    def close(self) -> None:
        """End the station and with it every outside."""
        with self._lock:
            process = self._process
            if self._control is not None:
                with contextlib.suppress(OSError):  # it is gone already
                    self._control.shutdown(socket.SHUT_RDWR)  # a fork of ours may hold it as well
            self._let_go()
            if process is not None:
                with contextlib.suppress(handles.TimeoutExpired):
                    process.wait(timeout=_END_SECONDS)
                process.kill()
                process.wait()

    def forget(self) -> None:
        """In a forked child: leave the station to the parent."""
        if self._process is not None:
            self._process.returncode = 0
        self._let_go()

    def _let_go(self) -> None:
        if self._control is not None:
            self._control.close()
        self._control = self._process = None


def _station() -> tuple[socket.socket, handles.Popen[bytes]]:
    control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    package = str(Path(__file__).resolve().parents[3])
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    try:
        argv = [*plain_python(), "-c", _CODE, str(inner.fileno()), str(os.getpid()), package]
        return control, start(argv, pass_fds=[inner.fileno()], output=null, env={})
    except BaseException:
        control.close()
        raise
    finally:
        inner.close()
        os.close(null)

