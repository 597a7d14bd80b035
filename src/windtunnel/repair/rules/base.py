"""What every rule is made of: a table row, the sight of a problem in its project, and the change it proposes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene
from windtunnel.repair.rules.module import FUNCTIONS, Function, Module, parse

Part = tuple[str, int, int, str]
"""(path, start, end, new text) in characters."""
_MOST_FILES = 400


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of some files, and how likely it is right."""

    parts: tuple[Part, ...]
    prior: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What is known about one sort of error."""

    name: str
    what: str
    """One sentence: when it is used and what it does."""
    before: str
    after: str
    suggest: Callable[[Sight], Iterator[Fix]]
    errors: tuple[str, ...] = ()
    """Names of exceptions; all where empty."""
    message: re.Pattern[str] = re.compile("")


@dataclass(slots=True)
class Project:
    """The files of a scene, each parsed once."""

    scene: Scene
    _modules: dict[str, Module | None] = field(default_factory=dict)

    def module(self, path: str) -> Module | None:
        """A file of the project; None where it is no Python that parses."""
        if path not in self._modules:
            self._modules[path] = parse(path, self.scene.read(path)) if path.endswith((".py", ".pyi")) else None
        return self._modules[path]

    def modules(self) -> Iterator[Module]:
        """All that may be changed."""
        for path in self.scene.paths[:_MOST_FILES]:
            module = self.module(path)
            if module is not None:
                yield module

    def functions(self, name: str) -> list[tuple[Module, Function]]:
        """Functions and methods of this name."""
        return [
            (module, node)
            for module in self.modules()
            for node in module.parents
            if isinstance(node, FUNCTIONS) and node.name == name
        ]

    def classes(self, name: str) -> list[tuple[Module, ast.ClassDef]]:
        """Classes of this name."""
        return [
            (module, node)
            for module in self.modules()
            for node in module.parents
            if isinstance(node, ast.ClassDef) and node.name == name
        ]

    def family(self, name: str) -> list[tuple[Module, ast.ClassDef]]:
        """A class and those it inherits from, as far as they are in the project."""
        found: list[tuple[Module, ast.ClassDef]] = []
        queue, told = [name], {name}
        while queue:
            for module, node in self.classes(queue.pop(0)):
                found.append((module, node))
                for base in node.bases:
                    last = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
                    if last and last not in told:
                        told.add(last)
                        queue.append(last)
        return found


@dataclass(slots=True)
class Sight:
    """One problem in its project."""

    problem: Problem
    project: Project
    said: re.Match[str]
    """What the rule's pattern found in the message."""

    @property
    def scene(self) -> Scene:
        """What the source was shown."""
        return self.project.scene

    def places(self) -> list[tuple[Module, int]]:
        """Where the error went through code that may be changed, innermost first."""
        return [
            (module, line)
            for place in self._frames()
            if place.file in self.scene.paths
            and (module := self.project.module(place.file)) is not None
            and (line := place.line) is not None
        ]

    def _frames(self) -> list[Place]:
        problem = self.problem
        frames = [*reversed(problem.own or problem.frames)]
        if problem.place is not None:
            frames.insert(0, problem.place)
        return list(dict.fromkeys(Place(file=one.file, line=one.line) for one in frames))

    def here(self) -> tuple[Module, int] | None:
        """The innermost frame of all, where it may be changed."""
        frames, places = self._frames(), self.places()
        if not frames or not places or (places[0][0].path, places[0][1]) != (frames[0].file, frames[0].line):
            return None
        return places[0]

    def test(self) -> tuple[Module, int] | None:
        """The innermost place in a test."""
        for place in self._frames():
            if place.file in self.scene.test_paths or place.file not in self.scene.paths:
                module = self.project.module(place.file)
                if module is not None and place.line is not None:
                    return module, place.line
        return None

    def called(self) -> list[tuple[Module, Function]]:
        """Functions of the project that the failing line of the test, or else the whole test, calls."""
        test = self.test()
        if test is None:
            return []
        module, line = test
        statement = module.statement(line)
        near = [] if statement is None else [*ast.walk(statement)]
        function = None if statement is None else module.function(statement)
        found: list[tuple[Module, Function]] = []
        for node in [*near, *([] if function is None else ast.walk(function))]:
            if isinstance(node, ast.Call):
                found += [one for one in self.project.functions(last_name(node.func)) if one not in found]
        return found

    def suspects(self) -> list[tuple[Module, Function]]:
        """Functions worth a look where the error names none: those on its way, those called, those suspected."""
        found: list[tuple[Module, Function]] = []
        for module, line in self.places():
            statement = module.statement(line)
            function = (
                None
                if statement is None
                else (statement if isinstance(statement, FUNCTIONS) else module.function(statement))
            )
            if function is not None and (module, function) not in found:
                found.append((module, function))
        found += [one for one in self.called() if one not in found]
        return found[:12]


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def replace(module: Module, node: ast.AST, text: str) -> Part:
    """A node's text changed."""
    return (module.path, *module.span(node), text)


def insert(module: Module, at: int, text: str) -> Part:
    """Text put in at a character."""
    return (module.path, at, at, text)


def before(module: Module, statement: ast.stmt, lines: Sequence[str]) -> Part:
    """Whole lines before a statement, indented as it is; a statement's decorators stay with it."""
    indent = module.indent(statement)
    return insert(module, module.line_start(statement), "".join(f"{indent}{line}\n" for line in lines))


def after(module: Module, statement: ast.stmt, lines: Sequence[str]) -> Part:
    """Whole lines after a statement, indented as it is."""
    end = module.starts[min(statement.end_lineno or statement.lineno, len(module.lines))]
    text = "".join(f"{module.indent(statement)}{line}\n" for line in lines)
    if end > len(module.text):
        return insert(module, len(module.text), "\n" + text.rstrip("\n"))
    return insert(module, end, text)


def start_of(function: Function) -> ast.stmt:
    """The first statement of a function that is not its docstring."""
    first = function.body[0]
    if (
        len(function.body) > 1
        and isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return function.body[1]
    return first


def wrap(module: Module, node: ast.AST, call: str) -> Part:
    """A node's text inside a call; a generator's own parentheses are used."""
    text = module.source(node)
    if isinstance(node, ast.GeneratorExp) and text.startswith("("):
        shared = (
            isinstance(parent := module.parents.get(node), ast.Call) and parent.end_col_offset == node.end_col_offset
        )
        return replace(module, node, f"({call}{text})" if shared else f"{call}{text}")
    return replace(module, node, f"{call}({text})")


def distance(one: str, two: str) -> int:
    """How many letters left out, added, changed or swapped with the next turn one word into another."""
    older: list[int] = []
    previous: list[int] = []
    current = list(range(len(two) + 1))
    for row, letter in enumerate(one, start=1):
        older, previous, current = previous, current, [row]
        for column, other in enumerate(two, start=1):
            best = min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (letter != other))
            if older and column > 1 and letter == two[column - 2] and one[row - 2] == other:
                best = min(best, older[column - 2] + 1)
            current.append(best)
    return current[-1]


def nearest(word: str, known: Iterator[str] | Sequence[str] | set[str] | frozenset[str]) -> list[tuple[str, float]]:
    """Words that this one may have been meant as, with how near each is from 0 to 1, nearest first."""
    found: list[tuple[str, float]] = []
    for other in set(known):
        if other == word or abs(len(other) - len(word)) > 4 or not other:  # noqa: PLR2004 -- a measure that is this place's own
            continue
        slips = distance(word, other)
        if word.lower().replace("_", "") == other.lower().replace("_", ""):
            slips = min(slips, 1)
        most = max(len(word), len(other)) if word[:1] == other[:1] else min(len(word), len(other))
        if slips <= max(1, most // 3):
            found.append((other, 1.0 - slips / max(len(word), len(other), 3)))
        elif (word in other or other in word) and min(len(word), len(other)) >= 4:  # noqa: PLR2004 -- a measure that is this place's own
            found.append((other, 0.4))
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:5]
