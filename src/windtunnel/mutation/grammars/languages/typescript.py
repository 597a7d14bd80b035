"""TypeScript, with and without elements of markup: JavaScript whose types are left alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.grammar import Declared
from windtunnel.mutation.grammars.languages import javascript

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place
    from windtunnel.mutation.grammars.source import Source

_TYPES = frozenset({
    "type_annotation", "type_arguments", "type_parameters", "interface_declaration", "type_alias_declaration",
    "ambient_declaration", "implements_clause", "extends_clause", "extends_type_clause", "function_signature",
    "abstract_method_signature", "method_signature", "index_signature", "predefined_type", "type_identifier",
    "generic_type", "union_type", "intersection_type", "array_type", "tuple_type", "literal_type", "object_type",
    "function_type", "template_literal_type", "lookup_type", "conditional_type", "readonly_type", "parenthesized_type",
    "type_query", "nested_type_identifier", "index_type_query", "constructor_type", "type_predicate", "asserts",
    "type_predicate_annotation", "asserts_annotation", "flow_maybe_type", "existential_type", "import_alias",
    "infer_type", "optional_type", "rest_type", "this_type",
})
_MADE = {"number": "number", "string": "string", "template_string": "string", "true": "boolean", "false": "boolean"}


def declares(node: Node, source: Source) -> Iterable[Declared]:
    """Parameters and variables, by their annotation or by the literal that they begin with."""
    name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    if name is None or name.type not in {"identifier", "property_identifier"}:
        return
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is not None:
        yield source.text(name), source.text(kind).lstrip(": ")
    else:
        yield source.text(name), _MADE.get(value.type, "") if value is not None else ""


def leaves(node: Node, place: Place) -> bool:
    """As in JavaScript; also what is written ``as const``, whose every letter is part of a type."""
    if node.type == "as_expression":
        return node.children[-1].type == "const"
    return javascript.leaves(node, place)


def zero(_function: Node, _source: Source) -> str:
    """Nothing, as a value of whatever type is wanted."""
    return "undefined as any"


GRAMMAR = replace(
    javascript.GRAMMAR, name="typescript", title="TypeScript", package="tree_sitter_typescript",
    loader="language_typescript", typed=True,
    containers={**javascript.CONTAINERS, "abstract_class_declaration": "name", "internal_module": "name"},
    passed=javascript.PASSED | _TYPES, passed_fields=javascript.PASSED_FIELDS | {("public_field_definition", "name")},
    declaring=frozenset({"required_parameter", "optional_parameter", "variable_declarator", "public_field_definition"}),
    declares=declares, leaves=leaves, zero=zero, number_types=frozenset({"number"}), text_types=frozenset({"string"}),
)
WITH_ELEMENTS = replace(GRAMMAR, loader="language_tsx")
