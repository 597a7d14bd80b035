"""Numbers that are off by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F_]+?|0[bB][01_]+|0[oO][0-7_]+|0|[1-9][0-9_]*)([lLnN]|[ui](?:\d+|size))?")
_FLOAT = re.compile(r"((?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)(?:[eE][+-]?[0-9_]+)?)(_?f32|_?f64|[fFdD])?")
_MOST_DIGITS = 40
_BASES = {"x": 16, "b": 2, "o": 8}
_EDGES = frozenset(
    edge for bits in (8, 16, 32, 64, 128) for edge in (2 ** bits - 1, 2 ** (bits - 1) - 1, 2 ** (bits - 1))
) | {31, 63}
"""One more is too large for a type, or shifts by more than its width."""
_INDEXED = frozenset({"index_expression", "array_access"})
_CASES = frozenset({"expression_case", "switch_case", "enum_assignment"})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """One more; one less where one more would be beyond the end of a type, or of an array of known length."""
    if _is_label(place):
        return
    fewer = place.kind_above() in _INDEXED
    other = neighbour(place.text(node), fewer=fewer)
    if other:
        yield instead(node, other)


def _is_label(place: Place) -> bool:
    """Whether it is a case of a switch, where two of one value are an error."""
    return any(kind in _CASES for kind in (place.kind_above(), place.kind_above(2)))


def neighbour(text: str, *, fewer: bool = False) -> str:
    """The number beside a literal, written like it; empty for what is no plain number."""
    if len(text) > _MOST_DIGITS:
        return ""
    match = _INTEGER.fullmatch(text)
    if match is not None:
        return _integer(match[1].replace("_", ""), match[2] or "", fewer=fewer)
    match = _FLOAT.fullmatch(text)
    return f"{_float(match[1].replace('_', ''))}{match[2] or ''}" if match is not None and not _is_octal(text) else ""


def _is_octal(text: str) -> bool:
    return text.isdigit() and text.startswith("0")


def _integer(digits: str, suffix: str, *, fewer: bool) -> str:
    base = _BASES.get(digits[1:2].lower(), 10)
    value = int(digits, base)
    step = -1 if value in _EDGES or (fewer and value) else 1
    if base == 10:  # noqa: PLR2004 -- ten is ten
        return f"{value + step}{suffix}"
    letter = {16: "X" if re.search("[A-F]", digits) else "x", 2: "b", 8: "o"}[base]
    return f"{digits[:2]}{format(value + step, letter)}{suffix}"


def _float(digits: str) -> str:
    value = float(digits)
    return repr(value + 1) if value + 1 != value and "e" not in repr(value + 1) else "1.0"


_SAME = (("x = 0x9;", "x = 0xa;"),)
OPERATOR = Operator(
    name="constants", title="a number one higher", propose=propose, examples={
        "javascript": examples(("x = 0;", "x = 1;"), ("x = 0xff;", "x = 0xfe;"), ("x = 0.5;", "x = 1.5;"),
                               ("x = 9n;", "x = 10n;"), ("x = a[0];", "x = a[1];"), *_SAME,
                               left=("x = 017;", "switch (x) { case 1: f(); }")),
        "typescript": examples(("const x: 1 | number = 2;", "const x: 1 | number = 3;"), left=("type T = 1;",)),
        "go": examples(("g(1_000)", "g(1001)"), ("g(255)", "g(254)"), ("g(x[2])", "g(x[1])"),
                       left=("var x [3]int", "g(0600)", "switch a {\n\tcase 1:\n\t}", "g([...]int{4: x})", "g(2i)")),
        "java": examples(("g(1L);", "g(2L);"), ("g(0.5f);", "g(1.5f);"), ("g(x[1]);", "g(x[0]);"),
                         left=("g(017);", "switch (a) { case 1: g(); }", "@B(1) int x;")),
        "rust": examples(("g(1u8);", "g(2u8);"), ("g(0.5);", "g(1.5);"), ("g(0xFE);", "g(0xFF);"),
                         left=("g(x.0);", "let x = [a; 4];", "match a { 1 => g(), _ => h() }", "enum A { B = 1 }",
                               "const N: usize = 4;", "let x: [u8; 4] = g();")),
    })
