"""Texts that came out of a sandbox, read and never evaluated: what may stand in a test that a person is shown.

What holds: a text is short, is one expression, and calls nothing but what the test file has of the product and of a few
modules of the standard library, its own functions, and harmless builtins. What does not hold: what a function of the
product does when it is called is the product's own affair.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

MOST_TEXT, _MOST_NAME = 1500, 200
STANDARD = {
    "asyncio": "run", "collections": "Counter OrderedDict defaultdict deque",
    "datetime": "date datetime time timedelta timezone timezone.utc", "decimal": "Decimal", "fractions": "Fraction",
    "functools": "partial reduce", "io": "BytesIO StringIO",
    "ipaddress": "IPv4Address IPv4Network IPv6Address IPv6Network ip_address ip_network",
    "itertools": "accumulate chain combinations count cycle islice permutations product repeat starmap zip_longest",
    "math": "ceil cos exp floor gcd inf log pi prod sin sqrt", "operator":
    "add and_ contains eq floordiv ge getitem gt itemgetter le lt mod mul ne neg not_ or_ pow sub truediv xor",
    "pathlib": "Path PosixPath PurePath PurePosixPath PureWindowsPath", "re": "compile escape",
    "statistics": "mean median",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace", "uuid": "UUID"}
"""What of the standard library a test may use; nothing that opens, writes or starts anything."""
ALLOWED = frozenset(f"{module}.{name}" for module, names in STANDARD.items() for name in names.split())
_UNSAFE = frozenset({
    "eval", "exec", "compile", "open", "input", "breakpoint", "exit", "quit", "globals", "locals", "vars", "getattr",
    "setattr", "delattr", "help", "print", "memoryview", "copyright", "credits", "license"})
_SAFE = frozenset(name for name in dir(builtins) if not name.startswith("_")) - _UNSAFE
_LOOKING = frozenset({
    "capitalize", "casefold", "copy", "count", "decode", "encode", "endswith", "find", "get", "index", "isalpha",
    "isdigit", "islower", "isspace", "isupper", "items", "join", "keys", "lower", "lstrip", "partition", "replace",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
    "values", "zfill"})
_NODES = (
    ast.Expression, ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp, ast.BoolOp,
    ast.Compare, ast.IfExp, ast.Call, ast.Name, ast.Attribute, ast.Subscript,
    ast.Slice, ast.Starred, ast.keyword, ast.Lambda,
    ast.arguments, ast.arg, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a test file has at its top."""

    names: Mapping[str, str]
    """Names that may be used, with where they come from in the standard library; nothing for what is the project's."""
    taken: frozenset[str]
    """All names that mean something already."""
    stars: bool = False
    """Whether it imports all names of some module, which are not known here."""


def surroundings(source: bytes, product: Collection[str]) -> Surroundings | None:
    """Of a test file; ``product`` are the first parts of the product's own modules. None where it cannot be read."""
    try:
        body = ast.parse(source.decode("utf-8-sig")).body
    except _REFUSED:
        return None
    names: dict[str, str] = {}
    taken: set[str] = set()
    stars = False
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            given = {alias.asname or alias.name.partition(".")[0]: _module(node, alias) for alias in node.names}
            stars = stars or "*" in given
            names |= {name: _origin(node, alias) for alias in node.names
                      for name in [alias.asname or alias.name.partition(".")[0]] if _known(given[name], product)}
            taken |= set(given)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = ""
            taken.add(node.name)
        else:
            stored = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
            taken |= {part.id for part in stored if isinstance(part.ctx, ast.Store)}
    names.pop("*", None)
    return Surroundings(names=names, taken=frozenset(taken), stars=stars)


def _module(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """What an import is of; one that is relative is of the project."""
    return alias.name if isinstance(node, ast.Import) else "." if node.level else node.module or "."


def _origin(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """In the standard library; nothing for anything else."""
    module = _module(node, alias)
    if module not in STANDARD:
        return ""
    return module if isinstance(node, ast.Import) else f"{module}.{alias.name}"


def _known(module: str, product: Collection[str]) -> bool:
    return module == "." or module.partition(".")[0] in product or module in STANDARD or module == "pytest"


def import_line(module: object, name: object, product: Collection[str]) -> str | None:
    """An import that a test may have; None for any other."""
    if not isinstance(module, str) or not isinstance(name, str) or len(module) + len(name) > _MOST_NAME:
        return None
    if not all(part.isidentifier() for part in module.split(".")) or not _known(module, product):
        return None
    if not name:
        return f"import {module}" if module in STANDARD else None
    return f"from {module} import {name}" if name.isidentifier() else None


def expression(text: object, around: Surroundings, *, more: Collection[str] = (), member: str = "") -> str | None:
    """The text as Python writes it, if it may stand in a test; ``member`` may be used though it begins with ``_``."""
    if not isinstance(text, str) or not 0 < len(text) <= MOST_TEXT or "\n" in text:
        return None
    try:
        tree = ast.parse(text, mode="eval")
        known = {**around.names, **{name: name if name in STANDARD else "" for name in more}}
        allowed = _allowed(tree, replace(around, names=known), member=member)
        return ast.unparse(tree) if allowed else None
    except _REFUSED:
        return None


def _allowed(tree: ast.Expression, around: Surroundings, *, member: str) -> bool:
    own = frozenset(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            return False
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and node.attr != member:
            return False
        if isinstance(node, ast.Name) and node.id not in own and not _usable(node.id, around):
            return False
        if isinstance(node, ast.Attribute | ast.Name) and not _in_table(node, around):
            return False
        if isinstance(node, ast.Call) and not _may_be_called(node.func, around, own):
            return False
    return True


def _chain(node: ast.expr) -> tuple[ast.expr, list[str]]:
    """What stands before the first dot, and the words after it."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    return node, words[::-1]


def _in_table(node: ast.expr, around: Surroundings) -> bool:
    """Whether what it names of the standard library is in the table; a module by itself does nothing."""
    base, words = _chain(node)
    origin = around.names.get(base.id, "") if isinstance(base, ast.Name) else ""
    return not origin or (origin in STANDARD and not words) or ".".join([origin, *words]) in ALLOWED


def _may_be_called(function: ast.expr, around: Surroundings, own: Collection[str]) -> bool:
    """Functions by their names, methods of what the product makes, and of anything else methods that only look."""
    base, words = _chain(function)
    if isinstance(base, ast.Name) and base.id not in own:
        return True
    made = _chain(base.func)[0] if isinstance(base, ast.Call) else None
    of_product = isinstance(made, ast.Name) and made.id not in own and not around.names.get(made.id, "-")
    return bool(words) and (of_product or words[-1] in _LOOKING)


def _usable(name: str, around: Surroundings) -> bool:
    if name in around.names:
        return True
    if name in around.taken or name.startswith("__") or name in _UNSAFE:
        return False
    return name in _SAFE or around.stars


def texts(value: object) -> list[str]:
    """The texts of a list that came from inside."""
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []


def pairs(value: object) -> list[tuple[str, str]]:
    """Pairs of texts in a list that came from inside."""
    found = [texts(part) for part in value] if isinstance(value, list) else []
    return [(part[0], part[1]) for part in found if len(part) == 2]  # noqa: PLR2004 -- a pair


def numbers(value: object, known: Sequence[int] | Mapping[int, object]) -> list[int]:
    """Those of a list that came from inside that are known here."""
    return [part for part in value if isinstance(part, int) and part in known] if isinstance(value, list) else []
