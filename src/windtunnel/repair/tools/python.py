"""Which fixers there are for Python, how each is called, and what becomes of the files that it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.core.repair import FileEdit, Proposal, Scene

_MOST_PATHS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A program that changes files in place; its exit code says nothing about whether it helped."""

    name: str
    module: str
    """What ``python -m`` starts; where it cannot be imported in the project's environment, the tool is left out."""
    arguments: tuple[str, ...]
    """Before the paths; nothing that reads the network or a configuration outside of the project."""
    kinds: frozenset[str]
    """Kinds of problems that it may mend; empty for all."""
    prior: float
    reason: str

    def command(self, python: str, paths: tuple[str, ...]) -> tuple[str, ...]:
        """What to run, in the folder of a copy of the project; paths follow ``--``, so that none is an option."""
        return (python, "-m", self.module, *self.arguments, "--", *paths[:_MOST_PATHS])

    def helps(self, problem: Problem) -> bool:
        """Whether it is worth a run for a problem."""
        return not self.kinds or problem.kind in self.kinds


def proposals(scene: Scene, tool: Tool, texts: Mapping[str, str]) -> Iterator[Proposal]:
    """What a tool made of the files, as one proposal; files that may not be changed are left as they are."""
    changed = tuple(
        FileEdit(path=path, text=text)
        for path, text in sorted(texts.items())
        if path in scene.paths and text != scene.read(path)
    )
    if changed:
        yield Proposal(
            edits=changed,
            origin="tool",
            name=tool.name,
            reason=tool.reason,
            place=Place(file=changed[0].path, line=1),
            prior=tool.prior,
        )


_NAMES = frozenset({ProblemKind.NAME, ProblemKind.IMPORT, ProblemKind.UNUSED, ProblemKind.STYLE})
TOOLS: tuple[Tool, ...] = (
    Tool(
        name="ruff",
        module="ruff",
        kinds=_NAMES | {ProblemKind.TYPE, ProblemKind.ASSERTION},
        prior=0.15,
        arguments=(
            "check",
            "--fix",
            "--unsafe-fixes",
            "--quiet",
            "--exit-zero",
            "--no-cache",
            "--isolated",
            "--select",
            "F,E7,B,PLE,UP",
        ),
        reason="ruff mends what it finds by itself: comparisons with None, shared defaults, names that are gone.",
    ),
    Tool(
        name="autoflake",
        module="autoflake",
        kinds=frozenset({ProblemKind.UNUSED, ProblemKind.IMPORT}),
        prior=0.05,
        arguments=("--in-place", "--remove-all-unused-imports"),
        reason="autoflake takes out imports that nothing uses.",
    ),
    Tool(
        name="pyupgrade",
        module="pyupgrade",
        kinds=frozenset({ProblemKind.SYNTAX, ProblemKind.NAME, ProblemKind.ATTRIBUTE}),
        prior=0.05,
        arguments=("--py311-plus", "--exit-zero-even-if-changed"),
        reason="pyupgrade writes what an older version wrote in the newer way.",
    ),
)
