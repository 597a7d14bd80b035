"""What a Python project's configuration files say, read without running anything."""

from __future__ import annotations

import re

from windtunnel.core.tool import Project

_MOST_TARGETS = 50


def table(project: Project, path: str, *names: str) -> object:
    """What lies at a path of names in a TOML file (``tool``, ``ruff``); None when it is not there or no TOML."""
    import tomllib  # noqa: PLC0415 -- slow to import, and only some projects have TOML

    try:
        value: object = tomllib.loads((project.read(path) or b"").decode())
    except (ValueError, RecursionError):
        return None
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def section(project: Project, path: str, name: str) -> str | None:
    """The lines of one section of an INI file; None when there is none of that name."""
    text = (project.read(path) or b"").decode("utf-8", "replace")
    head = re.search(rf"^\[{re.escape(name)}\][^\n]*$", text, re.MULTILINE)
    return re.split(r"^\[", text[head.end() :], maxsplit=1, flags=re.MULTILINE)[0] if head else None


def targets(project: Project) -> tuple[str, ...]:
    """What to hand to a Python tool that wants to be told: outermost packages, else modules at the root, else all."""
    folders = [path.rpartition("/")[0] for path in project.glob("**/__init__.py")]
    inside = set(folders)
    outer = [folder for folder in folders if folder and not _ancestors(folder) & inside and _importable(folder)]
    return tuple(sorted(outer)[:_MOST_TARGETS] or sorted(project.glob("*.py"))[:_MOST_TARGETS] or ["."])


def _ancestors(folder: str) -> set[str]:
    parts = folder.split("/")
    return {"/".join(parts[:count]) for count in range(1, len(parts))}


def _importable(folder: str) -> bool:
    """Not a fixture deep in the tests, nor a name that an option could be mistaken for."""
    parts = folder.split("/")
    return len(parts) <= 2 and parts[-1].isidentifier() and not folder.startswith("-")  # noqa: PLR2004 -- package or src/package
