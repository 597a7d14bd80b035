"""The kinds of destinations, as the file of rules spells them; exactly one of these keys says which one it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from windtunnel.core.alert import Severity
from windtunnel.engine.watch import command, lines, webhook
from windtunnel.engine.watch.destination import Destination
from windtunnel.policy import table
from windtunnel.policy.table import Table
from windtunnel.policy.tree import Node, shown

_KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[Table, str, Severity], Destination]]] = {
    "command": (command.OPTIONS, command.read),
    "webhook": (webhook.OPTIONS, webhook.read),
    "log": ((), lines.read_file),
    "syslog": ((), lines.read_syslog),
    "stdout": ((), lines.read_stdout),
}
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def read_destination(node: Node, name: str) -> Destination:
    """One entry of the list."""
    known = ("name", "least", *_KINDS, *(key for options, _ in _KINDS.values() for key in options))
    found = Table(node, name, known=dict.fromkeys(known))
    kinds = [kind for kind in _KINDS if kind in found]
    if len(kinds) != 1:
        raise node.refusal(f"{name}: say exactly one of {', '.join(_KINDS)}")
    options, read = _KINDS[kinds[0]]
    for key in known:
        if key in found and key not in ("name", "least", kinds[0], *options):
            raise found.place(key).refusal(f"{name}.{key}: not for {kinds[0]}")
    return read(found, found.must("name", _name), found.read("least", table.one_of(Severity), Severity.LOW))


def _name(node: Node, name: str) -> str:
    if not isinstance(node.value, str) or not _NAME.fullmatch(node.value):
        raise node.refusal(f"{name}: not a name: {shown(node.value)} (small letters, digits, . _ and -)")
    return node.value
