"""JavaScript, with or without elements of markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.grammar import Grammar
from windtunnel.mutation.grammars.parts import parts

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place

BINARY = frozenset({"binary_expression"})
BRANCHES = frozenset({"if_statement", "while_statement", "do_statement", "ternary_expression"})
FORMATTING = frozenset({"toString", "toLocaleString", "inspect"})
KINDS = {
    "arithmetic": BINARY, "comparison": BINARY, "boundary": BINARY,
    "boolean": BINARY | {"unary_expression", "true", "false"},
    "condition": BRANCHES,
    "constants": frozenset({"number"}),
    "strings": frozenset({"string", "template_string"}),
    "returns": frozenset({"return_statement", "arrow_function"}),
    "deletion": frozenset({"expression_statement", "throw_statement", "return_statement"}),
    "loops": frozenset({"break_statement", "continue_statement"}),
    "exceptions": frozenset({"throw_statement"}),
    "arguments": frozenset({"call_expression", "new_expression"}),
    "awaiting": frozenset({"await_expression"}),
    "unary": frozenset({"unary_expression"}),
    "assignments": frozenset({"augmented_assignment_expression", "update_expression"}),
    "collections": frozenset({"array", "object"}),
    "chaining": frozenset({"member_expression", "subscript_expression", "call_expression"}),
}
FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function",
    "generator_function_declaration",
})
CONTAINERS = {"class_declaration": "name", "class": "name"}
PASSED = frozenset({
    "import_statement", "hash_bang_line", "decorator", "jsx_text", "regex", "property_identifier", "class_heritage",
    "object_pattern", "array_pattern", "statement_identifier",
})
PASSED_FIELDS = frozenset({
    ("pair", "key"), ("export_statement", "source"), ("method_definition", "name"), ("field_definition", "property"),
})
COUNTS = frozenset({
    "length", "size", "indexOf", "lastIndexOf", "parseInt", "parseFloat", "Number", "floor", "ceil", "round", "abs",
    "charCodeAt", "codePointAt", "now", "getTime", "byteLength", "sqrt", "pow", "trunc",
})
FORCED = 'throw new Error("forced by windtunnel");'
FORCED_VALUE = f"(() => {{ {FORCED} }})()"


def leaves(node: Node, place: Place) -> bool:
    """Directives, names of modules, methods that format for people, tests beside the code."""
    if node.type == "expression_statement":
        return [child.type for child in parts(node)] == ["string"]
    if node.type in {"string", "template_string"}:
        return _is_left_string(place)
    if node.type == "method_definition":
        name = node.child_by_field_name("name")
        return name is not None and (place.text(name) in FORMATTING or "inspect" in place.text(name)
                                     or "toStringTag" in place.text(name))
    if node.type == "if_statement":
        condition = node.child_by_field_name("condition")
        return condition is not None and "import.meta.vitest" in place.text(condition)[:100]
    return False


def _is_left_string(place: Place) -> bool:
    call = place.above(2)
    if place.kind_above() == "arguments" and call is not None and call.type == "call_expression":
        function = call.child_by_field_name("function")
        return function is not None and place.text(function) in {"require", "import", "require.resolve", "Symbol.for"}
    return place.kind_above() == "jsx_attribute" or (
        place.kind_above() == "call_expression" and place.field == "arguments")


GRAMMAR = Grammar(
    name="javascript", title="JavaScript", package="tree_sitter_javascript", typed=False,
    kinds=KINDS, functions=FUNCTIONS, containers=CONTAINERS, comments=frozenset({"comment", "html_comment"}),
    numbers=frozenset({"number"}), texts=frozenset({"string", "template_string"}), counts=COUNTS,
    calls=frozenset({"call_expression", "new_expression"}),
    blocks=frozenset({"program", "statement_block", "switch_case", "switch_default"}),
    ends=frozenset({"return_statement", "throw_statement", "break_statement", "continue_statement"}),
    passed=PASSED, passed_fields=PASSED_FIELDS, leaves=leaves, forced=FORCED, forced_value=FORCED_VALUE, frame="{}\n",
)
