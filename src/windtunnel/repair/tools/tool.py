"""A fixer of the ecosystem, and what becomes of the files that it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import FileEdit, Proposal, Rule, Scene

_MOST_PATHS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A program that changes files in place; its exit code says nothing about whether it helped."""

    name: str
    command: tuple[str, ...]
    """What starts it, with nothing that reads the network or a configuration outside of the project.

    Where it is not installed in the project's environment, it changes nothing.
    """
    suffixes: tuple[str, ...]
    """Of the files that it mends."""
    languages: tuple[str, ...]
    kinds: frozenset[str]
    """Kinds of problems that it may mend; empty for all."""
    prior: float
    reason: str
    before: str
    """A line that it mends, for people."""
    after: str
    names_paths: bool = True
    """Whether it is told which files; one that is not takes the whole project."""
    manifest: str = ""
    """A file that the project must have."""
    env: Mapping[str, str] = field(default_factory=dict)

    def argv(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """What to run, in the folder of a copy of the project; paths follow ``--``, so that none is an option."""
        return (*self.command, "--", *paths[:_MOST_PATHS]) if self.names_paths else self.command

    def mended(self, scene: Scene) -> tuple[str, ...]:
        """The files it may be asked about; none where it does not help with any of the problems."""
        if not any(self.helps(problem) for problem in scene.problems):
            return ()
        if self.manifest and scene.read(self.manifest) is None:
            return ()
        return tuple(path for path in scene.paths if path.endswith(self.suffixes))

    def helps(self, problem: Problem) -> bool:
        """Whether it is worth a run for a problem."""
        return not self.kinds or problem.kind in self.kinds

    @property
    def rule(self) -> Rule:
        """As the list of all that is known has it."""
        return Rule(name=self.name, origin="tool", languages=self.languages, what=self.reason, before=self.before,
                    after=self.after)


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
