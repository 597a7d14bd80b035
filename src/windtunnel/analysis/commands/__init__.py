"""The commands of projects, by ecosystem: one file each, and this table."""

from __future__ import annotations

from collections.abc import Collection

from windtunnel.analysis.commands import c_family, go, java, node, php, python, ruby, rust
from windtunnel.analysis.commands.base import Ecosystem, Look, targets
from windtunnel.core.analysis import Part, ProjectCommand

__all__ = ["ECOSYSTEMS", "commands_of"]

ECOSYSTEMS: tuple[Ecosystem, ...] = (
    python.ECOSYSTEM, node.ECOSYSTEM, go.ECOSYSTEM, rust.ECOSYSTEM, java.ECOSYSTEM, ruby.ECOSYSTEM, php.ECOSYSTEM,
    c_family.ECOSYSTEM)
_BY_NAME = {one.name: one for one in ECOSYSTEMS} | {"c++": c_family.ECOSYSTEM, "cpp": c_family.ECOSYSTEM,
                                                      "kotlin": java.ECOSYSTEM, "javascript": node.ECOSYSTEM}


def commands_of(part: Part, names: Collection[str]) -> tuple[ProjectCommand, ...]:
    """What a part is installed, built, tested, linted, formatted, audited and started by; to be run in its folder.

    ``names`` are all relative paths of the tree. Nothing is opened or run. Of one purpose there may be several, such as
    two linters; a Makefile's targets stand in only for purposes that the ecosystem has no command for.
    """
    look, known = Look(part, names), _BY_NAME.get(part.ecosystem)
    found = tuple(known.find(look)) if known is not None else ()
    more = targets(look, without={one.purpose for one in found})
    return tuple(dict.fromkeys((*found, *more)))
