"""What fates rest on besides the code that tests run: the interpreter, installed packages, the command, other files.

Seen from outside, without running anything of the project. What does not hold: packages that are installed from another
folder are known by their names and versions alone, and data outside the project is not looked at.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.core.testfile import is_test
from windtunnel.core.trial import Check
from windtunnel.engine.ground import Ground
from windtunnel.mutation.table import scripts

if TYPE_CHECKING:
    from windtunnel.engine.mutation import Mutation

_LITTER = frozenset({"__pycache__", ".git", ".hg", ".svn", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
                     ".venv", "venv", "node_modules", ".tox", ".nox", ".coverage", ".idea", ".vscode", "htmlcov"})
_MOST_BYTES = 1 << 20
"""Larger files are known by size and time."""


def surroundings(ground: Ground, check: Check, product: Collection[str], mutation: Mutation) -> str:
    """A digest; ``product`` are files that are watched line by line, as are those of tests."""
    digest = hashlib.sha256()
    parts = [*_judge(), *installed(ground, check), *check.argv, *(f"{name}={value}" for name, value in sorted(
        mutation.env.items())), *_others(ground.project, product, mutation)]
    for part in parts:
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()


def python_files(project: str) -> list[str]:
    """All that a test may load, of tests and of the product; the runner knows which tests rest on which of them."""
    return [os.path.relpath(path, project) for path in every_file(project) if path.endswith(".py")]


def _judge() -> Iterator[str]:
    """Our own scripts: another way of judging may come to another fate."""
    for name, data in sorted(scripts().items()):
        yield f"{name} {hashlib.sha256(data).hexdigest()}"


def installed(ground: Ground, check: Check) -> Iterator[str]:
    """Which Python, and the names and versions of what is installed for it."""
    inside = ground.resolve(("python",), check)[0]
    program = Path(ground.folder.which("python") or inside) if not Path(inside).exists() else Path(inside)
    real = program.resolve()
    yield str(real)
    if real.exists():
        found = real.stat()
        yield f"{found.st_size} {found.st_mtime_ns}"
    for prefix in dict.fromkeys((program.parent.parent, real.parent.parent)):
        for folder in sorted(prefix.glob("lib/python3*/*-packages")):
            yield from sorted(one.name for one in folder.iterdir() if one.suffix in (".dist-info", ".egg-info", ".pth"))


def _others(project: str, product: Collection[str], mutation: Mutation) -> Iterator[str]:
    """All other files of the project, the change included."""
    watched = set(product)
    for path in every_file(project):
        name = os.path.relpath(path, project)
        if name not in watched and name not in mutation.overlay and not (is_test(name) and _collected(name)):
            yield f"{name} {_digest(path)}"
    for name, laid in sorted(mutation.overlay.items()):
        if name not in watched:
            yield f"{name} {'' if laid is None or laid.data is None else hashlib.sha256(laid.data).hexdigest()}"


def _collected(name: str) -> bool:
    """Whether pytest collects it by its usual name, so that the runner itself knows which tests rest on it."""
    file = os.path.basename(name)  # noqa: PTH119 -- a name, not a path of this machine
    return file == "conftest.py" or (file.endswith(".py") and (file.startswith("test_") or file.endswith("_test.py")))


def every_file(folder: str) -> Iterator[str]:
    """All files of a project but litter; links are not followed."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name in _LITTER or entry.name.endswith((".pyc", ".egg-info")):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from every_file(entry.path)
        else:
            yield entry.path


def _digest(path: str) -> str:
    try:
        found = os.lstat(path)
        if not os.path.isfile(path) or os.path.islink(path) or found.st_size > _MOST_BYTES:  # noqa: PTH113, PTH114
            return f"{found.st_mode} {found.st_size} {found.st_mtime_ns}"
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        return str(error.errno)
