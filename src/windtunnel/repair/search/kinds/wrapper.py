"""A call around a value that is missing or too much: ``abs``, ``len``, ``sorted``, ``.lower()``, ``[::-1]``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import ATOM, COMPARE, binding
from windtunnel.repair.search.shapes import arity
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.types import is_number

_ORDINARY = {
    "number": (
        ("abs({})", 0.014),
        ("int({})", 0.008),
        ("str({})", 0.01),
        ("-{}", 0.006),
        ("round({})", 0.004),
        ("float({})", 0.003),
    ),
    "str": (
        ("{}.lower()", 0.01),
        ("{}.strip()", 0.008),
        ("int({})", 0.012),
        ("{}.upper()", 0.006),
        ("len({})", 0.01),
        ("{}.split()", 0.006),
        ("list({})", 0.003),
        ("{}[::-1]", 0.008),
        ("float({})", 0.003),
        ("ord({})", 0.003),
        ("sorted({})", 0.003),
        ("set({})", 0.003),
        ("{}.title()", 0.001),
    ),
    "list": (
        ("len({})", 0.014),
        ("sorted({})", 0.012),
        ("set({})", 0.01),
        ("sum({})", 0.01),
        ("list({})", 0.006),
        ("max({})", 0.006),
        ("min({})", 0.006),
        ("{}[:]", 0.006),
        ("{}.copy()", 0.005),
        ("{}[::-1]", 0.008),
        ("{}[0]", 0.004),
        ("{}[-1]", 0.005),
        ("tuple({})", 0.004),
        ("enumerate({})", 0.004),
        ("any({})", 0.002),
        ("all({})", 0.002),
        ("''.join({})", 0.004),
        ("{}[1:]", 0.004),
        ("{}[:-1]", 0.004),
        ("reversed({})", 0.006),
    ),
    "dict": (
        ("{}.items()", 0.014),
        ("{}.values()", 0.012),
        ("len({})", 0.008),
        ("{}.copy()", 0.006),
        ("dict({})", 0.004),
        ("sorted({})", 0.006),
        ("{}.keys()", 0.002),
        ("list({})", 0.004),
    ),
    "set": (("len({})", 0.012), ("sorted({})", 0.012), ("list({})", 0.012), ("{}.copy()", 0.004)),
    "tuple": (
        ("list({})", 0.008),
        ("sorted({})", 0.01),
        ("len({})", 0.008),
        ("sum({})", 0.006),
        ("{}[0]", 0.006),
        ("{}[1]", 0.006),
    ),
    "lazy": (
        ("list({})", 0.02),
        ("sorted({})", 0.014),
        ("reversed({})", 0.01),
        ("set({})", 0.006),
        ("len({})", 0.004),
        ("enumerate({})", 0.006),
    ),
    "": (
        ("len({})", 0.006),
        ("abs({})", 0.006),
        ("int({})", 0.005),
        ("str({})", 0.005),
        ("sorted({})", 0.005),
        ("list({})", 0.005),
        ("set({})", 0.004),
        ("sum({})", 0.003),
        ("{}.copy()", 0.003),
        ("{}.lower()", 0.003),
        ("{}.strip()", 0.003),
        ("{}[::-1]", 0.003),
        ("{}[0]", 0.003),
        ("{}[1]", 0.003),
        ("{}[-1]", 0.002),
        ("not {}", 0.002),
    ),
}
_KINDS = {
    "str": "str",
    "list": "list",
    "deque": "list",
    "dict": "dict",
    "defaultdict": "dict",
    "Counter": "dict",
    "set": "set",
    "frozenset": "set",
    "tuple": "tuple",
    "range": "lazy",
    "map": "lazy",
    "filter": "lazy",
    "zip": "lazy",
    "generator": "lazy",
    "reversed": "lazy",
    "dict_items": "lazy",
    "dict_keys": "lazy",
    "dict_values": "lazy",
}
_PURE = frozenset(
    {
        "abs",
        "len",
        "int",
        "str",
        "list",
        "sorted",
        "set",
        "sum",
        "float",
        "round",
        "tuple",
        "reversed",
        "max",
        "min",
        "bool",
        "dict",
        "enumerate",
    }
)
_METHODS = frozenset(
    {"lower", "upper", "strip", "copy", "split", "items", "values", "keys", "title", "lstrip", "rstrip"}
)


def edits(site: Site) -> Iterator[Edit]:
    """Each value that could stand in a call, and each call that could be left out."""
    for node in site.nodes:
        if isinstance(node, ast.Call):
            yield from _bared(site, node)
        if _is_value(site, node):
            yield from _wrapped(site, node)


def _is_value(site: Site, node: ast.expr) -> bool:
    """Whether wrapping it could mean something: no callees, targets, bare statements, slices, parts of names."""
    parent = site.parent(node)
    if isinstance(
        node,
        ast.Constant
        | ast.Lambda
        | ast.Starred
        | ast.Slice
        | ast.Yield
        | ast.YieldFrom
        | ast.Await
        | ast.Compare
        | ast.BoolOp,
    ):
        return False
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or isinstance(
        parent, ast.Expr | ast.Attribute | ast.Starred | ast.FormattedValue
    ):
        return False
    if isinstance(node, ast.List | ast.Dict | ast.Set) and not getattr(node, "elts", getattr(node, "keys", ())):
        return False
    return not site.module.is_called(node) and not (isinstance(node, ast.GeneratorExp) and isinstance(parent, ast.Call))


def _wrapped(site: Site, node: ast.expr) -> Iterator[Edit]:
    kinds = site.type(node) - {"NoneType"}
    if kinds & {"bool", "function"}:
        return
    group = "number" if is_number(kinds) else next((_KINDS[one] for one in sorted(kinds) if one in _KINDS), "")
    simple = isinstance(node, ast.Name | ast.Subscript | ast.Attribute)
    if (
        isinstance(node, ast.Name)
        and isinstance(site.parent(node), ast.Assign)
        and group in {"list", "dict", "set", ""}
    ):
        copies = {"list": ("list({})", "{}.copy()", "{}[:]"), "": ("list({})", "{}.copy()")}.get(group, ("{}.copy()",))
        yield from (change(site, node, pattern.format(node.id), 0.018, why="a copy of its own") for pattern in copies)
    for pattern, prior in _ORDINARY[group]:
        if _is_pointless(site, node, pattern):
            continue
        inner = site.operand(node, ATOM if pattern[0] in "{-n" else 0)
        yield change(
            site,
            node,
            pattern.format(inner),
            prior * (1 if simple else 0.7),
            why="converted",
            level=ATOM if pattern[0] not in "-n" else COMPARE - 1,
        )
    yield from _own(site, node, simple=simple)


def _is_pointless(site: Site, node: ast.expr, pattern: str) -> bool:
    """Whether the value is wrapped so already, or is what the wrapper makes."""
    parent = site.parent(node)
    outer = parent.func.id if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) else ""
    name = pattern.partition("(")[0]
    inner = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    truth = isinstance(parent, ast.If | ast.While | ast.BoolOp)
    return (
        (name
        and name in {outer, inner})
        or (truth and name in {"len", "list", "abs", "set", "sorted"})
        or (
            name in {"list", "sorted", "tuple"}
            and outer in {"len", "sum", "set", "list", "sorted", "max", "min", "any", "all", "range"}
        )
    )


def _own(site: Site, node: ast.expr, *, simple: bool) -> Iterator[Edit]:
    """A function of the file that takes one value, the one around us first."""
    for name, function in list(site.module.definitions.items())[:6]:
        least, most = arity(function)
        if simple and least <= 1 <= most:
            recursive = site.function is not None and site.function.node is function
            yield change(
                site,
                node,
                f"{name}({site.text(node)})",
                0.008 if recursive else 0.005,
                why="through the file's own function",
            )


def _bared(site: Site, node: ast.Call) -> Iterator[Edit]:
    """The value without the call around it."""
    if (
        isinstance(node.func, ast.Name)
        and len(node.args) == 1
        and not isinstance(node.args[0], ast.GeneratorExp | ast.Starred)
    ):
        prior = 0.02 if node.func.id in _PURE else 0.006
        yield change(site, node, site.text(node.args[0]), prior, why="without the call", level=binding(node.args[0]))
    elif isinstance(node.func, ast.Attribute) and not node.args and node.func.attr in _METHODS:
        yield change(
            site, node, site.text(node.func.value), 0.02, why="without the call", level=binding(node.func.value)
        )


KIND = Kind(
    name="wrapper",
    bound=0.02,
    edits=edits,
    before="def distance(a: int, b: int):\n    return a - b\n",
    after="def distance(a: int, b: int):\n    return abs(a - b)\n",
)
