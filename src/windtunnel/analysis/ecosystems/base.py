"""What an ecosystem's manifests say about one folder, before anything is concluded from it."""

from __future__ import annotations

import fnmatch
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from windtunnel.analysis.listing import Listing
from windtunnel.core.analysis import Dependency

_MOST_YAML = 2 * 1024**2
_ALIAS = re.compile(r"(?:^|[\s\[{,:-])[*&][A-Za-z0-9_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """One version that a lock file chose."""

    name: str
    version: str
    file: str
    group: str = "main"


@dataclass(slots=True, kw_only=True)
class Found:
    """One folder as its manifests and lock files have it."""

    folder: str
    ecosystem: str
    name: str = ""
    manager: str = ""
    manifests: list[str] = field(default_factory=list)
    locks: list[str] = field(default_factory=list)
    scripts: dict[str, str] = field(default_factory=dict)
    wanted: list[Dependency] = field(default_factory=list)
    locked: list[Locked] = field(default_factory=list)
    complete: bool = False
    """Whether the lock file lists all that is installed, so that what is not in it is missing."""
    entry_points: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    """Names under which tools are set up in a manifest: ``tool.ruff``, ``jest``, ``plugin:spring-boot`` …"""
    workspace: bool = False
    """Whether the lock file is one for several parts."""
    lender: Found | None = None
    """The part whose lock file holds for this one too."""

    @property
    def chosen(self) -> list[Locked]:
        """What the lock file that holds here chose."""
        return self.lender.locked if self.lender is not None else self.locked

    def want(self, name: str, wanted: object = "", *, file: str, group: str = "main") -> None:
        """Note a wish."""
        if name:
            text = wanted if isinstance(wanted, str) else ""
            self.wanted.append(Dependency(name=name[:200], ecosystem=self.ecosystem, wanted=text[:300], group=group,
                                          file=file))

    def lock(self, name: object, version: object, *, file: str, group: str = "main") -> None:
        """Note what a lock file chose."""
        if isinstance(name, str) and name:
            chosen = version if isinstance(version, str) else ""
            self.locked.append(Locked(name=name[:200], version=chosen[:100], file=file, group=group))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ecosystem:
    """How one is known, and who reads it."""

    name: str
    manifests: tuple[str, ...]
    """Names of files, with ``*`` where they differ; the presence of one makes a folder a part."""
    read: Callable[[Listing, str, tuple[str, ...]], Found | None]
    """Given the tree, the folder and the names in it; none where the manifest is not one after all."""

    def matches(self, names: Iterable[str]) -> bool:
        """Whether one of these files is a manifest."""
        return any(
            name in self.manifests or any("*" in one and fnmatch.fnmatchcase(name, one) for one in self.manifests)
            for name in names
        )


def at(folder: str, name: str) -> str:
    """The name of a file in a folder, relative to the tree."""
    return f"{folder}/{name}" if folder else name


def json_of(listing: Listing, name: str) -> dict[str, Any]:
    """A JSON file as a table; empty, with a note, where it is none."""
    return _table(listing, name, json.loads)


def toml_of(listing: Listing, name: str) -> dict[str, Any]:
    """A TOML file as a table; empty, with a note, where it is none."""
    return _table(listing, name, tomllib.loads)


def yaml_of(listing: Listing, name: str) -> dict[str, Any]:
    """A YAML file as a table; one with anchors is refused, since a few of them can stand for any amount of memory."""
    text = listing.text(name)
    if len(text) > _MOST_YAML or _ALIAS.search(text[:_MOST_YAML]):
        listing.note(name, "not read: too large, or with anchors")
        return {}
    return _table(listing, name, lambda given: yaml.load(given, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))  # noqa: S506


def _table(listing: Listing, name: str, parse: Callable[[str], object]) -> dict[str, Any]:
    text = listing.text(name)
    if not text.strip():
        return {}
    try:
        told = parse(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        listing.note(
            name, f"not understood: {str(error).splitlines()[0][:200] if str(error) else type(error).__name__}"
        )
        return {}
    return told if isinstance(told, dict) else {}


def table_in(told: object, *keys: str) -> Mapping[str, Any]:
    """A table inside of tables; empty where there is none."""
    for key in keys:
        told = told.get(key) if isinstance(told, Mapping) else None
    return told if isinstance(told, Mapping) else {}


def list_in(told: object, *keys: str) -> list[Any]:
    """A list inside of tables; empty where there is none."""
    found = table_in(told, *keys[:-1]).get(keys[-1])
    return found if isinstance(found, list) else []


def text_in(told: object, *keys: str) -> str:
    """A text inside of tables; empty where there is none."""
    found = table_in(told, *keys[:-1]).get(keys[-1])
    return found if isinstance(found, str) else ""
