"""The test configuration of a project, section by section, whatever file it stands in."""

from __future__ import annotations

import configparser
import json
import tomllib
from collections.abc import Mapping
from typing import Any

from windtunnel.tamper.package_scripts import about_tests, scripts

_TOML = (
    ("tool", "pytest"),
    ("tool", "coverage"),
    ("tool", "tox"),
    ("tool", "nox"),
    ("tool", "pytest-enabler"),
    ("tool", "hatch", "envs"),
    ("tool", "poe", "tasks"),
    ("tool", "pdm", "scripts"),
    ("tool", "taskipy"),
    ("tool", "nose2"),
)
_ENTRIES = (("project", "entry-points", "pytest11"), ("tool", "poetry", "plugins", "pytest11"))
_PACKAGE = ("jest", "mocha", "vitest", "ava", "nyc", "c8", "tap", "babel", "type", "imports")
_INI = ("pytest", "tool:pytest", "coverage:", "testenv", "tox", "unittest", "nosetests", "aliases", "run", "report")

Sections = dict[str, Any]


def _inside(data: Any, keys: tuple[str, ...]) -> Any:  # noqa: ANN401 -- whatever the file holds
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def toml(data: bytes) -> Sections | None:
    """The test sections of a pyproject.toml; None when it cannot be read."""
    try:
        read = tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return None
    return {".".join(keys): found for keys in (*_TOML, *_ENTRIES) if (found := _inside(read, keys)) is not None}


def ini(data: bytes) -> Sections | None:
    """The test sections of an ini file; None when it cannot be read."""
    reader = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        reader.read_string(data.decode())
    except (configparser.Error, ValueError):
        return None
    found: Sections = {name: dict(reader[name]) for name in reader.sections() if name.startswith(_INI)}
    entries = {name: dict(reader[name]) for name in reader.sections() if name == "options.entry_points"}
    if "pytest11" in str(entries):
        found |= entries
    return found


def package(data: bytes) -> Sections | None:
    """The test sections of a package.json; None when it cannot be read."""
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    found: Sections = {"scripts": about_tests(scripts(data))} if isinstance(read.get("scripts"), dict) else {}
    return {**found, **{key: read[key] for key in _PACKAGE if key in read}}


def sections(path: str, data: bytes | None) -> Sections | None:
    """The test configuration that one file holds; empty for a file that is not there, None when it cannot be told."""
    if data is None:
        return {}
    name = path.rpartition("/")[2]
    if name.endswith(".toml"):
        read = toml(data)
        return _whole(data) if read is not None and name != "pyproject.toml" else read
    if name == "package.json":
        return package(data)
    if name.endswith((".ini", ".cfg", ".coveragerc")):
        return ini(data)
    return None


def _whole(data: bytes) -> Sections:
    return {"tool.pytest": {"ini_options": next(iter(tomllib.loads(data.decode()).values()), {})}}


def pytest_options(found: Sections | None) -> dict[str, Any]:
    """The options of pytest, whichever section they stand in."""
    found = found or {}
    table = found.get("tool.pytest") or {}
    options = (table.get("ini_options") or table) if isinstance(table, Mapping) else {}
    for name in ("pytest", "tool:pytest"):
        options = options or found.get(name) or {}
    return dict(options) if isinstance(options, Mapping) else {}


def restored(path: str, new: bytes, *, old: bytes) -> bytes | None:
    """The new file with the old one's test sections; None where that cannot be written exactly.

    A package.json is written anew with its own indentation; other formats would lose comments, so only a file whose
    test sections are the same is kept.
    """
    before, after = sections(path, old), sections(path, new)
    if before is None or after is None:
        return None
    if before == after:
        return new
    return _restored_package(new, old) if path.rpartition("/")[2] == "package.json" else None


def _restored_package(new: bytes, old: bytes) -> bytes:
    after, before = json.loads(new), json.loads(old)
    for key in _PACKAGE:
        if key in before:
            after[key] = before[key]
        else:
            after.pop(key, None)
    theirs, ours = after.get("scripts"), before.get("scripts")
    needed = about_tests(scripts(old))
    # What the change's own test script goes through is the change's own too, but for what is there already.
    made = {name for name in about_tests(scripts(new)) if not isinstance(ours, dict) or name not in ours}
    kept = {
        name: text
        for name, text in (theirs if isinstance(theirs, dict) else {}).items()
        if name not in needed and name not in made
    } | needed
    if kept or "scripts" in after:
        after["scripts"] = kept
    text = new.decode("utf-8", "replace")
    second = text.splitlines()[1] if "\n" in text.strip() else ""
    indent = second[: len(second) - len(second.lstrip())] or None
    return (json.dumps(after, indent=indent, ensure_ascii=False) + ("\n" if text.endswith("\n") else "")).encode()
