"""Where to look: how suspicious each line of a file is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windtunnel.core.repair import Scene
from windtunnel.repair.foreign.here import name_of
from windtunnel.repair.foreign.tree import Tree

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD = re.compile(r"[A-Za-z_]\w*")
_MOST_TEXT = 200_000
_REST = 0.08
"""Of code that nothing points to."""
_SAME_FUNCTION = 0.5
"""Of a line whose neighbour is suspicious."""
_MENTIONED = 0.7
_TESTED = 0.45


@dataclass(slots=True)
class Focus:
    """What points to the lines of a project."""

    lines: Mapping[str, Mapping[int, float]]
    """By file: places of problems, or what was traced."""
    traced: bool
    mentioned: Mapping[str, float] = field(default_factory=dict)
    """Names that failing tests, or tests at all, speak of."""

    def of(self, function: Node, tree: Tree) -> float:
        """How suspicious a function is: as its most suspicious line, or by its name."""
        first, last = tree.line(function.start_byte), tree.line(function.end_byte)
        here = [score for line, score in self.lines.get(tree.path, {}).items() if first <= line <= last]
        if self.traced:
            return max(here, default=0.0)
        return max([*here, self.mentioned.get(name_of(function, tree), 0.0), _REST])

    def at(self, line: int, *, path: str, function: float) -> float:
        """How suspicious a statement is within its function."""
        own = self.lines.get(path, {}).get(line)
        if own is not None:
            return own
        return function * (_SAME_FUNCTION if self.lines.get(path) else 1.0)


def focus_on(scene: Scene) -> Focus:
    """By what was traced; else by the places of problems and the names that tests use."""
    lines: dict[str, dict[int, float]] = defaultdict(dict)
    for one in scene.suspicions:
        lines[one.path][one.line] = max(one.score, lines[one.path].get(one.line, 0.0))
    if scene.suspicions:
        return Focus(lines=lines, traced=True)
    for rank, problem in enumerate(scene.problems[:20]):
        places = [place for place in (problem.place, *reversed(problem.own)) if place is not None]
        for depth, place in enumerate(places[:10]):
            if place.file in scene.paths and place.line is not None:
                score = max(0.3, 1.0 - 0.1 * depth - 0.05 * rank)
                lines[place.file][place.line] = max(score, lines[place.file].get(place.line, 0.0))
    return Focus(lines=lines, traced=False, mentioned=_mentioned(scene))


def _mentioned(scene: Scene) -> dict[str, float]:
    found: dict[str, float] = {}
    for path in scene.test_paths[:40]:
        text = (scene.read(path) or "")[:_MOST_TEXT]
        found.update(dict.fromkeys(_WORD.findall(text), _TESTED))
    for problem in scene.problems[:20]:
        for line in problem.window:
            found.update(dict.fromkeys(_WORD.findall(line.text), _MENTIONED))
    return found
