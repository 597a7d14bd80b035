"""Statements that were forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.languages.uses import lost_variables
from windtunnel.mutation.grammars.nodes import called
from windtunnel.mutation.grammars.parts import first, only, parts
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_ENDING = re.compile(r"(?:.*[.:])?(?:exit|abort|panic|unreachable|Fatal\w*|Goexit|super|this|halt|resume_unwind)")
_MEMBERS = frozenset({
    "member_expression", "subscript_expression", "selector_expression", "index_expression", "field_access",
    "array_access", "field_expression",
})
_LEFT = frozenset({"throw_statement", "return_statement", "return_expression"})
_FUNCTION_BODIES = frozenset({"constructor_declaration", "compact_constructor_declaration"})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """Nothing instead of a statement that others do not need in order to compile."""
    if place.grammar.name == "rust" and not place.text(node).endswith(";"):
        return
    # The value of a rule of a switch may be what the switch gives.
    if place.kind_above() == "switch_rule" or not _can_go(node, place):
        return
    yield instead(node, _nothing(node, place))


def _nothing(node: Node, place: Place) -> str:
    """An empty statement; in Go, one that uses what would not be used any more."""
    if place.grammar.name != "go" or not place.functions:
        return place.grammar.empty
    unused = lost_variables(place, node.start_byte, node.end_byte)
    return f"{', '.join('_' * len(unused))} = {', '.join(unused)}" if unused else ""


def _can_go(node: Node, place: Place) -> bool:
    if node.type in {"defer_statement", "send_statement"}:
        return True
    inner = _does(node)
    if inner is None:
        return False
    if inner.type in _LEFT:
        return _is_guard(place) and (inner.type == "throw_statement" or not parts(inner))
    if inner.type in {"assignment_expression", "assignment_statement"}:
        return _is_assignment_to_spare(inner, place)
    if inner.type in place.grammar.calls and inner.type not in {"new_expression", "object_creation_expression"}:
        return not _ENDING.fullmatch(called(inner, place))
    return inner.type == "unary_expression" and place.text(inner).startswith("delete ")


def _does(node: Node) -> Node | None:
    """What a statement does, when it does nothing but that."""
    if node.type != "expression_statement":
        return node
    inner = only(node)
    if inner is not None and inner.type in {"await_expression", "try_expression"}:
        return first(inner)
    return inner


def _is_guard(place: Place) -> bool:
    """Whether what follows runs without it as well: it stands in an ``if`` that has no ``else``."""
    steps = 1
    while place.kind_above(steps) in {"block", "statement_block", "statement_list"}:
        steps += 1
    holder = place.above(steps)
    if holder is None or holder.type not in {"if_statement", "if_expression"}:
        return False
    return holder.child_by_field_name("alternative") is None and not _is_else(place, holder)


def _is_else(place: Place, branch: Node) -> bool:
    """Whether a branch is itself the other side of one."""
    for at, (node, held) in enumerate(place.path):
        if node == branch:
            above = place.path[at - 1][0].type if at else ""
            return held == "alternative" or above in {"else_clause", "let_declaration", "match_arm"}
    return True


def _is_assignment_to_spare(node: Node, place: Place) -> bool:
    """To a part of something, or to a name that has a value without it."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = node.child_by_field_name("operator")
    if left is None or right is None or (sign is not None and place.text(sign) != "="):
        return False
    if left.type == "expression_list":
        alone = only(left)
        if alone is None:
            return False
        left = alone
    if left.type in _MEMBERS:
        return not _is_in_constructor(place)
    return left.type == "identifier" and re.search(
        rf"(?<![\w.]){re.escape(place.text(left))}\b", place.text(right)) is not None


def _is_in_constructor(place: Place) -> bool:
    """Whether a final field may have to get its value here."""
    function = place.function
    return place.grammar.name == "java" and (function is None or function.type in _FUNCTION_BODIES)


OPERATOR = Operator(
    name="deletion", title="a statement dropped", propose=propose, examples={
        "javascript": examples(("f(x);", ";"), ("this.x = 1;", ";"), ("x = x.trim();", ";"), ("delete x.y;", ";"),
                               ("async () => { await f(); }", "async () => { ; }"),
                               ("if (a) throw new E();", "if (a) ;"),
                               ("function f() { if (a) return; g = 1; }", "function f() { if (a) ; g = 1; }"),
                               left=("x = f(y);", "class A extends B { constructor() { super(1); } }",
                                     "function f() { throw a; }")),
        "typescript": examples(("f(x!);", ";"), left=("if (a) { x = 1; } else { throw b; }",)),
        "go": examples(("g(a)", ""), ("defer g()", ""), ("x := 1\n\tg(x)", "x := 1\n\t_ = x"), ("x.y = a", ""),
                       ("if a > b {\n\t\treturn\n\t}\n\tx = 1", "if a > b {\n\t\t\n\t}\n\tx = 1"),
                       left=("x := g()", 'panic("a")', "x = a")),
        "java": examples(("g(a);", ";"), ("this.x = a;", ";"), ("if (a > b) throw new B();", "if (a > b) ;"),
                         left=("int x = g();", "if (a > b) { x = 1; } else { throw new B(); }", "System.exit(1);",
                               "class A { final int x; A(int x) { this.x = x; } }",
                               "try { g(); } catch (IOException e) { x = 1; }")),
        "rust": examples(("g(a);", ""), ("self.x = a;", ""), ("g(a)?;", ""), ("if a > b { return; } x = a;",
                                                                             "if a > b {  } x = a;"),
                         left=("let x = g();", "g(a)", "std::process::exit(1);", "let Some(x) = a else { return; };")),
    })
