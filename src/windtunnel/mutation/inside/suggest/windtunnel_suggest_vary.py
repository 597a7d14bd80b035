"""Neighbours of a value, from text to texts: smaller ones first, then those at edges that the code's constants name."""

from __future__ import annotations

import ast
import re
from typing import Any, Dict, Iterable, Iterator, List

MOST_OF_ONE, MOST_LETTERS, MOST_NUMBER = 40, 60, 10**9
_WORDS = re.compile(r"[A-Za-z]+|[0-9]+")
KINDS = (int, float, str, bytes)
_BUILT = {"iter", "list", "tuple", "set", "frozenset", "zip", "map", "filter", "enumerate", "reversed"}


def variants(text: str, constants: Iterable[Any]) -> List[str]:
    """Other texts of the same kind, each once; ``constants`` are numbers and texts that the code compares with."""
    known = list(constants)
    whole = ast.parse(text, mode="eval").body
    near, other = list(_vary(whole, known)), list(_otherwise(whole))
    found = dict.fromkeys(ast.unparse(node) for node in [*near[:6], *other, *near[6:]])
    found.pop(text, None)
    return list(found)[:MOST_OF_ONE]


def constants_of(node: ast.AST) -> List[Any]:
    """Numbers and texts in some code, each once, those of the nearest code first."""
    found: Dict[Any, Any] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and type(part.value) in KINDS and len(repr(part.value)) < MOST_LETTERS:
            found.setdefault((type(part.value), part.value), part.value)
    return list(found.values())


def _vary(node: ast.expr, constants: List[Any]) -> Iterator[ast.expr]:
    value = _literal(node)
    if isinstance(value, bool) or value is None:
        yield from map(_node, _choices(value, constants))
    elif isinstance(value, (int, float)):
        yield from map(_node, _numbers(value, constants))
    elif isinstance(value, (str, bytes)):
        yield from map(_node, _letters(value, constants))
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        yield from _sequence(node, constants)
    elif isinstance(node, ast.Dict):
        yield from _mapping(node, constants)
    elif isinstance(node, ast.Call):
        yield from _called(node, constants)


def _otherwise(node: ast.expr) -> Iterator[ast.expr]:
    """What a caller might give in its place: one that can be gone through once, a tuple, texts for numbers."""
    if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        yield ast.Call(func=ast.Name(id="iter", ctx=ast.Load()), args=[node], keywords=[])
        yield ast.Tuple(elts=node.elts, ctx=ast.Load()) if isinstance(node, ast.List) else ast.List(
            elts=node.elts, ctx=ast.Load())
        if all(type(_literal(item)) is int for item in node.elts):
            yield from _with(node, [_node(chr(ord("a") + at % 26)) for at in range(len(node.elts))])
        elif all(type(_literal(item)) is str for item in node.elts):
            yield from _with(node, [_node(at) for at in range(len(node.elts))])
    elif isinstance(node, ast.Dict) and node.values:
        yield ast.List(elts=node.values, ctx=ast.Load())


def _literal(node: ast.expr) -> Any:
    """A plain value; something else for all others."""
    number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    if not isinstance(number, ast.Constant):
        return ...
    return ast.literal_eval(node) if type(number.value) in (bool, int, float, str, bytes, type(None)) else ...


def _node(value: Any) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def _choices(value: Any, constants: List[Any]) -> Iterator[Any]:
    if value is not None:
        yield not value
        return
    yield from (0, 1, 2, "", "a", True, False)
    yield from constants


def _numbers(value: Any, constants: List[Any]) -> Iterator[Any]:
    edges = [number for number in constants if type(number) in (int, float)]
    yield from (0, 1, -1, 2, value - 1, value + 1, -value)
    for edge in edges:
        yield from (edge, edge - 1, edge + 1, -edge)
    if isinstance(value, float):
        yield from (0.0, 0.5, value / 2, value * 2, *(float(edge) for edge in edges))
    else:
        yield from (3, 10, value * 2 if abs(value) < MOST_NUMBER else 0, value // 2, value + 2, value - 2)


def _letters(value: Any, constants: List[Any]) -> Iterator[Any]:
    blank = " " if isinstance(value, str) else b" "
    others = [text for text in constants if type(text) is type(value)]
    yield value[:0]
    if isinstance(value, str):
        yield from _reworded(value, constants)
    yield from (value[:1], value[1:], 0, value[:-1], value[-1:], value[: len(value) // 2])
    for other in others:
        yield from (other, value + other, other + value, value[:1] + other + value[1:])
        if other and other in value:
            yield from (value.replace(other, value[:0], 1), value.replace(other, other + other, 1))
    yield from (value + blank, blank + value, value.upper(), value.lower(), value.swapcase(), value.title())
    yield from (value + value, value[::-1], blank, value[:1] * 2, value + value[:1])
    for more in ("a", "0", "-", "\n", "A", "1") if isinstance(value, str) else (b"a", b"0", b"\0"):
        yield from (value + more, more + value)


def _reworded(value: str, constants: List[Any]) -> Iterator[str]:
    """With a word or a number in it exchanged for one that the code knows, or written in the other case."""
    for word in list(_WORDS.finditer(value))[:5]:
        before, after = value[: word.start()], value[word.end() :]
        same = [str(one) for one in constants[:4] if isinstance(one, int if word.group().isdigit() else str)]
        yield from (before + other + after for other in [*same, word.group().swapcase()])


def _sequence(node: Any, constants: List[Any]) -> Iterator[ast.expr]:
    items = node.elts
    made = [items[:0], items[:1], items[: len(items) // 2], items[:2], items[1:], items[:-1], items[-1:],
            items[::-1], items + items[:1], items[:1] + items, items + items]
    made += [items[:at] + items[at + 1 :] for at in range(1, min(4, len(items)))]
    if len(items) > 1:
        made.append([items[1], items[0], *items[2:]])
    for parts in made:
        yield from _with(node, parts)
    for at in range(min(4, len(items))):
        for other in list(_vary(items[at], constants))[:12]:
            yield from _with(node, [*items[:at], other, *items[at + 1 :]])
    if not items:
        for first in (0, 1, "a", None):
            yield from _with(node, [_node(first)])
            yield from _with(node, [_node(first), _node(first)])


def _with(node: Any, items: List[ast.expr]) -> Iterator[ast.expr]:
    if isinstance(node, ast.Set) and not items:
        yield ast.parse("set()", mode="eval").body
    elif isinstance(node, ast.Set):
        yield ast.Set(elts=items)
    else:
        yield type(node)(elts=items, ctx=ast.Load())


def _mapping(node: ast.Dict, constants: List[Any]) -> Iterator[ast.expr]:
    pairs = list(zip(node.keys, node.values))
    made = [pairs[:0], pairs[:1], pairs[1:], pairs[:-1], pairs[::-1]]
    made += [[*pairs[:at], (key, other), *pairs[at + 1 :]] for at, (key, value) in enumerate(pairs[:3])
             for other in _otherwise(value)]
    for at, (key, value) in enumerate(pairs[:3]):
        made += [[*pairs[:at], (key, other), *pairs[at + 1 :]] for other in list(_vary(value, constants))[:8]]
        if key is not None:
            made += [[*pairs[:at], (other, value), *pairs[at + 1 :]] for other in list(_vary(key, constants))[:4]]
    if not pairs:
        made += [[(_node(key), _node(1))] for key in (0, "a", *constants[:4])]
    for each in made:
        yield ast.Dict(keys=[key for key, _ in each], values=[value for _, value in each])


def _called(node: ast.Call, constants: List[Any]) -> Iterator[ast.expr]:
    """The same thing made of other values; of one that wraps a sequence, also the sequence itself."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "iter" and len(node.args) == 1:
        yield node.args[0]
    if name in _BUILT and not node.args:
        return
    for at, argument in enumerate(node.args):
        for other in list(_vary(argument, constants))[:16]:
            yield ast.Call(func=node.func, args=[*node.args[:at], other, *node.args[at + 1 :]], keywords=node.keywords)
    for at, keyword in enumerate(node.keywords):
        for other in list(_vary(keyword.value, constants))[:12]:
            changed = ast.keyword(arg=keyword.arg, value=other)
            others = [*node.keywords[:at], changed, *node.keywords[at + 1 :]]
            yield ast.Call(func=node.func, args=node.args, keywords=others)
        yield ast.Call(func=node.func, args=node.args, keywords=node.keywords[:at] + node.keywords[at + 1 :])
