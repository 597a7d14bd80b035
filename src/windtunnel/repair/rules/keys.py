"""Keys that a dictionary does not have: misspelt, of another type, or there only later."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, before, nearest, replace
from windtunnel.repair.rules.module import Module

_SAID = re.compile(r"^(.{1,200})$", re.MULTILINE)
_EMPTY = {
    "append": "[]",
    "extend": "[]",
    "insert": "[]",
    "add": "set()",
    "discard": "set()",
    "update": "{}",
    "setdefault": "{}",
}


def uses(sight: Sight) -> list[tuple[Module, ast.Subscript]]:
    """Items asked for on the line, innermost first."""
    found: list[tuple[Module, ast.Subscript]] = []
    for module, line in sight.places()[:1]:
        found += [
            (module, node)
            for node in reversed(module.nodes(line))
            if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)
        ]
    return found


def first_values(sight: Sight) -> Iterator[Fix]:
    """A value for a key that is counted or filled before it is there."""
    for module, node in uses(sight):
        table, key = module.source(node.value), module.source(node.slice)
        parent = module.parents.get(node)
        if isinstance(parent, ast.AugAssign) and parent.target is node:
            zero = _zero(parent.value)
            sign = module.text[module.span(node)[1] : module.span(parent.value)[0]].strip().removesuffix("=")
            yield Fix(
                (
                    replace(
                        module,
                        parent,
                        f"{table}[{key}] = {table}.get({key}, {zero}) {sign} {module.source(parent.value)}",
                    ),
                ),
                0.93,
                "A key that is not there yet is counted from the start.",
            )
        elif isinstance(parent, ast.Attribute) and parent.attr in _EMPTY:
            yield Fix(
                (replace(module, node, f"{table}.setdefault({key}, {_EMPTY[parent.attr]})"),),
                0.93,
                "A key that is not there yet gets an empty value first.",
            )
        elif isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.ctx, ast.Store):
            yield Fix(
                (replace(module, node, f"{table}.setdefault({key}, {{}})"),),
                0.85,
                "A key that is not there yet gets an empty value first.",
            )


def _zero(value: ast.AST) -> str:
    if isinstance(value, (ast.List, ast.ListComp)):
        return "[]"
    if isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return "''"
    return "0"


def spellings(sight: Sight) -> Iterator[Fix]:
    """A key written out in the project nearly so, or in another type."""
    key = sight.said[1].strip()
    if key[:1] not in "'\"" or len(key) < 3:  # noqa: PLR2004 -- a measure that is this place's own
        return
    word = key[1:-1]
    known = {
        one.value
        for module in sight.project.modules()
        for node in module.parents
        if isinstance(node, ast.Dict)
        for one in node.keys
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }
    known |= {
        node.slice.value
        for module in sight.project.modules()
        for node in module.parents
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    }
    for module, node in uses(sight):
        if isinstance(node.slice, ast.Constant) and node.slice.value == word:
            quote = module.source(node.slice)[:1]
            for other, share in nearest(word, known):
                yield Fix(
                    (replace(module, node.slice, f"{quote}{other}{quote}"),),
                    0.5 + 0.4 * share,
                    f"The key is spelt '{other}'.",
                )
    for module in sight.project.modules():
        for dictionary in (node for node in module.parents if isinstance(node, ast.Dict)):
            for one in dictionary.keys:
                if (
                    isinstance(one, ast.Constant)
                    and isinstance(one.value, str)
                    and one.value != word
                    and any(other == one.value for other, _ in nearest(word, [one.value]))
                ):
                    quote = module.source(one)[:1]
                    yield Fix(
                        (replace(module, one, f"{quote}{word}{quote}"),), 0.4, f"The key is asked for as '{word}'."
                    )


def defaults(sight: Sight) -> Iterator[Fix]:
    """A key that may not be there: asked for with ``get``, or looked for first."""
    key = sight.said[1].strip()
    for module, node in uses(sight):
        table, index = module.source(node.value), module.source(node.slice)
        statement = module.statement_at(node)
        if isinstance(node.ctx, ast.Del) and isinstance(statement, ast.Delete):
            yield Fix(
                (replace(module, statement, f"{table}.pop({index}, None)"),),
                0.88,
                "A key that is not there need not be taken out.",
            )
        if not isinstance(node.ctx, ast.Load):
            continue
        if key.lstrip("-").isdigit() and not isinstance(node.slice, ast.Constant):
            yield Fix((replace(module, node.slice, f"str({index})"),), 0.35, "The keys are text.")
        if re.fullmatch(r"'-?\d+'", key) and not isinstance(node.slice, ast.Constant):
            yield Fix((replace(module, node.slice, f"int({index})"),), 0.6, "The keys are numbers.")
        if key.lower() != key and not isinstance(node.slice, ast.Constant):
            yield Fix((replace(module, node.slice, f"{index}.lower()"),), 0.3, "The keys are written small.")
        more = _default(sight, module, node)
        yield Fix(
            (replace(module, node, f"{table}.get({index}{more})"),), 0.6, "A key that is not there gives a default."
        )
        if more:
            yield Fix((replace(module, node, f"{table}.get({index})"),), 0.4, "A key that is not there gives None.")
        function = module.function(node)
        if statement is not None and function is not None:
            yield Fix(
                (before(module, statement, [f"if {index} not in {table}:", "    return None"]),),
                0.25,
                "A key that is not there is looked for first.",
            )
            if any(isinstance(one, (ast.For, ast.While)) for one in module.up(node)):
                yield Fix(
                    (before(module, statement, [f"if {index} not in {table}:", "    continue"]),),
                    0.35,
                    "A key that is not there is passed over.",
                )


def _default(sight: Sight, module: Module, node: ast.Subscript) -> str:
    """What a missing key may count as, by what is done with the value or by what the test wants."""
    parent = module.parents.get(node)
    if isinstance(parent, ast.BinOp):
        other = parent.right if parent.left is node else parent.left
        return (
            ", ''"
            if isinstance(other, (ast.JoinedStr,)) or (isinstance(other, ast.Constant) and isinstance(other.value, str))
            else ", 0"
        )
    if isinstance(parent, ast.Attribute):
        return ", ''" if hasattr(str, parent.attr) else (", {}" if hasattr(dict, parent.attr) else "")
    if isinstance(parent, (ast.For, ast.comprehension)) or (
        isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in {"len", "sum", "list", "sorted"}
    ):
        return ", []"
    test = sight.test()
    for one in [] if test is None else test[0].nodes(test[1]):
        if (
            isinstance(one, ast.Compare)
            and isinstance(one.ops[0], ast.Eq)
            and isinstance(one.comparators[0], ast.Constant)
        ):
            return f", {one.comparators[0].value!r}"
    return ""


RULES = (
    Rule(
        name="first-value-of-a-key",
        what="A key is counted or filled before it is there.",
        before="counts[word] += 1",
        after="counts[word] = counts.get(word, 0) + 1",
        suggest=first_values,
        errors=("KeyError",),
        message=_SAID,
    ),
    Rule(
        name="misspelt-key",
        what="A key is nearly one that is written out in the project.",
        before="{'colour': 1}['color']",
        after="{'colour': 1}['colour']",
        suggest=spellings,
        errors=("KeyError",),
        message=_SAID,
    ),
    Rule(
        name="missing-key",
        what="A key may not be there.",
        before="table[name]",
        after="table.get(name)",
        suggest=defaults,
        errors=("KeyError",),
        message=_SAID,
    ),
)
