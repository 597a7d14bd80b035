"""Results that tests do not expect, where what was got says why: a wrong text, a wrong type, nothing at all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, after, before, replace, start_of, wrap
from windtunnel.repair.rules.module import Function, Module
from windtunnel.repair.rules.null import returning
from windtunnel.repair.rules.texts import literal_fixes

_ANY = re.compile("")
_ASSERTED = ("AssertionError", "Failed")
_OBJECT = re.compile(
    r"<(generator|map|filter|zip|reversed|bound method|function|enumerate|coroutine)\b|"
    r"dict_keys\(|dict_values\(|dict_items\(|range\("
)
_WRAPPED = {
    ("str", "int"): "int",
    ("str", "float"): "float",
    ("int", "str"): "str",
    ("float", "str"): "str",
    ("tuple", "list"): "list",
    ("list", "tuple"): "tuple",
    ("set", "list"): "sorted",
    ("list", "set"): "set",
    ("float", "int"): "int",
    ("dict", "list"): "list",
    ("list", "dict"): "dict",
    ("int", "bool"): "bool",
    ("list", "str"): "str",
    ("str", "list"): "list",
    ("tuple", "set"): "set",
}


def values(sight: Sight) -> tuple[str, str]:
    """(expected, actual) as the message tells them; empty where it does not."""
    problem = sight.problem
    first = problem.message.split("\n", 1)[0].strip().removeprefix("AssertionError: ")
    said = re.match(r"assert (.{1,300}) (?:==|is) (.{1,300})$", first)
    if said is not None:
        return said[2].strip(), said[1].strip()
    return (problem.expected or "").strip(), (problem.actual or "").strip()


def texts(sight: Sight) -> Iterator[Fix]:
    """A text that is nearly the expected one, made by one piece of text in the code."""
    expected, actual = values(sight)
    one, two = _text(expected), _text(actual)
    if one is not None and two is not None:
        yield from literal_fixes(sight, expected=one, actual=two, prior=0.75)


def _text(shown: str) -> str | None:
    try:
        value = ast.literal_eval(shown)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def formatted(sight: Sight) -> Iterator[Fix]:
    """Text with names in braces that was meant to be filled in."""
    _, actual = values(sight)
    for module, function in sight.suspects():
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and re.search(r"\{[a-z_][\w.\[\]()]*\}", node.value)
                and not isinstance(module.parents.get(node), (ast.JoinedStr, ast.Expr, ast.Attribute))
                and (not actual or any(part in actual for part in re.findall(r"\{[^}]*\}", node.value)))
            ):
                known = module.names_at(node)
                if all(name in known for name in re.findall(r"\{([a-z_]\w*)", node.value)):
                    start = module.span(node)[0]
                    yield Fix(
                        ((module.path, start, start, "f"),), 0.95, "The text has names in braces and is not formatted."
                    )


def nothing(sight: Sight) -> Iterator[Fix]:
    """None where a result was expected: a return that is missing."""
    expected, actual = values(sight)
    message = sight.problem.message
    if actual != "None" and not re.search(
        r"(?:^|\n)(?:assert )?None(?: |$)|where None = |is None", message.split("\n +", 1)[0]
    ):
        return
    if expected == "None":
        return
    for module, function in sight.called():
        yield from returning(module, function, prior=0.88)


def shapes(sight: Sight) -> Iterator[Fix]:
    """A result of a type that is not the expected one: what is returned is made one."""
    expected, actual = values(sight)
    if not expected or not actual:
        return
    lazy = _OBJECT.match(actual)
    kinds = (_kind(actual), _kind(expected))
    for module, function in sight.called()[:3]:
        for node in (
            one
            for one in ast.walk(function)
            if isinstance(one, ast.Return) and one.value is not None and module.function(one) is function
        ):
            assert isinstance(node, ast.Return)
            yield from _returned(module, node, lazy=lazy, kinds=kinds, same=_same(expected, actual))
        if lazy is not None and lazy[1] == "generator":
            yield from _collected(module, function)


def _same(expected: str, actual: str) -> bool:
    return re.sub(r"[\W_]", "", expected) == re.sub(r"[\W_]", "", actual)


def _returned(
    module: Module, node: ast.Return, *, lazy: re.Match[str] | None, kinds: tuple[str, str], same: bool
) -> Iterator[Fix]:
    value = node.value
    assert value is not None
    text = module.source(value)
    if lazy is not None and lazy[1] in {"bound method", "function"}:
        yield Fix((replace(module, value, f"{text}()"),), 0.92, f"{text} is not called.")
    elif lazy is not None and lazy[1] != "coroutine":
        made = {"list": "list", "tuple": "tuple", "set": "set", "dict": "dict"}.get(kinds[1], "list")
        if isinstance(value, ast.GeneratorExp) and made == "list" and text.startswith("("):
            yield Fix((replace(module, value, f"[{text[1:-1]}]"),), 0.92, "A generator is no list.")
        yield Fix((wrap(module, value, made),), 0.9, f"What is given back is made a {made}.")
    elif kinds in _WRAPPED:
        prior = 0.85 if same else 0.4
        yield Fix(
            (wrap(module, value, _WRAPPED[kinds]),), prior, f"A {kinds[1]} is expected and a {kinds[0]} is given back."
        )
        if kinds == ("tuple", "list") and isinstance(value, ast.Tuple):
            yield Fix(
                (replace(module, value, f"[{', '.join(module.source(one) for one in value.elts)}]"),),
                prior,
                "A list is expected and a tuple is given back.",
            )
    elif kinds == ("bytes", "str"):
        yield Fix(
            (replace(module, value, f"{text if not isinstance(value, ast.BinOp) else f'({text})'}.decode()"),),
            0.85,
            "Text is expected and bytes are given back.",
        )
    elif kinds == ("str", "bytes"):
        yield Fix(
            (replace(module, value, f"{text if not isinstance(value, ast.BinOp) else f'({text})'}.encode()"),),
            0.85,
            "Bytes are expected and text is given back.",
        )


def _collected(module: Module, function: Function) -> Iterator[Fix]:
    """A generator that was meant to give a list."""
    yields = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and node.value.value is not None
    ]
    if len(yields) == 1 and not any(one.id == "result" for one in ast.walk(function) if isinstance(one, ast.Name)):
        value = yields[0].value
        assert isinstance(value, ast.Yield)
        assert value.value is not None
        yield Fix(
            (
                before(module, start_of(function), ["result = []"]),
                replace(module, yields[0], f"result.append({module.source(value.value)})"),
                after(module, function.body[-1], ["return result"]),
            ),
            0.85,
            "A list is expected and a generator is given back.",
        )


def _kind(shown: str) -> str:
    try:
        return type(ast.literal_eval(shown)).__name__
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return "set" if shown == "set()" else ""


RULES = (
    Rule(
        name="wrong-text",
        what="One piece of text in the code makes the difference to the expected text.",
        before="return f'Helo, {name}!'",
        after="return f'Hello, {name}!'",
        suggest=texts,
        errors=_ASSERTED,
        message=_ANY,
    ),
    Rule(
        name="missing-f",
        what="Text with names in braces is not formatted.",
        before="return '{name}!'",
        after="return f'{name}!'",
        suggest=formatted,
        errors=_ASSERTED,
        message=_ANY,
    ),
    Rule(
        name="nothing-returned",
        what="A result is expected and None is given back.",
        before="def f(x):\n    x + 1",
        after="def f(x):\n    return x + 1",
        suggest=nothing,
        errors=_ASSERTED,
        message=_ANY,
    ),
    Rule(
        name="returned-type",
        what="A result of one type is expected and another is given back.",
        before="return map(f, x)",
        after="return list(map(f, x))",
        suggest=shapes,
        errors=_ASSERTED,
        message=_ANY,
    ),
)
