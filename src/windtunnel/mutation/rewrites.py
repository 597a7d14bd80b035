"""The patterns of known equivalence: how each brings a node into its plain form."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

_STRICT: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.GtE: ast.Gt, ast.LtE: ast.Lt}
_MIRROR: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.Lt, ast.Lt: ast.Gt, ast.GtE: ast.LtE, ast.LtE: ast.GtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
_FILLED = {(ast.Gt, 0), (ast.NotEq, 0), (ast.GtE, 1)}
_EMPTY = {(ast.Eq, 0), (ast.LtE, 0), (ast.Lt, 1)}
_SPELLED_OUT: dict[tuple[str, int], object] = {
    ("get", 1): None, ("enumerate", 1): 0, ("sum", 1): 0, ("split", 0): None, ("strip", 0): None, ("rsplit", 0): None,
    ("lstrip", 0): None, ("rstrip", 0): None, ("split", 1): -1, ("rsplit", 1): -1, ("open", 1): "r", ("round", 1): None,
    ("encode", 0): "utf-8", ("decode", 0): "utf-8", ("setdefault", 1): None,
}
"""What a call means by leaving out its last argument, by name and position."""
_SPELLED_OUT_KEYS: dict[tuple[str, str], object] = {
    ("enumerate", "start"): 0, ("sum", "start"): 0, ("sorted", "reverse"): False, ("sort", "reverse"): False,
    ("sorted", "key"): None, ("sort", "key"): None, ("max", "key"): None, ("min", "key"): None, ("open", "mode"): "r",
    ("zip", "strict"): False, ("print", "end"): "\n", ("print", "sep"): " ", ("dumps", "indent"): None,
    ("dumps", "sort_keys"): False, ("split", "maxsplit"): -1, ("dataclass", "frozen"): False,
    ("dataclass", "order"): False, ("dataclass", "slots"): False, ("dataclass", "kw_only"): False,
}

_BUILT_IN = frozenset({
    "abs", "enumerate", "len", "max", "min", "open", "print", "range", "round", "sorted", "sum", "zip",
})
CALLS = frozenset({"range", "max", "min", "sorted", "sort", "abs", *(name for name, _ in _SPELLED_OUT),
                   *(name for name, _ in _SPELLED_OUT_KEYS)})
"""Names of all the calls that a pattern speaks of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One way to write the same."""

    name: str
    nodes: tuple[type[ast.AST], ...]
    rewrite: Callable[[ast.AST], ast.AST | None]
    """The plain form of a node, or nothing if it is no such node or is plain already."""
    same: tuple[tuple[str, str], ...]
    different: tuple[tuple[str, str], ...]
    """Pairs that look like it and are not."""


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        # A method that is named like a built-in function is something else.
        return "" if node.func.attr in _BUILT_IN else node.func.attr
    return getattr(node.func, "id", "")


def _is(node: ast.AST | None, value: object) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(value, int) and value < 0:
        return _is(node.operand, -value)
    return isinstance(node, ast.Constant) and type(node.value) is type(value) and node.value == value


def _alike(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def _range(node: ast.AST) -> ast.AST | None:
    if _called(node) != "range" or not isinstance(node, ast.Call) or node.keywords:
        return None
    match node.args:
        case [first, last] if _is(first, 0):
            return ast.Call(func=node.func, args=[last], keywords=[])
        case [first, last, step] if _is(step, 1):
            args = [last] if _is(first, 0) else [first, last]
            return ast.Call(func=node.func, args=args, keywords=[])
    return None


def _nothing_added(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and _is(node.right, 0):
        return node.left
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub) and _is(node.value, 0):
        return ast.Pass()
    return None


def _length(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    left, operator, right = node.left, type(node.ops[0]), node.comparators[0]
    if _called(right) == "len" and operator in _MIRROR:
        left, operator, right = right, _MIRROR[operator], left
    if _called(left) != "len" or not isinstance(right, ast.Constant) or isinstance(right.value, bool):
        return None
    for kinds, plain in ((_FILLED, ast.NotEq), (_EMPTY, ast.Eq)):
        if (operator, right.value) in kinds and not (operator is plain and left is node.left):
            return ast.Compare(left=left, ops=[plain()], comparators=[ast.Constant(value=0)])
    return None


def _same_twice(node: ast.AST) -> ast.AST | None:
    if _called(node) in {"max", "min"} and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        match node:
            case ast.Call(args=[ast.Name() as one, ast.Name() as other], keywords=[]) if _alike(one, other):
                return one
    return None


def _identity_key(node: ast.AST) -> ast.AST | None:
    if _called(node) not in {"sorted", "sort", "max", "min"} or not isinstance(node, ast.Call):
        return None
    left = [keyword for keyword in node.keywords if not (keyword.arg == "key" and _is_identity(keyword.value))]
    return ast.Call(func=node.func, args=node.args, keywords=left) if len(left) < len(node.keywords) else None


def _is_identity(node: ast.AST) -> bool:
    match node:
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)], defaults=[]), body=ast.Name(id=body)):
            return name == body
    return False


def _spelled_out(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    name, missing = _called(node), object()
    keywords = [keyword for keyword in node.keywords
                if keyword.arg is None or not _is(keyword.value, _SPELLED_OUT_KEYS.get((name, keyword.arg), missing))]
    args = list(node.args)
    if args and _is(args[-1], _SPELLED_OUT.get((name, len(args) - 1), missing)):
        args.pop()
    if (len(args), len(keywords)) == (len(node.args), len(node.keywords)):
        return None
    return ast.Call(func=node.func, args=args, keywords=keywords)


def _none(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Compare(left=ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name)) as left,
                         ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]) if (
                             name in {"match", "search", "fullmatch"} and _is(right, None)):
            plain = ast.Is() if isinstance(operator, ast.Eq) else ast.IsNot()
            return ast.Compare(left=left, ops=[plain], comparators=[right])
    return None


def _edge_of_choice(node: ast.AST) -> ast.AST | None:
    """Where both sides are the same value, it does not matter which one is taken."""
    match node:
        case ast.IfExp(test=ast.Compare(left=left, ops=[operator], comparators=[right]), body=body, orelse=orelse):
            strict = _STRICT.get(type(operator))
            sides = (_alike(left, body) and _alike(right, orelse)) or (_alike(left, orelse) and _alike(right, body))
            if strict and sides:
                plain = ast.Compare(left=left, ops=[strict()], comparators=[right])
                return ast.IfExp(test=plain, body=body, orelse=orelse)
    return None


def _edge_of_maximum(node: ast.AST) -> ast.AST | None:
    """Setting a name to the value that it has."""
    match node:
        case ast.If(test=ast.Compare(left=ast.Name(id=left), ops=[operator], comparators=[ast.Name(id=right)]),
                    body=[ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=value))], orelse=[]):
            strict = _STRICT.get(type(operator))
            if strict and {left, right} == {target, value}:
                plain = ast.Compare(left=node.test.left, ops=[strict()], comparators=node.test.comparators)  # type: ignore[attr-defined]  # matched above
                return ast.If(test=plain, body=node.body, orelse=[])
    return None


def _slice(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.Slice):
        return None
    lower = None if _is(node.lower, None) or (_is(node.lower, 0) and _is_forward(node.step)) else node.lower
    upper = None if _is(node.upper, None) else node.upper
    step = None if _is(node.step, 1) or _is(node.step, None) else node.step
    if (lower, upper, step) == (node.lower, node.upper, node.step):
        return None
    return ast.Slice(lower=lower, upper=upper, step=step)


def _is_forward(step: ast.expr | None) -> bool:
    return step is None or (isinstance(step, ast.Constant) and (step.value is None or isinstance(step.value, int)))


def _sign(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Call(func=ast.Name(id="abs"), args=[ast.UnaryOp(op=ast.USub(), operand=operand)], keywords=[]):
            return ast.Call(func=node.func, args=[operand], keywords=[])
        case ast.BinOp(left=ast.UnaryOp(op=ast.USub(), operand=operand), op=ast.Pow(), right=right) if _is(right, 2):
            return ast.BinOp(left=operand, op=ast.Pow(), right=right)
    return None


PATTERNS = (
    Pattern(name="range from zero", nodes=(ast.Call,), rewrite=_range,
            same=(("range(0, n)", "range(n)"), ("range(a, b, 1)", "range(a, b)")),
            different=(("range(1, n)", "range(n)"),)),
    Pattern(name="nothing added", nodes=(ast.BinOp, ast.AugAssign), rewrite=_nothing_added,
            same=(("x + 0", "x - 0"), ("i += 0", "i -= 0"), ("i += 0", "pass")),
            different=(("x + 1", "x - 1"), ("x * 0", "x"))),
    Pattern(name="length above zero", nodes=(ast.Compare,), rewrite=_length,
            same=(("len(x) > 0", "len(x) != 0"), ("len(x) >= 1", "0 < len(x)"), ("len(x) == 0", "len(x) <= 0"),
                  ("len(x) < 1", "len(x) == 0")),
            different=(("len(x) > 0", "len(x) >= 0"), ("size > 0", "size != 0"), ("len(x) > 1", "len(x) != 1"))),
    Pattern(name="the same twice", nodes=(ast.Call,), rewrite=_same_twice,
            same=(("max(a, a)", "min(a, a)"), ("max(a, a)", "a")),
            different=(("max(a, b)", "min(a, b)"),)),
    Pattern(name="sorted by itself", nodes=(ast.Call,), rewrite=_identity_key,
            same=(("sorted(x, key=lambda v: v)", "sorted(x)"), ("max(x, key=lambda v: v)", "max(x)")),
            different=(("sorted(x, key=lambda v: -v)", "sorted(x)"), ("map(x, key=lambda v: v)", "map(x)"))),
    Pattern(name="default spelled out", nodes=(ast.Call,), rewrite=_spelled_out,
            same=(("d.get(k, None)", "d.get(k)"), ("enumerate(x, 0)", "enumerate(x)"),
                  ("s.encode('utf-8')", "s.encode()"), ("sorted(x, reverse=False)", "sorted(x)"),
                  ("s.split(a, -1)", "s.split(a)")),
            different=(("d.get(k, 0)", "d.get(k)"), ("shelve.open(p, 'r')", "shelve.open(p)"),
                       ("enumerate(x, False)", "enumerate(x)"))),
    Pattern(name="nothing but None", nodes=(ast.Compare,), rewrite=_none,
            same=(("re.match(p, s) == None", "re.match(p, s) is None"),),
            different=(("x == None", "x is None"),)),
    Pattern(name="edge of a choice", nodes=(ast.IfExp,), rewrite=_edge_of_choice,
            same=(("a if a > b else b", "a if a >= b else b"), ("b if a < b else a", "b if a <= b else a")),
            different=(("a if a > b else c", "a if a >= b else c"), ("a if a > b else b", "a if a <= b else b"))),
    Pattern(name="edge of a maximum", nodes=(ast.If,), rewrite=_edge_of_maximum,
            same=(("if x > most:\n    most = x", "if x >= most:\n    most = x"),),
            different=(("if x > most:\n    most = y", "if x >= most:\n    most = y"),)),
    Pattern(name="bound spelled out", nodes=(ast.Slice,), rewrite=_slice,
            same=(("x[0:n]", "x[:n]"), ("x[a:b:1]", "x[a:b]"), ("x[:None]", "x[:]")),
            different=(("x[1:n]", "x[:n]"), ("x[0::-1]", "x[::-1]"))),
    Pattern(name="sign that is lost", nodes=(ast.Call, ast.BinOp), rewrite=_sign,
            same=(("abs(-x)", "abs(x)"), ("(-x) ** 2", "x ** 2")),
            different=(("(-x) ** 3", "x ** 3"), ("-x ** 2", "x ** 2"))),
)
