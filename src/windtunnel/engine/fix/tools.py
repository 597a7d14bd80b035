"""Fixers of the ecosystem as a source: each is run on the project in a sandbox, and what it changed is proposed.

What holds: a fixer runs within the limits of a check and without a network, and sees the project as a layer of its own;
one that is not installed there changes nothing, and so proposes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from windtunnel.core.repair import Proposal, Scene
from windtunnel.core.result import Artifact
from windtunnel.core.trial import Check, Kind
from windtunnel.engine.checking import Step, run_step
from windtunnel.engine.fix.base import Base
from windtunnel.engine.premises import overlay_of
from windtunnel.engine.trial import Prepared
from windtunnel.repair.tools import TOOLS, Tool, proposals


def fixed_by_tools(ready: Prepared, base: Base, scene: Scene) -> Iterator[Proposal]:
    """One proposal for each fixer that changes something that may be changed."""
    paths = tuple(path for path in scene.paths if path.endswith(".py"))
    for tool in TOOLS:
        if paths and any(tool.helps(problem) for problem in scene.problems):
            yield from proposals(scene, tool, _texts(_changed(ready, base, tool, paths)))


def _changed(ready: Prepared, base: Base, tool: Tool, paths: tuple[str, ...]) -> Mapping[str, Artifact | None]:
    """What the tool left behind, by path."""
    course = ready.course
    check = Check(kind=Kind.BUILD, tool="command", argv=tool.command("python", paths))
    report, _ = run_step(course.rig, course.ground, Step(
        check=check, overlay=overlay_of(base.changes()), limits=course.budget.lane_limits, env=course.env.get(
            Kind.BUILD, {})))
    return report.products


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
