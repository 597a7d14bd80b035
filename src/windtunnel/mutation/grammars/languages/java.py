"""Java, where code that cannot be reached and exceptions that cannot be thrown are errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.grammar import Declared, Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place, Proposal
    from windtunnel.mutation.grammars.source import Source

_BINARY = frozenset({"binary_expression"})
_INTEGERS = frozenset({"decimal_integer_literal", "hex_integer_literal", "binary_integer_literal"})
_FLOATS = frozenset({"decimal_floating_point_literal"})
_PRIMITIVES = frozenset({"byte", "short", "int", "long", "float", "double", "char"})
_BOXED = {"Integer": "0", "Long": "0L", "Double": "0.0", "Float": "0.0f", "Boolean": "!", "String": '""',
          "Character": "'a'", "Short": "null", "Byte": "null"}
_EMPTY = {"List": "java.util.Collections.emptyList()", "Map": "java.util.Collections.emptyMap()",
          "Set": "java.util.Collections.emptySet()", "Collection": "java.util.Collections.emptyList()",
          "Optional": "java.util.Optional.empty()"}
_UNCHECKED = frozenset({
    "Exception", "Throwable", "RuntimeException", "Error", "IllegalArgumentException", "IllegalStateException",
    "NullPointerException", "NumberFormatException", "IndexOutOfBoundsException", "ClassCastException",
    "ArithmeticException", "UnsupportedOperationException", "ArrayIndexOutOfBoundsException",
})
_MADE = {"decimal_integer_literal": "int", "hex_integer_literal": "int", "string_literal": "String",
         "decimal_floating_point_literal": "double", "true": "boolean", "false": "boolean"}


def declares(node: Node, source: Source) -> Iterable[Declared]:
    """Parameters, variables and fields."""
    kind = node.child_by_field_name("type")
    if kind is None:
        return
    text = source.text(kind)
    if node.type in {"formal_parameter", "enhanced_for_statement"}:
        name = node.child_by_field_name("name")
        if name is not None:
            yield source.text(name), _arrayed(text, node)
        return
    for declarator in node.children_by_field_name("declarator"):
        name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
        if name is not None:
            made = _MADE.get(value.type, "") if value is not None else ""
            yield source.text(name), made if text == "var" else _arrayed(text, declarator)


def _arrayed(text: str, node: Node) -> str:
    return f"{text}[]" if node.child_by_field_name("dimensions") is not None else text


def leaves(node: Node, place: Place) -> bool:
    """Methods that format for people."""
    if node.type != "method_declaration":
        return False
    name = node.child_by_field_name("name")
    return name is not None and place.text(name) == "toString"


def admits(proposal: Proposal, place: Place) -> bool:
    """Whether no call goes that a handler of a checked exception may need: without one, the handler is an error."""
    gone = place.source.content[proposal.start:proposal.end].decode()
    if "(" not in gone or gone in proposal.text:
        return True
    return not any(_handles_checked(node, place) for node, _ in place.upward() if node.type.startswith("try_"))


def _handles_checked(node: Node, place: Place) -> bool:
    for clause in node.named_children:
        if clause.type == "catch_clause":
            kinds = [kind for parameter in clause.named_children if parameter.type == "catch_formal_parameter"
                     for caught in parameter.named_children if caught.type == "catch_type"
                     for kind in caught.named_children]
            if any(place.text(kind).rpartition(".")[2] not in _UNCHECKED for kind in kinds):
                return True
    return False


def zero(function: Node, source: Source) -> str:
    """A value of the type that a method declares; nothing for what gives none or is typed by its surroundings."""
    kind = function.child_by_field_name("type")
    if kind is None or kind.type == "void_type" or function.type != "method_declaration":
        return ""
    text = source.text(kind)
    if function.child_by_field_name("dimensions") is not None:
        return "null"
    if text == "boolean":
        return "!"
    if text in _PRIMITIVES:
        return "0"
    return _BOXED.get(text) or _EMPTY.get(text.partition("<")[0], "null")


GRAMMAR = Grammar(
    name="java", title="Java", package="tree_sitter_java",
    kinds={
        "arithmetic": _BINARY, "comparison": _BINARY | {"instanceof_expression"}, "boundary": _BINARY,
        "boolean": _BINARY | {"unary_expression", "true", "false"},
        "condition": frozenset({"if_statement", "while_statement", "do_statement", "ternary_expression"}),
        "constants": _INTEGERS | _FLOATS,
        "strings": frozenset({"string_literal"}),
        "returns": frozenset({"return_statement"}),
        "deletion": frozenset({"expression_statement", "throw_statement", "return_statement"}),
        "loops": frozenset({"break_statement", "continue_statement"}),
        "exceptions": frozenset({"throw_statement"}),
        "arguments": frozenset({"method_invocation", "object_creation_expression"}),
        "unary": frozenset({"unary_expression"}),
        "assignments": frozenset({"assignment_expression", "update_expression"}),
        "collections": frozenset({"array_initializer"}),
    },
    functions=frozenset({
        "method_declaration", "constructor_declaration", "compact_constructor_declaration", "lambda_expression",
    }),
    containers={"class_declaration": "name", "interface_declaration": "name", "enum_declaration": "name",
                "record_declaration": "name"},
    comments=frozenset({"line_comment", "block_comment"}), numbers=_INTEGERS | _FLOATS | {"octal_integer_literal"},
    number_types=_PRIMITIVES | {"Integer", "Long", "Double", "Float"}, texts=frozenset({"string_literal"}),
    text_types=frozenset({"String"}),
    counts=frozenset({
        "length", "size", "indexOf", "lastIndexOf", "hashCode", "ordinal", "intValue", "longValue", "parseInt",
        "parseLong", "compareTo", "compare", "nanoTime", "currentTimeMillis", "remaining", "position",
    }),
    calls=frozenset({"method_invocation", "object_creation_expression"}),
    blocks=frozenset({"block", "constructor_body", "switch_block_statement_group"}),
    ends=frozenset({"return_statement", "throw_statement", "break_statement", "continue_statement", "yield_statement"}),
    passed=frozenset({
        "package_declaration", "import_declaration", "modifiers", "annotation", "marker_annotation",
        "annotation_type_declaration", "switch_label", "assert_statement", "throws", "superclass", "super_interfaces",
        "extends_interfaces", "type_parameters", "type_arguments", "formal_parameters", "catch_formal_parameter",
        "integral_type", "floating_point_type", "boolean_type", "void_type", "type_identifier", "generic_type",
        "array_type", "scoped_type_identifier", "dimensions", "explicit_constructor_invocation", "module_declaration",
    }),
    declaring=frozenset({"formal_parameter", "local_variable_declaration", "field_declaration",
                         "enhanced_for_statement", "resource"}),
    declares=declares, leaves=leaves, admits=admits, zero=zero,
    # Without the condition, what follows could not be reached, which is an error.
    forced='if (true) throw new RuntimeException("forced by windtunnel");',
    frame="class A {{\n    void f(int a, int b) {{\n        {}\n    }}\n}}\n",
)
