"""Inputs that somebody gives: from ``SANDBOX_INPUT_STUBS``, files of history and templates, and plugins.

The order is the document's: stubs that are given come before history, history before templates; what plugins return is
tried besides. Plugins are Python and are only read here: they run in the sandbox, in the process of one section.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.section import Stubs

GIVEN, HISTORY, TEMPLATES, PLUGINS = (
    "SANDBOX_INPUT_STUBS", "SANDBOX_INPUT_HISTORY", "SANDBOX_INPUT_TEMPLATES_FILE", "SANDBOX_STUB_PLUGINS")
_MOST_BYTES, _MOST_STUBS, _MOST_PLUGINS, _MOST_DEPTH = 1024**2, 1000, 20, 30
_Stub = Mapping[str, object]


def read_stubs(text: str | bytes, *, field: str = GIVEN) -> Stubs:
    """From JSON: one object of inputs by parameter, a list of them, or lists of them by section.

    A section is named by its id (``path:name``), its name, or the last part of that.
    """
    told = _json(text, field=field)
    if isinstance(told, list):
        return Stubs(everywhere=_stubs(told, field=field))
    if not isinstance(told, dict):
        raise UsageError(f"{field}: not an object or a list of objects but {type(told).__name__}", field=field)
    if told and all(isinstance(some, list) and all(isinstance(one, dict) for one in some) for some in told.values()):
        return Stubs(by_section={name: _stubs(some, field=field) for name, some in told.items()})
    return Stubs(everywhere=_stubs([told], field=field))


def read_history(text: str | bytes, *, field: str = HISTORY) -> Stubs:
    """From lines of JSON, an object of inputs each; one with ``section`` and ``arguments`` is of that section alone."""
    everywhere: list[_Stub] = []
    by_section: dict[str, list[_Stub]] = {}
    lines = (text.decode("utf-8", "replace") if isinstance(text, bytes) else text).splitlines()
    for number, line in enumerate(line for line in lines if line.strip()):
        if number >= _MOST_STUBS:
            break
        told = _json(line, field=field)
        stub, = _stubs([told], field=field)
        section, arguments = stub.get("section"), stub.get("arguments")
        if isinstance(section, str) and isinstance(arguments, dict):
            by_section.setdefault(section, []).append(arguments)
        else:
            everywhere.append(stub)
    return Stubs(everywhere=tuple(everywhere), by_section={name: tuple(some) for name, some in by_section.items()})


def read_plugins(places: str) -> Mapping[str, bytes]:
    """Sources by a name of ours, from files and folders that ``os.pathsep`` parts."""
    paths = [Path(place) for place in places.split(os.pathsep) if place]
    files = [file for path in paths for file in (sorted(path.glob("*.py")) if path.is_dir() else [path])]
    if len(files) > _MOST_PLUGINS:
        raise UsageError(f"{PLUGINS}: {len(files)} plugins (at most {_MOST_PLUGINS})", field=PLUGINS)
    return {f"stub_plugin_{number}_{_letters(file.stem)}.py": _read(file, field=PLUGINS)
            for number, file in enumerate(files)}


def stubs_from(environ: Mapping[str, str]) -> Stubs:
    """All that the environment names."""
    found: list[Stubs] = []
    if environ.get(GIVEN):
        found.append(read_stubs(environ[GIVEN]))
    elif environ.get(HISTORY):
        found.append(read_history(_read(Path(environ[HISTORY]), field=HISTORY)))
    if environ.get(TEMPLATES) and not environ.get(GIVEN):
        found.append(read_stubs(_read(Path(environ[TEMPLATES]), field=TEMPLATES), field=TEMPLATES))
    plugins = read_plugins(environ[PLUGINS]) if environ.get(PLUGINS) else {}
    return joined(*found, Stubs(plugins=plugins))


def joined(*some: Stubs) -> Stubs:
    """All of them, the first ones first."""
    by_section: dict[str, tuple[_Stub, ...]] = {}
    for one in some:
        for name, stubs in one.by_section.items():
            by_section[name] = (*by_section.get(name, ()), *stubs)
    return Stubs(everywhere=tuple(stub for one in some for stub in one.everywhere), by_section=by_section,
                 plugins={name: data for one in some for name, data in one.plugins.items()})


def _stubs(told: Iterable[object], *, field: str) -> tuple[_Stub, ...]:
    found: list[_Stub] = []
    for one in told:
        if not isinstance(one, dict):
            raise UsageError(f"{field}: not an object of inputs by parameter: {one!r}"[:200], field=field)
        bad = next((name for name in one if not name.isidentifier()), None)
        if bad is not None:
            raise UsageError(f"{field}: {bad[:60]!r} is no name of a parameter", field=field)
        found.append(one)
    if len(found) > _MOST_STUBS:
        raise UsageError(f"{field}: {len(found)} stubs (at most {_MOST_STUBS})", field=field)
    return tuple(found)


def _json(text: str | bytes, *, field: str) -> object:
    if len(text) > _MOST_BYTES:
        raise UsageError(f"{field}: {len(text)} bytes (at most {_MOST_BYTES})", field=field)
    try:
        told: object = json.loads(text, parse_constant=_no_number)
        deep = _depth(told)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{field}: not JSON: {error}"[:200], field=field) from None
    if deep > _MOST_DEPTH:
        raise UsageError(f"{field}: nested more than {_MOST_DEPTH} deep", field=field)
    return told


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is not a number of JSON")


def _depth(told: object) -> int:
    inner = told.values() if isinstance(told, dict) else told if isinstance(told, list) else ()
    return 1 + max(map(_depth, inner), default=0) if inner else 0


def _read(path: Path, *, field: str) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{field}: {path} cannot be read: {error.strerror}", field=field) from None
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{field}: {path} is larger than {_MOST_BYTES} bytes", field=field)
    return data


def _letters(name: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)[:60]
