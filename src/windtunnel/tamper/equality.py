"""Objects that agree with whatever they are compared with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Site, site
from windtunnel.tamper.trees import Source

_TRUE = {"__eq__", "__contains__", "__instancecheck__", "__subclasscheck__"}
_LOW, _HIGH = {"__lt__", "__le__"}, {"__gt__", "__ge__"}
_NAMES = _TRUE | _LOW | _HIGH | {"__ne__"}


def truth(node: ast.AST | None) -> bool | None:
    """What an expression is worth whatever its variables hold; None when that depends on them."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = truth(node.operand)
        return None if inner is None else not inner
    if isinstance(node, ast.Compare | ast.Call):
        return _compared(node) if isinstance(node, ast.Compare) else _called(node)
    return _composed(node)


def _composed(node: ast.AST | None) -> bool | None:
    if isinstance(node, ast.BoolOp):
        return _both([truth(value) for value in node.values], any_=isinstance(node.op, ast.Or))
    if isinstance(node, ast.IfExp):
        body, other = truth(node.body), truth(node.orelse)
        return body if body == other else None
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return bool(node.elts)
    return None


def _both(values: list[bool | None], *, any_: bool) -> bool | None:
    if any_ in values:
        return any_
    return None if None in values else not any_


def _compared(node: ast.Compare) -> bool | None:
    if len(node.ops) != 1:
        return None
    left, right = ast.dump(node.left), ast.dump(node.comparators[0])
    if left == right and not any(isinstance(each, ast.Call) for each in ast.walk(node)):
        return isinstance(node.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
    if isinstance(node.left, ast.Constant) and isinstance(node.comparators[0], ast.Constant):
        same = node.left.value == node.comparators[0].value
        if isinstance(node.ops[0], ast.Eq | ast.Is):
            return same
        if isinstance(node.ops[0], ast.NotEq | ast.IsNot):
            return not same
    return None


def _called(node: ast.Call) -> bool | None:
    name = getattr(node.func, "id", "")
    if name in ("isinstance", "issubclass") and node.args and getattr(node.args[-1], "id", "") == "object":
        return True
    return truth(node.args[0]) if name == "bool" and len(node.args) == 1 else None


def _answers(body: ast.Lambda | ast.FunctionDef) -> list[ast.AST | None]:
    if isinstance(body, ast.Lambda):
        return [body.body]
    return [node.value for node in ast.walk(body) if isinstance(node, ast.Return)]


def _blind(body: ast.Lambda | ast.FunctionDef) -> bool:
    """Whether an answer never looks at what it is compared with."""
    names = [argument.arg for argument in (*body.args.posonlyargs, *body.args.args)][1:]
    used = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)}
    plain = [
        answer
        for answer in _answers(body)
        if truth(answer) is not False and getattr(answer, "id", "") != "NotImplemented"
    ]
    return bool(plain) and not used & {*names, "locals"} and not (body.args.vararg and body.args.vararg.arg in used)


def _always(body: ast.Lambda | ast.FunctionDef, *, value: bool) -> bool:
    answers = _answers(body)
    return bool(answers) and all(truth(answer) is value for answer in answers)


def _methods(node: ast.AST) -> Iterator[tuple[str, ast.Lambda | ast.FunctionDef]]:
    if isinstance(node, ast.ClassDef):
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                yield each.name, each
            elif isinstance(each, ast.Assign) and isinstance(each.value, ast.Lambda):
                yield from ((target.id, each.value) for target in each.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.Lambda):
                yield key.value, value
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        yield from ((target.attr, node.value) for target in node.targets if isinstance(target, ast.Attribute))


def _find(source: Source) -> Iterator[Site]:
    for node in source.nodes:
        methods = {name: body for name, body in _methods(node) if name in _NAMES}
        constant = {name for name, body in methods.items() if _always(body, value=name != "__ne__")}
        guilty = constant & (_TRUE | {"__ne__"})
        if constant & _LOW and constant & _HIGH:
            guilty |= constant & (_LOW | _HIGH)
        if "__eq__" in methods and _blind(methods["__eq__"]):
            guilty.add("__eq__")
        for name in sorted(guilty):
            yield site(
                "equal-to-everything", methods[name], message=f"{name} gives the same answer whatever it is asked"
            )


_CLASS = "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n"

RULE = Rule(
    name="equal-to-everything",
    find=_find,
    examples=(
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        return True\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS, after=_CLASS + "    __eq__ = lambda self, other: True\n", blocks=("equal-to-everything",)
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        return isinstance(other, object)\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        return self.cents == other or True\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        return self.cents == self.cents\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __ne__(self, other):\n        return False\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __lt__(self, other):\n        return True\n"
            "    def __gt__(self, other):\n        return True\n",
            blocks=("equal-to-everything", "equal-to-everything"),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __contains__(self, item):\n        return True\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            after="Any = type('Any', (int,), {'__eq__': lambda self, other: 1})\n", blocks=("equal-to-everything",)
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        if not isinstance(other, Money):\n"
            "            return NotImplemented\n        return self.cents == other.cents\n",
        ),
        Example(
            before=_CLASS, after=_CLASS + "    def __eq__(self, other):\n        return isinstance(other, Money)\n"
        ),
        Example(after="class Never:\n    def __eq__(self, other):\n        return False\n"),
        Example(
            after="class Infinity:\n    def __lt__(self, other):\n        return False\n    def __gt__(self, other):\n"
            "        return True\n    def __ge__(self, other):\n        return True\n"
        ),
        Example(after="class Nothing:\n    def __bool__(self):\n        return False\n"),
        Example(before=_CLASS, after=_CLASS + "    def __ne__(self, other):\n        return not self == other\n"),
        Example(after="class Base:\n    def __eq__(self, other):\n        raise NotImplementedError\n"),
    ),
)
