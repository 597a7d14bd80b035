"""The unchanged project: its checks run once, kept by the content of everything they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from windtunnel.core.plain import plain
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact
from windtunnel.core.revive import revive
from windtunnel.core.trial import CheckReport, Checks

_FILE = "reports.json"
_VERSION = "1"
_MOST_FILES = 2000
_PACKAGES = ("site-packages", "*/site-packages", "*/*/site-packages", "dist-packages", "*/dist-packages")


def key_of(tree: str, checks: Checks, *, surroundings: Mapping[str, str]) -> str:
    """The name under which a baseline is kept: content, commands, toolchain, limits."""
    commands = [(check.kind, check.tool, check.argv) for check in checks.checks]
    parts = json.dumps([_VERSION, tree, commands, sorted(surroundings.items())])
    return hashlib.sha256(parts.encode()).hexdigest()


def surroundings(paths: tuple[str, ...], more: Mapping[str, str]) -> dict[str, str]:
    """What a baseline depends on besides the project: the toolchain by its places and times, and the rest as given.

    Of an environment, also where packages are installed: one more, one less or another version shows there, an edit
    within a package does not.
    """
    told = dict(more)
    for path in paths:
        for place in (Path(path), *(found for depth in _PACKAGES for found in sorted(Path(path).glob(depth)))):
            info = place.stat()
            told[str(place)] = f"{info.st_ino}:{info.st_mtime_ns}"
    return told


def baseline(
    rig: Rig, key: str, run: Callable[[], tuple[CheckReport, ...]],
) -> tuple[tuple[CheckReport, ...], bool]:
    """The kept reports, or those of a run that is then kept; and whether they were kept."""
    kept = _load(rig, key)
    if kept is not None:
        return kept, True
    reports = run()
    if rig.builds is not None and all(_is_lasting(report) for report in reports):
        text = json.dumps([_slim(report) for report in reports], default=plain)
        rig.builds.put(key, {_FILE: Artifact(data=text.encode())})
    return reports, False


def _load(rig: Rig, key: str) -> tuple[CheckReport, ...] | None:
    found = rig.builds.get(key) if rig.builds is not None else None
    if found is None or _FILE not in found:
        return None
    try:
        return tuple(revive(CheckReport, entry) for entry in json.loads(found[_FILE].data)) or None
    except (ValueError, TypeError, RecursionError):
        return None


def _is_lasting(report: CheckReport) -> bool:
    """Whether it would end the same way again: a run that was stopped may not."""
    return not any(note.startswith("stopped: ") for note in report.notes)


def _slim(report: CheckReport) -> CheckReport:
    effects = replace(report.effects, files=report.effects.files[:_MOST_FILES])
    return replace(report, products={}, effects=effects)
