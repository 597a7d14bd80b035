"""Whether the wishes of a Python part can be met together with those of all that they bring along, by uv.

The resolver runs in a sandbox, over a copy, and reaches the hosts that somebody named and no others: those of the index
in this process's environment, or ``allow_hosts``. Without any it knows only what the part itself has
(``--find-links``). Nothing is built, so that what has no wheel stays open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from windtunnel.core.analysis import Analysis, Conflict, Part
from windtunnel.core.result import ExecutionResult
from windtunnel.engine.analyze_coverage import copied
from windtunnel.engine.plan.registries import hosts_of, variables_of
from windtunnel.engine.workspaces.verbs import Workspaces

_SECONDS = 300.0
_NOT_FOUND = 127
_MANIFEST = re.compile(r"(?:^|/)(pyproject\.toml|setup\.cfg|setup\.py|requirements[\w.-]{0,60}\.(?:txt|in))$")
_UNMET = "No solution found"
_MOST_REASON = 2000
_PACKAGE = re.compile(r"[Bb]ecause (?:only )?([A-Za-z0-9][A-Za-z0-9._-]{0,100}?)[=<>!~ ]")


def with_resolution(
    workspaces: Workspaces, analysis: Analysis, *, allow_hosts: Sequence[str] = (),
    tell: Callable[[str], None] | None = None,
) -> Analysis:
    """The same, with conflicts that only a resolver sees; what could not be resolved is noted."""
    wanted = [(part, name) for part in analysis.structure.parts if part.ecosystem == "python"
              for name in part.manifests if _MANIFEST.search(name)]
    if not wanted:
        return replace(analysis, notes=(*analysis.notes, "resolved: nothing, since no part is one of Python's"))
    conflicts: list[Conflict] = []
    notes: list[str] = []
    with copied(workspaces, analysis.root, seconds=_SECONDS * len(wanted)) as name:
        for part, manifest in wanted:
            if tell is not None:
                tell(f"resolving {manifest} in a sandbox")
            found, note = _resolved(_run(workspaces, name, part, manifest, allow_hosts), manifest)
            conflicts += [] if found is None else [found]
            notes.append(note)
    told = replace(analysis.dependencies, conflicts=(*analysis.dependencies.conflicts, *conflicts))
    return replace(analysis, dependencies=told, notes=(*analysis.notes, *notes))


def _run(
    workspaces: Workspaces, name: str, part: Part, manifest: str, allow_hosts: Sequence[str],
) -> ExecutionResult:
    hosts = tuple(dict.fromkeys((*hosts_of("uv", allow_hosts=allow_hosts), *hosts_of("pip"))))
    env = {**variables_of("uv"), "UV_CACHE_DIR": "/tmp/uv", "UV_PYTHON_DOWNLOADS": "never", "NO_COLOR": "1"}  # noqa: S108 -- inside
    if "UV_DEFAULT_INDEX" not in env and (index := variables_of("pip").get("PIP_INDEX_URL")):
        env["UV_DEFAULT_INDEX"] = index
    below = manifest.removeprefix(f"{part.folder}/") if part.folder else manifest
    offline = [] if hosts else ["--offline"]
    return workspaces.execute(name, ["uv", "pip", "compile", "--no-header", "--no-build", *offline, below],
                              folder=part.folder, env=env, allow_hosts=hosts, timeout=_SECONDS, keep="never")


def _resolved(result: ExecutionResult, manifest: str) -> tuple[Conflict | None, str]:
    if result.success:
        count = sum(1 for line in result.stdout.splitlines() if "==" in line and not line.lstrip().startswith("#"))
        return None, f"resolved: {manifest}, by uv: {count} packages fit together"
    if result.exit_code == _NOT_FOUND:
        return None, f"not resolved: {manifest}: uv is not installed (pip install uv)"
    reason = " ".join(result.stderr.split())
    if _UNMET not in reason:
        return None, f"not resolved: {manifest}: {(reason or result.error_message or '')[:300]}"
    named = _PACKAGE.search(reason)
    return Conflict(name=named[1] if named else manifest, ecosystem="python", kind="unsatisfiable",
                    reason=reason[reason.index(_UNMET):][:_MOST_REASON], places=(manifest,)), (
                        f"resolved: {manifest}, by uv: its wishes cannot be met")
