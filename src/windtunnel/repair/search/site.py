"""One suspicious statement: what the sorts of edits ask of it, and how they write their edits down."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from windtunnel.repair.search.module import Function, Module
from windtunnel.repair.search.precedence import ATOM, binding, demand
from windtunnel.repair.search.shapes import LOOPS, headers
from windtunnel.repair.search.splice import Splice
from windtunnel.repair.search.types import UNKNOWN, Types, type_of

_LATE = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One way to write a place differently."""

    prior: float
    """The share of such edits that are right, where their statement is the faulty one."""
    splices: tuple[Splice, ...]
    reason: str = ""
    told: Callable[[], str] | None = None
    """Makes the reason where somebody asks for it: most edits are never shown."""

    def explained(self) -> str:
        """What is changed, for people."""
        return self.told() if self.told is not None else self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One sort of edits, with an example that its test runs."""

    name: str
    bound: float
    """No edit of this sort has a higher prior."""
    edits: Callable[[Site], Iterator[Edit]]
    before: str
    """A small file, each of whose statements is suspicious."""
    after: str
    """One of the files that come of it."""
    whole: bool = False
    """Whether its edits change which block statements belong to, so that the whole function is parsed again."""


@dataclass(frozen=True, eq=False)
class Site:
    """A statement in its block, function and file."""

    module: Module
    function: Function | None
    statement: ast.stmt
    block: list[ast.stmt]
    index: int
    suspicion: float

    @cached_property
    def nodes(self) -> tuple[ast.expr, ...]:
        """Every expression of the statement itself, outer ones first; inside f-strings only where places are right."""
        return tuple(one for root in headers(self.statement) for one in self._walk(root))

    def _walk(self, root: ast.expr) -> Iterator[ast.expr]:
        waiting: list[ast.AST] = [root]
        for node in waiting:
            if isinstance(node, ast.expr):
                yield node
            children = [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.arguments)]
            if isinstance(node, ast.JoinedStr):
                children = [one for one in children if self._is_placed(one)]
            waiting.extend(children)

    def _is_placed(self, value: ast.AST) -> bool:
        """Whether the tree tells the right place of an f-string's expression; before Python 3.12 not always."""
        if not isinstance(value, ast.FormattedValue) or not isinstance(
            value.value, ast.Name | ast.Attribute | ast.Call | ast.BinOp
        ):
            return False
        return self.text(value.value) == ast.unparse(value.value)

    @property
    def types(self) -> Types:
        """The types of the function's names."""
        return self.function.types if self.function else {}

    @cached_property
    def in_loop(self) -> bool:
        """Whether a loop of the same function is around the statement."""
        return self.loop is not None

    @cached_property
    def loop(self) -> ast.stmt | None:
        """The innermost loop around the statement."""
        node: ast.AST | None = self.statement
        while (node := self.module.parents.get(node)) is not None if node else False:
            if isinstance(node, LOOPS):
                return node
            if self.function is None or node is self.function.node:
                return None
        return None

    def text(self, node: ast.expr | ast.stmt) -> str:
        """A node as it is written."""
        return self.module.text.segment(node)

    def operand(self, node: ast.expr, level: int = ATOM) -> str:
        """A node as it is written, in parentheses where it binds less tightly than wanted."""
        text = self.text(node)
        return f"({text})" if binding(node) < level and not isinstance(node, ast.GeneratorExp) else text

    def type(self, node: ast.expr) -> frozenset[str]:
        """The types that an expression may have."""
        return type_of(node, self.types)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node above."""
        return self.module.parents.get(node)

    def replace(self, node: ast.expr, text: str, level: int = ATOM) -> tuple[Splice, ...]:
        """Put other text where a node is, in parentheses where its place asks for them."""
        start, end = self.module.text.span(node)
        data = self.module.text.data
        held = (
            data[start - 1 : start] == b"("
            and data[end : end + 1] == b")"
            and not data[max(0, start - 2) : start - 1].isalnum()
        )
        if level < demand(node, self.parent(node)) and not held:
            text = f"({text})"
        return (Splice(start, end, text),)

    def swap(self, first: ast.expr, second: ast.expr) -> tuple[Splice, ...]:
        """Let two nodes change places."""
        return self.replace(first, self.text(second), binding(second)) + self.replace(
            second, self.text(first), binding(first)
        )

    def visible(self, node: ast.AST | None = None) -> Mapping[str, float]:
        """Names that have a value here, with how likely they have it already; those of comprehensions around too."""
        return {**dict.fromkeys(self._around(node), 1.0), **self._local} if node is not None else self._local

    @cached_property
    def _local(self) -> Mapping[str, float]:
        found: dict[str, float] = {}
        line = self.statement.lineno
        for name in self.function.locals if self.function else ():
            assert self.function is not None
            bound = self.function.bound.get(name, 0)
            early = bound < line or (bound == line and not isinstance(self.statement, ast.Assign | ast.AugAssign))
            found.setdefault(name, 1.0 if early else _LATE)
        return found

    def _around(self, node: ast.AST | None) -> Iterator[str]:
        while node is not None and node is not self.statement:
            for one in getattr(node, "generators", ()):
                yield from (name.id for name in ast.walk(one.target) if isinstance(name, ast.Name))
            if isinstance(node, ast.Lambda):
                yield from (spec.arg for spec in node.args.args)
            node = self.parent(node)

    def idle(self, name: str) -> bool:
        """Whether a local or parameter is never read: somebody meant to."""
        return self.function is not None and not self.function.uses.get(name) and not name.startswith("_")

    def of_type(self, *kinds: str) -> list[str]:
        """Names with a value here that surely are of one of the types."""
        return [
            name
            for name, chance in self.visible().items()
            if chance == 1.0 and self.types.get(name, UNKNOWN) & set(kinds)
        ]

    @cached_property
    def indent(self) -> str | None:
        """The statement's indentation; None where it does not start its line."""
        indent = self.module.text.indent(self.statement)
        return indent if not indent.strip() else None

    def before(self, *lines: str) -> tuple[Splice, ...]:
        """Insert lines before the statement, in its block; nothing where it does not start its line."""
        if self.indent is None:
            return ()
        text = self.module.text
        if isinstance(self.statement, ast.Pass):
            start, end = self.lines()
            return (Splice(start, end, "".join(f"{self.indent}{line}{text.newline}" for line in lines)),)
        start = text.line_start(text.span(self._first())[0])
        return (Splice(start, start, "".join(f"{self.indent}{line}{text.newline}" for line in lines)),)

    def after(self, *lines: str) -> tuple[Splice, ...]:
        """Insert lines after the statement and all inside it, in its block."""
        text = self.module.text
        end = text.span(self.statement)[1]
        following = text.line_end(end)
        rest = text.data[end:following].strip()
        if self.indent is None or (rest and not rest.startswith(b"#")):
            return ()
        closed = text.data[:following].endswith((b"\n", b"\r"))
        whole = "".join(f"{self.indent}{line}{text.newline}" for line in lines)
        return (Splice(following, following, whole if closed else text.newline + whole),)

    def _first(self) -> ast.expr | ast.stmt:
        """What the statement starts with: its first decorator, where it has one."""
        return next(iter(getattr(self.statement, "decorator_list", ())), self.statement)

    def lines(self) -> tuple[int, int]:
        """From where to where the statement's whole lines go."""
        text = self.module.text
        return text.line_start(text.span(self._first())[0]), text.line_end(text.span(self.statement)[1])

    @cached_property
    def step(self) -> str:
        """One level of indentation in this file."""
        body = getattr(self.function.node if self.function else None, "body", None)
        if body and self.function:
            inner, outer = self.module.text.indent(body[0]), self.module.text.indent(self.function.node)
            if not inner.strip() and inner.startswith(outer) and inner != outer:
                return inner[len(outer) :]
        return "    "


def change(site: Site, node: ast.expr, text: str, prior: float, *, why: str = "", level: int = ATOM) -> Edit:
    """Another expression in the place of one."""
    told = partial(_told, site, node, text=text, why=why)
    return Edit(prior=prior, told=told, splices=site.replace(node, text, level))


def _told(site: Site, node: ast.expr, *, text: str, why: str) -> str:
    return f"`{shorten(site.text(node))}` becomes `{shorten(text)}`{f', {why}' if why else ''}."


def shorten(text: str) -> str:
    """One line of at most sixty characters."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."  # noqa: PLR2004 -- what a line of a report holds
