"""Rust, where whatever macros are given is left alone: it is not known what they make of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.grammar import Declared, Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place
    from windtunnel.mutation.grammars.source import Source

_BINARY = frozenset({"binary_expression"})
_INTEGERS = frozenset({
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
})
_FLOATS = frozenset({"f32", "f64"})
_MADE = {"integer_literal": "i32", "float_literal": "f64", "string_literal": "&str", "boolean_literal": "bool"}
_TEST = re.compile(r"#\[\s*(?:cfg\s*\(\s*(?:test|all\s*\(\s*test)\b|(?:\w+::)*(?:test|bench|rstest|proptest)\b)")
_FORMATTING = frozenset({"Debug", "Display", "LowerHex", "UpperHex", "Binary", "Octal", "LowerExp", "UpperExp",
                         "Pointer"})
_DEFAULTS = frozenset({"HashMap", "HashSet", "BTreeMap", "BTreeSet", "VecDeque", "BinaryHeap"})


def declares(node: Node, source: Source) -> Iterable[Declared]:
    """Parameters, variables and constants."""
    name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    if name is None or name.type != "identifier":
        return
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    made = _MADE.get(value.type, "") if value is not None else ""
    yield source.text(name), source.text(kind) if kind is not None else made


def leaves(node: Node, place: Place) -> bool:
    """Tests, what formats for people, and lengths of arrays."""
    if node.type == "impl_item":
        trait = node.child_by_field_name("trait")
        return trait is not None and place.text(trait).rpartition("::")[2] in _FORMATTING
    if node.type in {"const_item", "static_item"}:
        kind = node.child_by_field_name("type")
        # A constant of this type may be the length of an array somewhere else.
        return node.type == "const_item" and kind is not None and place.text(kind) == "usize"
    return node.type in {"mod_item", "function_item"} and _is_test(node, place)


def _is_test(node: Node, place: Place) -> bool:
    before = node.prev_sibling
    while before is not None and before.type in {"attribute_item", "line_comment", "block_comment"}:
        if before.type == "attribute_item" and _TEST.match(place.text(before)):
            return True
        before = before.prev_sibling
    return False


def zero(function: Node, source: Source) -> str:
    """A value of the type that the signature names, where the standard library is sure to have one."""
    kind = function.child_by_field_name("return_type")
    if kind is None or function.type != "function_item":
        return ""
    text = " ".join(source.text(kind).split())
    if text in _INTEGERS:
        return "0"
    if text in _FLOATS:
        return "0.0"
    if re.fullmatch(r"&(?:'\w+ )?str", text):
        return '""'
    head = text.partition("<")[0].rpartition("::")[2] if text.endswith(">") else text
    known = {"bool": "!", "char": "'a'", "String": "String::new()", "Option": "None", "Vec": "Vec::new()"}
    return "Default::default()" if head in _DEFAULTS else known.get(head, "")


GRAMMAR = Grammar(
    name="rust", title="Rust", package="tree_sitter_rust", separator="::", empty="",
    kinds={
        "arithmetic": _BINARY, "comparison": _BINARY, "boundary": _BINARY | {"range_expression"},
        "boolean": _BINARY | {"unary_expression", "boolean_literal"},
        "condition": frozenset({"if_expression", "while_expression", "match_pattern"}),
        "constants": frozenset({"integer_literal", "float_literal"}),
        "strings": frozenset({"string_literal"}),
        "returns": frozenset({"return_expression", "block"}),
        "deletion": frozenset({"expression_statement"}),
        "loops": frozenset({"break_expression", "continue_expression"}),
        "arguments": frozenset({"call_expression"}),
        "slices": frozenset({"range_expression"}),
        "unary": frozenset({"unary_expression"}),
        "assignments": frozenset({"compound_assignment_expr"}),
    },
    functions=frozenset({"function_item", "closure_expression"}),
    containers={"impl_item": "type", "mod_item": "name", "trait_item": "name"},
    comments=frozenset({"line_comment", "block_comment"}), numbers=frozenset({"integer_literal", "float_literal"}),
    number_types=_INTEGERS | _FLOATS, texts=frozenset({"string_literal", "raw_string_literal"}),
    text_types=frozenset({"String", "&str", "&'static str"}),
    counts=frozenset({"len", "count", "capacity", "leading_zeros", "trailing_zeros", "count_ones", "pow"}),
    calls=frozenset({"call_expression"}), blocks=frozenset({"block"}),
    ends=frozenset({"return_expression", "break_expression", "continue_expression"}),
    passed=frozenset({
        "use_declaration", "attribute_item", "inner_attribute_item", "macro_definition", "macro_invocation",
        "token_tree", "type_arguments", "type_parameters", "where_clause", "lifetime", "enum_item", "struct_item",
        "union_item", "type_item", "extern_crate_declaration", "parameters", "closure_parameters", "primitive_type",
        "type_identifier", "generic_type", "reference_type", "array_type", "tuple_type", "function_type",
        "pointer_type", "scoped_type_identifier", "associated_type", "tuple_struct_pattern", "struct_pattern",
        "tuple_pattern", "or_pattern", "ref_pattern", "slice_pattern", "captured_pattern", "range_pattern",
        "reference_pattern", "mut_pattern", "remaining_field_pattern", "foreign_mod_item", "label", "dynamic_type",
        "abstract_type", "bounded_type", "const_block",
    }),
    passed_fields=frozenset({
        ("array_expression", "length"), ("field_expression", "field"), ("let_declaration", "pattern"),
        ("let_condition", "pattern"), ("for_expression", "pattern"), ("let_declaration", "type"),
        ("type_cast_expression", "type"),
    }),
    only={"match_pattern": "condition"},
    declaring=frozenset({"parameter", "let_declaration", "const_item", "static_item"}),
    declares=declares, leaves=leaves, zero=zero,
    # Without the condition, what follows could not be reached, which some crates forbid.
    forced='if true { panic!("forced by windtunnel"); }', frame="fn f(a: i32, b: i32) {{\n    {}\n}}\n",
)
