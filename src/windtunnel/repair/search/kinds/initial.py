"""First values: of a name before a loop, of a default argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.site import Edit, Kind, Site, change

_VALUES = ("0", "1", "[]", "{}", "None", "''", "set()", "float('inf')", "-1", "True", "False", "-float('inf')", "()")


def edits(site: Site) -> Iterator[Edit]:
    """Another first value for a name that starts from a plain one; other defaults."""
    if isinstance(site.statement, ast.Assign) and site.function is not None:
        yield from _values(site, site.statement)
    elif isinstance(site.statement, ast.FunctionDef | ast.AsyncFunctionDef):
        for node in (
            one for one in (*site.statement.args.defaults, *site.statement.args.kw_defaults) if one is not None
        ):
            for text in _VALUES:
                if text != site.text(node):
                    yield change(site, node, text, 0.006, why="another default")


def _values(site: Site, statement: ast.Assign) -> Iterator[Edit]:
    value = statement.value
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    for node in parts:
        if not _is_plain(node):
            continue
        for text in _VALUES:
            if text != site.text(node):
                yield change(
                    site, node, text, 0.006 if text in {"0", "1", "[]", "None"} else 0.003, why="another first value"
                )
        for name in site.function.parameters if site.function else ():
            yield change(
                site,
                node,
                f"{name}[0]",
                0.008 if site.types.get(name, frozenset()) & {"list", "tuple"} else 0.002,
                why="from its first item",
            )
            yield change(site, node, f"[{name}]", 0.004, why="from a parameter")
            yield change(site, node, name, 0.005, why="from a parameter")
            yield change(site, node, f"len({name})", 0.003, why="from a parameter")
            yield change(site, node, f"{{{name}}}", 0.002, why="from a parameter")


def _is_plain(node: ast.expr) -> bool:
    empty = (
        (isinstance(node, ast.List | ast.Tuple | ast.Set)
        and not node.elts)
        or (isinstance(node, ast.Dict) and not node.keys)
    )
    call = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"set", "list", "dict", "float", "len"}
    )
    return bool(isinstance(node, ast.Constant | ast.UnaryOp) or empty or call)


KIND = Kind(
    name="initial",
    bound=0.008,
    edits=edits,
    before=(
        "def product(items: list):\n"
        "    found = None\n"
        "    for one in items:\n"
        "        found *= one\n"
        "    return found\n"
    ),
    after="def product(items: list):\n    found = 1\n    for one in items:\n        found *= one\n    return found\n",
)
