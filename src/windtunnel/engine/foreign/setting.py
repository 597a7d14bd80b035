"""The files of a family in a project, and the bench that its mutants are judged on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from windtunnel.checks.project import Folder
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact
from windtunnel.core.trial import Check, Checks
from windtunnel.engine.budget import Budget
from windtunnel.engine.foreign.bench import Bench
from windtunnel.engine.foreign.families import Family
from windtunnel.engine.ground import make_ground
from windtunnel.engine.premises import trial_limits

if TYPE_CHECKING:
    from windtunnel.engine.mutation import Mutation

Overlay = Mapping[str, Artifact | None]
_OF_WALL = 0.95
"""Of the time that may be had is for judging."""


def watched_of(family: Family, folder: Folder, overlay: Overlay) -> dict[str, bytes]:
    """All files of its languages as the change has them, tests included."""
    found = {}
    stored = (path for suffix in family.suffixes for path in folder.glob(f"**/*{suffix}"))
    for path in dict.fromkeys((*stored, *overlay)):
        laid = overlay.get(path)
        data = laid.data if laid is not None else None if path in overlay else folder.read(path)
        if data is not None and path.endswith(family.suffixes):
            found[path] = data
    return found


def sources_of(family: Family, folder: Folder, overlay: Overlay) -> dict[str, bytes]:
    """The product's own code among them."""
    return {path: data for path, data in watched_of(family, folder, overlay).items() if family.knows(path)}


def bench_of(
    rig: Rig, mutation: Mutation, folder: Folder, *, checks: Checks, family: Family, check: Check,
) -> tuple[Bench, int, tuple[str, ...]]:
    """Ready to run, how many runs at once, and what must be said of its limits."""
    whole, notes = _limits(rig, mutation)
    budget = Budget(whole, lanes=mutation.jobs or max(1, int(whole.cores)))
    limits = replace(budget.lane_limits, cores=min(budget.lane_limits.cores, max(1.0, whole.cores / budget.lanes)))
    bench = Bench(
        rig=rig, ground=make_ground(rig, str(folder.root), checks), family=family, check=quickened(check),
        limits=limits, whole=whole, overlay=mutation.overlay, env={**variables(check, folder), **mutation.env})
    return bench, budget.lanes, notes


def quickened(check: Check) -> Check:
    """Without what is no test: ``go test`` would look for suspicious code first, which mutants often are."""
    if check.tool == "go test" and not any(word.lstrip("-").startswith("vet") for word in check.argv):
        return replace(check, argv=(*check.argv[:2], "-vet=off", *check.argv[2:]))
    return check


def variables(check: Check, folder: Folder) -> dict[str, str]:
    """What makes many short runs of a tool cheaper, or keeps it from refusing a mutant for its looks.

    A mutant may leave a variable unused; a crate that refuses warnings would not compile for that alone. A Java machine
    that runs for seconds does not earn back what its second compiler costs: half of the processor's time.
    """
    if check.tool == "cargo test" and not any(map(folder.exists, (".cargo/config.toml", ".cargo/config"))):
        return {"RUSTFLAGS": "--cap-lints=warn"}
    return {"MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"} if check.tool == "maven" else {}


def _limits(rig: Rig, mutation: Mutation) -> tuple[Limits, tuple[str, ...]]:
    """As asked for; without a word the usual ones, with as much time as was asked for and may be had."""
    limits = trial_limits(mutation.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    if mutation.limits is None:
        wanted = max(limits.wall_seconds, mutation.seconds / _OF_WALL)
        limits = replace(limits, wall_seconds=min(rig.trial_seconds, wanted))
    short = limits.wall_seconds * _OF_WALL < mutation.seconds
    notes = (f"{limits.wall_seconds * _OF_WALL:.0f} seconds are the most that the settings allow (trial_seconds)",)
    return limits, notes if short else ()
