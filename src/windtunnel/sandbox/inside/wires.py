"""The one interface of a program that finds a simulated outside, and the far side it leads to.

The far side is a second network namespace, in which every address is its own. Between the two lie two pairs of
interfaces, and nothing joins them but packet sockets that are handed out to the supervisor: what it does not carry
does not arrive. What holds: no route leads from either namespace to the host's, and the program cannot enter the far
one, which has no process and no name. What does not hold: IPv6 goes nowhere.
"""

from __future__ import annotations

import _socket
import ctypes
import fcntl
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import kernel
else:
    import kernel

OWN = "10.66.0.2"
"""The program's address; all others are outside."""
HARDWARE, DEAF = b"\x02wtun\x01", b"\x02wtun\x02"
"""One for the interfaces that speak, so that a frame fits at either end; another for those between, so that the far
namespace takes no frame for its own before the supervisor has carried it."""
CONGESTION_CONTROL = b"reno"
"""Which every kernel has and lets every namespace use; the host's own may be any."""
IPV4 = 0x0800
ROUTE, ACK, CREATE = 0, 5, 0x600
NEW_LINK, NEW_ADDRESS, NEW_ROUTE = 16, 20, 24
NAME, ADDRESS, INFO, IN_NAMESPACE = 3, 1, 18, 28
MAIN, LOCAL = 254, 255
UP_AND_NO_ARP = 0x1 | 0x40 | 0x80
SET_FLAGS, ETHTOOL = 0x8914, 0x8946
NO_CHECKSUMS_LATER, NO_SEGMENTS_LATER = 0x17, 0x24
PACKET_BUFFER = 1 << 23
PACKET_INFO = 8
PROC = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC


def lay(ports: list[int]) -> list[int]:
    """Both ends of the wire, the resolver, then for each port its TCP and its UDP socket: all for the supervisor."""
    here = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    kernel.mount(None, b"/proc", None, kernel.MS_REMOUNT | PROC)  # its settings are this namespace's, and nobody's yet
    settle()
    kernel.call(kernel.libc.unshare(kernel.NEWNET), "unshare")
    settle()
    kernel.mount(None, b"/proc", None, kernel.MS_REMOUNT | kernel.MS_RDONLY | PROC)
    far_links(here)
    made = [packets("wire0"), packets("wire1"), datagrams(53)]
    for port in ports:
        made += [stream(port), datagrams(port)]
    kernel.call(kernel.libc.setns(here, kernel.NEWNET), "setns")
    os.close(here)
    near_link()
    return made


def settle() -> None:
    """A namespace before its first interface: one way to send TCP, nothing passed on, IPv6 on the loopback alone."""
    kernel.write("/proc/sys/net/ipv4/tcp_congestion_control", CONGESTION_CONTROL)
    kernel.write("/proc/sys/net/ipv4/ip_forward", b"0")
    try:
        kernel.write("/proc/sys/net/ipv6/conf/default/disable_ipv6", b"1")
    except FileNotFoundError:
        pass


def far_links(here: int) -> None:
    """In the far namespace: a pair that leads to the program, a pair of its own, and every address its own."""
    route = netlink()
    pair(route, "wire0", peer="eth0", namespace=here)
    pair(route, "far0", peer="wire1", namespace=None)
    for name in ("lo", "wire0", "wire1", "far0"):
        bring_up(name)
    add_route(route, "0.0.0.0", bits=0, device="lo", kind=2, table=LOCAL)
    add_route(route, OWN, bits=32, device="far0", kind=1, table=LOCAL)
    route.close()


def near_link() -> None:
    """In the program's namespace: one address, and the rest of the world behind it."""
    route = netlink()
    index = _socket.if_nametoindex("eth0")
    address = _socket.inet_aton(OWN)
    body = struct.pack("=BBBBI", _socket.AF_INET, 32, 0, 0, index) + attribute(1, address) + attribute(2, address)
    ask(route, NEW_ADDRESS, body)
    bring_up("eth0")
    add_route(route, "0.0.0.0", bits=0, device="eth0", kind=1, table=MAIN)
    route.close()


# --- sockets ---

def packets(name: str) -> int:
    """Whatever IPv4 arrives at an interface, and a way to send out of it; deaf until bound, which costs no wait."""
    sock = _socket.socket(_socket.AF_PACKET, _socket.SOCK_RAW | _socket.SOCK_CLOEXEC, 0)
    sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVBUF, PACKET_BUFFER)
    sock.bind((name, IPV4))
    return sock.detach()


def stream(port: int) -> int:
    """A listening socket for every address."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    sock.bind(("0.0.0.0", port))
    sock.listen(128)
    return sock.detach()


def datagrams(port: int) -> int:
    """A socket that learns which address each message was sent to, and can answer from there."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
    sock.setsockopt(_socket.IPPROTO_IP, PACKET_INFO, 1)
    sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVBUF, PACKET_BUFFER)
    sock.bind(("0.0.0.0", port))
    return sock.detach()


# --- interfaces and routes ---

def netlink() -> _socket.socket:
    """For requests about the namespace that this process is in."""
    return _socket.socket(_socket.AF_NETLINK, _socket.SOCK_RAW | _socket.SOCK_CLOEXEC, ROUTE)


def pair(route: _socket.socket, name: str, *, peer: str, namespace: int | None) -> None:
    """A pair of interfaces; the peer in another namespace where one is given."""
    other = bytes(16) + named(peer)  # the head of the message, with nothing set
    if namespace is not None:
        other += attribute(IN_NAMESPACE, struct.pack("=I", namespace))
    info = attribute(1, b"veth") + attribute(2, attribute(1, other))
    ask(route, NEW_LINK, bytes(16) + named(name) + attribute(INFO, info))


def named(name: str) -> bytes:
    """An interface's name and hardware address."""
    return attribute(NAME, name.encode() + b"\0") + attribute(ADDRESS, DEAF if name.startswith("wire") else HARDWARE)


def bring_up(name: str) -> None:
    """Whole packets with their sums, as a wire has them, and no questions who is who."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
    if name != "lo":
        for command in (NO_CHECKSUMS_LATER, NO_SEGMENTS_LATER):
            set_off(sock, name, command)
    fcntl.ioctl(sock, SET_FLAGS, struct.pack("16sH14x", name.encode(), UP_AND_NO_ARP))
    sock.close()


def set_off(sock: _socket.socket, name: str, command: int) -> None:
    """One ethtool value to zero."""
    value = ctypes.create_string_buffer(struct.pack("=II", command, 0), 8)
    fcntl.ioctl(sock, ETHTOOL, struct.pack("16sQ8x", name.encode(), ctypes.addressof(value)))


def add_route(route: _socket.socket, address: str, *, bits: int, device: str, kind: int, table: int) -> None:
    """A route of a kind (1 to others, 2 to oneself) to all that begins with these bits."""
    scope = 253 if kind == 1 else 254
    body = struct.pack("=BBBBBBBBI", _socket.AF_INET, bits, 0, 0, table, 4, scope, kind, 0)
    if bits:
        body += attribute(1, _socket.inet_aton(address))
    ask(route, NEW_ROUTE, body + attribute(4, struct.pack("=I", _socket.if_nametoindex(device))))


def attribute(kind: int, data: bytes) -> bytes:
    """One attribute, padded."""
    return struct.pack("=HH", len(data) + 4, kind) + data + bytes(-len(data) % 4)


def ask(route: _socket.socket, kind: int, body: bytes) -> None:
    """One request to the kernel; what it refuses is an error."""
    route.send(struct.pack("=IHHII", len(body) + 16, kind, ACK | CREATE, 1, 0) + body)
    answer = route.recv(4096)
    number = -struct.unpack_from("=i", answer, 16)[0]
    if number:
        raise OSError(number, os.strerror(number), f"network request {kind}")

