"""Finds tools on PATH, and the real tool where PATH has only a stand-in.

Version managers put stand-ins on PATH that start a shell or a chooser each time: slow, and useless in a
sandbox that shows neither their settings nor their homes. Settings are read, nothing is started.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

_WRAPPERS = frozenset({"ccache", "distcc", "icecc", "sccache", "snap", "volta-shim"})
"""Programs that other tools' names are linked to, and that do not run in a sandbox."""


def which(name: str) -> str | None:
    """The first real tool of that name on PATH; relative entries of PATH are passed over."""
    folders = (Path(entry) for entry in os.get_exec_path() if entry.startswith("/"))
    found = (folder / name for folder in folders if _is_program(folder / name))
    real = next((tool for stand_in in found if (tool := _real(stand_in))), None)
    return str(real) if real else None


def _real(found: Path) -> Path | None:
    """The tool itself; None for a stand-in that leads nowhere."""
    target = found.resolve().name
    if target == "rustup":
        return _rustup(found.name)
    if found.parent.name == "shims":
        return _managed(found)
    return None if target in _WRAPPERS else found


def _rustup(name: str) -> Path | None:
    """The tool of the account's toolchain; a project's own choice is not asked for."""
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    default = re.search(r'^default_toolchain = "([\w.-]+)"', _text(home / "settings.toml"), re.MULTILINE)
    chosen = os.environ.get("RUSTUP_TOOLCHAIN") or (default[1] if default else "")
    matches = [folder for folder in _entries(home / "toolchains") if _is_version(folder.name, chosen)]
    return _first_program(folder / "bin" / name for folder in matches)


def _is_version(name: str, chosen: str) -> bool:
    """Whether ``stable-x86_64-…`` is what ``stable`` means."""
    return bool(chosen) and (name == chosen or name.startswith(f"{chosen}-"))


def _managed(shim: Path) -> Path | None:
    """The tool behind a shim of the pyenv family (``versions/V/bin``) or of asdf and mise (``installs/T/V/bin``)."""
    root = shim.parent.parent
    versions = _in_order(root / "versions", _chosen_version(root))
    for tool in _entries(root / "installs"):
        versions += _in_order(tool, _chosen_install(tool.name))
    return _first_program(version / place / shim.name for version in versions for place in ("bin", "go/bin"))


def _in_order(folder: Path, chosen: list[str]) -> list[Path]:
    """Installed versions, the chosen ones first and then the newest."""
    newest = sorted(_entries(folder), key=_version_key, reverse=True)
    return sorted(newest, key=lambda version: chosen.index(version.name) if version.name in chosen else len(chosen))


def _chosen_version(root: Path) -> list[str]:
    """What the account chose: the manager's own variable (``RBENV_VERSION``), then its own file."""
    variable = f"{root.name.lstrip('.').upper()}_VERSION"
    return [*os.environ.get(variable, "").split(":"), *_text(root / "version").split()]


def _chosen_install(tool: str) -> list[str]:
    """What the account chose: asdf's variable, then ``~/.tool-versions``."""
    variable = f"ASDF_{tool.upper().replace('-', '_')}_VERSION"
    lines = [line.split() for line in _text(Path.home() / ".tool-versions").splitlines()]
    return os.environ.get(variable, "").split() + [word for line in lines if line[:1] == [tool] for word in line[1:]]


def _version_key(folder: Path) -> tuple[tuple[int, ...], str]:
    return tuple(int(number) for number in re.findall(r"\d{1,9}", folder.name)), folder.name


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(65_536)
    except OSError:
        return ""


def _first_program(paths: Iterable[Path]) -> Path | None:
    return next(filter(_is_program, paths), None)


def _is_program(path: Path) -> bool:
    """Whether it is a file we may execute; one in a folder we may not enter is not."""
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113 -- Path.is_file raises for such a folder
