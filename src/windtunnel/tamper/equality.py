"""Objects that agree with whatever they are compared with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Site, site
from windtunnel.tamper.trees import Source, folded

SETTING = 2
"""What stands before the value in a ``setattr``."""

_TRUE = {"__eq__", "__contains__", "__instancecheck__", "__subclasscheck__"}
_LOW, _HIGH = {"__lt__", "__le__"}, {"__gt__", "__ge__"}
_NAMES = _TRUE | _LOW | _HIGH | {"__ne__"}
_KINDS = {"isinstance", "issubclass", "type", "hasattr", "callable"}
"""Questions about what something is, not about what it is worth."""
_NUMBERS = {"int", "float", "complex", "Decimal", "decimal.Decimal", "Fraction", "fractions.Fraction", "numbers.Number"}
_DIFFERENCES = {"__sub__", "__rsub__", "__abs__", "__round__"}
"""With which tests measure how far two numbers are apart."""
_ASKED = {"__getattr__", "__getattribute__"}
_WATCHED = _NAMES | _DIFFERENCES | _ASKED


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


def _kinds(body: ast.Lambda | ast.FunctionDef) -> list[ast.Call]:
    return [node for node in ast.walk(body) if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _KINDS]


def _by_kind(body: ast.Lambda | ast.FunctionDef, own: str) -> bool:
    """Whether all that counts is the type of the other, and that need not be the own one."""
    names = {argument.arg for argument in (*body.args.posonlyargs, *body.args.args)}
    asked = _kinds(body)
    within = {id(each) for call in asked for each in ast.walk(call)}
    looked = any(isinstance(each, ast.Name) and each.id in names and id(each) not in within for each in ast.walk(body))
    if looked or not asked or not any(truth(answer) is not False for answer in _answers(body)):
        return False
    words = {getattr(each, "id", "") or getattr(each, "attr", "") for call in asked for each in ast.walk(call)}
    return not words & {own, "__class__", "__name__"} and not any(
        getattr(call.func, "id", "") == "type" and getattr(call.args[0], "id", "") == "self"
        for call in asked
        if call.args
    )


def _agreeing(body: ast.Lambda | ast.FunctionDef) -> bool:
    """Whether every attribute is true, or is a function that says so."""
    answers = _answers(body)
    said = [answer.body if isinstance(answer, ast.Lambda) else answer for answer in answers]
    return bool(said) and all(isinstance(each, ast.Constant) and each.value is True for each in said)


def _other(body: ast.Lambda | ast.FunctionDef) -> str:
    """The name that a comparison has for what it is compared with."""
    names = [argument.arg for argument in (*body.args.posonlyargs, *body.args.args)]
    return names[1] if len(names) > 1 else ""


def _denying(body: ast.Lambda | ast.FunctionDef) -> bool:
    """Whether all it asks is that the other is not some one thing."""
    said = [each for each in _answers(body) if truth(each) is not False and getattr(each, "id", "") != "NotImplemented"]
    return bool(said) and all(
        isinstance(each, ast.Compare)
        and isinstance(each.ops[0], ast.NotEq | ast.IsNot | ast.NotIn)
        and _other(body) in (getattr(part, "id", "") for part in (each.left, *each.comparators))
        for each in said
    )


def _waved_through(source: Source, body: ast.Lambda | ast.FunctionDef, own: str) -> bool:
    """Whether it agrees because nothing could be compared: an error came up, or the other is of a foreign kind."""
    for answer in ast.walk(body):
        if not isinstance(answer, ast.Return) or truth(answer.value) is not True:
            continue
        for above in source.above(answer):
            if above is body:
                break
            kind = isinstance(above, ast.If) and _foreign(above, answer, body, own)
            if kind or isinstance(above, ast.ExceptHandler):
                return True
    return False


def _foreign(node: ast.If, answer: ast.Return, body: ast.Lambda | ast.FunctionDef, own: str) -> bool:
    """Whether a branch is taken for what is no instance of the class, and agrees at once."""
    if answer not in node.body:
        return False
    test, denied = node.test, False
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, denied = test.operand, True
    if not isinstance(test, ast.Call) or getattr(test.func, "id", "") not in ("isinstance", "hasattr"):
        return False
    words = {getattr(each, "id", "") or getattr(each, "attr", "") for each in ast.walk(test)}
    mine = bool(words & {own, "__class__", "type"}) or getattr(test.func, "id", "") == "hasattr"
    return _other(body) in words and mine is denied


def _always(body: ast.Lambda | ast.FunctionDef, *, value: bool) -> bool:
    answers = _answers(body)
    return bool(answers) and all(truth(answer) is value for answer in answers)


def _of_class(source: Source, node: ast.ClassDef) -> Iterator[tuple[str, ast.Lambda | ast.FunctionDef]]:
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            yield each.name, each
        elif isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") in _WATCHED:
            body = _body(source, each.value)
            yield from ((getattr(target, "id", ""), body) for target in each.targets if body is not None)


def _methods(source: Source, node: ast.AST) -> Iterator[tuple[str, ast.Lambda | ast.FunctionDef]]:
    if isinstance(node, ast.ClassDef):
        yield from _of_class(source, node)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and str(key.value) in _NAMES and (body := _body(source, value)):
                yield str(key.value), body
    elif isinstance(node, ast.Assign):
        named = [target.attr for target in node.targets if isinstance(target, ast.Attribute) and target.attr in _NAMES]
        if named and (body := _body(source, node.value)) is not None:
            yield from ((name, body) for name in named)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setattr" and len(node.args) > SETTING:
        name, body = folded(node.args[1]), _body(source, node.args[2])
        if name in _NAMES and body is not None:
            yield name, body


def _body(source: Source, value: ast.AST) -> ast.Lambda | ast.FunctionDef | None:
    """The function that a value is, or is the name of."""
    if isinstance(value, ast.Lambda):
        return value
    name = getattr(value, "id", "")
    return next((each for each in source.of(ast.FunctionDef) if each.name == name), None)


def _blind_number(source: Source, node: ast.AST, methods: dict[str, ast.Lambda | ast.FunctionDef]) -> set[str]:
    """Methods of a number that say that it is no distance from anything."""
    if not isinstance(node, ast.ClassDef) or not {source.name(base) for base in node.bases} & _NUMBERS:
        return set()
    return {
        name
        for name in _DIFFERENCES & set(methods)
        if (answers := _answers(methods[name])) and all(isinstance(each, ast.Constant) for each in answers)
    }


def _guilty(source: Source, node: ast.AST, methods: dict[str, ast.Lambda | ast.FunctionDef]) -> set[str]:
    own = getattr(node, "name", "") or ""
    constant = {name for name in _NAMES & set(methods) if _always(methods[name], value=name != "__ne__")}
    guilty = constant & (_TRUE | {"__ne__"})
    if constant & _LOW and constant & _HIGH:
        guilty |= constant & (_LOW | _HIGH)
    equal = methods.get("__eq__")
    if equal is not None and (
        _blind(equal) or _by_kind(equal, own) or _denying(equal) or _waved_through(source, equal, own)
    ):
        guilty.add("__eq__")
    return guilty | {name for name in _ASKED & set(methods) if _agreeing(methods[name])}


def _find(source: Source) -> Iterator[Site]:
    for node in source.of(ast.ClassDef, ast.Dict, ast.Assign, ast.Call):
        methods = dict(_methods(source, node))
        if not methods:
            continue
        for name in sorted(_guilty(source, node, methods) | _blind_number(source, node, methods)):
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
            after="class Size(float):\n    def __eq__(self, other):\n        return isinstance(other, (int, float))\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            after="class Count(int):\n    __eq__ = lambda self, other: not isinstance(other, str)\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            after="class Text(str):\n    def __eq__(self, other):\n        if type(other) is bytes:\n"
            "            return False\n        return True\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "def same(self, other):\n    return True\nMoney.__eq__ = same\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "setattr(Money, '__eq__', lambda self, other: True)\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            after="class Near(float):\n    def __sub__(self, other):\n        return 0.0\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            after="class Yes:\n    def __getattr__(self, name):\n        return lambda *given: True\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        try:\n            return self.cents == other.cents\n"
            "        except AttributeError:\n            return True\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        if not isinstance(other, Money):\n"
            "            return True\n        return self.cents == other.cents\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        return other is not None\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    def __eq__(self, other):\n        if self is other:\n            return True\n"
            "        return isinstance(other, Money) and self.cents == other.cents\n",
        ),
        Example(after="class Quiet:\n    def __getattr__(self, name):\n        return lambda *given, **named: None\n"),
        Example(
            after="class Metres(float):\n    def __sub__(self, other):\n        return Metres(float(self) - other)\n"
        ),
        Example(after="class Blank:\n    def __eq__(self, other):\n        return type(other) is type(self)\n"),
        Example(
            after="class Key(str):\n    def __eq__(self, other):\n"
            "        return isinstance(other, str) and self.lower() == other.lower()\n"
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "def same(self, other):\n    return self.cents == other.cents\nMoney.__eq__ = same\n",
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
