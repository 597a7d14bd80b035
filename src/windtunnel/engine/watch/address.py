"""Which addresses an alert may go to: a name must not lead to where a machine keeps its own credentials."""

from __future__ import annotations

import ipaddress
import socket
import threading
from urllib.parse import urlsplit

from windtunnel.core.errors import SandboxFailure

_METADATA = frozenset(map(ipaddress.ip_address, ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192")))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def resolve(host: str, port: int, *, seconds: float, link_local: bool) -> tuple[int, str]:
    """The family and the address to connect to; a typed failure where any address of the name is a forbidden one."""
    found: list[tuple[int, str]] = []
    failed: list[OSError] = []

    def ask() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend((int(one[0]), str(one[4][0])) for one in answers)
        except OSError as error:
            failed.append(error)
        except UnicodeError:
            failed.append(OSError("not a name of a host"))

    # The system's resolver knows no deadline; one that hangs is left to itself.
    asking = threading.Thread(target=ask, daemon=True, name="windtunnel-resolve")
    asking.start()
    asking.join(seconds)
    if not found:
        why = str(failed[0]) if failed else f"its name was not found within {seconds:g} seconds"
        raise SandboxFailure(f"{host}: {why}")
    for _, one in found:
        if (why := forbidden(one)) and not (link_local and why == "link-local"):
            raise SandboxFailure(f"{host}: {one} is refused: {why} (say link_local: true where it is meant)"
                                 if why == "link-local" else f"{host}: {one} is refused: {why}")
    return found[0]


def forbidden(text: str) -> str:
    """Why nothing is sent to this address; empty where it may be."""
    plain = _inner(ipaddress.ip_address(text.partition("%")[0]))
    if plain in _METADATA or plain.is_link_local:
        return "link-local"
    if plain.is_unspecified or plain.is_multicast or plain == ipaddress.ip_address("255.255.255.255"):
        return "no address of one machine"
    return ""


def _inner(found: _Address) -> _Address:
    """The address that another one carries inside."""
    if isinstance(found, ipaddress.IPv6Address):
        if found in _NAT64:
            return ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        return found.ipv4_mapped or found.sixtofour or found
    return found


def is_loopback(host: str) -> bool:
    """Whether it is spelt so that it can only be this machine."""
    try:
        return _inner(ipaddress.ip_address(host)).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def shown_address(text: str) -> str:
    """Without path and query, in which people put keys."""
    parts = urlsplit(text)
    return f"{parts.scheme}://{parts.netloc}"
