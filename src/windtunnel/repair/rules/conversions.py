"""Values of one type where another is wanted: text and numbers, text and bytes, lists as keys, formats."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.attributes import given
from windtunnel.repair.rules.base import Fix, Part, Rule, Sight, last_name, replace, wrap
from windtunnel.repair.rules.module import Module

_NUMBERS = frozenset({"int", "float"})
_OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "** or pow()",
}
_OPERANDS = re.compile(
    r"unsupported operand type\(s\) for (\S+(?: or pow\(\))?): '([\w.]+)' and '([\w.]+)'|"
    r"can only concatenate (\w+) \(not \"([\w.]+)\"\) to \w+|can't concat (\w+) to (\w+)"
)
_ORDER = re.compile(r"'([<>]=?)' not supported between instances of '([\w.]+)' and '([\w.]+)'")
_JOIN = re.compile(r"sequence item \d+: expected (?:str instance|a bytes-like object), (\w+) found")
_INTEGER = re.compile(
    r"'(\w+)' object cannot be interpreted as an integer|indices must be integers(?: or slices)?, not '?(\w+)'?"
)
_HASH = re.compile(r"unhashable type: '(\w+)'")


def operands(sight: Sight) -> Iterator[Fix]:
    """One of two operands made the other's type."""
    said = sight.said
    operator = said[1] or "+"
    left, right = (said[2], said[3]) if said[1] else ((said[4], said[5]) if said[4] else (said[7], said[6]))
    for module, node in _binary(sight, operator):
        one, two = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        pair = {left, right}
        if pair == {"str", "bytes"}:
            yield from _text_and_bytes(module, one, two, left=left)
        elif "str" in pair and pair & _NUMBERS:
            yield from _text_and_number(module, (one, left), (two, right), operator=operator)
        elif pair in (
            {"list", "tuple"},
            {"list", "range"},
            {"list", "map"},
            {"list", "dict_keys"},
            {"list", "generator"},
            {"list", "dict_values"},
        ):
            other, kind = (two, right) if left == "list" else (one, left)
            yield Fix((wrap(module, other, "list"),), 0.8, f"A {kind} cannot be joined to a list.")
        elif "list" in pair and operator == "+":
            other, kind = (two, right) if left == "list" else (one, left)
            yield Fix(
                (replace(module, other, f"[{module.source(other)}]"),),
                0.75,
                f"A {kind} is put into a list to be joined to one.",
            )
        elif pair in ({"Decimal", "float"}, {"decimal.Decimal", "float"}):
            other = one if left == "float" else two
            yield Fix(
                (replace(module, other, f"Decimal(str({module.source(other)}))"),),
                0.8,
                "A float cannot be mixed with a Decimal.",
            )
        elif pair == {"dict"} and operator == "+":
            yield Fix(
                (replace(module, node, f"{{**{module.source(one)}, **{module.source(two)}}}"),),
                0.8,
                "Dictionaries are joined with **.",
            )
        elif pair & {"function", "method", "builtin_function_or_method"}:
            other = one if left in {"function", "method", "builtin_function_or_method"} else two
            yield Fix(
                (replace(module, other, f"{module.source(other)}()"),), 0.88, f"{module.source(other)} is not called."
            )
        elif "set" in pair and operator == "+":
            yield Fix((_sign(module, one, two, "|"),), 0.8, "Sets are joined with |.")


def _binary(sight: Sight, operator: str) -> list[tuple[Module, ast.BinOp | ast.AugAssign]]:
    """Operations of this sign on the line, innermost first: that one is evaluated first."""
    found: list[tuple[Module, ast.BinOp | ast.AugAssign]] = []
    sign = operator.removesuffix("=") if operator not in {"<=", ">="} else operator
    for module, line in sight.places()[:1]:
        nodes = [
            node
            for node in module.nodes(line)
            if isinstance(node, ast.BinOp) and _OPERATORS.get(type(node.op), "") == sign
        ]
        found += [(module, node) for node in reversed(nodes)]
        statement = module.statement(line)
        if isinstance(statement, ast.AugAssign):
            found.insert(0, (module, statement))
    return found


def _sign(module: Module, one: ast.AST, two: ast.AST, sign: str) -> Part:
    return (module.path, module.span(one)[1], module.span(two)[0], f" {sign} ")


def _text_and_number(
    module: Module, one: tuple[ast.expr, str], two: tuple[ast.expr, str], *, operator: str
) -> Iterator[Fix]:
    text, number = (one, two) if one[1] == "str" else (two, one)
    literal = _has_text(text[0])
    numeric = operator not in {"+", "+="}
    made = "float" if number[1] == "float" else "int"
    to_text = Fix((wrap(module, number[0], "str"),), 0.0, "A number is made text to be joined to text.")
    to_number = Fix((wrap(module, text[0], made),), 0.0, "Text that holds a number is made one to be counted with.")
    if isinstance(number[0], ast.Name) and isinstance(module.parents.get(number[0]), ast.AugAssign):
        to_text = Fix((), 0.0, "")
    share = 0.93 if literal and not numeric else (0.12 if numeric or _is_number(number[0]) else 0.5)
    yield Fix(to_text.parts, share, to_text.reason)
    yield Fix(
        to_number.parts,
        0.9 if numeric else (0.86 if share < 0.2 else (0.05 if share > 0.9 else 0.45)),  # noqa: PLR2004 -- a measure that is this place's own
        to_number.reason,
    )


def _has_text(node: ast.AST) -> bool:
    return any(
        isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in ast.walk(node)
    )


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _text_and_bytes(module: Module, one: ast.expr, two: ast.expr, *, left: str) -> Iterator[Fix]:
    text, data = (one, two) if left == "str" else (two, one)
    if isinstance(data, ast.Constant):
        yield Fix(
            (replace(module, data, re.sub(r"^([rR]?)[bB]", r"\1", module.source(data))),),
            0.9,
            "Bytes where text is wanted.",
        )
    if isinstance(text, ast.Constant):
        yield Fix((replace(module, text, f"b{module.source(text)}"),), 0.88, "Text where bytes are wanted.")
    yield Fix((replace(module, data, f"{module.source(data)}.decode()"),), 0.6, "Bytes where text is wanted.")
    yield Fix((replace(module, text, f"{module.source(text)}.encode()"),), 0.5, "Text where bytes are wanted.")


def order(sight: Sight) -> Iterator[Fix]:  # noqa: C901 -- one branch for each case
    """A comparison of text with a number, or of a function with anything."""
    left, right = sight.said[2], sight.said[3]
    for module, line in sight.places()[:1]:
        nodes = module.nodes(line)
        for node in nodes:
            if isinstance(node, ast.Compare):
                for kind, side, other in ((left, node.left, right), (right, node.comparators[0], left)):
                    if kind == "str" and other in _NUMBERS and not _has_text(side):
                        yield Fix(
                            (wrap(module, side, other),), 0.88, "Text that holds a number is made one to be compared."
                        )
                    elif (
                        kind == "str"
                        and other in _NUMBERS
                        and isinstance(side, ast.Constant)
                        and re.fullmatch(r"-?\d+(?:\.\d+)?", str(side.value))
                    ):
                        yield Fix((replace(module, side, str(side.value)),), 0.88, "A number is not written as text.")
                    elif kind in {"function", "method", "builtin_function_or_method"}:
                        yield Fix(
                            (replace(module, side, f"{module.source(side)}()"),),
                            0.88,
                            f"{module.source(side)} is not called.",
                        )
                    elif kind in {"list", "dict", "tuple", "set"} and other in _NUMBERS:
                        yield Fix((wrap(module, side, "len"),), 0.8, "What is counted is its length.")
            elif (
                isinstance(node, ast.Call)
                and last_name(node.func) in {"sorted", "max", "min", "sort"}
                and not any(one.arg == "key" for one in node.keywords)
            ):
                for key, prior in (("str", 0.5), ("int", 0.35)):
                    yield Fix(
                        (
                            (
                                module.path,
                                module.span(node)[1] - 1,
                                module.span(node)[1] - 1,
                                (", " if node.args else "") + f"key={key}",
                            ),
                        ),
                        prior,
                        "Values of two types have no order: all are compared as one.",
                    )


def joins(sight: Sight) -> Iterator[Fix]:
    """Items that are no text, joined as text."""
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if isinstance(node, ast.Call) and last_name(node.func) == "join" and node.args:
                value = node.args[0]
                if isinstance(value, (ast.GeneratorExp, ast.ListComp)):
                    yield Fix(
                        (wrap(module, value.elt, "str"),), 0.93, "Only text can be joined: each item is made text."
                    )
                else:
                    yield Fix(
                        (replace(module, value, f"map(str, {module.source(value)})"),),
                        0.93,
                        "Only text can be joined: each item is made text.",
                    )


def integers(sight: Sight) -> Iterator[Fix]:
    """A float or text where a whole number is wanted."""
    kind = sight.said[1] or sight.said[2]
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            values = (
                list(node.args)
                if isinstance(node, ast.Call) and last_name(node.func) in {"range", "randint", "chr", "islice"}
                else (
                    [node.slice]
                    if isinstance(node, ast.Subscript)
                    else (
                        [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else []
                    )
                )
            )
            for value in values:
                yield from _whole(module, value, kind=kind)


def _whole(module: Module, value: ast.expr, *, kind: str) -> Iterator[Fix]:
    source = given(module, value) or value
    division = next(
        (one for one in ast.walk(source) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div)), None
    )
    if kind == "float" and division is not None:
        yield Fix(
            (_sign(module, division.left, division.right, "//"),), 0.93, "/ gives a float: // gives a whole number."
        )
    if kind in {"float", "str", "Decimal"} and not isinstance(value, (ast.Constant, ast.Slice)):
        yield Fix(
            (wrap(module, value, "int"),), 0.6 if kind == "float" else 0.7, f"A {kind} where a whole number is wanted."
        )
    if kind in {"list", "dict", "tuple"} and isinstance(value, ast.Name):
        yield Fix((wrap(module, value, "len"),), 0.7, f"A {kind} where its length is wanted.")
    if kind == "tuple" and isinstance(value, ast.Tuple) and len(value.elts) == 2:  # noqa: PLR2004 -- a measure that is this place's own
        yield Fix(
            (replace(module, value, "][".join(module.source(one) for one in value.elts)),),
            0.85,
            "A list of lists is asked one index after the other.",
        )


def keys(sight: Sight) -> Iterator[Fix]:
    """A list, set or dictionary as a key or in a set, made something that does not change."""
    kind = sight.said[1]
    made = {"list": "tuple", "set": "frozenset", "dict": "frozenset"}.get(kind)
    if made is None:
        return
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if (
                isinstance(node, ast.List)
                and kind == "list"
                and isinstance(module.parents.get(node), (ast.Call, ast.Subscript, ast.Set, ast.Dict))
            ):
                inner = ", ".join(module.source(one) for one in node.elts)
                yield Fix(
                    (replace(module, node, f"({inner}{',' if len(node.elts) == 1 else ''})"),),
                    0.92,
                    "A list cannot be a key: a tuple can.",
                )
            values = (
                [node.slice]
                if isinstance(node, ast.Subscript)
                else (
                    [node.left]
                    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn))
                    else (
                        node.args[:1]
                        if isinstance(node, ast.Call)
                        and last_name(node.func) in {"add", "discard", "remove", "get", "setdefault", "pop"}
                        else (
                            list(node.elts)
                            if isinstance(node, ast.Set)
                            else (
                                [one for one in node.keys if one]
                                if isinstance(node, ast.Dict)
                                else (
                                    [node.key]
                                    if isinstance(node, ast.DictComp)
                                    else ([node.elt] if isinstance(node, ast.SetComp) else [])
                                )
                            )
                        )
                    )
                )
            )
            for value in values:
                if isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.ListComp)):
                    text = module.source(value)
                    yield Fix(
                        (replace(module, value, f"{made}({text}{'.items()' if kind == 'dict' else ''})"),),
                        0.82,
                        f"A {kind} cannot be a key: a {made} can.",
                    )
            if (
                isinstance(node, ast.Call)
                and last_name(node.func) in {"set", "frozenset", "Counter", "fromkeys"}
                and node.args
            ):
                yield Fix(
                    (replace(module, node.args[0], f"map({made}, {module.source(node.args[0])})"),),
                    0.7,
                    f"A {kind} cannot be in a set: a {made} can.",
                )


RULES = (
    Rule(
        name="operand-types",
        what="Two operands of types that do not go together.",
        before="'items: ' + count",
        after="'items: ' + str(count)",
        suggest=operands,
        errors=("TypeError",),
        message=_OPERANDS,
    ),
    Rule(
        name="compared-types",
        what="Two types that have no order are compared.",
        before="text > 18",
        after="int(text) > 18",
        suggest=order,
        errors=("TypeError",),
        message=_ORDER,
    ),
    Rule(
        name="joined-items",
        what="Items that are no text are joined.",
        before="','.join(values)",
        after="','.join(map(str, values))",
        suggest=joins,
        errors=("TypeError",),
        message=_JOIN,
    ),
    Rule(
        name="whole-number",
        what="A float or text stands where a whole number is wanted.",
        before="range(n / 2)",
        after="range(n // 2)",
        suggest=integers,
        errors=("TypeError",),
        message=_INTEGER,
    ),
    Rule(
        name="unhashable-key",
        what="A list, set or dictionary is a key.",
        before="seen.add([a, b])",
        after="seen.add((a, b))",
        suggest=keys,
        errors=("TypeError",),
        message=_HASH,
    ),
)
