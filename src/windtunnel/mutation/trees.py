"""Small questions about trees that several operators ask."""

from __future__ import annotations

import re
from collections.abc import Callable

import libcst as cst

from windtunnel.mutation.source import Source

_WORD = re.compile(r"\w+|[^\w\s]")
_QUOTED = re.compile(r"""\"[^"\n]*\"|'[^'\n]*'""")
_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber, cst.BaseString, cst.List, cst.Dict, cst.Set,
          cst.ListComp, cst.DictComp, cst.SetComp)
_LISTS = (cst.List, cst.Tuple, cst.ListComp)
_MAKERS = frozenset({"str", "repr", "join", "format", "list", "tuple", "sorted"})


def name_of(node: cst.CSTNode | None) -> str:
    """The last part of a name or of a dotted one; of a call, that of what is called; else nothing."""
    if isinstance(node, cst.Call):
        return name_of(node.func)
    if isinstance(node, cst.Subscript):
        return name_of(node.value)
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def parts_of(node: cst.CSTNode | None) -> tuple[str, ...]:
    """All parts of a dotted name, outermost first; nothing for what is none."""
    if isinstance(node, cst.Name):
        return (node.value,)
    if isinstance(node, cst.Attribute):
        before = parts_of(node.value)
        return (*before, node.attr.value) if before else ()
    return ()


def is_text(node: cst.CSTNode) -> bool:
    """Whether it surely is a string or a list: arithmetic on those fails at once."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Modulo):
        return is_text(node.left) or is_text(node.right)
    if isinstance(node, cst.Call):
        return name_of(node.func) in _MAKERS
    return isinstance(node, (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString, *_LISTS))


def is_constant(node: cst.CSTNode | None, *words: str) -> bool:
    """Whether it is one of these names."""
    return isinstance(node, cst.Name) and node.value in words


def is_atom(node: cst.BaseExpression) -> bool:
    """Whether it binds so tightly, or is so bracketed, that anything may stand beside it."""
    return bool(node.lpar) or isinstance(node, _ATOMS)


def bracketed(node: cst.BaseExpression) -> cst.BaseExpression:
    """The same in parentheses, unless it needs none."""
    return node if is_atom(node) else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def in_place_of(node: cst.BaseExpression, other: cst.BaseExpression) -> cst.BaseExpression:
    """The node with the parentheses of the other one around its own."""
    return node.with_changes(lpar=[*other.lpar, *node.lpar], rpar=[*node.rpar, *other.rpar])


def exchanged(old: cst.CSTNode, kind: Callable[..., cst.CSTNode]) -> cst.CSTNode:
    """Another operator, spaced like the old one."""
    return kind(**{name: getattr(old, name) for name in ("whitespace_before", "whitespace_after")})


def same(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether two nodes read the same, however they are spaced."""
    empty = cst.Module(body=())
    first, second = (_WORD.findall(empty.code_for_node(node)) for node in (one, other))
    return bool(first == second)


def mentions(source: Source, node: cst.CSTNode, *, name: str) -> bool:
    """Whether a name is used in a node, as far as its text shows: not as an attribute, not as a keyword."""
    begin, end = source.span(node)
    text = _QUOTED.sub("", source.text[begin:end])
    return bool(re.search(rf"(?<![\w.]){re.escape(name)}\b(?!\s*=[^=])", text))


def statements(body: cst.BaseSuite) -> list[cst.CSTNode]:
    """The statements of a body, simple ones without their lines."""
    found: list[cst.CSTNode] = []
    for statement in body.body:
        found.extend(statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement])
    return found


def is_remark(statement: cst.CSTNode) -> bool:
    """Whether a statement does nothing: a docstring, ``...`` or ``pass``."""
    if isinstance(statement, cst.Expr):
        return isinstance(statement.value, cst.Ellipsis | cst.SimpleString | cst.ConcatenatedString)
    return isinstance(statement, cst.Pass)
