"""Which types a function's names hold: seen while it ran, said by it, or told by how they are used."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from windtunnel.repair.search.shapes import Definition, own_nodes

Types = Mapping[str, frozenset[str]]
NUMBERS = frozenset({"int", "float", "bool", "complex"})
CONTAINERS = frozenset({"list", "dict", "set", "tuple", "str", "deque", "defaultdict", "Counter", "frozenset"})
BUILTINS = NUMBERS | CONTAINERS | {"range", "function"}
UNSURE = 0.4
"""The likeness where one of two types is not known."""
UNKNOWN: frozenset[str] = frozenset()
_DEPTH = 12
_CALLS = {
    "len": "int",
    "int": "int",
    "float": "float",
    "str": "str",
    "list": "list",
    "dict": "dict",
    "set": "set",
    "tuple": "tuple",
    "sorted": "list",
    "bool": "bool",
    "ord": "int",
    "chr": "str",
    "range": "range",
    "repr": "str",
    "any": "bool",
    "all": "bool",
    "isinstance": "bool",
    "enumerate": "enumerate",
    "zip": "zip",
    "map": "map",
    "filter": "filter",
    "reversed": "reversed",
    "hash": "int",
    "round": "int",
    "divmod": "tuple",
    "frozenset": "frozenset",
    "defaultdict": "defaultdict",
    "Counter": "Counter",
    "deque": "deque",
    "input": "str",
    "bin": "str",
    "hex": "str",
    "callable": "bool",
    "iter": "iterator",
    "id": "int",
}
_METHODS = {
    "split": "list",
    "strip": "str",
    "lower": "str",
    "upper": "str",
    "join": "str",
    "replace": "str",
    "find": "int",
    "index": "int",
    "count": "int",
    "startswith": "bool",
    "endswith": "bool",
    "isdigit": "bool",
    "isalpha": "bool",
    "rstrip": "str",
    "lstrip": "str",
    "title": "str",
    "capitalize": "str",
    "splitlines": "list",
    "format": "str",
    "keys": "dict_keys",
    "values": "dict_values",
    "items": "dict_items",
    "isspace": "bool",
    "isupper": "bool",
    "islower": "bool",
    "isalnum": "bool",
    "zfill": "str",
    "union": "set",
    "intersection": "set",
    "difference": "set",
    "encode": "bytes",
    "decode": "str",
    "swapcase": "str",
    "rfind": "int",
    "rsplit": "list",
    "partition": "tuple",
}
_ASKED = {
    "append": "list",
    "extend": "list",
    "sort": "list",
    "insert": "list",
    "reverse": "list",
    "add": "set",
    "discard": "set",
    "items": "dict",
    "keys": "dict",
    "values": "dict",
    "setdefault": "dict",
    "get": "dict",
    "split": "str",
    "strip": "str",
    "lower": "str",
    "upper": "str",
    "startswith": "str",
    "endswith": "str",
    "replace": "str",
    "isdigit": "str",
    "isalpha": "str",
    "popleft": "deque",
    "appendleft": "deque",
    "join": "str",
}
_LITERALS: dict[type[ast.AST], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.Tuple: "tuple",
    ast.JoinedStr: "str",
    ast.Compare: "bool",
    ast.GeneratorExp: "generator",
    ast.Lambda: "function",
}


def infer(node: Definition, seen: Mapping[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """The types of each name; what was seen goes before what is only likely."""
    known = {name: frozenset(kind.rpartition(".")[2] for kind in kinds) for name, kinds in seen.items() if kinds}
    for spec in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        if spec.annotation is not None and spec.arg not in known:
            known[spec.arg] = annotated(spec.annotation)
    found = [
        one for one in own_nodes(node) if isinstance(one, ast.Assign | ast.AugAssign | ast.For | ast.Call | ast.Compare)
    ]
    for one in sorted(found, key=lambda found_node: (found_node.lineno, found_node.col_offset)):
        for name, kinds in _told(one, known):
            if not known.get(name) and kinds:
                known[name] = kinds
    return known


def annotated(node: ast.expr) -> frozenset[str]:
    """The types that an annotation names; nothing where it names none that is known here."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
    base = text.partition("[")[0].rpartition(".")[2].lower()
    known = {"sequence": "list", "iterable": "list", "mapping": "dict", "optional": ""}.get(base, base)
    return frozenset({known}) if known in NUMBERS | CONTAINERS else UNKNOWN


def _told(node: ast.AST, known: Types) -> list[tuple[str, frozenset[str]]]:
    """What one node says of names."""
    if isinstance(node, ast.Assign):
        return [pair for target in node.targets for pair in _assigned(target, node.value, known)]
    if isinstance(node, ast.AugAssign):
        return _assigned(node.target, node.value, known)
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name):
        return _looped(node.target, node.iter.func.id)
    if (
        isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Name)
        and isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq)
    ):
        return [(node.left.id, type_of(node.comparators[0], known))]
    if isinstance(node, ast.Call):
        return _asked(node)
    return []


def _assigned(target: ast.expr, value: ast.expr, known: Types) -> list[tuple[str, frozenset[str]]]:
    if isinstance(target, ast.Name):
        return [(target.id, type_of(value, known))]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [pair for one, part in zip(target.elts, value.elts, strict=True) for pair in _assigned(one, part, known)]
    return []


def _looped(target: ast.expr, function: str) -> list[tuple[str, frozenset[str]]]:
    if function == "range" and isinstance(target, ast.Name):
        return [(target.id, frozenset({"int"}))]
    if function == "enumerate" and isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name):
        return [(target.elts[0].id, frozenset({"int"}))]
    return []


def _asked(node: ast.Call) -> list[tuple[str, frozenset[str]]]:
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        kind = _ASKED.get(node.func.attr)
        return [(node.func.value.id, frozenset({kind}))] if kind else []
    if isinstance(node.func, ast.Name) and node.func.id == "range":
        return [(one.id, frozenset({"int"})) for one in node.args if isinstance(one, ast.Name)]
    return []


def type_of(node: ast.expr, known: Types, depth: int = 0) -> frozenset[str]:
    """The types that an expression may have; nothing where nobody can tell."""
    if depth > _DEPTH:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        return frozenset({type(node.value).__name__})
    if isinstance(node, ast.Name):
        return known.get(node.id, UNKNOWN)
    if type(node) in _LITERALS:
        return frozenset({_LITERALS[type(node)]})
    if isinstance(node, ast.Call):
        return _returned(node, known, depth)
    return _combined(node, known, depth)


def _returned(node: ast.Call, known: Types, depth: int) -> frozenset[str]:
    if isinstance(node.func, ast.Name):
        if node.func.id in {"min", "max", "abs", "sum"} and node.args:
            kinds = type_of(node.args[0], known, depth + 1)
            return (
                kinds
                if node.func.id == "abs" or len(node.args) > 1
                else frozenset({"int"} if node.func.id == "sum" else ())
            )
        kind = _CALLS.get(node.func.id)
    else:
        kind = _METHODS.get(node.func.attr) if isinstance(node.func, ast.Attribute) else None
    return frozenset({kind}) if kind else UNKNOWN


def _combined(node: ast.expr, known: Types, depth: int) -> frozenset[str]:  # noqa: PLR0911 -- one for each sort of expression
    if isinstance(node, ast.BinOp):
        left, right = type_of(node.left, known, depth + 1), type_of(node.right, known, depth + 1)
        if isinstance(node.op, ast.Div):
            return frozenset({"float"})
        return left or right if left != {"int"} else right or left
    if isinstance(node, ast.UnaryOp):
        return frozenset({"bool"}) if isinstance(node.op, ast.Not) else type_of(node.operand, known, depth + 1)
    if isinstance(node, ast.BoolOp):
        return type_of(node.values[-1], known, depth + 1)
    if isinstance(node, ast.IfExp):
        return type_of(node.body, known, depth + 1) or type_of(node.orelse, known, depth + 1)
    if isinstance(node, ast.Subscript) and (
        type_of(node.value, known, depth + 1) == {"str"} or isinstance(node.slice, ast.Slice)
    ):
        return type_of(node.value, known, depth + 1)
    return UNKNOWN


def likeness(first: frozenset[str], second: frozenset[str]) -> float:
    """From 0 to 1: how well a value of the second types stands where one of the first stood."""
    first, second = first - {"NoneType"}, second - {"NoneType"}
    if not first or not second:
        return UNSURE
    if first & second:
        return 1.0
    return 0.5 if first <= NUMBERS and second <= NUMBERS else 0.04


def is_number(kinds: frozenset[str]) -> bool:
    """Whether surely a number."""
    return bool(kinds) and kinds - {"NoneType"} <= NUMBERS


def is_container(kinds: frozenset[str]) -> bool:
    """Whether surely something with a length."""
    return bool(kinds) and bool(kinds & CONTAINERS)
