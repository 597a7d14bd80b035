"""Repairs of syntax as proposals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from windtunnel.core.problem import Place, ProblemKind
from windtunnel.core.repair import FileEdit, Proposal, Scene
from windtunnel.repair.syntax.fault import compile_fault

_PRIORS = (0.9, 0.35, 0.2, 0.1, 0.05)
_MOST_FILES = 2000
_MOST_TEXT = 1_000_000


def repair(text: str, *, path: str) -> Iterator[str]:  # noqa: ARG001 -- the contract names it
    """Texts that compile and differ little from this one, the likeliest first; none where it compiles already."""
    if compile_fault(text) is not None:
        for fixed, _ in _repairs(text):
            yield fixed


def propose(scene: Scene) -> Iterator[Proposal]:
    """Repairs of every file that does not compile, those that a problem names first."""
    for path in _broken(scene):
        text = scene.read(path) or ""
        fault = compile_fault(text)
        if fault is None:
            continue
        place = Place(file=path, line=fault.line, column=fault.column + 1)
        for prior, (fixed, name) in zip(_PRIORS, itertools.islice(_repairs(text), len(_PRIORS)), strict=False):
            yield Proposal(
                edits=(FileEdit(path=path, text=fixed),),
                origin="syntax",
                name="syntax",
                place=place,
                prior=prior,
                reason=f"{path} does not parse at line {fault.line} ({fault.message}): {name}.",
            )


def _repairs(text: str) -> Iterator[tuple[str, str]]:
    from windtunnel.repair.syntax.search import repairs  # noqa: PLC0415 -- whose files all parse does not wait for it

    return repairs(text)


def _broken(scene: Scene) -> Iterator[str]:
    """Files worth looking at: all that a problem of syntax names; all others only where there is one anywhere."""
    named = [
        problem.place.file
        for problem in scene.problems
        if problem.place is not None and problem.kind == ProblemKind.SYNTAX
    ]
    told = any(problem.kind in {ProblemKind.SYNTAX, ProblemKind.ENCODING} for problem in scene.problems)
    rest = scene.paths[:_MOST_FILES] if told else ()
    for path in dict.fromkeys((*named, *rest)):
        if path in scene.paths and path.endswith((".py", ".pyi")) and len(scene.read(path) or "") <= _MOST_TEXT:
            yield path
