"""Base cases and checks that are missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import Sort, shown
from windtunnel.repair.foreign.here import Here, Name
from windtunnel.repair.foreign.typing import is_integer

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_RESULTS = 4
_MOST_QUESTIONS = 24
_STEPS = {"go": "\t", "rust": "    ", "java": "    "}


def _base_case(node: Node, here: Here) -> Iterator[Edit]:
    """Before the first statement of the function: ``if nothing is to do, give back what is right for nothing``."""
    first = _first(node, here)
    indent = here.tree.indent(first.start_byte) if first is not None else None
    if first is None or indent is None:
        return
    results = list(dict.fromkeys(_results(here)))[:_MOST_RESULTS]
    count = 0
    for question, share in _questions(here):
        for at, result in enumerate(results):
            count += 1
            if count > _MOST_QUESTIONS * _MOST_RESULTS:
                return
            text = guard(question, f"return {result}".rstrip(), here=here, indent=indent)
            yield Edit(
                start=first.start_byte,
                end=first.start_byte,
                text=f"{text}\n{indent}",
                name="base-case",
                prior=0.03 * share / (1 + at),
                reason=f"where {question}, nothing is left to do",
            )


def guard(question: str, deed: str, *, here: Here, indent: str) -> str:
    """An ``if`` around one statement, as the language's people write it."""
    asked, step = here.table.braces.format(question), _STEPS.get(here.table.name, "  ")
    return f"if {asked} {{\n{indent}{step}{deed}{here.table.end}\n{indent}}}"


def _first(node: Node, here: Here) -> Node | None:
    body = here.function.child_by_field_name("body")
    if body is None or node != body or body.type not in {"block", "statement_block"}:
        return None
    inner = next((child for child in body.named_children if child.type == "statement_list"), body)
    return next(iter(shapes.statements(inner)), None)


def _results(here: Here) -> Iterator[str]:
    """Values of the right type for nothing; those that the function gives elsewhere, where they are constant."""
    kind = here.result()
    for node in here.nodes:
        if node.type in shapes.RETURNS and shapes.parts(node):
            value = here.text(shapes.parts(node)[0])
            if len(value) < 30 and not any(  # noqa: PLR2004 -- characters of a line or less
                char.isalpha()
                for char in value.replace("null", "")
                .replace("nil", "")
                .replace("true", "")
                .replace("false", "")
                .replace("None", "")
            ):
                yield value
    zeros = here.table.zeros
    if kind.startswith("("):
        kinds = [one.strip().rpartition(" ")[2] for one in kind.strip("()").split(",")]
        yield ", ".join(zeros.get(one, zeros.get("", ("nil",)))[0] for one in kinds)
        return
    yield from (
        zeros.get(kind)
        or zeros.get(kind.partition("<")[0])
        or (() if here.table.name == "rust" and kind else zeros.get("", ()))
        if kind or not here.table.typed
        else ("",)
    )
    yield from (name.name for name in _parameters(here) if name.type == kind and kind)


def _parameters(here: Here) -> list[Name]:
    return [name for name in here.names if name.parameter and name.first == here.function.start_byte]


def _questions(here: Here) -> Iterator[tuple[str, float]]:
    """What may be nothing among the parameters, likeliest first."""
    equal, null = here.table.equal[0], here.table.null
    for name in _parameters(here):
        kind = name.type or here.guessed.get(name.name, "")
        one = name.name
        if is_integer(kind, here):
            yield from (
                (f"{one} {equal} 0", 1.0),
                (f"{one} <= 1", 0.8),
                (f"{one} <= 0", 0.8),
                (f"{one} < 0", 0.8),
                (f"{one} {equal} 1", 0.8),
                (f"{one} < 2", 0.6),
            )
        elif here.table.name == "go" and (kind.startswith(("[]", "map")) or kind == "string"):
            yield from ((f"len({one}) {equal} 0", 1.0), (f"len({one}) < 2", 0.3))
        elif here.table.name == "go" and kind.startswith("*"):
            yield f"{one} == nil", 1.0
        elif here.table.name == "rust" and kind.startswith(("[", "Vec", "str", "String")):
            yield f"{one}.is_empty()", 1.0
        elif here.table.name == "rust" and kind.startswith("Option"):
            yield f"{one}.is_none()", 0.8
        elif here.table.name == "java":
            yield from _java(one, kind)
        elif here.table.name in {"javascript", "typescript"}:
            yield from (
                (f"!{one}", 0.6),
                (f"{one}.length === 0", 1.0 if kind != "" else 0.6),
                (f"{one} {equal} {null}", 0.5),
            )
            if kind == "":
                yield from ((f"{one} {equal} 0", 0.4), (f"{one} <= 1", 0.3), (f"{one} < 0", 0.3))


def _java(name: str, kind: str) -> Iterator[tuple[str, float]]:
    if kind.endswith("[]"):
        yield f"{name}.length == 0", 1.0
    elif kind.partition("<")[0] in {"List", "Set", "Map", "Collection", "String", "Deque", "Queue", "ArrayList"}:
        yield f"{name}.isEmpty()", 1.0
    if kind not in {"boolean", "char", "double", "float"}:
        yield f"{name} == null", 0.7


def _checked(node: Node, here: Here) -> Iterator[Edit]:
    """One statement is done only where what it uses is there."""
    short = shapes.is_statement(node) and node.type in {"expression_statement", "assignment_statement"}
    indent = here.tree.indent(node.start_byte) if short else None
    text = here.text(node)
    if indent is None or len(text) > 200 or text[:3] in {"if ", "for", "whi", "loo", "mat"}:  # noqa: PLR2004 -- characters of a line or less
        return
    asked = dict.fromkeys(
        here.text(one)
        for one in here.nodes
        if one.type == "binary_expression" and shapes.sign(one) in shapes.COMPARISONS and len(here.text(one)) < 60  # noqa: PLR2004 -- characters of a line or less
    )
    questions = [(question, 0.006) for question in list(asked)[:8]]
    used = [one for one in here.visible(node.start_byte) if one.name in text]
    if here.table.null:
        questions += [
            (f"{one.name} {here.table.equal[1]} {null}", 0.008)
            for one in used
            for null in here.table.nulls
            if not one.type or one.type not in here.table.integers | here.table.floats | here.table.strings
        ]
    questions += [
        (f"{one.name} {sign} 0", 0.006)
        for one in used
        for sign in (">", here.table.equal[1])
        if is_integer(one.type or here.guessed.get(one.name, ""), here)
    ]
    for question, prior in questions:
        step = _STEPS.get(here.table.name, "  ")
        deed = f"if {here.table.braces.format(question)} {{\n{indent}{step}{text}\n{indent}}}"
        yield Edit(
            start=node.start_byte,
            end=node.end_byte,
            text=deed,
            name="guard",
            prior=prior,
            reason=f"{shown(text)} only where {shown(question)}",
        )


BASE_CASE = Sort(
    name="base-case",
    title="an answer for nothing, before all else",
    edits=_base_case,
    examples=(
        Example(
            language="java",
            before="return f(a - 1, b, xs);",
            after="if (a == 0) {\n        return 0;\n    }\n    return f(a - 1, b, xs);",
        ),
        Example(
            language="go", before="return f(a-1, b, xs)", after="if a == 0 {\n\t\treturn 0\n\t}\n\treturn f(a-1, b, xs)"
        ),
    ),
)
GUARD = Sort(
    name="guard",
    title="done only where it can be",
    edits=_checked,
    examples=(Example(language="javascript", before="xs.push(a);", after="if (xs !== null) {\n    xs.push(a);\n  }"),),
)
