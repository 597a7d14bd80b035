"""Section N: the network of the host, and the ways around it."""

from __future__ import annotations

import socket
import threading

from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.attacks import processes
from windtunnel.sandbox.attacks.base import Attack, Values, Verdict, held, not_held, unproven
from windtunnel.sandbox.attacks.host import Host
from windtunnel.sandbox.attacks.judges import astray, look, nothing_done, refusals, seen, uncounted
from windtunnel.sandbox.attacks.posture import Posture

_TCP = """
def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as door:
        door.settimeout(1)
        door.connect((address, {port}))
for address in ("127.0.0.1", "localhost", "0.0.0.0", "127.1", "2130706433", "0x7f000001"):
    attempt(address, lambda: connect(socket.AF_INET, address))
for address in ("::1", "::ffff:127.0.0.1", "::"):
    attempt(address, lambda: connect(socket.AF_INET6, address))
finish()
"""

_UDP = """
def knock(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        door.sendto(b"knock", (address, {port}))
for address in ("127.0.0.1", "0.0.0.0", "localhost"):
    attempt(address, lambda: knock(address))
finish()
"""

_UNIX = """
def connect(address):
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(1)
        door.connect(address)
attempt("door", lambda: connect({address}))
finish()
"""

_RAW = """
kept = []
attempt("icmp", lambda: kept.append(socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)))
attempt("raw", lambda: kept.append(socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)))
attempt("packet", lambda: kept.append(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)))
finish()
"""

_FAMILIES = """
kept = []
for name, number, kind in (("vsock", 40, 1), ("alg", 38, 5), ("xdp", 44, 3), ("bluetooth", 31, 3), ("tipc", 30, 1),
                           ("key", 15, 3), ("rds", 21, 5), ("can", 29, 3), ("smc", 43, 1), ("nfc", 39, 1)):
    attempt(name, lambda: kept.append(socket.socket(number, kind, 2 if name == "key" else 0)))
finish()
"""

_HOLD = "hold()\n"

_LISTEN = """
kept = []
def listen():
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    kept.append(door)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    door.bind(("0.0.0.0", {port}))
    door.listen()
attempt("listen", listen)
hold()
"""

_TOOLS = """
import shutil, subprocess
port = str({port})
commands = (
    ("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + port),
    ("curl", "-s", "-m", "1", "http://127.0.0.1:" + port),
    ("wget", "-q", "-T", "1", "-t", "1", "-O", "/dev/null", "http://127.0.0.1:" + port),
    ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=1", "-o", "StrictHostKeyChecking=no",
     "-o", "UserKnownHostsFile=/dev/null", "-F", "/dev/null", "-p", port, "127.0.0.1", "true"),
    ("git", "ls-remote", "http://127.0.0.1:" + port + "/x"),
    ("perl", "-MIO::Socket::INET", "-e", "IO::Socket::INET->new('127.0.0.1:" + port + "') or exit 1"),
)
for command in commands:
    if shutil.which(command[0]):
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=5)
        say("tried", command[0])
finish()
"""


def _tcp_port(host: Host) -> Values:
    return {"port": host.listeners.tcp_port}


def _udp_port(host: Host) -> Values:
    return {"port": host.listeners.udp_port}


def _abstract(host: Host) -> Values:
    assert host.listeners
    return {"address": f"\0{host.token}-door"}


def _door(host: Host) -> Values:
    assert host.listeners
    return {"address": f"{host.folder}/door"}


def _free_port(host: Host) -> Values:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        host.port = int(probe.getsockname()[1])
    return {"port": host.port}


def _knock(host: Host, stop: threading.Event) -> None:
    if processes.await_held(host.token, stop) is None:
        return
    with socket.socket() as visitor:
        visitor.settimeout(1)
        host.reached_in = visitor.connect_ex(("127.0.0.1", host.port)) == 0
    processes.end(host.token)


def _unreachable(host: Host, result: ExecutionResult) -> Verdict:
    if host.reached_in:
        return not_held(f"the host connected to the program's port {host.port}")
    if host.reached_in is None:
        return astray(host, result) or unproven("the process could not be seen in the host's process table")
    heard = "it listened" if host.said(result).did else f"refused: {refusals(host, result)}"
    return astray(host, result) or held(f"the host could not connect to the program's port ({heard})")


def _loopback_only(posture: Posture) -> str | None:
    if "net" in posture.shared_namespaces:
        return f"it has the host's network: {', '.join(posture.interfaces)}"
    return None if posture.interfaces == ("lo",) else f"interfaces: {', '.join(posture.interfaces)}"


ATTACKS = (
    Attack(row="N01", title="connects to the host's loopback in nine spellings", severity="Exf", code=_TCP,
           prepare=_tcp_port, judge=uncounted("tcp")),
    Attack(row="N02", title="sends UDP to the host's loopback", severity="Exf", code=_UDP, prepare=_udp_port,
           judge=uncounted("udp")),
    Attack(row="N03", title="connects to an abstract unix socket of the host", severity="Esc", code=_UNIX,
           prepare=_abstract, judge=uncounted("abstract")),
    Attack(row="N04", title="connects to a unix socket of the host by its path", severity="Esc", code=_UNIX,
           prepare=_door, judge=uncounted("unix")),
    Attack(row="N05", title="opens raw and packet sockets", severity="Int", code=_RAW, judge=nothing_done),
    Attack(row="N06", title="opens sockets of rare families", severity="Lat", code=_FAMILIES, judge=nothing_done),
    Attack(row="N07", title="has interfaces beside its own loopback", severity="Exf", code=_HOLD, watch=look,
           judge=seen(_loopback_only)),
    Attack(row="N08", title="listens, and the host connects in", severity="Exf", code=_LISTEN, prepare=_free_port,
           watch=_knock, judge=_unreachable),
    Attack(row="N09", title="goes out by bash, curl, wget, ssh, git and perl", severity="Exf", code=_TOOLS,
           prepare=_tcp_port, judge=uncounted("tcp")),
)
