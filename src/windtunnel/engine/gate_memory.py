"""Verdicts of the gate between runs: who asks the same about the same gets the same answer, at once.

What holds: a verdict is taken over only while all that it rests on is the same, byte for byte: the change, every file
of the project, the command, variables, limits and thresholds, the interpreter and the names and versions of what is
installed for it, and Windtunnel itself. Only verdicts are kept that no chance took part in: good or not good, with no
test set aside. What does not hold: data outside the project, the clock and the network are not looked at.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.checks.discover import discover
from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.gate import GateResult, GateVerdict, Thresholds
from windtunnel.core.plain import plain
from windtunnel.core.ports import Rig
from windtunnel.core.revive import revive
from windtunnel.core.trial import Kind
from windtunnel.engine.ground import make_ground
from windtunnel.engine.mutation_surroundings import every_file, installed

if TYPE_CHECKING:
    from windtunnel.checks.project import Folder
    from windtunnel.engine.gate import Gate

_NO_QUESTION = ("project", "changes", "thresholds", "test", "jobs", "memory", "verdicts", "tell")
"""Fields that are told in another way, or that change no verdict."""
_MOST_BYTES = 64 * 1024**2
"""Of a larger project nothing is kept: reading it would take longer than it saves."""


def key_of(rig: Rig, asked: Gate, changes: ChangeSet, *, folder: Folder, thresholds: Thresholds) -> str:
    """A digest of all that a verdict rests on; empty where that is too much, or the tests are not pytest's alone."""
    try:
        checks = discover(folder, build="", lint="", test=asked.test)
    except UsageError:
        return ""  # whoever judges says what is wrong with the command
    tests = checks.of(Kind.TEST)
    files = _files(folder) if [check.tool for check in tests] == ["pytest"] else None
    if files is None:
        return ""
    check = tests[0]
    parts = [
        *_own(), *installed(make_ground(rig, str(folder.root), checks), check), *check.argv, changes.digest(),
        str(rig.sandbox.level), json.dumps(thresholds, default=plain), *_question(asked), *files]
    return hashlib.sha256(b"".join(b"%d:%s" % (len(part), part) for part in map(os.fsencode, parts))).hexdigest()


def _question(asked: Gate) -> Iterator[str]:
    """All else that was asked, whatever fields there will be."""
    for one in fields(asked):
        if one.name not in _NO_QUESTION:
            yield f"{one.name} {json.dumps(getattr(asked, one.name), default=plain, sort_keys=True)}"


def kept(asked: Gate, project: str, key: str) -> GateResult | None:
    """The verdict from before, if there is one."""
    try:
        found = asked.verdicts.verdict(project, key) if asked.verdicts is not None and key else None
        if found is None:
            return None
        result = revive(GateResult, json.loads(found[1]))
    except (SandboxFailure, ValueError, TypeError, KeyError):
        return None  # it cannot be read, or is of another shape: it is found anew
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found[0]))
    note = f"found on {when}; nothing that it rests on has changed since, so nothing was run (--no-keep finds it anew)"
    return replace(result, notes=(*result.notes, note), id=GateResult(verdict=result.verdict, state=result.state).id)


def keep(asked: Gate, project: str, key: str, *, result: GateResult) -> None:
    """For the next time, if no chance took part in it."""
    unjudged = result.doubt is not None and result.doubt.state == "not judged"
    certain = result.verdict is not GateVerdict.NOTHING_JUDGED and not result.set_aside and not unjudged
    if asked.verdicts is not None and key and certain:
        with contextlib.suppress(SandboxFailure):  # where nothing can be written, nothing is kept
            asked.verdicts.keep_verdict(project, key, json.dumps(result, default=plain))


def _files(folder: Folder) -> list[str] | None:
    """Every file with its bytes; nothing where these are too many."""
    found, left = [], _MOST_BYTES
    for path in every_file(str(folder.root)):
        name = os.path.relpath(path, folder.root)
        try:
            look = os.lstat(path)
            data = Path(path).read_bytes() if os.path.isfile(path) and not os.path.islink(path) else b""  # noqa: PTH113, PTH114
            link = os.readlink(path) if os.path.islink(path) else ""  # noqa: PTH114, PTH115 -- a path as it is spelled
        except OSError as error:
            found.append(f"{name}\0{error.errno}")
            continue
        left -= len(data)
        if left < 0:
            return None
        found.append(f"{name}\0{look.st_mode}\0{link}\0{hashlib.sha256(data).hexdigest()}")
    return found


@cache
def _own() -> tuple[str, ...]:
    """Windtunnel as it is installed: another way of judging may come to another verdict."""
    return tuple(_looks(Path(__file__).parent.parent))


def _looks(top: Path) -> Iterator[str]:
    for path in sorted(top.rglob("*.py")):
        look = path.stat()
        yield f"{path.relative_to(top)} {look.st_size} {look.st_mtime_ns}"
