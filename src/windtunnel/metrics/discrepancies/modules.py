"""What a Python file defines, read and never imported.

A module or class is ``open`` where names can come from what is not seen here: a star import from outside, a
``__getattr__``, a base class of another project, ``exec``. What an open one does not define may be there all the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_MOST_CHARACTERS = 2_000_000
_MOST_TEXT = 2000
_MOST_PARTS = 20
_DYNAMIC = frozenset({"exec", "eval", "globals", "vars", "setattr", "__import__"})
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True, kw_only=True)
class Import:
    """A name that comes from another module: the module, and of it the name, or all of it."""

    module: str
    name: str = ""


@dataclass(slots=True, kw_only=True)
class Class:
    """What is known of a class."""

    node: ast.ClassDef
    home: str
    """The module it is in."""
    names: dict[str, ast.AST]
    open: bool


@dataclass(slots=True, kw_only=True)
class Module:
    """What is known of a file."""

    name: str
    path: str
    package: bool
    names: dict[str, object] = field(default_factory=dict)
    """A ``Class``, a function's node, an ``Import``, or another node; none where a name is bound more than once."""
    stars: list[str] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    """All of them, also those in classes and in each other."""
    options: set[str] = field(default_factory=set)
    """Texts with two dashes in them."""
    words: set[str] = field(default_factory=set)
    """All other texts."""
    dashes: bool = False
    """Whether two dashes are put before a word that is not known here."""
    attributes: set[str] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)
    """First parts of modules that it imports, anywhere."""
    open: bool = False


def read_module(source: bytes, *, name: str, path: str) -> Module | None:
    """The module, or none where it is no Python that can be read."""
    tree = parse(source)
    if tree is None:
        return None
    made = Module(name=name, path=path, package=path.endswith(("/__init__.py", "/__init__.pyi")))
    try:
        for statement in scope(tree.body):
            for bound, what in _bound(statement, made):
                made.names[bound] = what if bound not in made.names else None
    except RecursionError:
        return None
    every = _walked(tree)
    for node in every:
        _note(node, made)
    made.open = made.open or "__getattr__" in made.names or b"sys.modules[" in source
    _slim(every, made)
    return made


def _walked(tree: ast.AST) -> list[ast.AST]:
    """All nodes; ``ast.walk`` says the same, in three times as long."""
    found = [tree]
    for node in found:
        for value in vars(node).values():
            if isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def _slim(every: Iterable[ast.AST], module: Module) -> None:
    """Let go of what nobody asks for, so that many modules can be kept: of bodies all but a docstring and an end."""
    for node in every:
        if isinstance(node, Function | ast.ClassDef):
            last = [node.body[-1]] if isinstance(node, Function) and isinstance(node.body[-1], ast.Return) else []
            node.body = [*(node.body[:1] if ast.get_docstring(node, clean=False) is not None else []), *last]
    for name, bound in module.names.items():
        if isinstance(bound, Class):
            bound.names = {inner: _slimmed(what) for inner, what in bound.names.items()}
        elif name != "__all__" and isinstance(bound, ast.stmt):
            module.names[name] = _slimmed(bound)


def _slimmed(node: ast.AST) -> ast.AST:
    """What stands for a node of which only matters that it is there."""
    return node if isinstance(node, Function | ast.ClassDef) else ast.Pass()


def _note(node: ast.AST, module: Module) -> None:
    """What matters wherever it stands."""
    if isinstance(node, ast.Attribute):
        module.attributes.add(node.attr)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        (module.options if "--" in node.value else module.words).add(node.value[:_MOST_TEXT])
    elif isinstance(node, ast.JoinedStr | ast.BinOp):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node.left, node.right]
        module.dashes = module.dashes or any(
            isinstance(one, ast.Constant) and str(one.value).endswith("--") for one in parts[:-1])
    elif isinstance(node, Function):
        module.functions.append(node)
    elif isinstance(node, ast.Import):
        module.imported |= {one.name.partition(".")[0] for one in node.names}
    elif isinstance(node, ast.ImportFrom):
        module.imported.add((node.module or "").partition(".")[0])
    elif isinstance(node, ast.Global):
        module.names.update(dict.fromkeys(set(node.names) - set(module.names)))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DYNAMIC:
        module.open = module.open or node.func.id != "setattr" or not _on_self(node)


def parse(source: bytes | str) -> ast.Module | None:
    """The tree, or none."""
    if len(source) > _MOST_CHARACTERS:
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _on_self(call: ast.Call) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id in {"self", "cls"}


def scope(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of one scope, also those in its conditions, loops and tries."""
    for statement in body:
        yield statement
        if not isinstance(statement, _SCOPES):
            for name in ("body", "orelse", "finalbody"):
                yield from scope(getattr(statement, name, ()))
            for handler in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                yield from scope(handler.body)


def _bound(statement: ast.stmt, module: Module) -> Iterator[tuple[str, object]]:
    """Names that a statement of a module binds."""
    if isinstance(statement, ast.ClassDef):
        yield statement.name, read_class(statement, home=module.name)
    elif isinstance(statement, Function):
        yield statement.name, statement
    elif isinstance(statement, ast.Import):
        for one in statement.names:
            yield (one.asname, Import(module=one.name)) if one.asname else (
                one.name.partition(".")[0], Import(module=one.name.partition(".")[0]))
    elif isinstance(statement, ast.ImportFrom):
        origin = absolute(statement, module)
        module.stars += [origin for one in statement.names if one.name == "*"]
        for one in statement.names:
            if one.name != "*":
                yield one.asname or one.name, Import(module=origin, name=one.name)
    else:
        yield from ((name, statement) for name in stored(statement))


def absolute(statement: ast.ImportFrom, module: Module) -> str:
    """The module that is imported from, by its whole name."""
    if not statement.level:
        return statement.module or ""
    parts = module.name.split(".")
    base = parts[:len(parts) - statement.level + module.package]
    return ".".join([*base, *([statement.module] if statement.module else [])])


def stored(statement: ast.stmt) -> set[str]:
    """Names that a statement itself assigns, those in functions not among them."""
    found: set[str] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name:
            found.add(node.name)
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, _SCOPES)]
    return found


def read_class(node: ast.ClassDef, *, home: str) -> Class:
    """Its methods, its fields, and what its methods set on ``self``."""
    names: dict[str, ast.AST] = {}
    for statement in scope(node.body):
        if isinstance(statement, Function | ast.ClassDef):
            names.setdefault(statement.name, statement)
        else:
            names |= dict.fromkeys(stored(statement), statement)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and isinstance(inner.value, ast.Name):
            names.setdefault(inner.attr, inner)
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in _DYNAMIC:
            names.setdefault("__getattr__", inner)
    free = {"__getattr__", "__getattribute__", "__slots__"} & names.keys()
    decorated = [one for one in map(dotted, node.decorator_list) if one.rpartition(".")[2] not in {
        "dataclass", "final", "runtime_checkable", "total_ordering", "unique"}]
    return Class(node=node, home=home, names=names, open=bool(free or decorated or node.keywords))


def dotted(node: ast.expr) -> str:
    """``a.b.c`` of an expression that is such a name, called or not; else empty."""
    parts: list[str] = []
    part: ast.expr = node.func if isinstance(node, ast.Call) else node
    while isinstance(part, ast.Attribute) and len(parts) < _MOST_PARTS:
        parts.append(part.attr)
        part = part.value
    return ".".join([part.id, *reversed(parts)]) if isinstance(part, ast.Name) else ""
