"""None where something was wanted: a missing return, a method that gives nothing, a search without a find."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.attributes import given
from windtunnel.repair.rules.base import Fix, Rule, Sight, after, before, last_name, replace, start_of
from windtunnel.repair.rules.module import FUNCTIONS, Function, Module

_SAID = re.compile(r"'?NoneType'?")
_GIVES_NOTHING = frozenset(
    {"sort", "reverse", "append", "extend", "insert", "update", "add", "remove", "clear", "shuffle", "discard"}
)


def suspects(sight: Sight) -> Iterator[tuple[Module, ast.expr]]:  # noqa: C901 -- one branch for each case
    """Expressions of the line that may be None, likeliest first."""
    for module, line in sight.places()[:1]:
        nodes = module.nodes(line)
        attribute = re.search(r"has no attribute '(\w+)'", sight.problem.message)
        if attribute is not None:
            yield from (
                (module, node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == attribute[1]
            )
            return
        for node in nodes:
            if isinstance(node, ast.Subscript):
                yield module, node.value
            elif isinstance(node, ast.comprehension):
                yield module, node.iter
            elif isinstance(node, ast.BinOp):
                yield from ((module, one) for one in (node.left, node.right))
            elif isinstance(node, ast.Compare):
                yield from ((module, one) for one in (node.left, *node.comparators))
            elif isinstance(node, ast.Call):
                yield from ((module, one) for one in (node.func, *node.args))
        statement = module.statement(line)
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            yield module, statement.iter
        elif isinstance(statement, ast.Assign):
            yield module, statement.value
        elif isinstance(statement, ast.AugAssign):
            yield module, statement.target
            yield module, statement.value


def missing_returns(sight: Sight) -> Iterator[Fix]:
    """A function of the project that gives nothing back on some way."""
    for module, node in suspects(sight):
        source = given(module, node)
        if isinstance(source, ast.Call):
            for where, function in sight.project.functions(last_name(source.func))[:3]:
                yield from returning(where, function, prior=0.9)


def returning(module: Module, function: Function, *, prior: float) -> Iterator[Fix]:  # noqa: C901 -- one branch for each case
    """A return at the end of a function that has none there, or of its own call to itself."""
    reason = f"{function.name} gives nothing back."
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and last_name(node.value.func) == function.name
        ):
            yield Fix(
                (replace(module, node, f"return {module.source(node)}"),),
                prior - 0.02,
                f"{function.name} calls itself and drops what that gives.",
            )
    inner = [one for one in function.body if isinstance(one, (*FUNCTIONS, ast.ClassDef))]
    last = function.body[-1]
    if inner and last is inner[-1]:
        yield Fix(
            (after(module, last, ["", f"return {inner[-1].name}"]),),
            prior,
            f"{function.name} does not give back {inner[-1].name}.",
        )
        return
    if (
        isinstance(last, ast.Expr)
        and isinstance(last.value, ast.Call)
        and last_name(last.value.func) == "print"
        and last.value.args
    ):
        yield Fix(
            (replace(module, last, f"return {', '.join(module.source(one) for one in last.value.args)}"),),
            prior - 0.05,
            f"{function.name} prints its result and does not give it back.",
        )
    names = _last_names(function)
    if (
        isinstance(last, ast.Expr)
        and not isinstance(last.value, ast.Constant)
        and not (isinstance(last.value, ast.Call) and last_name(last.value.func) in _GIVES_NOTHING | {"print"})
    ):
        yield Fix((replace(module, last, f"return {module.source(last)}"),), prior, reason)
    elif not isinstance(last, (ast.Return, ast.Raise)):
        for at, name in enumerate(names[:3]):
            yield Fix(
                (after(module, last, [f"return {name}"]),),
                prior - 0.05 - 0.25 * at,
                reason,
            )
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is None and names:
            yield Fix((replace(module, node, f"return {names[0]}"),), prior - 0.3, reason)
    if isinstance(last, ast.If) and len(last.body) and not last.orelse:
        for node in last.body[-1:]:
            if isinstance(node, ast.Expr):
                yield Fix((replace(module, node, f"return {module.source(node)}"),), prior - 0.4, reason)


def _last_names(function: Function) -> list[str]:
    """Names that a function gives values to or fills: in the end, at its start, then those nearest the end."""
    last = function.body[-1]
    ends: list[str] = []
    if isinstance(last, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        targets = last.targets if isinstance(last, ast.Assign) else [last.target]
        ends = [ast.unparse(targets[0])]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and isinstance(last.value.func, ast.Attribute):
        ends = [ast.unparse(last.value.func.value)]
    starts = [
        one.targets[0].id
        for one in function.body
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
    ]
    changed = [
        node.target.id
        for node in ast.walk(function)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    ]
    filled = [
        node.func.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _GIVES_NOTHING
        and isinstance(node.func.value, ast.Name)
    ]
    return list(
        dict.fromkeys([*ends, *(one for one in starts if one in changed or one in filled), *reversed(starts), *filled])
    )


def gives_nothing(sight: Sight) -> Iterator[Fix]:
    """A method that changes its object and gives None, whose result is kept."""
    for module, node in suspects(sight):
        scope = module.function(node) or module.tree
        calls = [
            one
            for one in ast.walk(scope)
            if isinstance(one, (ast.Assign, ast.Return))
            and isinstance(one.value, ast.Call)
            and last_name(one.value.func) in _GIVES_NOTHING
        ]
        source = given(module, node)
        for statement in calls:
            call = statement.value
            if call is not source and not isinstance(statement, ast.Return):
                continue
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            owner = module.source(call.func.value)
            target = module.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
            if call.func.attr == "sort" and target != owner:
                more = "".join(f", {module.source(one)}" for one in call.keywords)
                yield Fix(
                    (replace(module, call, f"sorted({owner}{more})"),),
                    0.92,
                    "sort changes the list and gives nothing: sorted gives a new one.",
                )
            elif target == owner or isinstance(statement, ast.Assign):
                yield Fix(
                    (replace(module, statement, module.source(call)),),
                    0.93 if target == owner else 0.4,
                    f"{call.func.attr} changes its object and gives nothing.",
                )


def guards(sight: Sight) -> Iterator[Fix]:
    """What to do where there is nothing."""
    told: set[str] = set()
    for module, node in suspects(sight):
        text = module.source(node)
        statement = module.statement_at(node)
        function = module.function(node)
        if (
            statement is None
            or text in told
            or not isinstance(node, (ast.Name, ast.Attribute, ast.Call))
            or isinstance(statement, FUNCTIONS)
        ):
            continue
        told.add(text)
        name = text
        if function is not None and isinstance(node, ast.Name) and node.id in {one.arg for one in function.args.args}:
            yield from _parameter(module, function, node)
        parts = []
        if isinstance(node, ast.Call):
            continue
        guard = [f"if {name} is None:", "    return None" if function is not None else "    pass"]
        if function is not None:
            parts.append(before(module, statement, guard))
            yield Fix(tuple(parts), 0.62, f"'{name}' may be None: then there is nothing to do.")
        if isinstance(statement, ast.Return) and statement.value is not None:
            value = module.source(statement.value)
            yield Fix(
                (replace(module, statement.value, f"{value} if {name} is not None else None"),),
                0.3,
                f"'{name}' may be None.",
            )
        source = given(module, node)
        if isinstance(source, ast.Call) and last_name(source.func) == "get" and len(source.args) == 1:
            for default in ("''", "{}", "[]", "0"):
                yield Fix(
                    (replace(module, source, f"{module.source(source)[:-1]}, {default})"),),
                    0.3,
                    "A key that is not there gives None: a default is given.",
                )


def _parameter(module: Module, function: Function, node: ast.Name) -> Iterator[Fix]:
    """A parameter that is None where nobody gives it: a fresh value is made."""
    arguments = function.args
    defaults = dict(zip([one.arg for one in arguments.args][::-1], arguments.defaults[::-1], strict=False))
    default = defaults.get(node.id)
    if not (isinstance(default, ast.Constant) and default.value is None):
        return
    scope = ast.unparse(function)
    value = (
        "{}"
        if re.search(rf"\b{node.id}\[[^\]]*\] (?:\+)?= |\b{node.id}\.(?:get|items|keys|setdefault|update)\b", scope)
        else "[]"
    )
    if re.search(rf"\b{node.id}\.add\b", scope):
        value = "set()"
    if re.search(rf"\b{node.id} [-+*/] |[-+*/] {node.id}\b", scope):
        value = "0"
    yield Fix(
        (before(module, start_of(function), [f"if {node.id} is None:", f"    {node.id} = {value}"]),),
        0.8,
        f"'{node.id}' is None where nobody gives it.",
    )


RULES = (
    Rule(
        name="missing-return",
        what="A function whose result is used gives nothing back.",
        before="def double(x):\n    y = x * 2",
        after="def double(x):\n    y = x * 2\n    return y",
        suggest=missing_returns,
        errors=("TypeError", "AttributeError"),
        message=_SAID,
    ),
    Rule(
        name="method-gives-nothing",
        what="The result of a method that changes its object in place is used.",
        before="items = items.sort()",
        after="items.sort()",
        suggest=gives_nothing,
        errors=("TypeError", "AttributeError"),
        message=_SAID,
    ),
    Rule(
        name="none-guard",
        what="A value that may be None is used as if it were there.",
        before="return found.group()",
        after="if found is None:\n    return None\nreturn found.group()",
        suggest=guards,
        errors=("TypeError", "AttributeError"),
        message=_SAID,
    ),
)
