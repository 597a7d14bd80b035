"""What a build leaves in a project, for the steps after it.

What holds: files, deletions, links that stay in the project and empty folders come over; what a change proposes always
lies on top. What does not hold: links that lead out of the project, pipes and sockets, and what is more than the
sandbox reads back stay behind, which is told.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from windtunnel.core.effects import FileEffect
from windtunnel.core.result import Artifact, ExecutionResult
from windtunnel.core.tool import PLACE
from windtunnel.sandbox import harvest

Overlay = Mapping[str, Artifact | None]
_NAMED = 3
_KINDS = (
    ("link", "link that leads out of the project", "links that lead out of the project"),
    ("other", "pipe or socket", "pipes or sockets"),
    ("file", "file more than is read back", "files more than are read back"),
)


def over(products: Overlay, change: Overlay) -> dict[str, Artifact | None]:
    """What a build left, with the change itself on top: a build does not get to rewrite what is being tried.

    Deletions come first and folders before what is in them. A file or link of the build that stands where the change
    has a folder, or the other way round, gives way.
    """
    above = {parent for path in change for parent in _parents(path)}
    files = {path for path, file in change.items() if file is not None and not file.is_folder}
    fitting = {path: file for path, file in products.items() if file is None or file.is_folder or path not in above}
    fitting = {path: file for path, file in fitting.items() if files.isdisjoint(_parents(path))}
    joined = fitting | dict(change)
    return dict(sorted(joined.items(), key=lambda item: (item[1] is not None, item[0])))


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def left_behind(result: ExecutionResult) -> tuple[str, ...]:
    """What of the project's changes does not come over to the next step, in words."""
    carried = {f"{PLACE}/{os.fsencode(name).decode('utf-8', 'backslashreplace')}" for name in result.layer}
    here = [file for file in result.effects.files if file.path.startswith(f"{PLACE}/")]
    lost = [file for file in here if file.act != "deleted" and file.kind != "folder" and file.path not in carried]
    deep = [file for file in here if file.kind == "folder" and file.path.count("/") - 2 >= harvest.MOST_DEPTH]
    told = [_counted([file for file in lost if file.kind == kind], one, many) for kind, one, many in _KINDS]
    told.append(_counted(deep, "folder too deep to be looked into", "folders too deep to be looked into"))
    most, more = harvest.MOST_LAYER_ENTRIES, result.effects.files_omitted
    if more and len(here) >= most:
        told.append(f"what is beyond {most} files, of {more} not looked at")
    return tuple(f"not handed on to the next step: {words}" for words in told if words)


def _counted(files: Sequence[FileEffect], one: str, many: str) -> str:
    if not files:
        return ""
    named = ", ".join(file.path.removeprefix(f"{PLACE}/") for file in files[:_NAMED])
    return f"{len(files)} {one if len(files) == 1 else many}: {named}{' …' if len(files) > _NAMED else ''}"
