"""Requests from plain data: the examples of a policy, and those of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.policy import Request, Risk
from windtunnel.core.ports import Network
from windtunnel.core.result import Level
from windtunnel.policy import table
from windtunnel.policy.table import Table
from windtunnel.policy.tree import Node, shown

_KNOWN = ("verb", "actor", "roles", "project", "paths", "languages", "level", "network", "limits", "change_files",
          "change_lines", "risk", "commands")


def request_from(node: Node, name: str = "request") -> Request:
    """A request; what is not named is as in a request that says nothing of it."""
    found = Table(node, name, known=_KNOWN)
    limits: Mapping[str, Any] = found.read("limits", table.limits, {})
    try:
        return Request(
            verb=found.must("verb", table.line), actor=found.read("actor", table.line, ""),
            roles=found.read("roles", table.lines, ()), project=found.read("project", table.line, ""),
            paths=found.read("paths", table.texts, ()), languages=found.read("languages", table.lines, ()),
            level=found.read("level", _level, None), network=found.read("network", _network, Network()),
            limits=Limits(**limits) if limits else None,
            change_files=found.read("change_files", table.whole, 0),
            change_lines=found.read("change_lines", table.whole, 0), risk=found.read("risk", _risk, "low"),
            commands=found.read("commands", table.texts, ()))
    except UsageError as error:
        if error.field == "policy":
            raise
        raise found.place(error.field or "").refusal(f"{name}.{error}") from error


def _level(node: Node, name: str) -> Level | None:
    return table.one_of(Level)(node, name)


def _risk(node: Node, name: str) -> Risk:
    for risk in get_args(Risk):
        if node.value == risk:
            return risk  # type: ignore[no-any-return]  # one of its own words
    raise node.refusal(f"{name}: not one of {', '.join(get_args(Risk))}: {shown(node.value)}")


def _network(node: Node, name: str) -> Network:
    if node.value == "none":
        return Network()
    if node.value == "host":
        return Network(host=True)
    if not isinstance(node.value, list) or not node.value:
        raise node.refusal(f"{name}: not none, host or a list of hosts: {shown(node.value)}")
    hosts = table.lines(node, name)
    if not {"none", "host"}.isdisjoint(hosts):
        raise node.refusal(f"{name}: none and host stand alone, without other hosts")
    return Network(allow_hosts=hosts)
