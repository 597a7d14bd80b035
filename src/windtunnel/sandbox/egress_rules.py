"""Which hosts a program may reach, decided as plain data: nothing here opens a socket or looks up a name.

What holds: a target is compared in one normal form (lower case, no trailing dot, canonical address), and what has
no normal form is refused, so two readers of one request cannot disagree on where it goes.

What does not hold: nobody here knows which names are public suffixes, so ``*.co.uk`` is taken at its word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeAlias

from windtunnel.core.errors import UsageError

Address: TypeAlias = IPv4Address | IPv6Address

DEFAULT_PORTS = (80, 443)
MOST_RULES = 254
"""As many as there are addresses for them in 127.66.0.0/24."""

NOT_LISTED = "not on the allow-list"
PORT_NOT_LISTED = "port not on the allow-list"
PRIVATE = "private address"
NOT_A_HOST = "not a host name"
ODD_ADDRESS = "address in an unusual spelling"
MALFORMED = "malformed request"

_MOST_NAME = 253
_MOST_PORT = 65535
_SHOWN = 260
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_REQUEST_LINE = re.compile(r"([A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP/1\.[01]")
_ABSOLUTE = re.compile(r"(?i:http)://([^/?#\\]+)((?:[/?][^#\\]*)?)")
_HEADER = re.compile(r"([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)")
_LENGTH = re.compile(r"[0-9]{1,15}")
_HOP_BY_HOP = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "host", "content-length",
})  # fmt: skip

_GLOBAL_V6 = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")
_NOT_PUBLIC = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24", "224.0.0.0/3",
        "168.63.129.16/32",  # one cloud's machine-local control address, although its range is public
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    )
)  # fmt: skip


class Refused(Exception):
    """An answer for the program, never raised to a caller: which rule said no."""

    def __init__(self, rule: str, *, target: str = "", status: HTTPStatus = HTTPStatus.FORBIDDEN) -> None:
        """Make the target safe to show: it may hold anything the program sent."""
        super().__init__(rule)
        self.rule = rule
        self.target = _shown(target) or "(no target)"
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a connection is to go, in normal form."""

    host: str
    """A lower-case name without trailing dot, or an address as the standard library spells it."""
    port: int
    is_address: bool = False

    def __str__(self) -> str:
        """``host:port``, with brackets around an IPv6 address."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One entry of the allow-list."""

    entry: str
    """As reports show it: ``example.com``, ``*.example.com:8443``."""
    host: str
    ports: tuple[int, ...] = DEFAULT_PORTS
    subdomains: bool = False
    """Whether the rule is for the names below ``host`` and not for ``host`` itself."""
    is_address: bool = False

    def names(self, target: Target) -> bool:
        """Whether the host is meant, whatever the port."""
        if self.subdomains:
            return not target.is_address and target.host.endswith("." + self.host)
        return target.host == self.host


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client asked of the proxy."""

    target: Target
    tunnel: bool
    """A CONNECT; otherwise one plain request."""
    head: bytes = b""
    """What the origin gets in place of the client's own head."""
    body_bytes: int = 0
    """How much of what follows belongs to the request; the rest is never forwarded."""


def parse_hosts(entries: Sequence[str]) -> tuple[Rule, ...]:
    """The allow-list from ``example.com``, ``example.com:8443``, ``*.example.com``, an address, ``[v6]:443``.

    Without a port, 80 and 443 are meant. An empty list allows nothing.
    """
    if isinstance(entries, str | bytes) or not isinstance(entries, Iterable):
        raise UsageError(f"allow_hosts: not a list: {_quoted(entries)} (try ['example.com'])", field="allow_hosts")
    items = tuple(entries)
    if len(items) > MOST_RULES:
        raise UsageError(f"allow_hosts: {len(items)} entries, the most is {MOST_RULES}", field="allow_hosts")
    return tuple(_parse_rule(item) for item in items)


def _parse_rule(entry: object) -> Rule:
    if not isinstance(entry, str):
        raise _unusable(entry, "each entry is a text")
    if not entry.isascii():
        raise _unusable(entry, "write the name in punycode, xn--…")
    subdomains = entry.startswith("*.")
    try:
        text, port = _split(entry.removeprefix("*."))
        host, is_address = read_host(text)
    except Refused:
        hint = "try example.com, example.com:8443, *.example.com, 93.184.216.34 or [2606:4700::1]:443"
        raise _unusable(entry, hint) from None
    if subdomains and is_address:
        raise _unusable(entry, "an address has no sub-domains")
    shown = ("*." if subdomains else "") + (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    ports = (port,) if port else DEFAULT_PORTS
    return Rule(entry=shown, host=host, ports=ports, subdomains=subdomains, is_address=is_address)


def read_target(text: str, *, default_port: int | None = None) -> Target:
    """The target that a request names; a Refused for whatever has no single meaning."""
    try:
        host_text, port = _split(text)
        host, is_address = read_host(host_text)
    except Refused as refusal:
        raise Refused(refusal.rule, target=text, status=refusal.status) from None
    if (port := port or default_port) is None:
        raise Refused(MALFORMED, target=text, status=HTTPStatus.BAD_REQUEST)
    return Target(host=host, port=port, is_address=is_address)


def find_rule(rules: Sequence[Rule], target: Target) -> Rule:
    """The entry that allows the target; a Refused when there is none."""
    named = [rule for rule in rules if rule.names(target)]
    for rule in named:
        if target.port in rule.ports:
            return rule
    raise Refused(PORT_NOT_LISTED if named else NOT_LISTED, target=str(target))


def is_public(address: Address) -> bool:
    """Whether the address is one of the open internet.

    IPv4 inside IPv6 (mapped, NAT64) is judged by the inner address; 6to4 and Teredo are refused altogether.
    """
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        if address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        elif address in _NAT64:
            address = IPv4Address(int(address) & 0xFFFFFFFF)
        elif address not in _GLOBAL_V6:
            return False
    return not any(address in network for network in _NOT_PUBLIC)


def read_host(text: str) -> tuple[str, bool]:
    """The normal form of a host, and whether it is an address.

    A name has two labels or more and does not end in a number: 2130706433, 0x7f.1 and 0177.0.0.1 are addresses
    in spellings that some readers know and others do not, so they are refused.
    """
    if text.startswith("["):
        return _read_address(text[1:-1], kind=IPv6Address), True
    labels = text.lower().removesuffix(".").split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return _read_address(text, kind=IPv4Address), True
    name = ".".join(labels)
    if len(labels) < 2 or len(name) > _MOST_NAME or not all(map(_LABEL.fullmatch, labels)):  # noqa: PLR2004 -- two labels, as the docstring says
        raise Refused(NOT_A_HOST, target=text, status=HTTPStatus.BAD_REQUEST)
    return name, False


def read_request(head: bytes) -> Request:
    """The request from its head, without the empty line that ends it; a Refused for hostile bytes."""
    first, *lines = head.decode("latin-1").split("\r\n")
    match = _REQUEST_LINE.fullmatch(first)
    if match is None:
        raise Refused(MALFORMED, status=HTTPStatus.BAD_REQUEST)
    method, where = match.groups()
    headers = [_read_header(line, target=where) for line in lines]
    if method == "CONNECT":
        return Request(target=read_target(where), tunnel=True)
    absolute = _ABSOLUTE.fullmatch(where)
    if absolute is None:
        raise Refused("this is a proxy: CONNECT or http:// only", target=where, status=HTTPStatus.BAD_REQUEST)
    target = read_target(absolute[1], default_port=80)
    length = _body_bytes(headers, target=target)
    path = absolute[2] if absolute[2].startswith("/") else "/" + absolute[2]
    lines = [f"{method} {path} HTTP/1.1", f"Host: {_host_header(target)}", *_kept(headers)]
    if length is not None:
        # Ours, because a Connection header may name Content-Length and so turn a body into a second request.
        lines.append(f"Content-Length: {length}")
    sent = "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")
    return Request(target=target, tunnel=False, head=sent, body_bytes=length or 0)


def _split(text: str) -> tuple[str, int | None]:
    """Host and port of an authority; user names, paths and spaces are left in the host, which then is none."""
    match = _AUTHORITY.fullmatch(text)
    if match is None or int(match[2] or 0) > _MOST_PORT:
        raise Refused(NOT_A_HOST, status=HTTPStatus.BAD_REQUEST)
    return match[1], int(match[2]) if match[2] else None


def _read_address(text: str, *, kind: type[Address]) -> str:
    try:
        address = kind(text)
    except ValueError:
        raise Refused(ODD_ADDRESS) from None
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise Refused(ODD_ADDRESS)
    return str(ip_address(address))


def _read_header(line: str, *, target: str) -> tuple[str, str]:
    match = _HEADER.fullmatch(line)
    if match is None:
        raise Refused(MALFORMED, target=target, status=HTTPStatus.BAD_REQUEST)
    return match[1], match[2].strip(" \t")


def _body_bytes(headers: list[tuple[str, str]], *, target: Target) -> int | None:
    """The announced length, None without one; two answers to where a request ends are refused."""
    names = [name.lower() for name, _ in headers]
    if "transfer-encoding" in names:
        raise Refused("a body needs Content-Length", target=str(target), status=HTTPStatus.LENGTH_REQUIRED)
    lengths = [value for name, value in headers if name.lower() == "content-length"]
    if len(lengths) > 1 or not all(map(_LENGTH.fullmatch, lengths)):
        raise Refused(MALFORMED, target=str(target), status=HTTPStatus.BAD_REQUEST)
    return int(lengths[0]) if lengths else None


def _kept(headers: list[tuple[str, str]]) -> list[str]:
    """The headers meant for the origin and not for the proxy."""
    named = {token.strip().lower() for name, value in headers if name.lower() == "connection"
             for token in value.split(",")}  # fmt: skip
    return [f"{name}: {value}" for name, value in headers if name.lower() not in _HOP_BY_HOP | named]


def _host_header(target: Target) -> str:
    return str(target) if target.port != 80 else str(target).removesuffix(":80")  # noqa: PLR2004 -- http's own port


def _unusable(entry: object, hint: str) -> UsageError:
    return UsageError(f"allow_hosts: not a host: {_quoted(entry)} ({hint})", field="allow_hosts")


def _quoted(value: object) -> str:
    return _shown(repr(value))


def _shown(text: str) -> str:
    """Printable ASCII of bounded length, whatever came in."""
    safe = "".join(letter if " " <= letter <= "~" else "?" for letter in text[: _SHOWN + 1])
    return safe if len(safe) <= _SHOWN else safe[:_SHOWN] + "..."
