"""A language described in a configuration.

Whoever may write such a description says which host paths programs get to read; a project's own files must
not be allowed to.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from windtunnel.core.errors import UsageError
from windtunnel.core.language import Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, needed

Finder: TypeAlias = Callable[[Which], Toolchain | None]

_REQUIRED = ("name", "suffixes", "run", "install")
_OPTIONAL = ("source", "build", "paths", "env", "aliases")
_NAME = re.compile(r"[a-z0-9][a-z0-9+#._-]{0,31}")
_SUFFIX = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9+_-]{0,15}")
_SOURCE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_MOST_ITEMS, _MOST_TEXT = 64, 65_536
_TOO_WIDE = ("/", "/boot", "/etc", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/usr", "/var")
_NOT_HOST = ("/dev", "/proc", "/run", "/sandbox", "/sys", "/tmp")  # noqa: S108 -- refused, not used


def language_from(mapping: Mapping[str, object]) -> Language:
    """Check every key and build the language; the error names the first key that will not do."""
    _check_keys(mapping)
    name = _name("name", mapping["name"])
    suffixes = tuple(_match("suffixes", item, _SUFFIX, "try .xyz") for item in _texts("suffixes", mapping["suffixes"]))
    aliases = tuple(_name("aliases", item) for item in _texts("aliases", mapping.get("aliases", []), least=0))
    env = _env(mapping.get("env", {}))
    return Language(
        name=name,
        aliases=aliases,
        suffixes=suffixes,
        source=_source(mapping.get("source", f"main{suffixes[0]}")),
        find=_finder(mapping, env),
        install=_text("install", mapping["install"]),
        reserved_env=(*LOADER_ENV, *env),
    )


def _finder(mapping: Mapping[str, object], env: Mapping[str, str]) -> Finder:
    """Looks for the first word of each command, and gives those of the paths that exist."""
    run, build = _commands(mapping)
    paths = tuple(_path(item) for item in _texts("paths", mapping.get("paths", []), least=0))

    def find(which: Which) -> Toolchain | None:
        found_run, found_build = _found(run, which), _found(build, which) if build else None
        if found_run is None or (build and found_build is None):
            return None
        tools = [command[0] for command in (found_run, found_build) if command and command[0].startswith("/")]
        return Toolchain(run=found_run, build=found_build, paths=needed(*tools, *paths), env=env)

    return find


def _found(command: tuple[str, ...], which: Which) -> tuple[str, ...] | None:
    """The command with its tool made absolute; None when the tool is not there."""
    if command[0].startswith("{build}/"):
        return command
    tool = command[0] if command[0].startswith("/") else which(command[0])
    if tool is None or not os.access(tool, os.X_OK):
        return None
    return (located(tool), *command[1:])


def _commands(mapping: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    run = _command("run", mapping["run"])
    build = _command("build", mapping["build"]) if "build" in mapping else None
    if build is None and any("{build}" in word for word in run):
        raise _wrong("run", "uses {build}, but there is no build command", "add build")
    if build is not None and not any("{build}" in word for word in build):
        raise _wrong("build", "leaves nothing in {build}", "use {build} as its output folder")
    if not any("{source}" in word or "{build}" in word for word in run):
        raise _wrong("run", "uses neither {source} nor {build}", 'try ["tool", "{source}"]')
    return run, build


def _command(key: str, value: object) -> tuple[str, ...]:
    words = _texts(key, value)
    tool = words[0]
    product = key == "run" and tool.startswith("{build}/")
    if tool.startswith("-") or not tool.strip():
        raise _wrong(key, f"begins with {tool!r}, which is no tool", 'try ["tool", "{source}"]')
    if "/" in tool and not product and (not tool.startswith("/") or ".." in tool.split("/")):
        raise _wrong(key, f"{tool!r} is a relative path", "give an absolute path or a name on PATH")
    if "{" in tool and not product:
        raise _wrong(key, f"begins with {tool!r}, which is no tool", "give an absolute path or a name on PATH")
    return words


def _path(text: str) -> str:
    """An absolute folder or file of the host that is not wider than a tool needs, links followed."""
    if not text.startswith("/") or text != os.path.normpath(text):
        raise _wrong("paths", f"{text!r} is not an absolute path in its plain form", "try /opt/tool/lib")
    _check_width(text, Path(text))
    try:
        real = os.path.realpath(text)
    except OSError as error:
        raise _wrong("paths", f"{text!r} cannot be read: {error.strerror}", "name what the tool needs") from error
    _check_width(text, Path(real))
    return text


def _check_width(text: str, path: Path) -> None:
    if str(path) in _TOO_WIDE or path == Path.home() or path.parent == Path("/home"):
        raise _wrong("paths", f"{text!r} holds more than a language needs", "name the tool's own folders")
    if any(path.is_relative_to(place) for place in _NOT_HOST):
        raise _wrong("paths", f"{text!r} is not the host's own inside a sandbox", "install the tool elsewhere")


def _source(value: object) -> str:
    source = _match("source", value, _SOURCE, "a plain file name, such as main.xyz")
    if source == "build":
        raise _wrong("source", "'build' is the folder of build products", "try main.xyz")
    return source


def _env(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping) or len(value) > _MOST_ITEMS:
        raise _wrong("env", f"not a table of variables: {_show(value)}", 'try {KEY = "value"}')
    names = [_match("env", name, _VARIABLE, "letters, digits and _") for name in value]
    return {name: _text(f"env.{name}", value[name], least=0) for name in names}


def _check_keys(mapping: object) -> None:
    if not isinstance(mapping, Mapping):
        raise UsageError(f"language: not a table: {_show(mapping)}", field="language")
    known = (*_REQUIRED, *_OPTIONAL)
    unknown = next((key for key in mapping if key not in known), None)
    if unknown is not None:
        raise _wrong(_show(unknown), "is not known", f"the keys are {', '.join(known)}")
    missing = next((key for key in _REQUIRED if key not in mapping), None)
    if missing is not None:
        raise _wrong(missing, "is missing", f"required are {', '.join(_REQUIRED)}")


def _name(key: str, value: object) -> str:
    return _match(key, value, _NAME, "lower-case letters, digits and + # . _ -, beginning with a letter or digit")


def _match(key: str, value: object, pattern: re.Pattern[str], remedy: str) -> str:
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise _wrong(key, f"will not do: {_show(value)}", remedy)
    return value


def _texts(key: str, value: object, *, least: int = 1) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not least <= len(value) <= _MOST_ITEMS:
        raise _wrong(key, f"not a list of {least} to {_MOST_ITEMS} texts: {_show(value)}", 'try ["…"]')
    return tuple(_text(key, item) for item in value)


def _text(key: str, value: object, *, least: int = 1) -> str:
    if not isinstance(value, str) or not least <= len(value) <= _MOST_TEXT or "\0" in value:
        raise _wrong(key, f"not a text: {_show(value)}", f"{least} to {_MOST_TEXT} characters, none of them NUL")
    return value


def _show(value: object) -> str:
    return repr(value)[:80]


def _wrong(key: str, found: str, remedy: str) -> UsageError:
    return UsageError(f"language: {key}: {found} ({remedy})", field=key)
