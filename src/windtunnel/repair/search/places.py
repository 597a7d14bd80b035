"""Where to look: the statements that failing tests ran, each with how suspicious it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene
from windtunnel.repair.search.module import Function, Module, load
from windtunnel.repair.search.shapes import blocks, is_prose, is_typing
from windtunnel.repair.search.site import Site

_UNTRACED = 0.5
_TEST_FILES, _TEST_TEXT, _HINTS = 5, 100_000, 30
_CONSTANT = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d{1,4})?(?![\w.])|'[^'\\\n]{0,8}'|\"[^\"\\\n]{0,8}\"")
_SIGNATURE = 0.5
_FIRST, _LATER = 150, 0.1
_TOP = 0.4
_RAISED = 1.25
_SILENT = (ast.Pass, ast.Break, ast.Continue)


def sites(scene: Scene) -> Iterator[Site]:
    """All statements worth an edit, most suspicious first; of very many equal ones the later ones come much later."""
    found = sorted(_all(scene), key=lambda site: -site.suspicion)
    for rank, site in enumerate(found):
        yield site if rank < _FIRST else replace(site, suspicion=site.suspicion * _LATER)


def _all(scene: Scene) -> Iterator[Site]:
    """All statements worth an edit, file by file; no tests, no docstrings, no logging, nothing for type checkers."""
    lines, hints = _lines(scene), constants(scene)
    for path in scene.paths:
        if not path.endswith(".py") or path in scene.test_paths or (lines and path not in lines):
            continue
        module = load(path, scene.read(path), seen=scene.types, hints=hints)
        if module is not None:
            yield from _of_module(module, lines.get(path, {}), raised=_raised(scene, path), traced=bool(lines))


def constants(scene: Scene) -> tuple[str, ...]:
    """Numbers and short strings of the tests, the commonest first; a few."""
    counted: dict[str, int] = {}
    for path in scene.test_paths[:_TEST_FILES]:
        for found in _CONSTANT.findall((scene.read(path) or "")[:_TEST_TEXT]):
            text = repr(found[1:-1]) if found[0] in "'\"" else found
            counted[text] = counted.get(text, 0) + 1
    return tuple(sorted(counted, key=lambda text: -counted[text])[:_HINTS])


def _lines(scene: Scene) -> dict[str, dict[int, float]]:
    found: dict[str, dict[int, float]] = {}
    for one in scene.suspicions:
        if one.score > 0:
            found.setdefault(one.path, {})[one.line] = min(1.0, one.score)
    return found


def _raised(scene: Scene, path: str) -> frozenset[int]:
    """Lines at which errors came up."""
    return frozenset(
        place.line
        for problem in scene.problems
        for place in _places(problem)
        if place.line is not None and place.file == path
    )


def _places(problem: Problem) -> list[Place]:
    return [one for one in (problem.place, *problem.own[-1:]) if one is not None]


def _of_module(module: Module, lines: Mapping[int, float], *, raised: frozenset[int], traced: bool) -> Iterator[Site]:
    best = 0.0
    used: set[str] = set()
    for function in module.functions:
        found = list(_of_function(module, function, lines if traced else None, raised))
        yield from found
        top = max((site.suspicion for site in found), default=0.0)
        if top:
            used |= set(function.uses)
            yield Site(module, function.outer, function.node, [function.node], 0, top * _SIGNATURE)
        best = max(best, top)
    for index, statement in enumerate(module.tree.body):
        names = (
            {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)}
            if isinstance(statement, ast.Assign | ast.AnnAssign)
            else set()
        )
        if best and names & used:
            yield Site(module, None, statement, module.tree.body, index, best * _TOP)


def _of_function(
    module: Module, function: Function, lines: Mapping[int, float] | None, raised: frozenset[int]
) -> Iterator[Site]:
    for block in blocks(function.node):
        scores = [_UNTRACED if lines is None else _score(one, lines) for one in block]
        for index, (statement, score) in enumerate(zip(block, scores, strict=True)):
            if isinstance(statement, _SILENT):
                score = max(score, scores[index - 1] if index else 0.0)  # noqa: PLW2901 -- some Pythons do not trace these
            if (
                score <= 0
                or is_prose(statement, first=index == 0 and block is function.node.body)
                or is_typing(statement)
            ):
                continue
            boost = _RAISED if statement.lineno in raised else 1.0
            yield Site(module, function, statement, block, index, min(1.0, score * boost))


def _score(statement: ast.stmt, lines: Mapping[int, float]) -> float:
    """The highest of the lines that are the statement's own."""
    body = getattr(statement, "body", None)
    last = (body[0].lineno - 1) if isinstance(body, list) and body else (statement.end_lineno or statement.lineno)
    return max(
        (
            lines.get(line, 0.0)
            for line in range(statement.lineno, min(max(last, statement.lineno), statement.lineno + 200) + 1)
        ),
        default=0.0,
    )
