"""Go, where a variable or an import that nobody uses is an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.grammar import Declared, Grammar
from windtunnel.mutation.grammars.languages.uses import lost
from windtunnel.mutation.grammars.parts import first, parts

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place, Proposal
    from windtunnel.mutation.grammars.source import Source

_BINARY = frozenset({"binary_expression"})
_INTEGERS = frozenset({
    "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "byte", "rune",
})
_NUMBERS = _INTEGERS | {"float32", "float64", "time.Duration"}
_FORMATTING = frozenset({"String", "GoString", "Format", "Error"})
_NIL = frozenset({"pointer_type", "slice_type", "map_type", "channel_type", "function_type", "interface_type"})
_MADE = {"int_literal": "int", "float_literal": "float64", "interpreted_string_literal": "string",
         "raw_string_literal": "string", "rune_literal": "rune", "true": "bool", "false": "bool"}


def declares(node: Node, source: Source) -> Iterable[Declared]:
    """Parameters and variables, by their type or by the literal or length that they begin with."""
    if node.type == "short_var_declaration":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        names = [source.text(name) for name in parts(left)] if left is not None else []
        values = parts(right) if right is not None and len(parts(right)) == len(names) else []
        yield from ((name, _made(values[at], source) if values else "") for at, name in enumerate(names))
        return
    if node.type == "range_clause":
        left = node.child_by_field_name("left")
        yield from ((source.text(name), "") for name in (parts(left) if left is not None else ()))
        return
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    names = [source.text(name) for name in node.children_by_field_name("name")]
    for name in names:
        alone = first(value) if value is not None and len(names) == 1 else None
        yield name, source.text(kind) if kind is not None else _made(alone, source)


def _made(value: Node | None, source: Source) -> str:
    if value is None:
        return ""
    if value.type == "call_expression":
        function = value.child_by_field_name("function")
        name = source.text(function) if function is not None else ""
        return "int" if name in {"len", "cap"} else name if name in _NUMBERS or name == "string" else ""
    return _MADE.get(value.type, "")


def leaves(node: Node, place: Place) -> bool:
    """Methods that format for people."""
    if node.type != "method_declaration":
        return False
    name = node.child_by_field_name("name")
    return name is not None and place.text(name) in _FORMATTING


def admits(proposal: Proposal, place: Place) -> bool:
    """Whether every variable and import is used as before."""
    return not any(lost(place, proposal.start, proposal.end, text=proposal.text))


def results(function: Node) -> list[Node]:
    """The types of what a function gives, in order."""
    found = function.child_by_field_name("result")
    if found is None:
        return []
    if found.type != "parameter_list":
        return [found]
    kinds: list[Node] = []
    for parameter in parts(found):
        kind = parameter.child_by_field_name("type")
        if kind is not None:
            kinds.extend([kind] * max(1, len(parameter.children_by_field_name("name"))))
    return kinds


def zero(kind: Node, source: Source) -> str:
    """The zero of a type."""
    text = source.text(kind)
    if text in _NUMBERS:
        return "0"
    if kind.type in _NIL or text in {"error", "any"}:
        return "nil"
    return {"string": '""', "bool": "!"}.get(text, f"*new({text})" if "\n" not in text else "")


GRAMMAR = Grammar(
    name="go", title="Go", package="tree_sitter_go", empty="",
    kinds={
        "arithmetic": _BINARY, "comparison": _BINARY, "boundary": _BINARY,
        "boolean": _BINARY | {"unary_expression", "true", "false"},
        "condition": frozenset({"if_statement", "for_statement", "for_clause"}),
        "constants": frozenset({"int_literal", "float_literal"}),
        "strings": frozenset({"interpreted_string_literal", "raw_string_literal"}),
        "returns": frozenset({"return_statement"}),
        "deletion": frozenset({"expression_statement", "assignment_statement", "defer_statement", "return_statement",
                               "send_statement"}),
        "loops": frozenset({"break_statement", "continue_statement"}),
        "arguments": frozenset({"call_expression"}),
        "slices": frozenset({"slice_expression"}),
        "unary": frozenset({"unary_expression"}),
        "assignments": frozenset({"assignment_statement", "inc_statement", "dec_statement"}),
        "collections": frozenset({"composite_literal"}),
    },
    functions=frozenset({"function_declaration", "method_declaration", "func_literal"}), containers={},
    comments=frozenset({"comment"}), numbers=frozenset({"int_literal", "float_literal"}), number_types=_NUMBERS,
    texts=frozenset({"interpreted_string_literal", "raw_string_literal"}), text_types=frozenset({"string"}),
    counts=_NUMBERS | {"len", "cap"}, calls=frozenset({"call_expression"}),
    blocks=frozenset({"statement_list", "block", "expression_case", "default_case", "type_case", "communication_case"}),
    ends=frozenset({"return_statement", "break_statement", "continue_statement", "goto_statement"}),
    passed=frozenset({
        "package_clause", "import_declaration", "type_declaration", "parameter_list", "label_name", "type_arguments",
        "type_identifier", "qualified_type", "generic_type", "array_type", "struct_type", "implicit_length_array_type",
        "type_elem", *_NIL,
    }),
    passed_fields=frozenset({("keyed_element", "key"), ("const_spec", "type"), ("var_spec", "type")}),
    declaring=frozenset({
        "parameter_declaration", "variadic_parameter_declaration", "var_spec", "const_spec", "short_var_declaration",
        "range_clause",
    }),
    declares=declares, leaves=leaves, admits=admits, zero=zero,
    forced='if true { panic("forced by windtunnel") };', frame="package p\n\nfunc f(a, b int) {{\n\t{}\n}}\n",
)
