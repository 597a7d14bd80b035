"""What is called and is no function; what is not called and should be; what is asked for items and has none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.attributes import given
from windtunnel.repair.rules.base import Fix, Rule, Sight, before, last_name, replace, start_of, wrap
from windtunnel.repair.rules.module import BUILTINS, Module
from windtunnel.repair.rules.null import returning

_CALLED = re.compile(r"'([\w.]+)' object is not callable")
_ITEMS = re.compile(r"'([\w.]+)' object is not subscriptable|'([\w.]+)' object does not support item assignment")
_LENGTH = re.compile(r"object of type '([\w.]+)' has no len\(\)")
_FUNCTIONS = frozenset({"function", "method", "builtin_function_or_method", "type", "ABCMeta", "EnumMeta"})
_LAZY = frozenset(
    {
        "generator",
        "map",
        "filter",
        "zip",
        "reversed",
        "enumerate",
        "dict_keys",
        "dict_values",
        "dict_items",
        "set",
        "range_iterator",
        "itertools.chain",
        "itertools.islice",
        "odict_keys",
        "list_iterator",
        "frozenset",
    }
)


def not_callable(sight: Sight) -> Iterator[Fix]:
    """A call of what is no function."""
    kind = sight.said[1]
    test = sight.test()
    for module, line in sight.places()[:1] or ([test] if test is not None else []):
        for node in module.nodes(line):
            if isinstance(node, ast.Call):
                yield from _call(sight, module, node, kind=kind)


def _call(sight: Sight, module: Module, node: ast.Call, *, kind: str) -> Iterator[Fix]:  # noqa: C901, PLR0912 -- one branch for each case
    name, text = last_name(node.func), module.source(node.func)
    inside = ", ".join(module.source(one) for one in node.args)
    properties = [
        one
        for where, one in sight.project.functions(name)
        if any(last_name(mark) in {"property", "cached_property"} for mark in one.decorator_list)
    ]
    if properties and isinstance(node.func, ast.Attribute):
        yield Fix((replace(module, node, text),), 0.95, f"'{name}' is a property: it is not called.")
    if isinstance(node.func, ast.Name) and name in BUILTINS:
        yield from _shadowed(module, node.func)
    if kind in {"list", "dict", "tuple", "str", "defaultdict"} and len(node.args) == 1 and not node.keywords:
        yield Fix((replace(module, node, f"{text}[{inside}]"),), 0.72, f"A {kind} is asked with brackets, not called.")
    if kind == "module":
        yield Fix(
            (replace(module, node.func, f"{text}.{name}"),),
            0.85,
            f"'{name}' is the module: what is meant has the same name in it.",
        )
    if kind in {"int", "float"} and isinstance(node.func, (ast.Constant, ast.Name, ast.BinOp, ast.Call)):
        yield Fix(
            (replace(module, node, f"{text} * ({inside})"),), 0.6, "A number before a parenthesis: * is written out."
        )
    if kind == "NoneType":
        for _, function in sight.project.functions(name):
            for mark in function.decorator_list:
                for place, decorator in sight.project.functions(
                    last_name(mark.func if isinstance(mark, ast.Call) else mark)
                ):
                    yield from returning(place, decorator, prior=0.93)
        if isinstance(node.func, ast.Call):
            for place, function in sight.project.functions(last_name(node.func.func)):
                yield from returning(place, function, prior=0.88)
    if isinstance(node.func, ast.Constant) and isinstance(node.func.value, str):
        yield Fix(
            ((module.path, module.span(node.func)[1], module.span(node.func)[1], ".format"),),
            0.4,
            "Text is not called.",
        )
        yield Fix(
            ((module.path, module.span(node.func)[1], module.span(node.func)[1], " %"),), 0.5, "Text is not called."
        )
    if isinstance(node.func, ast.Tuple) or (kind in {"tuple", "list"} and isinstance(node.func, (ast.Tuple, ast.List))):
        yield Fix(
            ((module.path, module.span(node.func)[1], module.span(node.func)[1], ","),),
            0.9,
            "A comma is missing between two items.",
        )
    if not node.args and not node.keywords:
        yield Fix((replace(module, node, text),), 0.6, f"{text} is not a function.")


def _shadowed(module: Module, node: ast.Name) -> Iterator[Fix]:
    """A variable that has the name of a builtin, which is then called: the variable is renamed."""
    function = module.function(node)
    scope: ast.AST = function or module.tree
    new = f"{node.id}_"
    parts = [
        replace(module, one, new)
        for one in ast.walk(scope)
        if isinstance(one, ast.Name)
        and one.id == node.id
        and not (isinstance(parent := module.parents.get(one), ast.Call) and parent.func is one)
    ]
    if function is not None:
        parts += [
            (module.path, module.span(one)[0], module.span(one)[0] + len(node.id), new)
            for one in function.args.args
            if one.arg == node.id
        ]
    if parts:
        yield Fix(tuple(parts), 0.9, f"A variable hides the builtin {node.id}: it gets another name.")


def not_called(sight: Sight) -> Iterator[Fix]:  # noqa: C901, PLR0912 -- one branch for each case
    """Something asked for items or for its length that must be called or made a list first."""
    kind = next(one for one in sight.said.groups() if one)
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if isinstance(node, ast.Subscript):
                value, whole = node.value, node
            elif isinstance(node, ast.Call) and last_name(node.func) == "len" and node.args:
                value, whole = node.args[0], None
            else:
                continue
            text = module.source(value)
            if kind in _FUNCTIONS:
                bare = any(not function.args.args for _, function in sight.project.functions(last_name(value)))
                yield Fix(
                    (replace(module, value, f"{text}()"),),
                    0.9 if bare else 0.8,
                    f"{text} is a function that is not called.",
                )
                if whole is not None and not isinstance(whole.slice, ast.Slice):
                    yield Fix(
                        (replace(module, whole, f"{text}({module.source(whole.slice)})"),),
                        0.82 if kind != "type" else 0.9,
                        f"{text} is called with parentheses.",
                    )
            elif kind in _LAZY:
                yield from _listed(module, value, kind=kind)
            elif kind in {"int", "float"} and whole is None:
                yield Fix((wrap(module, value, "str"),), 0.7, "A number has no length: its digits are counted as text.")
            elif kind in {"int", "float"} and whole is not None:
                yield Fix((replace(module, whole, text),), 0.3, f"{text} is one number.")
                yield Fix((wrap(module, value, "str"),), 0.3, "The digits of a number are those of its text.")
            elif kind in {"tuple", "str"} and whole is not None:
                source = given(module, value)
                if isinstance(source, ast.Tuple):
                    yield Fix(
                        (replace(module, source, f"[{', '.join(module.source(one) for one in source.elts)}]"),),
                        0.85,
                        "A tuple does not change: a list does.",
                    )
                elif source is not None and source is not value:
                    yield Fix((wrap(module, source, "list"),), 0.7, f"A {kind} does not change: a list does.")
                yield from _listed_parameter(module, value, kind=kind)
            elif (
                _own_class(sight, kind)
                and whole is not None
                and isinstance(whole.slice, ast.Constant)
                and isinstance(whole.slice.value, str)
            ):
                yield Fix(
                    (replace(module, whole, f"{text}.{whole.slice.value}"),), 0.8, f"A {kind} has members, not keys."
                )


def _own_class(sight: Sight, name: str) -> bool:
    return bool(sight.project.classes(name))


def _listed(module: Module, value: ast.expr, *, kind: str) -> Iterator[Fix]:
    source = given(module, value)
    reason = f"A {kind} has no places: it is made a list."
    if source is not None and source is not value and kind not in {"set", "frozenset"}:
        text = module.source(source)
        if isinstance(source, ast.GeneratorExp) and text.startswith("("):
            yield Fix((replace(module, source, f"[{text[1:-1]}]"),), 0.9, reason)
        else:
            yield Fix((wrap(module, source, "list"),), 0.88, reason)
    yield Fix((wrap(module, value, "list" if kind not in {"set", "frozenset"} else "sorted"),), 0.8, reason)
    yield Fix((wrap(module, value, "list"),), 0.7, reason)


def _listed_parameter(module: Module, value: ast.expr, *, kind: str) -> Iterator[Fix]:
    function = module.function(value)
    if function is not None and isinstance(value, ast.Name) and value.id in {one.arg for one in function.args.args}:
        yield Fix(
            (before(module, start_of(function), [f"{value.id} = list({value.id})"]),),
            0.6,
            f"A {kind} does not change: a list does.",
        )


RULES = (
    Rule(
        name="not-callable",
        what="What is called is no function: a property, a hidden builtin, a list.",
        before="circle.area()",
        after="circle.area",
        suggest=not_callable,
        errors=("TypeError",),
        message=_CALLED,
    ),
    Rule(
        name="not-subscriptable",
        what="What is asked for an item is a function, a generator or a set.",
        before="load[0]",
        after="load()[0]",
        suggest=not_called,
        errors=("TypeError",),
        message=_ITEMS,
    ),
    Rule(
        name="no-length",
        what="What is asked for its length has none.",
        before="len(x for x in y)",
        after="len(list(x for x in y))",
        suggest=not_called,
        errors=("TypeError",),
        message=_LENGTH,
    ),
)
