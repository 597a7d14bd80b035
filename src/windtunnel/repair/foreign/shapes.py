"""The shapes that the grammars of all these languages share, under the names each gives to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    {
        "function_declaration",
        "function_expression",
        "generator_function_declaration",
        "generator_function",
        "arrow_function",
        "method_definition",
        "method_declaration",
        "constructor_declaration",
        "lambda_expression",
        "func_literal",
        "function_item",
        "closure_expression",
    }
)
SMALL_FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "lambda_expression", "func_literal", "closure_expression"}
)
"""Those that stand inside expressions and share the names around them."""
BLOCKS = frozenset(
    {
        "statement_block",
        "block",
        "statement_list",
        "constructor_body",
        "switch_case",
        "switch_default",
        "switch_block_statement_group",
        "expression_case",
        "default_case",
    }
)
IFS = frozenset({"if_statement", "if_expression"})
WHILES = frozenset({"while_statement", "while_expression", "do_statement"})
FORS = frozenset({"for_statement", "for_in_statement", "enhanced_for_statement", "for_expression"})
LOOPS = WHILES | FORS | {"loop_expression"}
TERNARIES = frozenset({"ternary_expression"})
INTEGERS = frozenset({"number", "int_literal", "integer_literal", "decimal_integer_literal", "hex_integer_literal"})
FLOATS = frozenset({"float_literal", "decimal_floating_point_literal"})
STRINGS = frozenset({"string", "string_literal", "interpreted_string_literal", "raw_string_literal", "template_string"})
CHARACTERS = frozenset({"character_literal", "rune_literal", "char_literal"})
BOOLEANS = frozenset({"true", "false", "boolean_literal"})
NULLS = frozenset({"null", "null_literal", "nil", "undefined"})
NAMES = frozenset({"identifier"})
COMMENTS = frozenset({"comment", "html_comment", "line_comment", "block_comment"})
CALLS = frozenset({"call_expression", "method_invocation", "object_creation_expression", "new_expression"})
ARGUMENTS = frozenset({"arguments", "argument_list"})
RETURNS = frozenset({"return_statement", "return_expression"})
ENDS = RETURNS | {
    "throw_statement",
    "break_statement",
    "continue_statement",
    "break_expression",
    "continue_expression",
    "yield_statement",
}
ASSIGNMENTS = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "assignment_statement", "compound_assignment_expr"}
)
MEMBERS = {
    "member_expression": ("object", "property"),
    "field_access": ("object", "field"),
    "selector_expression": ("operand", "field"),
    "field_expression": ("value", "field"),
}
INDEXES = {
    "subscript_expression": ("object", "index"),
    "array_access": ("array", "index"),
    "index_expression": ("operand", "index"),
}
PASSED = frozenset(
    {
        "import_statement",
        "import_declaration",
        "package_declaration",
        "package_clause",
        "use_declaration",
        "attribute_item",
        "inner_attribute_item",
        "modifiers",
        "annotation",
        "marker_annotation",
        "type_annotation",
        "type_arguments",
        "type_parameters",
        "interface_declaration",
        "type_alias_declaration",
        "ambient_declaration",
        "struct_item",
        "enum_item",
        "trait_bounds",
        "where_clause",
        "superclass",
        "super_interfaces",
        "decorator",
        "type_declaration",
        "generic_type",
        "reference_type",
        "array_type",
        "slice_type",
        "map_type",
        "pointer_type",
        "function_type",
        "tuple_type",
        "union_type",
        "predefined_type",
        "type_identifier",
        "primitive_type",
        "integral_type",
        "floating_point_type",
        "boolean_type",
        "scoped_type_identifier",
        "throws",
        "macro_definition",
        "lifetime",
        "label",
        "mutable_specifier",
    }
)
"""Never entered: nothing in them is what a program does."""
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "===", "!=="})
LOGIC = frozenset({"&&", "||"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "**"})


def field(node: Node, name: str) -> Node | None:
    """A part by its name."""
    return node.child_by_field_name(name)


def parts(node: Node) -> list[Node]:
    """Named children without comments."""
    return [child for child in node.named_children if child.type not in COMMENTS]


def sign_of(node: Node) -> Node | None:
    """The operator of an expression."""
    found = node.child_by_field_name("operator")
    return found if found is not None else next((child for child in node.children if not child.is_named), None)


def sign(node: Node) -> str:
    """The operator of an expression as text; empty where there is none."""
    found = sign_of(node)
    return "" if found is None else found.type


def sides(node: Node) -> tuple[Node, Node] | None:
    """Both sides of a binary expression or an assignment."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return None if left is None or right is None else (left, right)


def bare(node: Node) -> Node:
    """What stands in parentheses."""
    while node.type in {"parenthesized_expression", "expression_list"} and len(parts(node)) == 1:
        node = parts(node)[0]
    return node


def condition_of(node: Node) -> Node | None:
    """What an ``if``, a loop or a choice asks, without its parentheses."""
    if node.type == "for_statement":
        clause = next((child for child in node.named_children if child.type == "for_clause"), None)
        found = field(clause, "condition") if clause is not None else field(node, "condition")
        if found is None and clause is None:
            body = field(node, "body")
            found = next(
                (
                    child
                    for child in parts(node)
                    if child != body
                    and child.type != "range_clause"
                    and child != field(node, "initializer")
                    and child != field(node, "init")
                    and child != field(node, "increment")
                    and child != field(node, "update")
                ),
                None,
            )
    else:
        found = field(node, "condition")
    if found is None or found.type in {"let_condition", "let_chain", "empty_statement"}:
        return None
    if found.type == "expression_statement":
        found = parts(found)[0] if parts(found) else None
    return None if found is None else bare(found)


def index_of(node: Node) -> tuple[Node, Node] | None:
    """What is indexed and by what."""
    names = INDEXES.get(node.type)
    if names is None:
        return None
    whole, index = field(node, names[0]), field(node, names[1])
    if whole is None or index is None:
        inner = parts(node)
        return (inner[0], inner[1]) if len(inner) == 2 else None  # noqa: PLR2004 -- a whole and an index
    return whole, index


def member_of(node: Node) -> tuple[Node, Node] | None:
    """An owner and its member."""
    names = MEMBERS.get(node.type)
    if names is None:
        return None
    owner, member = field(node, names[0]), field(node, names[1])
    return None if owner is None or member is None else (owner, member)


def callee(node: Node) -> Node | None:
    """The node of the name that is called: of a function, or of a method."""
    found = field(node, "function") or field(node, "constructor")
    if found is None:
        return field(node, "name")
    if found.type == "generic_function":
        found = field(found, "function") or found
    held = member_of(found)
    if held is not None:
        return held[1]
    return field(found, "name") if found.type == "scoped_identifier" else found


def arguments(node: Node) -> list[Node]:
    """What a call is given."""
    held = field(node, "arguments")
    return parts(held) if held is not None and held.type in ARGUMENTS else []


def is_statement(node: Node) -> bool:
    """Whether it stands in a block, one after the other."""
    parent = node.parent
    if parent is None or parent.type not in BLOCKS or not node.is_named or node.type in COMMENTS:
        return False
    return node.type not in {"statement_list", "switch_label"} and node != field(parent, "value")


def statements(block: Node) -> list[Node]:
    """The statements of a block."""
    return [child for child in block.named_children if is_statement(child)]
