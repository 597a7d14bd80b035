"""Small questions about nodes that several operators ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.declarations import declared
from windtunnel.mutation.grammars.parts import only, parts

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place

_MOST_LOOK = 6
"""Levels below a sum that are looked at."""
_MOST_SPINE = 60
_MOST_NAME = 200
"""Bytes of what is called."""
_SIGNED = frozenset({"-", "*", "/", "%", "<<", ">>", ">>>", "&", "|", "^", "&^", "**"})
_CASTS = frozenset({"type_cast_expression", "cast_expression", "type_conversion_expression"})
COMPARISONS = frozenset({"==", "!=", "===", "!==", "<", "<=", ">", ">="})
_GIVEN = {"java": "assignment_expression"}
PATTERNS = frozenset({"let_condition", "let_chain", "type_pattern", "record_pattern"})
LOOPS = frozenset({
    "for_statement", "for_in_statement", "enhanced_for_statement", "while_statement", "do_statement", "for_expression",
    "while_expression", "loop_expression",
})


def operator_of(node: Node) -> Node | None:
    """The sign of an expression."""
    found = node.child_by_field_name("operator")
    return found if found is not None else next((child for child in node.children if not child.is_named), None)


def operand_of(node: Node) -> Node | None:
    """What a sign stands before."""
    return next(reversed(parts(node)), None)


def bare(node: Node) -> Node:
    """What stands in parentheses."""
    for _ in range(_MOST_LOOK):
        inner = only(node) if node.type == "parenthesized_expression" else None
        if inner is None:
            return node
        node = inner
    return node


def below(node: Node) -> Iterator[Node]:
    """The node and what is below it, in no order."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(found.children)


def called(node: Node, place: Place) -> str:
    """What a call calls, as it is written, without white space; empty for what is none."""
    function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    if function is not None:
        begin = place.source.content[function.start_byte:min(function.end_byte, function.start_byte + _MOST_NAME)]
        return "".join(begin.decode(errors="ignore").split())
    name, owner = node.child_by_field_name("name"), node.child_by_field_name("object")
    if node.type == "method_invocation" and name is not None:
        return "".join(f"{place.text(owner)[-200:]}.{place.text(name)}".split()) if owner else place.text(name)
    made = node.child_by_field_name("type")
    return place.text(made) if node.type == "object_creation_expression" and made is not None else ""


def is_comparison(node: Node, place: Place) -> bool:
    """Whether it compares two values."""
    sign = operator_of(node) if node.type == "binary_expression" else None
    return sign is not None and place.text(sign) in COMPARISONS


def binds(node: Node, place: Place) -> bool:
    """Whether names get their values in it, which code that comes later may need; also where that takes long to say."""
    if place.grammar.name not in {"java", "rust"} or place.free[0] <= node.start_byte < node.end_byte <= place.free[1]:
        return False
    for found in below(node):
        place.looks -= 1
        if found.type in PATTERNS or place.looks < 0 or found.type == _GIVEN.get(place.grammar.name):
            return True
        if found.type == "instanceof_expression" and found.child_by_field_name("name") is not None:
            return True
    place.free = node.start_byte, node.end_byte
    return False


def is_number(node: Node, place: Place, *, look: int = _MOST_LOOK) -> bool:
    """Whether its text shows that it is a number."""
    node, grammar = bare(node), place.grammar
    if node.type in grammar.numbers or look == 0:
        return look > 0
    if node.type == "identifier":
        return declared(place, place.text(node)) in grammar.number_types
    if node.type == "binary_expression":
        return _is_number_of_two(node, place, look=look - 1)
    if node.type == "unary_expression":
        sign, operand = operator_of(node), operand_of(node)
        return (sign is not None and operand is not None and place.text(sign) in {"-", "+", "~", "^"}
                and (place.text(sign) != "-" or grammar.name != "rust" or is_number(operand, place, look=look - 1)))
    if node.type in _CASTS:
        made = node.child_by_field_name("type")
        return made is not None and place.text(made) in grammar.number_types
    return node.type in {*grammar.calls, "member_expression", "field_access"} and _last(node, place) in grammar.counts


def _last(node: Node, place: Place) -> str:
    """The last part of what is called or of a dotted name."""
    text = called(node, place) if node.type in place.grammar.calls else place.text(node)[-100:]
    return text.replace("?.", ".").rpartition(".")[2]


def _is_number_of_two(node: Node, place: Place, *, look: int) -> bool:
    sign = operator_of(node)
    if sign is None:
        return False
    if place.text(sign) != "+":
        return place.text(sign) in _SIGNED and (place.grammar.name != "rust" or _either(node, place, look=look))
    return _either(node, place, look=look)


def _either(node: Node, place: Place, *, look: int) -> bool:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return False
    if place.grammar.name in {"go", "rust"}:
        return is_number(left, place, look=look) or is_number(right, place, look=look)
    return is_number(left, place, look=look) and is_number(right, place, look=look)


def is_text(node: Node, place: Place) -> bool:
    """Whether its text shows that it is a string, or a sum that begins or ends with one."""
    grammar = place.grammar
    for _ in range(_MOST_SPINE):
        node = bare(node)
        if node.type in grammar.texts:
            return True
        if node.type == "identifier":
            return declared(place, place.text(node)) in grammar.text_types
        if node.type in grammar.calls:
            return _last(node, place) in _TEXT_MAKERS
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type != "binary_expression" or left is None or right is None:
            return False
        if bare(right).type in grammar.texts:
            return True
        node = left
    return True


_TEXT_MAKERS = frozenset({
    "String", "toString", "join", "substring", "substr", "slice", "trim", "concat", "replace", "toLowerCase",
    "toUpperCase", "format", "repeat", "padStart", "padEnd", "getName", "getMessage", "valueOf", "name", "charAt",
    "getSimpleName", "Sprintf", "stringify", "toFixed",
})
