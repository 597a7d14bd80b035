"""How tightly Python's expressions bind, so that a spliced one is read as it was meant."""

from __future__ import annotations

import ast

TUPLE, LAMBDA, TERNARY, OR, AND, NOT, COMPARE, ADD, MULTIPLY, UNARY, POWER, ATOM = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    11,
    12,
    13,
    14,
    16,
)
OPERATORS: dict[type[ast.operator], tuple[str, int]] = {
    ast.BitOr: ("|", 7),
    ast.BitXor: ("^", 8),
    ast.BitAnd: ("&", 9),
    ast.LShift: ("<<", 10),
    ast.RShift: (">>", 10),
    ast.Add: ("+", ADD),
    ast.Sub: ("-", ADD),
    ast.Mult: ("*", MULTIPLY),
    ast.Div: ("/", MULTIPLY),
    ast.FloorDiv: ("//", MULTIPLY),
    ast.Mod: ("%", MULTIPLY),
    ast.MatMult: ("@", MULTIPLY),
    ast.Pow: ("**", POWER),
}
SYMBOLS = dict(OPERATORS.values())
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_PLAIN: dict[type[ast.AST], int] = {
    ast.Tuple: TUPLE,
    ast.NamedExpr: TUPLE,
    ast.Yield: TUPLE,
    ast.YieldFrom: TUPLE,
    ast.Starred: TUPLE,
    ast.Lambda: LAMBDA,
    ast.IfExp: TERNARY,
    ast.Compare: COMPARE,
    ast.Await: 15,
}


def binding(node: ast.AST) -> int:
    """How tightly an expression holds its parts together; atoms the most."""
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)][1]
    if isinstance(node, ast.BoolOp):
        return OR if isinstance(node.op, ast.Or) else AND
    if isinstance(node, ast.UnaryOp):
        return NOT if isinstance(node.op, ast.Not) else UNARY
    return _PLAIN.get(type(node), ATOM)


def demand(node: ast.AST, parent: ast.AST | None) -> int:  # noqa: PLR0911 -- one for each sort of parent
    """How tightly whatever stands in this node's place must bind."""
    if isinstance(parent, ast.BinOp):
        level = OPERATORS[type(parent.op)][1]
        tighter = node is (parent.left if isinstance(parent.op, ast.Pow) else parent.right)
        return level + tighter
    if isinstance(parent, ast.UnaryOp | ast.BoolOp):
        return binding(parent) + isinstance(parent, ast.BoolOp)
    if isinstance(parent, ast.Compare | ast.Starred):
        return COMPARE + 1
    if isinstance(parent, ast.Attribute | ast.Await) or (isinstance(parent, ast.Subscript) and node is parent.value):
        return ATOM
    if isinstance(parent, ast.Call):
        return ATOM if node is parent.func else LAMBDA
    if isinstance(parent, ast.IfExp):
        return TERNARY if node is parent.orelse else OR
    return OR if isinstance(parent, ast.comprehension) else LAMBDA
