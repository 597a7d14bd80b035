"""Questions about pieces of a tree that every sort of edit asks."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Definition = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BODIES = ("body", "orelse", "finalbody")
_LOGGERS = frozenset({"logging", "logger", "log", "_logger", "_log", "LOGGER", "LOG", "warnings"})


def parameters(node: Definition) -> tuple[str, ...]:
    """The names of a function's parameters, in order."""
    spec = node.args
    plain = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    return tuple(one.arg for one in (*plain, spec.vararg, spec.kwarg) if one is not None)


def arity(node: Definition) -> tuple[int, int]:
    """How many positions a call must fill, and how many it may; self is not counted."""
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    most = len(names) - (names[:1] in (["self"], ["cls"]))
    return most - len(node.args.defaults), 99 if node.args.vararg else most


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Everything inside a scope, what is inside scopes below it left out; those are named themselves."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def assigned(scope: ast.Module | Definition) -> Iterator[str]:
    """Names that a scope's own statements give a value, comprehensions' left out, in the order of the text."""
    found = []
    for node in own_nodes(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append((node.lineno, node.col_offset, node.id))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append((node.lineno, node.col_offset, node.name))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found += [(node.lineno, node.col_offset, one.asname or one.name.split(".")[0]) for one in node.names]
    inside = {
        name.id
        for node in own_nodes(scope)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    outside = {name for _, _, name in found if name not in inside} | _targets(scope)
    return (name for _, _, name in sorted(found) if name in outside)


def _targets(scope: ast.AST) -> set[str]:
    roots: list[ast.AST] = []
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign):
            roots += node.targets
        elif isinstance(node, ast.For | ast.AsyncFor | ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
            roots.append(node.target)
    return {name.id for root in roots for name in ast.walk(root) if isinstance(name, ast.Name)}


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements below a node, functions and classes inside it left out."""
    waiting: list[ast.AST] = [node]
    while waiting:
        one = waiting.pop()
        for name in _BODIES:
            block = getattr(one, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block
                waiting.extend(child for child in reversed(block) if not isinstance(child, SCOPES))
        waiting.extend(getattr(one, "handlers", ()))
        waiting.extend(getattr(one, "cases", ()))


def headers(statement: ast.stmt) -> list[ast.expr]:
    """The expressions that a statement itself holds: no annotations, no statements inside it."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return [one for one in (*statement.args.defaults, *statement.args.kw_defaults) if one is not None]
    if isinstance(statement, ast.ClassDef | ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal):
        return []
    if isinstance(statement, ast.AnnAssign):
        return [statement.target, *([statement.value] if statement.value else [])]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.context_expr for item in statement.items]
    return [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr)]


def is_prose(statement: ast.stmt, *, first: bool = False) -> bool:
    """Whether a statement only tells people something: docstrings, logging."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return first or isinstance(statement.value.value, str)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return False
    base = call.func.value
    name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
    return name in _LOGGERS


def is_typing(statement: ast.stmt) -> bool:
    """Whether a block is for type checkers alone."""
    test = statement.test if isinstance(statement, ast.If) else None
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def names_in(node: ast.AST) -> list[str]:
    """All names below a node, each once, in the order of the text."""
    found = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    return list(dict.fromkeys(one.id for one in sorted(found, key=lambda name: (name.lineno, name.col_offset))))


def same(first: ast.AST | Sequence[ast.AST], second: ast.AST | Sequence[ast.AST]) -> bool:
    """Whether two trees say the same."""
    return dump(first) == dump(second)


def dump(node: ast.AST | Sequence[ast.AST]) -> str:
    """A tree as text, without places."""
    return ast.dump(node) if isinstance(node, ast.AST) else ";".join(ast.dump(one) for one in node)
