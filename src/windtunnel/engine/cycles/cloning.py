"""The clone of one run: the project as it is, with the diffs that were kept.

It is in the run's own folder, which nobody else writes into, so that no two runs share one and nothing of anybody's is
in its way. Left out are ``.git``, folders of runs wherever they are, the history of all runs, and what is neither a
file nor a folder nor a link: a pipe has nothing to copy.
"""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.marker import is_ours, mark
from windtunnel.workspace import beneath
from windtunnel.workspace.patch import read_patch
from windtunnel.workspace.promote import promote

HISTORY, CLONE, _APPLIED = "roi_history.json", "clone", "applied"
_NAMES = (".git", "sandbox_data")
_COPIED = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)


def remade(folder: Path, project: Path, *, diffs: Sequence[str], data: Path) -> Path:
    """The clone in the folder of a run, made anew; ``data`` is where the history of all runs is."""
    clone = folder / CLONE
    try:
        mark(folder)  # before there is a clone that another run could take for the project's
        discard(folder)
        shutil.copytree(project, clone, symlinks=True, ignore=_left_out(data / HISTORY))
    except (OSError, RecursionError) as error:
        raise SandboxFailure(f"project: cannot be copied to {clone}: {_why(error)}") from error
    for diff in diffs:
        apply_diff(clone, diff)
    return clone


def discard(folder: Path) -> None:
    """The clone in the folder of a run, with what is kept beside it; it can be made again."""
    for old in (folder / CLONE, folder / _APPLIED):
        _remove(old)


def apply_diff(clone: Path, diff: str) -> None:
    """Write a diff into the clone, beneath it alone, whatever links the project has."""
    changes = read_patch(diff, project=clone)
    with beneath.opened(clone) as root:
        found = {change.relative_path: beneath.find(root, change.relative_path) for change in changes}
    promote(clone, changes, folder=clone.parent / _APPLIED, trial="cycle",
            seen={path: one.sha if one else None for path, one in found.items()})


def _remove(old: Path) -> None:
    if old.is_symlink():
        old.unlink()
    elif old.exists():
        shutil.rmtree(old)


def _left_out(history: Path) -> Callable[[str, list[str]], set[str]]:
    def names(folder: str, some: list[str]) -> set[str]:
        return {name for name in some if name in _NAMES or Path(folder, name) == history
                or not _is_copied(Path(folder, name))}

    return names


def _is_copied(path: Path) -> bool:
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
    except OSError:
        return False
    return kind in _COPIED and not (kind == stat.S_IFDIR and is_ours(path))


def _why(error: OSError | RecursionError) -> str:
    """Of an error that holds many, the first."""
    if isinstance(error, RecursionError):
        return "its folders are too deep"
    told = error.args[0] if error.args else ""
    if isinstance(error, shutil.Error) and isinstance(told, list) and told:
        return f"{told[0][0]}: {told[0][2]}"[:500]
    return f"{error.filename}: {error.strerror}"[:500]
