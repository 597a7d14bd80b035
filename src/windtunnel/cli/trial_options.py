"""The arguments of ``try`` and ``apply``, and what they ask for."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from windtunnel.cli.render import error
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds
from windtunnel.core.limits import Limits, parse_size
from windtunnel.core.result import Level

EXPORTS = ("junit", "sarif", "markdown")
_SECRET = "STEP:NAME"  # noqa: S105 -- the shape of an argument


def add_change(made: argparse.ArgumentParser) -> None:
    """The change, in all ways in which one can be given, and its project."""
    made.add_argument("patches", nargs="*", metavar="PATCH",
                      help="unified diff or git patch, or changes in JSON (FILE.json, as --changes); - for standard "
                      "input; several are one change, in order")
    change = made.add_argument_group("the change, in other words")
    change.add_argument("--change", action="append", default=[], metavar="PATH=FILE",
                        help="PATH of the project becomes what FILE holds; may be repeated")
    change.add_argument("--delete", action="append", default=[], metavar="PATH", help="delete it; may be repeated")
    change.add_argument("--changes", metavar="FILE.json", help="a list of path, operation and content; - as above")
    change.add_argument("--project", default=".", metavar="FOLDER", help="the project (default: the current folder)")


def add_arguments(made: argparse.ArgumentParser) -> None:
    """All that describes one trial."""
    add_change(made)
    checks = made.add_argument_group("checks; those of the project are found where none is named")
    for kind in ("build", "lint", "test"):
        checks.add_argument(f"--{kind}", metavar="COMMAND", help=f"the {kind} command")
    checks.add_argument("--no-build", action="store_true", help="no build")
    checks.add_argument("--no-lint", action="store_true", help="no linter")
    checks.add_argument("-k", "--pattern", metavar="WORDS", help="only tests that match, as the runner understands it")
    checks.add_argument("--only-affected", action="store_true", help="leave out tests that the change cannot reach")
    checks.add_argument("--fail-fast", action="store_true", help="stop at the first bad test")
    checks.add_argument("--no-rerun", action="store_true", help="do not run changed tests again to find flaky ones")
    checks.add_argument("--allow-lint", action="store_true", help="new findings of linters are shown and do not count")
    checks.add_argument("--expect-test", action="append", default=[], metavar="PATH",
                        help="a test file that the change is meant to edit; may be repeated")
    checks.add_argument("--strict-tamper", action="store_true",
                        help="code that may be made for the inputs of the tests is not good, where it would be shown")
    checks.add_argument("--jobs", type=int, metavar="N",
                        help="sandboxes at once, which share the limits (default: one for each processor, or one alone "
                        "where limits are given)")
    checks.add_argument("--gate", action="store_true",
                        help="also ask whether its tests would have noticed the change, as windtunnel gate does")
    add_thresholds(made)
    _add_walls(made)
    told = made.add_argument_group("what you are told")
    told.add_argument("--json", action="store_true", help="the whole result as JSON")
    told.add_argument("--slowest", type=int, default=0, metavar="N", help="also the N tests that took longest")
    for form in EXPORTS:
        told.add_argument(f"--{form}", metavar="FILE", help=f"write it as {form} too; - for standard output")
    told.add_argument("--receipt", metavar="FILE", help="write a signed statement of the trial, as windtunnel receipt "
                      "reads it")


def add_thresholds(made: argparse.ArgumentParser) -> None:
    """What the gate must find."""
    group = made.add_argument_group("what the gate must find")
    group.add_argument("--least", type=float, metavar="SHARE",
                       help="of the defects seeded in changed lines that tests must notice, from 0 to 1 (default 0.5)")
    group.add_argument("--most-survivors", type=int, metavar="N", help="how many of them may go unnoticed")
    group.add_argument("--allow-hollow", action="store_true",
                       help="a change that no test fails without, such as one that is to alter nothing, can be good")
    group.add_argument("--doubt", choices=("deny", "allow", "skip"),
                       help="a change that seems to mend only what its tests look at: refuse it (default), tell of it, "
                       "or do not look for that")


def thresholds_of(chosen: argparse.Namespace) -> Thresholds | None:
    """As asked for; None where nothing was."""
    asked: dict[str, Any] = {"least": chosen.least, "most_survivors": chosen.most_survivors,
                             "hollow": "allow" if chosen.allow_hollow else None, "doubt": chosen.doubt}
    given = {name: value for name, value in asked.items() if value is not None}
    return Thresholds(**given) if given else None


def _gate(chosen: argparse.Namespace) -> Thresholds | bool:
    thresholds = thresholds_of(chosen)
    if not chosen.gate and thresholds is not None:
        raise UsageError("--least, --most-survivors, --allow-hollow, --doubt: for the gate; give --gate too",
                         field="--gate")
    return thresholds or bool(chosen.gate)


def _add_walls(made: argparse.ArgumentParser) -> None:
    limits = made.add_argument_group("limits, over all commands that judge the change together")
    limits.add_argument("--seconds", type=float, metavar="N", help="wall time")
    limits.add_argument("--cpu-seconds", type=float, metavar="N", help="processor time of all processes together")
    limits.add_argument("--memory", metavar="SIZE", help="of all processes together")
    limits.add_argument("--disk", metavar="SIZE", help="what may be written")
    limits.add_argument("--processes", type=int, metavar="N", help="processes and threads")
    walls = made.add_argument_group("walls")
    walls.add_argument("--net", choices=("none", "host"), default="none", help="the network it sees (default none)")
    walls.add_argument("--build-host", action="append", default=[], metavar="HOST",
                       help="the build alone may reach this host; may be repeated")
    walls.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    walls.add_argument("--secret", action="append", default=[], metavar=_SECRET,
                       help="your variable NAME, for one step (build, lint, test) alone; masked in all that is told")
    walls.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    walls.add_argument("--min-isolation", choices=[str(level) for level in Level], help="below this nothing runs")
    walls.add_argument("--wait-approval", type=float, default=0.0, metavar="SECONDS",
                       help="where a policy asks for a person's yes, wait so long for it (default: not at all)")


def options_of(chosen: argparse.Namespace, caps: Limits) -> dict[str, Any]:
    """The fields of a ``Trial``, without project and changes."""
    return {
        "build": _command(chosen.build, "build", none=chosen.no_build), "test": _command(chosen.test, "test"),
        "lint": _command(chosen.lint, "lint", none=chosen.no_lint), "limits": _limits(chosen, caps),
        "network_enabled": chosen.net == "host", "build_hosts": tuple(chosen.build_host), "env": env_of(chosen.env),
        "secrets": secrets_of(chosen.secret), "only_affected": chosen.only_affected, "pattern": chosen.pattern,
        "fail_fast": chosen.fail_fast, "rerun": not chosen.no_rerun, "lint_counts": not chosen.allow_lint,
        "expected_tests": tuple(chosen.expect_test), "strict_tamper": chosen.strict_tamper, "jobs": _jobs(chosen.jobs),
        "gate": _gate(chosen)}


def changes_of(chosen: argparse.Namespace, project: Path) -> ChangeSet:
    """All that was given, as one change."""
    _check_given(chosen)
    patches = read_patches(chosen.patches, project=project) if chosen.patches else ChangeSet(changes=())
    single = [*(_rows(chosen.changes) if chosen.changes else ()),
              *(_new_content(text, project) for text in chosen.change),
              *(FileChange(path, "delete") for path in chosen.delete)]
    return replace(patches, changes=(*patches.changes, *single))


def candidates_of(chosen: argparse.Namespace, project: Path) -> tuple[dict[str, ChangeSet], dict[str, str]]:
    """Each patch as a change of its own, by name; and why the others cannot be read against this project."""
    if chosen.change or chosen.delete or chosen.changes or not chosen.patches:
        raise UsageError("--rank: takes patches alone, one for each candidate", field="--rank")
    found: dict[str, ChangeSet] = {}
    refused: dict[str, str] = {}
    for name in dict.fromkeys(chosen.patches):
        data = read(name, field="patch")
        try:
            found[name] = _listed(data) if _is_json(name) else _patch(data, project)
        except UsageError as failure:
            refused[name] = str(failure)
    if not found:
        raise UsageError(f"patch: none of them can be tried; {next(iter(refused.values()))}", field="patch")
    return found, refused


def read_patches(names: Sequence[str], *, project: Path) -> ChangeSet:
    """Patches one after the other, read against the project as one change; then the changes of files in JSON."""
    given = [read(name, field="patch") for name in names if not _is_json(name)]
    listed = [change for name in names if _is_json(name) for change in _rows(name)]
    patch = b"".join(data if data.endswith(b"\n") else data + b"\n" for data in given)
    patched = _patch(patch, project) if given else ChangeSet(changes=())
    return replace(patched, changes=(*patched.changes, *listed))


def _is_json(name: str) -> bool:
    return name.endswith(".json")


def _listed(data: bytes) -> ChangeSet:
    from windtunnel.workspace.patch import read_changes_json  # noqa: PLC0415 -- each command loads only what it uses

    return ChangeSet(changes=read_changes_json(data))


def _patch(data: bytes, project: Path) -> ChangeSet:
    from windtunnel.workspace.patch import read_patch  # noqa: PLC0415 -- each command loads only what it uses

    return read_patch(data, project=project)


def read(name: str, *, field: str) -> bytes:
    """A file's bytes, or those of standard input."""
    if name == "-":
        if sys.stdin.isatty():
            error(f"reading the {field} from standard input; end it with ctrl-d")
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as failure:
        why = failure.strerror if isinstance(failure, OSError) else failure
        raise UsageError(f"{field}: cannot read {name!r}: {why}", field=field) from failure


def _check_given(chosen: argparse.Namespace) -> None:
    if not (chosen.patches or chosen.change or chosen.delete or chosen.changes):
        raise UsageError("patch: nothing to try (give a patch, - for standard input, --change, --delete or --changes)",
                         field="patch")
    if [*chosen.patches, chosen.changes].count("-") > 1:
        raise UsageError("-: standard input can be read once only", field="patch")


def _rows(name: str) -> tuple[FileChange, ...]:
    return _listed(read(name, field="--changes")).changes


def _new_content(text: str, project: Path) -> FileChange:
    path, name = _pair(text, field="--change")
    there = os.path.lexists(project / path) if "\0" not in path else False
    return FileChange(path, "modify" if there else "create", read(name, field="--change"))


def _pair(text: str, *, field: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        shape = "PATH=FILE" if field == "--change" else "NAME=VALUE"
        raise UsageError(f"{field}: not {shape}: {text!r}", field=field)
    return name, value


def _command(given: str | None, kind: str, *, none: bool = False) -> str | None:
    if not none:
        return given
    if given is not None:
        raise UsageError(f"--{kind}: given together with --no-{kind}; which one is meant?", field=f"--{kind}")
    return ""


def _limits(chosen: argparse.Namespace, caps: Limits) -> Limits | None:
    sizes = {"memory_bytes": ("--memory", chosen.memory), "disk_bytes": ("--disk", chosen.disk)}
    asked = {name: parse_size(text, field=option) for name, (option, text) in sizes.items() if text is not None}
    plain = {"wall_seconds": chosen.seconds, "cpu_seconds": chosen.cpu_seconds, "processes": chosen.processes}
    asked |= {name: value for name, value in plain.items() if value is not None}
    if not asked:
        return None
    from windtunnel.engine.premises import trial_limits  # noqa: PLC0415

    return replace(trial_limits(None, caps=caps), **asked)


def env_of(given: Sequence[str]) -> dict[str, str]:
    """Variables given as ``NAME=VALUE``."""
    return dict(_pair(text, field="--env") for text in given)


def secrets_of(given: Sequence[str]) -> dict[str, dict[str, str]]:
    """By step; the values come from our own environment, since arguments can be read by everyone on the machine."""
    found: dict[str, dict[str, str]] = {}
    for text in given:
        step, sign, name = text.partition(":")
        if not sign or step not in {"build", "lint", "test"}:
            raise UsageError(f"--secret: not {_SECRET} with build, lint or test for STEP", field="--secret")
        if name not in os.environ:
            raise UsageError(f"--secret: there is no variable {name!r} in your environment", field="--secret")
        found.setdefault(step, {})[name] = os.environ[name]
    return found


def _jobs(given: int | None) -> int | None:
    if given is not None and given < 1:
        raise UsageError(f"--jobs: {given} is not a number from 1 up", field="--jobs")
    return given
