"""Functions, methods and classes of each Python file of a project, by reading alone: nothing of it is imported.

What cannot be called is listed with the reason. What does not hold: a name that is made at run time, by a decorator or
``setattr``, is not seen; one that is deleted again is found missing when it is to be called.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from windtunnel.core.marker import is_ours
from windtunnel.core.section import Found, Section, SectionKind
from windtunnel.core.testfile import is_test
from windtunnel.sections.modules import Places, exported, imported
from windtunnel.sections.reading import Unreadable, parsed, sections_of

MOST_SECTIONS, MOST_FILES, MOST_BYTES = 2000, 3000, 1024**2
"""Sections that one look finds, files that it reads, and bytes of one file."""
_AVOIDED = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})
_SCRIPTS = {"setup.py": "a build script", "noxfile.py": "a build script", "conftest.py": "a test file"}


def find(root: str | os.PathLike[str], *, most: int = MOST_SECTIONS) -> Found:
    """All sections of the Python files below a folder, by path and line; at most ``most`` that can be called."""
    sources = dict(_sources(Path(root)))
    trees = {path: parsed(data) for path, data in sources.items()}
    places = Places(sources, imported(tree for tree in trees.values() if not isinstance(tree, Unreadable)))
    shown = exported({path: tree for path, tree in trees.items() if not isinstance(tree, Unreadable)}, places)
    sections: list[Section] = []
    skipped: list[Section] = []
    for path, tree in sorted(trees.items()):
        module, folder = places.of(path)
        reason = _reason(path) or (tree.reason if isinstance(tree, Unreadable) else "")
        if reason or isinstance(tree, Unreadable):
            skipped.append(Section(path=path, name="", kind=SectionKind.FILE, module=module, root=folder, public=False,
                                   reason=reason))
            continue
        for section in sections_of(tree, path=path, module=module, root=folder, exported=shown):
            (skipped if section.reason else sections).append(section)
    return Found(sections=tuple(sections[:most]), skipped=tuple(skipped), left_out=max(0, len(sections) - most))


def _reason(path: str) -> str:
    name = PurePosixPath(path).name
    if name in _SCRIPTS:
        return _SCRIPTS[name]
    if name == "conf.py" and "docs" in PurePosixPath(path).parts:
        return "a build script"
    return "a test file" if is_test(path) else ""


def _sources(root: Path) -> Iterator[tuple[str, bytes]]:
    """Files by their path below the root; links are not followed."""
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if _is_worth(Path(folder, name), names))
        for name in sorted(names):
            path = Path(folder, name)
            if not name.endswith(".py") or path.is_symlink() or not path.is_file():
                continue
            count += 1
            if count > MOST_FILES:
                return
            data = _read(path)
            if data is not None:
                yield path.relative_to(root).as_posix(), data


def _is_worth(folder: Path, beside: Sequence[str]) -> bool:
    name = folder.name
    if name.startswith(".") or name.endswith((".egg-info", ".dist-info")) or folder.is_symlink():
        return False
    if name in ("build", "dist") and (folder / "__init__.py").exists():
        return True
    return name not in _AVOIDED and not (folder / "pyvenv.cfg").exists() and not (
        name == "target" and "Cargo.toml" in beside) and not is_ours(folder)


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        return None
    return data if len(data) <= MOST_BYTES else b"\0"


def reasons(found: Found) -> Mapping[str, int]:
    """How many sections each reason kept from being called, the most frequent first."""
    counts: dict[str, int] = {}
    for section in found.skipped:
        counts[section.reason] = counts.get(section.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
