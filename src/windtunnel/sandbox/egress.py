"""The one way out of a sandbox with an allow-list: a proxy that lives in the supervisor.

The sandbox has a network namespace with loopback alone. Its listening sockets are made inside and served here,
outside, where the program cannot reach the rules.

What holds:

- A name is compared with the list before anything is looked up, so a refused name causes no DNS query.
- A name is looked up once for each connection, every answer must be public, and the connection goes to one of the
  very addresses that were checked; a second, different answer is never seen.
- Memory does not grow with what is sent: each direction of a connection holds one chunk.

What does not hold:

- What is said inside a tunnel is not read: a host that serves others' names (a CDN) can be asked for them.
- A network's own NAT64 prefix cannot be told from the open internet; only the well-known one is unwrapped.
- The processor time spent here is the supervisor's and is not part of the run's limits.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from types import TracebackType
from typing import Self, TypeAlias

from windtunnel.core.effects import NetworkAttempt
from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.egress_relay import CHUNK, Bell, Flow, Ledger, Traffic
from windtunnel.sandbox.egress_rules import (
    MALFORMED,
    PRIVATE,
    Address,
    Refused,
    Rule,
    Target,
    find_rule,
    is_public,
    parse_hosts,
    read_request,
)

__all__ = ["Bounds", "Egress", "Rule", "Traffic", "parse_hosts"]

Resolve: TypeAlias = Callable[[str], Sequence[str]]
"""The addresses of a name, as text; an OSError when it has none."""
Dial: TypeAlias = Callable[[str, int], socket.socket]
"""A connection to an address and port."""

_DIAL_SECONDS = 10.0
_MOST_DIALS = 4
_FAREWELL_SECONDS = 1.0
_CLOSE_SECONDS = 2.0
_RETRY_SECONDS = 0.1
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The most that the clients of one proxy may take of the supervisor."""

    header_bytes: int = 32 * 1024
    header_seconds: float = 10.0
    """For the whole head, however it drips in."""
    connections: int = 64
    """Served at once; further ones wait in the kernel's queue."""
    idle_seconds: float = 60.0
    """Without a byte in either direction."""


def resolve_host(host: str) -> list[str]:
    """The addresses of a name as the supervisor sees them."""
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def dial_address(address: str, port: int) -> socket.socket:
    """A TCP connection to an address."""
    return socket.create_connection((address, port), timeout=_DIAL_SECONDS)


def is_this_machine(address: Address) -> bool:
    """Whether the address is one of the supervisor's own, which a firewall would not guard; sends nothing."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004 -- the IP version
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((str(address), 9))
        return bool(ip_address(probe.getsockname()[0]) == address)
    return False


class Unreachable(Exception):
    """The list allows the target, and there was no connection to it; an answer for the program."""


class Egress:
    """Serves listeners of one sandbox until it is closed."""

    def __init__(
        self,
        rules: Sequence[Rule],
        *,
        resolve: Resolve = resolve_host,
        dial: Dial = dial_address,
        is_own: Callable[[Address], bool] = is_this_machine,
        allow_private: frozenset[str] = frozenset(),
        bounds: Bounds | None = None,
    ) -> None:
        """Keep the rules as they are now; ``allow_private`` are addresses exempt from every address check."""
        self._rules = tuple(rules)
        self._resolve = resolve
        self._dial = dial
        self._is_own = is_own
        self._allow_private = frozenset(ip_address(text) for text in allow_private)
        self._bounds = bounds or Bounds()
        self._bell = Bell()
        self._ledger = Ledger()
        self._changed = threading.Condition()
        self._closed = False
        self._listening: set[threading.Thread] = set()
        self._serving: dict[threading.Thread, socket.socket] = {}

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()

    def serve_proxy(self, listener: socket.socket) -> None:
        """Be an HTTP proxy on a listening socket, which is ours from here on."""
        self._serve(listener, self._proxy)

    def serve_direct(self, listener: socket.socket, *, host: str, port: int) -> None:
        """Pipe each connection to one host, for programs that ignore proxies; the socket is ours from here on."""
        target = Target(host=host, port=port)
        self._serve(listener, lambda client: self._direct(client, target))

    def attempts(self) -> tuple[NetworkAttempt, ...]:
        """What was asked for and what was decided, in the order of the first time."""
        return self._ledger.attempts()

    def traffic(self) -> Traffic:
        """How much went through."""
        return self._ledger.traffic()

    def direct_ports(self) -> list[tuple[str, int, str]]:
        """Address and port to listen on inside for each host of an exact name; names of a wildcard are not known."""
        return [(address, port, host) for host, address in self._names().items() for port in self._ports(host)]

    def hosts_file(self) -> bytes:
        """An /etc/hosts for the sandbox that leads the exact names to their listeners."""
        lines = ["127.0.0.1 localhost", "::1 localhost"]
        lines += [f"{address} {host}" for host, address in self._names().items()]
        return ("\n".join(lines) + "\n").encode("ascii")

    def proxy_env(self, port: int) -> dict[str, str]:
        """The variables that lead programs to a proxy on the sandbox's loopback."""
        names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        return dict.fromkeys(names, f"http://127.0.0.1:{port}") | {"no_proxy": "localhost,127.0.0.1,::1"}

    def close(self) -> None:
        """End all threads and sockets, in two seconds at most.

        A thread held up by a name look-up or a connect cannot be ended: it ends by itself and serves nobody.
        """
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._bell.ring()
        deadline = time.monotonic() + _CLOSE_SECONDS
        while (threads := self._threads()) and (left := deadline - time.monotonic()) > 0:
            threads[0].join(left)
        with self._changed:
            for client in self._serving.values():
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)
        self._rest()

    def _threads(self) -> list[threading.Thread]:
        with self._changed:
            return [*self._listening, *self._serving]

    def _names(self) -> dict[str, str]:
        hosts = dict.fromkeys(rule.host for rule in self._rules if not rule.subdomains and not rule.is_address)
        return {host: f"127.66.0.{number}" for number, host in enumerate(hosts, start=1)}

    def _ports(self, host: str) -> list[int]:
        rules = [rule for rule in self._rules if rule.host == host and not rule.subdomains]
        return sorted({port for rule in rules for port in rule.ports})

    def _serve(self, listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
        listener.settimeout(0)
        thread = threading.Thread(target=self._listen, args=(listener, serve), daemon=True, name="egress listener")
        with self._changed:
            if self._closed:
                listener.close()
                raise SandboxFailure("the egress proxy is closed already")
            thread.start()
            self._listening.add(thread)

    def _listen(self, listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
        try:
            with listener, contextlib.suppress(ConnectionAbortedError):
                while self._has_room(listener):
                    self._accept(listener, serve)
        finally:
            with self._changed:
                self._listening.discard(threading.current_thread())
            self._rest()

    def _has_room(self, listener: socket.socket) -> bool:
        """Wait for a client, then for a free place; false when closing."""
        self._bell.wait({listener: select.POLLIN})
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._serving) < self._bounds.connections)
            return not self._closed

    def _accept(self, listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
        try:
            client, _ = listener.accept()
        except OSError:
            # Out of descriptors, or the client is gone: the next try must not spin.
            with contextlib.suppress(TimeoutError):
                self._bell.wait({}, seconds=_RETRY_SECONDS)
            return
        thread = threading.Thread(target=self._attend, args=(client, serve), daemon=True, name="egress connection")
        try:
            with self._changed:
                thread.start()
                self._serving[thread] = client
        except RuntimeError:
            # No thread to be had: this client is turned away and the next may have more luck.
            client.close()

    def _attend(self, client: socket.socket, serve: Callable[[socket.socket], None]) -> None:
        try:
            with contextlib.suppress(OSError):
                _prepare(client)
                serve(client)
        finally:
            self._leave(threading.current_thread(), client)

    def _leave(self, thread: threading.Thread, client: socket.socket) -> None:
        client.close()
        with self._changed:
            self._serving.pop(thread, None)
            self._changed.notify_all()
        self._rest()

    def _rest(self) -> None:
        """Let go of the bell when nobody waits on it any more."""
        with self._changed:
            if self._closed and not self._listening and not self._serving:
                self._bell.close()

    def _proxy(self, client: socket.socket) -> None:
        try:
            head, rest = self._read_head(client)
            request = read_request(head)
            origin = self._connect(request.target)
        except Refused as refusal:
            self._ledger.add(refusal.target, outcome="refused", rule=refusal.rule)
            self._answer(client, f"{refusal.target} refused: {refusal.rule}", status=refusal.status)
        except Unreachable as failure:
            self._answer(client, str(failure), status=HTTPStatus.BAD_GATEWAY)
        else:
            with origin:
                self._exchange(client, origin, request_head=request.head, rest=rest,
                               body_bytes=None if request.tunnel else request.body_bytes)  # fmt: skip

    def _exchange(
        self, client: socket.socket, origin: socket.socket, *, request_head: bytes, rest: bytes, body_bytes: int | None
    ) -> None:
        """One tunnel, or one request with a body of so many bytes and its answer."""
        if body_bytes is None:
            self._relay(Flow(client, origin, first=rest), Flow(origin, client, first=_ESTABLISHED), tunnel=True)
            return
        body = rest[:body_bytes]
        upward = Flow(client, origin, first=request_head + body, left=body_bytes - len(body))
        self._relay(upward, Flow(origin, client), tunnel=False)
        self._farewell(client)

    def _direct(self, client: socket.socket, target: Target) -> None:
        try:
            origin = self._connect(target)
        except Refused as refusal:
            self._ledger.add(refusal.target, outcome="refused", rule=refusal.rule)
        except Unreachable:
            return
        else:
            with origin:
                self._relay(Flow(client, origin), Flow(origin, client), tunnel=True)

    def _connect(self, target: Target) -> socket.socket:
        rule = find_rule(self._rules, target)
        addresses = self._checked_addresses(target)
        self._ledger.add(str(target), outcome="allowed", rule=rule.entry)
        if not addresses:
            raise Unreachable(f"{target} is allowed by {rule.entry}, but the name does not resolve")
        for address in addresses[:_MOST_DIALS]:
            with contextlib.suppress(OSError):
                origin = self._dial(str(address), target.port)
                _prepare(origin)
                return origin
        raise Unreachable(f"{target} is allowed by {rule.entry}, but does not answer")

    def _checked_addresses(self, target: Target) -> list[Address]:
        """The addresses to connect to, all of them public: one private answer among them spoils the rest."""
        try:
            texts = [target.host] if target.is_address else self._resolve(target.host)
        except OSError:
            return []
        try:
            addresses = [ip_address(text) for text in texts]
        except ValueError:
            raise Refused(PRIVATE, target=str(target)) from None
        if not all(map(self._may_reach, addresses)):
            raise Refused(PRIVATE, target=str(target))
        return addresses

    def _may_reach(self, address: Address) -> bool:
        return address in self._allow_private or (is_public(address) and not self._is_own(address))

    def _read_head(self, client: socket.socket) -> tuple[bytes, bytes]:
        """The head of a request, and what came after it in the same breath."""
        deadline = time.monotonic() + self._bounds.header_seconds
        data = bytearray()
        while (end := data.find(b"\r\n\r\n")) < 0:
            room = self._bounds.header_bytes - len(data)
            if room <= 0:
                raise Refused("header too large", status=HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            try:
                self._bell.wait({client: select.POLLIN}, seconds=deadline - time.monotonic())
            except TimeoutError:
                raise Refused("header too slow", status=HTTPStatus.REQUEST_TIMEOUT) from None
            piece = client.recv(room)
            if not piece:
                if data:
                    raise Refused(MALFORMED, status=HTTPStatus.BAD_REQUEST)
                raise ConnectionResetError
            data += piece
        return bytes(data[:end]), bytes(data[end + 4 :])

    def _relay(self, upward: Flow, downward: Flow, *, tunnel: bool) -> None:
        """Move bytes until both sides are done (a tunnel) or the origin is (an answer), or nothing moves for long."""
        flows = (upward, downward)
        try:
            while not downward.over or (tunnel and not upward.over):
                wants = [(flow, *flow.wants()) for flow in flows if not flow.over]
                events: dict[socket.socket, int] = {}
                for _, side, event in wants:
                    events[side] = events.get(side, 0) | event
                ready = self._bell.wait(events, seconds=self._bounds.idle_seconds)
                for flow, side, event in wants:
                    if ready.get(side, 0) & (event | select.POLLERR | select.POLLHUP):
                        flow.move()
        finally:
            self._ledger.count(sent=upward.written, received=downward.read)

    def _answer(self, client: socket.socket, text: str, *, status: HTTPStatus) -> None:
        body = f"windtunnel: {text}\n".encode("ascii", "replace")
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        client.send(head.encode("ascii") + body)
        self._farewell(client)

    def _farewell(self, client: socket.socket) -> None:
        """Read away what the client still sends: closing over unread bytes would reset the answer away."""
        client.shutdown(socket.SHUT_WR)
        deadline = time.monotonic() + _FAREWELL_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            self._bell.wait({client: select.POLLIN}, seconds=left)
            if not client.recv(CHUNK):
                return


def _prepare(side: socket.socket) -> None:
    side.settimeout(0)
    with contextlib.suppress(OSError):
        side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
