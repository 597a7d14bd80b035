"""Reading the details of a record, in which anything may stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MOST_ITEMS = 1000
_MOST_TEXT = 8192


def table(value: object) -> Mapping[str, Any]:
    """A table; an empty one where it is none."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> list[Mapping[str, Any]]:
    """The tables in a list."""
    return [one for one in value[:_MOST_ITEMS] if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def text(value: object) -> str:
    """A bounded text; an empty one where it is none."""
    return value[:_MOST_TEXT] if isinstance(value, str) else ""


def effects(details: Mapping[str, object]) -> Mapping[str, Any]:
    """What an act did besides its answer."""
    return table(details.get("effects"))


def refused_calls(details: Mapping[str, object]) -> list[str]:
    """Names of system calls that were refused."""
    return [name for one in rows(effects(details).get("blocked")) if (name := text(one.get("name")))]


def refused_targets(details: Mapping[str, object]) -> list[str]:
    """Places in the network that were asked for and refused."""
    return [target for one in rows(effects(details).get("network"))
            if one.get("outcome") == "refused" and (target := text(one.get("target")))]
