"""Fixers of the ecosystem as a source: each is run on the project in a sandbox, and what it changed is proposed.

What holds: a fixer runs within the limits of a check and without a network, and sees the project as a layer of its own;
one that is not installed there changes nothing, and so proposes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from windtunnel.core.repair import Proposal, Scene
from windtunnel.core.result import Artifact
from windtunnel.core.trial import Check, Checks, Kind
from windtunnel.engine.checking import Step, run_step
from windtunnel.engine.fix.base import Base
from windtunnel.engine.ground import Ground, make_ground
from windtunnel.engine.premises import overlay_of
from windtunnel.engine.trial import Prepared
from windtunnel.repair.tools import TOOLS, Tool, proposals


def fixed_by_tools(ready: Prepared, base: Base, scene: Scene) -> Iterator[Proposal]:
    """One proposal for each fixer that changes something that may be changed."""
    for tool in TOOLS:
        paths = tool.mended(scene)
        if paths:
            yield from proposals(scene, tool, _texts(_changed(ready, base, tool, paths)))


def _changed(ready: Prepared, base: Base, tool: Tool, paths: tuple[str, ...]) -> Mapping[str, Artifact | None]:
    """What the tool left behind, by path; nothing where it is not installed."""
    course, check = ready.course, Check(kind=Kind.BUILD, tool="command", argv=tool.argv(paths))
    if course.ground.folder.which(tool.command[0]) is None:
        return {}
    report, _ = run_step(course.rig, _ground(ready, check), Step(
        check=check, overlay=overlay_of(base.changes()), limits=course.budget.lane_limits,
        env={**course.env.get(Kind.BUILD, {}), **tool.env}))
    return report.products


def _ground(ready: Prepared, check: Check) -> Ground:
    """What the project's checks see, and what this program needs besides."""
    ground = ready.course.ground
    more = make_ground(ready.course.rig, str(ready.project), Checks(checks=(check,))).paths
    return replace(ground, paths=tuple(dict.fromkeys((*ground.paths, *more))))


def _texts(products: Mapping[str, Artifact | None]) -> dict[str, str]:
    """Those that are text."""
    found: dict[str, str] = {}
    for path, product in products.items():
        if product is not None and product.data is not None:
            try:
                found[path] = product.data.decode("utf-8")
            except UnicodeDecodeError:
                continue
    return found
