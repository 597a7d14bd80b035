"""Sources of proposals that others wrote as Python: files of a folder, and installed packages.

What holds: such code runs in our own process with the rights of whoever asked, so it is taken only from a folder that
the caller names and that lies outside of the project, and from what is installed beside us; never from a project.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import cast

from windtunnel.core.errors import UsageError
from windtunnel.core.repair import Source

GROUP = "windtunnel.fix_sources"
"""The entry points of packages that propose fixes: each names a function of a ``Scene``."""
_DOOR = "propose"


def of_packages() -> Iterator[Source]:
    """What installed packages bring, by name."""
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        yield _loaded(point)


def of_folder(folder: Path, *, project: Path) -> Iterator[Source]:
    """The function ``propose`` of each Python file of a folder, in the order of their names."""
    files = sorted(path for path in folder.glob("*.py") if path.is_file())
    if files and folder.resolve().is_relative_to(project.resolve()):
        raise UsageError(f"rules: {files[0].name!r} would run as a program of yours, and lies in the project that is "
                         "to be fixed; keep such files outside of it", field="rules")
    yield from map(_of_file, files)


def _of_file(path: Path) -> Source:
    mark = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    spec = importlib.util.spec_from_file_location(f"windtunnel_handler_{mark}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as failure:  # whatever it raises, the caller is told of the file
        raise UsageError(f"rules: {path.name!r} cannot be loaded: {type(failure).__name__}: {failure}"[:500],
                         field="rules") from failure
    return _checked(getattr(module, _DOOR, None), f"rules: {path.name!r} has no function {_DOOR!r} of a scene")


def _loaded(point: EntryPoint) -> Source:
    owner = point.dist.name if point.dist else "the package that has it"
    try:
        value = point.load()
    except (ImportError, AttributeError) as failure:
        raise UsageError(f"entry point {point.name!r}: cannot load {point.value!r}: {failure} (upgrade or uninstall "
                         f"{owner})") from failure
    return _checked(value, f"entry point {point.name!r}: {point.value!r} is no function (upgrade or uninstall {owner})")


def _checked(value: object, fault: str) -> Source:
    if not callable(value):
        raise UsageError(fault, field="rules")
    return cast("Source", value)
