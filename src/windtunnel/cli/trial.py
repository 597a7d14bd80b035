"""``windtunnel try``, ``apply`` and ``undo``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli import trial_options
from windtunnel.cli.render import error, json_text, table, tell
from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError, WindtunnelError

if TYPE_CHECKING:
    from windtunnel.core.trial import SandboxResult
    from windtunnel.tunnel import Tunnel

_NOT_GOOD, _FAILED = 1, 2
_MESSAGE = "Apply a change that was tried"


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Their arguments."""
    tried = commands.add_parser(
        "try", help="try a change before it is applied",
        description="Try a change in a sandbox: 0 when it is good, 1 when it is not, 2 when that cannot be told.")
    trial_options.add_arguments(tried)
    tried.add_argument("--rank", action="store_true", help="each patch is a candidate of its own; best first")
    tried.set_defaults(act=act, failed=_FAILED)
    applied = commands.add_parser(
        "apply", help="try a change, and apply it only if it is good",
        description="Try a change; write it into the project only if it is good and its files are still as they were.")
    trial_options.add_arguments(applied)
    applied.add_argument("--commit", action="store_true", help="make a git commit of it, the trial in its trailers")
    applied.add_argument("-m", "--message", metavar="TEXT", default=_MESSAGE, help=f"of the commit ({_MESSAGE!r})")
    applied.set_defaults(act=act_apply, failed=_FAILED)
    undone = commands.add_parser("undo", help="take back what was applied",
                                 description="Take back what was applied last in a project, bytes and modes.")
    undone.add_argument("entry", nargs="?", help="which (default: the last one)")
    undone.add_argument("--project", default=".", metavar="FOLDER", help="the project (default: the current folder)")
    undone.add_argument("--list", action="store_true", help="what was applied, newest first")
    undone.add_argument("--force", action="store_true", help="also where files have changed since; they are kept aside")
    undone.add_argument("--json", action="store_true", help="as JSON")
    undone.set_defaults(act=act_undo, failed=_FAILED)


def act(chosen: argparse.Namespace) -> int:
    """Try; 0 when it is good, 1 when it is not."""
    from windtunnel.cli import trial_telling as telling  # noqa: PLC0415 -- each command loads only what it uses

    telling.check_outputs(chosen)
    project = _project(chosen)
    with _tunnel(chosen, project) as tunnel:
        if chosen.rank:
            return _rank(chosen, tunnel, project)
        result = _try(chosen, tunnel, trial_options.changes_of(chosen, project))
    telling.tell(chosen, result)
    return 0 if result.success else _NOT_GOOD


def act_apply(chosen: argparse.Namespace) -> int:
    """Try, and write it down for real if it is good."""
    from windtunnel.cli import trial_telling as telling  # noqa: PLC0415
    from windtunnel.engine.commit import check_committable  # noqa: PLC0415

    telling.check_outputs(chosen)
    project = _project(chosen)
    with _tunnel(chosen, project) as tunnel:
        changes = trial_options.changes_of(chosen, project)
        if chosen.commit:
            check_committable(project, changes)
        result = _try(chosen, tunnel, changes)
        if not result.success:
            telling.tell(chosen, result)
            return _NOT_GOOD
        done = _promote(chosen, tunnel, result)
    telling.tell(chosen, result, done)
    if "error" in done:
        error(done["error"]["message"])
        return _FAILED
    return 0


def _promote(chosen: argparse.Namespace, tunnel: Tunnel, result: SandboxResult) -> dict[str, Any]:
    """What was done; what kept us from more stands beside it, so that the verdict is told all the same."""
    done: dict[str, Any] = {}
    try:
        done["applied"] = tunnel.apply(chosen.project, result)
        if chosen.commit:
            done["commit"] = tunnel.commit(chosen.project, result, message=chosen.message)
    except WindtunnelError as failure:
        done["error"] = {"code": failure.code, "message": str(failure)}
    return done


def act_undo(chosen: argparse.Namespace) -> int:
    """Take back, or list."""
    from windtunnel.api.exports.text import visible  # noqa: PLC0415
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    project = _project(chosen)
    with Tunnel(pool_size=0, tell=tell) as tunnel:
        if chosen.list:
            _list(chosen, tunnel, project)
            return 0
        entry = tunnel.undo(project, chosen.entry, force=chosen.force)
    if chosen.json:
        print(json_text({"undone": entry.id, "paths": entry.paths}))
        return 0
    for file in entry.files:
        print(f"{'removed' if file.old_sha is None else 'restored':8} {visible(file.path)}")
    print(f"undone: {entry.id}")
    return 0


def _list(chosen: argparse.Namespace, tunnel: Tunnel, project: Path) -> None:
    found = tunnel.applied(project)
    if chosen.json:
        print(json_text(found))
        return
    rows = [[entry.id, entry.time[:19].replace("T", " "), entry.state, str(len(entry.files)),
             ", ".join(entry.paths[:3]) + (" …" if entry.paths[3:] else "")] for entry in found]
    print(table(rows, head=["entry", "when", "state", "files", "which"]) if rows else "nothing was applied here")


def _project(chosen: argparse.Namespace) -> Path:
    project = Path(chosen.project)
    if not project.is_dir():
        raise UsageError(f"project: {chosen.project!r} is not a folder", field="project")
    return project


def _tunnel(chosen: argparse.Namespace, project: Path) -> Tunnel:
    from windtunnel import config  # noqa: PLC0415
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    return Tunnel(config.load(project=project), level=chosen.level, min_isolation=chosen.min_isolation, pool_size=0,
                  tell=tell, approval_seconds=chosen.wait_approval)


def _try(chosen: argparse.Namespace, tunnel: Tunnel, changes: ChangeSet) -> SandboxResult:
    from windtunnel.cli.trial_progress import progress_of  # noqa: PLC0415

    options = trial_options.options_of(chosen, tunnel.settings.caps)
    with progress_of(options["secrets"], quiet=chosen.json) as progress:
        return tunnel.try_change(chosen.project, changes, tell=progress, **options)


def _rank(chosen: argparse.Namespace, tunnel: Tunnel, project: Path) -> int:
    """Each patch by itself; one that does not apply is last, with the reason."""
    from windtunnel.cli import trial_telling as telling  # noqa: PLC0415
    from windtunnel.cli.trial_progress import progress_of  # noqa: PLC0415

    candidates, refused = trial_options.candidates_of(chosen, project)
    options = trial_options.options_of(chosen, tunnel.settings.caps)
    with progress_of(options["secrets"], quiet=chosen.json) as progress:
        ranked = tunnel.rank(chosen.project, candidates, tell=progress, **options)
    telling.tell_ranks(chosen, ranked, refused)
    best = ranked[0].result
    return 0 if best is not None and best.success else _NOT_GOOD
