"""Whether each fault of a simulated outside is met as it should be: a program that is run there, and its reading.

The program resolves a name, opens two connections to an echo, says something in both and says it again, opens a third,
and sends a datagram; it tells what became of each, by the name of the error where there was one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.scenario import Condition, Fault, Outside
from windtunnel.sandbox.outside.pages import HTTP_PORT
from windtunnel.sandbox.outside.services import DRIP_SECONDS

_WORD = 25
"""Bytes that are said, so that a drip of them can be told from an answer in one piece."""
PROGRAM = """
import json, socket, sys, time

asked = json.loads(sys.stdin.read())
told = {}


def attempt(name, act):
    begun = time.monotonic()
    try:
        act()
        told[name] = "answered"
    except Exception as error:
        told[name] = type(error).__name__
    told[name + " seconds"] = time.monotonic() - begun


def connect():
    made = socket.create_connection(("198.18.0.2", asked["port"]), timeout=asked["patience"])
    opened.append(made)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def say(sock):
    sock.sendall(b"x" * asked["word"])
    got = b""
    while len(got) < asked["word"]:
        data = sock.recv(4096)
        if not data:
            raise EOFError
        got += data


def datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(asked["patience"])
        sock.connect(("198.18.0.2", asked["port"]))
        sock.send(b"x")
        sock.recv(100)


opened = []
if asked["names"]:
    attempt("name", lambda: socket.getaddrinfo("probe.example", 80))
attempt("open", connect)
attempt("open second", connect)
if len(opened) == 2:
    attempt("say", lambda: say(opened[0]))
    attempt("say again", lambda: say(opened[0]))
    attempt("say in second", lambda: say(opened[1]))
attempt("open third", connect)
attempt("datagram", datagram)
print(json.dumps(told))
"""


def echo_port(outside: Outside) -> int:
    """A port of the outside that echoes; where there is none, none is listened on at all."""
    return next((port for port in outside.ports if port != HTTP_PORT), 7)


def wishes(outside: Outside) -> bytes:
    """The standard input of the program for one outside."""
    link = outside.link
    patience = 0.5 + 4 * link.delay_seconds + 16 * link.jitter_seconds
    if link.loss:
        patience += 2.0  # a lost packet is sent again after a second
    return json.dumps({"port": echo_port(outside), "patience": patience, "word": _WORD,
                       "names": Fault.PARTITION not in outside.faults}).encode()


def fault_conditions(outside: Outside, output: bytes) -> tuple[Condition, ...]:
    """One for each fault, in the order of their names; a failure for output that the program cannot have made."""
    try:
        told = json.loads(output)
        assert isinstance(told, dict)
    except (ValueError, AssertionError) as error:
        raise SandboxFailure(f"the probe of faults did not end well: {output[:200]!r}") from error
    return tuple(_condition(fault, told, outside) for fault in sorted(outside.faults))


def _condition(fault: Fault, told: Mapping[str, object], outside: Outside) -> Condition:
    act, looks = _LOOKS[fault]
    hidden = _HIDES.get(fault, frozenset()) & outside.faults
    holds = not hidden and looks(told)
    reason = f"{', '.join(sorted(hidden))} hides it" if hidden else "the probe met something else"
    return Condition(name=f"FAILURE_MODES:{fault}", requested=str(fault), real=holds, reason="" if holds else reason,
                     measured=f"{act}: {told.get(act, 'not tried')}")


def _is(told: Mapping[str, object], **expected: str) -> bool:
    return all(told.get(name.replace("_", " ")) == word for name, word in expected.items())


def _drips(told: Mapping[str, object]) -> bool:
    seconds = told.get("say seconds")
    return _is(told, say="answered") and isinstance(seconds, float) and seconds >= (_WORD - 1) * DRIP_SECONDS


_LOOKS: Mapping[Fault, tuple[str, Callable[[Mapping[str, object]], bool]]] = {
    Fault.TIMEOUT: ("say", lambda told: _is(told, open="answered", say="TimeoutError", datagram="TimeoutError")),
    Fault.PARTITION: ("open", lambda told: _is(told, open="TimeoutError", datagram="TimeoutError")),
    Fault.REFUSED_CONNECTIONS: ("open", lambda told: _is(told, open="ConnectionRefusedError")),
    Fault.RESET_CONNECTIONS: ("say", lambda told: _is(told, open="answered", say="ConnectionResetError")),
    Fault.SLOW_CONNECTIONS: ("say", _drips),
    Fault.DNS_FAILURE: ("name", lambda told: _is(told, name="gaierror")),
    Fault.KILLED_DEPENDENCY: ("open third", lambda told: _is(
        told, say="answered", say_again="ConnectionResetError", open_third="ConnectionRefusedError")),
}
_NOBODY = frozenset({Fault.PARTITION, Fault.REFUSED_CONNECTIONS})
_HIDES: Mapping[Fault, frozenset[Fault]] = {
    Fault.TIMEOUT: _NOBODY, Fault.REFUSED_CONNECTIONS: frozenset({Fault.PARTITION}),
    Fault.RESET_CONNECTIONS: _NOBODY | {Fault.TIMEOUT},
    Fault.SLOW_CONNECTIONS: _NOBODY | {Fault.TIMEOUT, Fault.RESET_CONNECTIONS},
    Fault.DNS_FAILURE: frozenset({Fault.PARTITION}),
    Fault.KILLED_DEPENDENCY: _NOBODY | {Fault.TIMEOUT, Fault.RESET_CONNECTIONS},
}
"""With these faults as well, a program does not get as far as to meet this one."""
