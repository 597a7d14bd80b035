"""Single faults for the code of a package: half of the usual sorts, half of sorts that people make and searches lack.

A fault is a text in place of another; the same seed gives the same faults in the same order. Only bodies and defaults
of functions that tests reach are changed.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from benchmarks.trial_mutations import Mutation, mutations

Function = ast.FunctionDef | ast.AsyncFunctionDef
_OTHER_ERRORS = {
    "ValueError": "KeyError", "TypeError": "ValueError", "KeyError": "IndexError", "IndexError": "KeyError",
    "StopIteration": "IndexError", "AttributeError": "TypeError", "RuntimeError": "ValueError"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One fault, and the function that it is in."""

    kind: str
    usual: bool
    """Whether a search has an edit that undoes just this."""
    mutation: Mutation
    function: str
    """Its qualified name."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.mutation}"


@dataclass(frozen=True, slots=True)
class _Site:
    """Where in a file, and what instead."""

    node: ast.AST
    end: ast.AST
    new: str


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    data: bytes
    starts: list[int] = field(default_factory=list)

    def text(self, first: ast.AST, last: ast.AST | None = None) -> str:
        return self.data[self.offset(first.lineno, first.col_offset):self.end(last or first)].decode()  # type: ignore[attr-defined]  # statements and expressions have places

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def end(self, node: ast.AST) -> int:
        return self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]  # the same


def seeds(project: Path, product: str, *, reached: Mapping[str, str], seed: str) -> Iterator[Seed]:
    """Usual and other ones in turns; ``reached``: ``path:first line`` of each function to its qualified name."""
    usual = _usual(project, product, reached=reached, seed=seed)
    others = _others(project, product, reached=reached, seed=seed)
    for pair in zip(usual, others, strict=False):
        yield from pair


def _usual(project: Path, product: str, *, reached: Mapping[str, str], seed: str) -> Iterator[Seed]:
    for mutation in mutations(project, product, reached=reached, seed=seed):
        name = _function_at(project / mutation.path, mutation.line, mutation.path, reached)
        if name is not None:
            yield Seed(kind="operator or number", usual=True, mutation=mutation, function=name)


def _function_at(file: Path, line: int, path: str, reached: Mapping[str, str]) -> str | None:
    inside = [node for node in _functions(file.read_bytes()) if node.lineno <= line <= (node.end_lineno or 0)]
    return reached.get(f"{path}:{_first(max(inside, key=lambda node: node.lineno))}") if inside else None


def _others(project: Path, product: str, *, reached: Mapping[str, str], seed: str) -> Iterator[Seed]:
    """Each sort in turn, so that the common ones do not crowd out the rare ones."""
    found: dict[str, list[Seed]] = {kind: [] for kind in OPERATORS}
    for file in sorted((project / product).rglob("*.py")):
        if "test" in file.relative_to(project).as_posix().removeprefix(product):
            continue
        path, data = file.relative_to(project).as_posix(), file.read_bytes()
        for function in _functions(data):
            name = reached.get(f"{path}:{_first(function)}")
            if name is not None:
                for kind, mutation in _of_function(_open(path, data), function):
                    found[kind].append(Seed(kind=kind, usual=False, mutation=mutation, function=name))
    draw = random.Random(f"others {seed}")
    for those in found.values():
        draw.shuffle(those)
    while any(found.values()):
        for those in found.values():
            if those:
                yield those.pop()


def _open(path: str, data: bytes) -> _File:
    starts, total = [], 0
    for line in data.splitlines(keepends=True):
        starts.append(total)
        total += len(line)
    return _File(path, data, starts)


def _functions(data: bytes) -> Collection[Function]:
    return [node for node in ast.walk(ast.parse(data)) if isinstance(node, Function)]


def _first(function: Function) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _of_function(file: _File, function: Function) -> Iterator[tuple[str, Mutation]]:
    for kind, operator in OPERATORS.items():
        for site in operator(file, function):
            made = _applied(file, site)
            if made is not None:
                yield kind, made


def _applied(file: _File, site: _Site) -> Mutation | None:
    begin, end = file.offset(site.node.lineno, site.node.col_offset), file.end(site.end)  # type: ignore[attr-defined]  # the same
    old, data = file.data[begin:end].decode(), file.data[:begin] + site.new.encode() + file.data[end:]
    try:
        same = ast.dump(ast.parse(data)) == ast.dump(ast.parse(file.data))
    except (SyntaxError, ValueError):
        return None
    return None if same else Mutation(file.path, site.node.lineno, old, site.new, data)  # type: ignore[attr-defined]  # the same


def _inside(function: Function) -> Iterator[ast.AST]:
    """What belongs to the function itself."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda | ast.JoinedStr):
            yield node
            todo += ast.iter_child_nodes(node)


def _swapped_branches(file: _File, function: Function) -> Iterator[_Site]:
    for node in _inside(function):
        if isinstance(node, ast.If) and len(node.body) == 1 == len(node.orelse) and not isinstance(
                node.orelse[0], ast.If) and isinstance(node.body[0], ast.Return | ast.Assign | ast.Expr):
            between = file.data[file.end(node.body[0]):file.offset(node.orelse[0].lineno, node.orelse[0].col_offset)]
            yield _Site(node.body[0], node.orelse[0],
                        file.text(node.orelse[0]) + between.decode() + file.text(node.body[0]))
        if isinstance(node, ast.IfExp):
            yield _Site(node, node, f"{file.text(node.orelse)} if {file.text(node.test)} else {file.text(node.body)}")


def _wrong_attribute(_: _File, function: Function) -> Iterator[_Site]:
    """Another attribute that the same name is asked for in the same function."""
    asked: dict[str, dict[str, ast.Attribute]] = {}
    for node in _inside(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            asked.setdefault(node.value.id, {})[node.attr] = node
    for name, attributes in asked.items():
        ordered = [attributes[attribute] for attribute in sorted(attributes)]
        for one, other in pairwise(ordered):
            if isinstance(one.ctx, ast.Load):
                yield _Site(one, one, f"{name}.{other.attr}")


def _dropped_keyword(file: _File, function: Function) -> Iterator[_Site]:
    for node in _inside(function):
        if isinstance(node, ast.Call) and node.keywords and all(one.arg for one in node.keywords):
            kept = [file.text(argument) for argument in [*node.args, *node.keywords[:-1]]]
            yield _Site(node, node, f"{file.text(node.func)}({', '.join(kept)})")


def _changed_default(_: _File, function: Function) -> Iterator[_Site]:
    for default in [*function.args.defaults, *(one for one in function.args.kw_defaults if one)]:
        if isinstance(default, ast.Constant) and default.value is not None:
            value = default.value
            new = not value if isinstance(value, bool) else value + 2 if isinstance(value, int) else None
            if new is not None:
                yield _Site(default, default, repr(new))


def _late_return(file: _File, function: Function) -> Iterator[_Site]:
    """A guard stands behind the statement that it guards."""
    for first, second in pairwise(function.body):
        if isinstance(first, ast.If) and not first.orelse and isinstance(first.body[-1], ast.Return | ast.Raise) and \
                isinstance(second, ast.Assign | ast.AugAssign | ast.Expr):
            yield _Site(first, second, f"{file.text(second)}\n{' ' * first.col_offset}{file.text(first)}")


def _wrong_exception(_: _File, function: Function) -> Iterator[_Site]:
    for node in _inside(function):
        raised = node.exc if isinstance(node, ast.Raise) else None
        name = raised.func if isinstance(raised, ast.Call) else raised
        caught = node.type if isinstance(node, ast.ExceptHandler) else None
        for found in (name, caught):
            if isinstance(found, ast.Name) and found.id in _OTHER_ERRORS:
                yield _Site(found, found, _OTHER_ERRORS[found.id])


def _copied(file: _File, function: Function) -> Iterator[_Site]:
    """A line that was copied from the one above it, and not adapted wholly."""
    for first, second in pairwise(function.body):
        if isinstance(first, ast.Assign) and isinstance(second, ast.Assign) and type(first.value) is type(second.value):
            yield _Site(second.value, second.value, file.text(first.value))


OPERATORS: dict[str, Callable[[_File, Function], Iterator[_Site]]] = {
    "swapped branches": _swapped_branches, "wrong attribute": _wrong_attribute, "dropped keyword": _dropped_keyword,
    "changed default": _changed_default, "late return": _late_return, "wrong exception": _wrong_exception,
    "copied line": _copied}
