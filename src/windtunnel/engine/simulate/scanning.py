"""Bandit over the files of a project, started in a sandbox that shows it nothing else.

Whose bandit: that of the environment that Windtunnel runs from, else the one that the project would find; that one's
word is the project's own. It is started so that no file of the project is imported in its place.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from windtunnel.checks.programs import is_program
from windtunnel.checks.project import Folder
from windtunnel.core.errors import UsageError
from windtunnel.core.language import BASE_ENV, Language, Toolchain, usual_env
from windtunnel.core.metric import Findings
from windtunnel.core.ports import Job, Rig
from windtunnel.core.result import Command
from windtunnel.core.tool import PLACE
from windtunnel.engine.premises import check_project, trial_limits
from windtunnel.languages.search import which
from windtunnel.metrics.security import ARGUMENTS, INSTALL, MOST_BYTES, findings

_PROJECT = Language(name="project", suffixes=(".project",), source="main", find=lambda _: None, install="")
_PROGRAM = "bandit"
_MOST_WORDS = 200
_MOST_FILES = 2000


def scan(rig: Rig, root: Path, paths: Sequence[str], *, own: str = sys.prefix) -> tuple[Findings | None, str]:
    """What it found in these files of a project; or none, and why it is not known."""
    project = check_project(str(root), private=rig.private)
    folder = Folder(project, search=which, own=own)
    mine = Path(own, "bin", _PROGRAM)
    program = str(mine) if is_program(mine) else folder.which(_PROGRAM)
    needs = folder.needs(program) if program is not None else None
    if needs is None or needs.interpreter is None:
        return None, INSTALL
    if not paths:
        return None, "there is no file to scan"
    argv = (folder.inside(needs.interpreter), "-I", *ARGUMENTS, *(f"./{path}" for path in paths[:_MOST_FILES]))
    return _read(rig, argv, project=project, shown=needs.paths)


def _read(
    rig: Rig, argv: tuple[str, ...], *, project: str, shown: tuple[str, ...],
) -> tuple[Findings | None, str]:
    heard = bytearray()
    limits = trial_limits(None, caps=rig.caps)
    env = {**usual_env(Toolchain(run=()), cores=limits.cores), "PATH": BASE_ENV["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    command = Command(argv=argv, env=env, cwd=PLACE, workspace=project)
    result = rig.sandbox.run(Job(
        command=command, limits=limits, language=_PROJECT, warm=False, toolchain=Toolchain(run=argv, paths=shown),
        on_stdout=lambda data: heard.extend(data[:MOST_BYTES - len(heard)])))
    try:
        return findings(bytes(heard)), ""
    except UsageError as error:
        last = (result.stderr.strip().splitlines() or [result.error_message or str(error)])[-1]
        return None, f"bandit did not scan: {last}"[:_MOST_WORDS]
