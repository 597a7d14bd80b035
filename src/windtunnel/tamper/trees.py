"""Python source as a tree, with what the rules ask of it: real names, scopes, and what runs on import.

Nothing here raises on hostile source: what cannot be read, or is nested too deep to walk, is None.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from windtunnel.tamper.worth import Unknown, Worth, constant

MOST_BYTES = 2_000_000
MOST_DEPTH = 150
"""Nesting that people do not write; deeper trees could overflow the stack of those who walk them."""

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Node = TypeVar("Node", bound=ast.AST)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@lru_cache(maxsize=192)
def parse(data: bytes | str | None) -> ast.Module | None:
    """The tree of a file; None when there is none, or none that can be walked.

    It is kept for whoever asks next, so nobody may change it.
    """
    if data is None or len(data) > MOST_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if _shallow(tree) else None


def unparsed(node: ast.AST) -> str:
    """The source of a tree; its bare structure where Python 3.11 cannot write it, as some nested texts."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return ast.dump(node)


def children(node: ast.AST) -> list[ast.AST]:
    """The parts of a node, but for the marks of loading and storing, which are no parts of the source."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            found.append(value)
    return found


def _shallow(tree: ast.AST) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(MOST_DEPTH):
        level = [child for node in level for child in children(node)]
        if not level:
            return True
    return False


def _family(tree: ast.AST) -> tuple[list[ast.AST], dict[ast.AST, ast.AST]]:
    """Every node, outermost first, and each node's parent: by one walk."""
    nodes, up = [tree], dict[ast.AST, ast.AST]()
    for node in nodes:
        for child in children(node):
            up[child] = node
            nodes.append(child)
    return nodes, up


def aliases(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """What imported names stand for: ``{"o": "os", "leave": "os._exit"}``."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = dotted(node.value, found) if isinstance(node.value, ast.Call | ast.Subscript) else ""
            if name and not name.endswith("()"):
                found[node.targets[0].id] = name
    return found


def folded(node: ast.AST | None) -> str | None:
    """The text that an expression of constants stands for: ``"PYTEST" + "_VERSION"``."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = folded(node.left), folded(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        return _joined([value.value if isinstance(value, ast.FormattedValue) else value for value in node.values], "")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join" and node.args:
        glue, rows = folded(node.func.value), node.args[0]
        if glue is not None and isinstance(rows, ast.List | ast.Tuple):
            return _joined(rows.elts, glue)
    return _worked_out(node) if isinstance(node, ast.Call | ast.Subscript) else None


def _worked_out(node: ast.AST) -> str | None:
    """The text that constants are made into by plain functions: reversed, decoded, put together of numbers."""
    try:
        made = constant(node, name=lambda each: dotted(each, {}))
    except Unknown:
        return None
    return made if isinstance(made, str) else made.decode("latin-1") if isinstance(made, bytes) else None


def _joined(nodes: list[ast.expr], glue: str) -> str | None:
    parts = [folded(node) for node in nodes]
    return None if None in parts else glue.join(part or "" for part in parts)


def dotted(node: ast.AST | None, names: dict[str, str]) -> str:
    """The real dotted name of an expression, through aliases and ``getattr``; empty when it has none.

    A call keeps its name with ``()`` behind it, so that ``a().b`` is not ``a.b``.
    """
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        base = dotted(node.value, names)
        return f"{base}.{node.attr}" if base else ""
    if isinstance(node, ast.Subscript):
        return _indexed(node, names)
    if isinstance(node, ast.Call):
        return _called(node, names)
    return ""


def _indexed(node: ast.Subscript, names: dict[str, str]) -> str:
    base, key = dotted(node.value, names), folded(node.slice)
    if key is None or not base:
        return ""
    if base == "sys.modules":
        return key
    if base in ("__builtins__", "builtins"):
        return f"builtins.{key}"
    return f"{base.removesuffix('.__dict__')}.{key}" if base.endswith(".__dict__") else ""


def _called(node: ast.Call, names: dict[str, str]) -> str:
    name = dotted(node.func, names)
    first = folded(node.args[0]) if node.args else None
    if name in ("__import__", "builtins.__import__", "importlib.import_module") and first:
        return first
    if name in ("getattr", "builtins.getattr") and len(node.args) > 1:
        base, key = dotted(node.args[0], names), folded(node.args[1])
        return f"{base}.{key}" if base and key else ""
    if name == "vars" and node.args:
        return f"{dotted(node.args[0], names)}.__dict__"
    return f"{name}()" if name else ""


def docstrings(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """The constants that stand alone as statements."""
    return {node.value for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}


@dataclass(slots=True)
class Source:
    """One Python file made ready for rules."""

    path: str
    tree: ast.Module
    nodes: list[ast.AST] = field(init=False)
    """Every node, outermost first."""
    names: dict[str, str] = field(init=False)
    up: dict[ast.AST, ast.AST] = field(init=False)
    loaded: set[ast.AST] = field(init=False)
    """Functions whose body runs when the file is imported, because something at the top calls them."""
    _called: dict[ast.AST, str] = field(init=False, default_factory=dict)
    _kinds: dict[type, list[ast.AST]] = field(init=False, default_factory=dict)
    _within: dict[ast.AST, list[ast.AST]] = field(init=False, default_factory=dict)
    _single: dict[str, ast.expr] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Look everything up once."""
        self.nodes, self.up = _family(self.tree)
        for node in self.nodes:
            self._kinds.setdefault(type(node), []).append(node)
        self.names = aliases(self.of(ast.Import, ast.ImportFrom, ast.Assign))
        self.loaded = self._loaded()

    def of(self, *kinds: type[Node]) -> list[Node]:
        """The nodes of these kinds, kind by kind."""
        return [node for kind in kinds for node in self._kinds.get(kind, ())]  # type: ignore[misc]  # told by its kind

    @property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Every function that has a name."""
        return [*self.of(ast.FunctionDef), *self.of(ast.AsyncFunctionDef)]

    @property
    def made(self) -> set[str]:
        """Functions of the file's own."""
        return {node.name for node in self.functions}

    def scope(self, node: ast.AST) -> ast.AST:
        """The innermost function around a node, or the module."""
        above = self.up.get(node)
        while above is not None and not isinstance(above, FUNCTIONS):
            above = self.up.get(above)
        return above or self.tree

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """What is around a node, innermost first."""
        while (parent := self.up.get(node)) is not None:
            yield parent
            node = parent

    def guarded(self, node: ast.AST) -> bool:
        """Whether it stands under ``if __name__ == "__main__"`` or ``if TYPE_CHECKING``."""
        return any(
            isinstance(each, ast.If) and _is_guard(each.test) and node not in each.orelse for each in self.above(node)
        )

    def on_import(self, node: ast.AST) -> bool:
        """Whether it runs when the file is imported."""
        if self.guarded(node):
            return False
        scope = self.scope(node)
        return scope is self.tree or scope in self.loaded

    def name(self, node: ast.AST | None) -> str:
        """The real dotted name of an expression."""
        if node is None:
            return ""
        found = self._called.get(node)
        if found is None:
            found = self._called[node] = dotted(node, self.names)
        return found

    @property
    def single(self) -> dict[str, ast.expr]:
        """Names that the file gives one value alone, and loop variables with what they run over, as ``name of``."""
        if self._single is None:
            stored = Counter(node.id for node in self.of(ast.Name) if isinstance(node.ctx, ast.Store))
            stored.update(node.arg for node in self.of(ast.arg))
            self._single = {
                f"{target.id}{kind}": value
                for target, value, kind in self.bindings()
                if isinstance(target, ast.Name) and stored[target.id] == 1
            }
        return self._single

    def bindings(self) -> Iterator[tuple[ast.expr, ast.expr, str]]:
        """What is given a name: the name, the value, and ``of`` where the name runs over the value."""
        for node in self.of(ast.Assign):
            for target in node.targets:
                yield target, node.value, ""
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from ((*pair, "") for pair in zip(target.elts, node.value.elts, strict=False))
        yield from ((node.target, node.value, "") for node in self.of(ast.AnnAssign) if node.value is not None)
        yield from ((node.target, node.value, "") for node in self.of(ast.NamedExpr))
        yield from ((node.target, node.iter, " of") for node in self.of(ast.For))
        yield from ((node.target, node.iter, " of") for node in self.of(ast.comprehension))

    def worth(self, node: ast.AST | None) -> object:
        """What an expression of constants, and of names that stand for one, is worth; raises ``Unknown``."""
        return Worth(sources=self.single, name=self.name).of(node)

    def texts(self, node: ast.AST) -> list[str]:
        """The texts that an expression can be: its own, those of a collection, or those that a loop goes through."""
        running = self.single.get(f"{node.id} of") if isinstance(node, ast.Name) else None
        try:
            made = self.worth(running or node)
        except Unknown:
            return []
        rows = [made] if isinstance(made, str | bytes) else made
        rows = rows if isinstance(rows, list | tuple | set | frozenset | dict) else []
        return [each.decode("latin-1") if isinstance(each, bytes) else each for each in rows
                if isinstance(each, str | bytes)]  # fmt: skip

    def inside(self, scope: ast.AST) -> list[ast.AST]:
        """The nodes of one scope, without those of functions inside it."""
        if scope not in self._within:
            self._within[scope] = list(self._inside(scope))
        return self._within[scope]

    def _inside(self, scope: ast.AST) -> Iterator[ast.AST]:
        waiting = children(scope)
        while waiting:
            node = waiting.pop()
            yield node
            if not isinstance(node, FUNCTIONS):
                waiting.extend(children(node))
            elif not isinstance(node, ast.Lambda):
                waiting.extend(node.decorator_list)

    def _loaded(self) -> set[ast.AST]:
        functions = {node.name: node for node in self.functions}
        found: set[ast.AST] = set()
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            scope = waiting.pop()
            for node in self.inside(scope):
                if not isinstance(node, ast.Call) or (scope is self.tree and self.guarded(node)):
                    continue
                last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                called = node.func if isinstance(node.func, ast.Lambda) else functions.get(last)
                if called is not None and called not in found:
                    found.add(called)
                    waiting.append(called)
        return found


def _is_guard(test: ast.expr) -> bool:
    words = {node.id if isinstance(node, ast.Name) else getattr(node, "attr", "") for node in ast.walk(test)}
    if "TYPE_CHECKING" in words:
        return True
    return "__name__" in words and any(
        isinstance(node, ast.Constant) and node.value == "__main__" for node in ast.walk(test)
    )
