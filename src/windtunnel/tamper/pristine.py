"""The change with the unchanged project's own tests and runner configuration laid over it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper.makefile import same_tests
from windtunnel.tamper.options import pytest_options, restored, sections
from windtunnel.tamper.package_scripts import starters
from windtunnel.tamper.paths import bends, is_runner, is_test
from windtunnel.tamper.sides import Read

CONFIGURATIONS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pristine:
    """A change from which everything was taken that could bend the verdict."""

    changes: ChangeSet
    laid_over: tuple[str, ...]
    """Files of the unchanged project that stay as they were, or keep their test sections."""
    dropped: tuple[str, ...]
    """New files left out: new tests, and what could bend the runner."""


def effective(read: Read) -> dict[str, Any]:
    """The options of pytest that are in force, from the first file that has some."""
    for name in CONFIGURATIONS:
        if options := pytest_options(sections(name, read(name))):
            return options
    return {}


def test_patterns(before: Read) -> tuple[str, ...]:
    """Further names of test files that the unchanged project's pytest configuration gives."""
    for name in CONFIGURATIONS:
        files = pytest_options(sections(name, before(name))).get("python_files")
        if files:
            return tuple(files.split()) if isinstance(files, str) else tuple(str(each) for each in files)
    return ()


def _kept(change: FileChange, *, old: bytes) -> FileChange | None:
    """What stays of a change of a runner's file; None when the old file is laid over it."""
    name = change.relative_path.rpartition("/")[2]
    if change.operation == "delete":
        return None
    if name.lower() in ("makefile", "gnumakefile"):
        return change if same_tests(old, change.data) else None
    if name in ("pyproject.toml", "setup.cfg", "tox.ini", "package.json"):
        data = restored(change.relative_path, change.data, old=old)
        return None if data is None else replace(change, new_content=data) if data != change.data else change
    return None


def _made(change: FileChange, patterns: tuple[str, ...]) -> FileChange | None:
    """What stays of a new file; None when it is dropped."""
    path, name = change.relative_path, change.relative_path.rpartition("/")[2]
    if is_test(path, patterns=patterns):
        return None
    if name in ("pyproject.toml", "setup.cfg"):
        return change if sections(path, change.data) == {} else None
    if name == "package.json":
        data = restored(path, change.data, old=b"{}")
        return None if data is None else replace(change, new_content=data) if data != change.data else change
    return None if bends(path) else change


def pristine(changes: ChangeSet, *, before: Read) -> Pristine:
    """The change as the verdict is computed with."""
    patterns, own = test_patterns(before), starters(before("package.json"))
    kept: list[FileChange] = []
    laid_over: list[str] = []
    dropped: list[str] = []
    for change in changes:
        path, old = change.relative_path, before(change.relative_path)
        if old is None:
            stays, taken = _made(change, patterns), dropped
        elif is_test(path, patterns=patterns) or (bends(path) and not is_runner(path)):
            stays, taken = None, laid_over
        else:
            stays, taken = _kept(change, old=old) if is_runner(path) or path in own else change, laid_over
        kept += [] if stays is None else [stays]
        if stays is None or (stays is not change and old is not None):
            taken.append(path)
    return Pristine(
        changes=ChangeSet(changes=tuple(kept), notes=changes.notes), laid_over=tuple(laid_over), dropped=tuple(dropped)
    )
