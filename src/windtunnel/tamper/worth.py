"""What an expression is worth, worked out without running any code of the change.

Constants can be split, joined, encoded and computed so that no reading of the text finds them; their worth stays the
same. Only operators, plain builtins and methods of plain values are known, each with a bound on what it may make: a
hostile expression costs a few thousand small steps and is then unknown.
"""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import hashlib
import json
import math
import operator
import re
import zlib
from collections.abc import Callable, ItemsView, Iterable, KeysView, Mapping, ValuesView
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

MOST_STEPS = 2000
MOST_SIZE = 2000
"""Items of a collection and of those in it, or characters of a text, that an expression may make."""
MOST_BITS = 512
MOST_DEPTH = 30
_WIDE = re.compile(r"\d{3,}|\*")
"""A width in a format that would make a text longer than it looks."""


class Unknown(Exception):
    """What an expression is worth cannot be said."""


_BINARY: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv,
    ast.Mod: operator.mod, ast.BitXor: operator.xor, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.RShift: operator.rshift, ast.Mult: operator.mul, ast.Pow: operator.pow, ast.LShift: operator.lshift,
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right, ast.NotIn: lambda left, right: left not in right,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], object]] = {
    ast.Not: operator.not_, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
_CODECS = {"rot13": "rot13", "rot_13": "rot13", "hex": "hex", "base64": "base64", "utf-8": "utf-8", "ascii": "ascii"}
_TYPES = {each.__name__: each for each in (int, str, float, list, tuple, bool, dict, bytes, set)}
_DIGESTS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s", "sha3_256")
_CALLED: dict[str, Callable[..., object]] = {
    **{each.__name__: each for each in (
        len, str, int, float, repr, sorted, sum, min, max, abs, ord, chr, bool, list, tuple, set, frozenset, dict,
        bytes, round, divmod, hex, bin, oct, any, all, isinstance, type)},
    **{f"hashlib.{name}": getattr(hashlib, name) for name in _DIGESTS},
    "range": lambda *given: list(range(*given)), "reversed": lambda given: list(reversed(given)),
    "enumerate": lambda *given: list(enumerate(*given)), "zip": lambda *given: list(zip(*given, strict=False)),
    "zlib.crc32": zlib.crc32, "zlib.adler32": zlib.adler32, "binascii.crc32": binascii.crc32,
    "base64.b64decode": base64.b64decode, "base64.b32decode": base64.b32decode, "base64.b16decode": base64.b16decode,
    "base64.b85decode": base64.b85decode, "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "binascii.unhexlify": binascii.unhexlify, "binascii.a2b_base64": binascii.a2b_base64,
    "bytes.fromhex": bytes.fromhex, "int.from_bytes": int.from_bytes, "operator.eq": operator.eq,
    "json.loads": json.loads, "date": date, "datetime.date": date, "timedelta": timedelta,
    "datetime.timedelta": timedelta, "math.prod": math.prod, "math.isqrt": math.isqrt, "math.floor": math.floor,
    "math.ceil": math.ceil,
    "codecs.decode": lambda text, kind: codecs.decode(text, _CODECS[kind]),
}  # fmt: skip
"""Functions of plain values; what they raise makes the expression unknown."""
_LAST = {name.rpartition(".")[2]: _CALLED[name] for name in _CALLED if "." in name and not name.endswith("decode")}
_LAST |= {name.rpartition(".")[2]: _CALLED[name] for name in _CALLED if name.startswith("base64.")}
"""The same by their last names, for modules that were imported under another one."""
_METHODS: dict[type, set[str]] = {
    str: {"upper", "lower", "strip", "lstrip", "rstrip", "replace", "split", "join", "startswith", "endswith", "find",
          "count", "encode", "title", "capitalize", "casefold", "swapcase", "isdigit", "isalpha", "isupper", "islower",
          "isspace", "partition", "rpartition", "removeprefix", "removesuffix", "index", "rfind", "splitlines"},
    bytes: {"decode", "hex", "replace", "join", "split", "strip", "startswith", "endswith"},
    dict: {"get", "keys", "values", "items"}, list: {"index", "count"}, tuple: {"index", "count"},
    int: {"bit_length", "bit_count", "to_bytes"}, float: {"is_integer"},
    date: {"weekday", "isoweekday", "toordinal", "isoformat"},
}  # fmt: skip
_PARTS = {date: {"year", "month", "day"}, timedelta: {"days", "seconds"}}
_FAILURES = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError, MemoryError)


@dataclass(slots=True, kw_only=True)
class Worth:
    """Works out what expressions are worth."""

    given: Mapping[str, object] = field(default_factory=dict)
    """Variables and their values."""
    sources: Mapping[str, ast.expr] = field(default_factory=dict)
    """Variables that stand for one expression alone."""
    name: Callable[[ast.AST], str] = lambda node: getattr(node, "id", "")
    """The real name of what is called."""
    helpers: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    """Functions that do nothing but return an expression."""
    steps: int = MOST_STEPS
    depth: int = 0

    def of(self, node: ast.AST | None) -> object:
        """The worth of an expression; raises ``Unknown``."""
        try:
            return self._of(node)
        except _FAILURES as error:
            raise Unknown from error

    def _of(self, node: ast.AST | None) -> object:
        self.steps -= 1
        if self.steps < 0 or self.depth > MOST_DEPTH or node is None:
            raise Unknown
        self.depth += 1
        try:
            read = getattr(self, f"_{type(node).__name__.lower()}", None)
            if read is None:
                raise Unknown
            return _bounded(read(node))
        finally:
            self.depth -= 1

    def _constant(self, node: ast.Constant) -> object:
        return node.value

    def _name(self, node: ast.Name) -> object:
        if node.id in self.given:
            return self.given[node.id]
        if node.id in self.sources:
            return self._of(self.sources[node.id])
        if node.id in _TYPES:
            return _TYPES[node.id]
        raise Unknown

    def _tuple(self, node: ast.Tuple) -> object:
        return tuple(map(self._of, node.elts))

    def _list(self, node: ast.List) -> object:
        return [self._of(each) for each in node.elts]

    def _set(self, node: ast.Set) -> object:
        return {self._of(each) for each in node.elts}

    def _dict(self, node: ast.Dict) -> object:
        return {self._of(key): self._of(value) for key, value in zip(node.keys, node.values, strict=True)}

    def _unaryop(self, node: ast.UnaryOp) -> object:
        return _UNARY[type(node.op)](self._of(node.operand))

    def _binop(self, node: ast.BinOp) -> object:
        left, right = self._of(node.left), self._of(node.right)
        if isinstance(node.op, ast.Mult | ast.Pow | ast.LShift):
            _small(node.op, left, right)
        if isinstance(node.op, ast.Mod) and isinstance(left, str | bytes):
            _narrow(left)
        return _BINARY[type(node.op)](left, right)

    def _boolop(self, node: ast.BoolOp) -> object:
        value: object = None
        for each in node.values:
            value = self._of(each)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _compare(self, node: ast.Compare) -> object:
        left = self._of(node.left)
        for sign, each in zip(node.ops, node.comparators, strict=True):
            right = self._of(each)
            if not _COMPARED[type(sign)](left, right):
                return False
            left = right
        return True

    def _ifexp(self, node: ast.IfExp) -> object:
        return self._of(node.body if self._of(node.test) else node.orelse)

    def _namedexpr(self, node: ast.NamedExpr) -> object:
        return self._of(node.value)

    def _subscript(self, node: ast.Subscript) -> object:
        return self._of(node.value)[self._of(node.slice)]  # type: ignore[index]  # what cannot be indexed raises TypeError

    def _attribute(self, node: ast.Attribute) -> object:
        owner = self._of(node.value)
        if node.attr not in _PARTS.get(type(owner), set()):
            raise Unknown
        return getattr(owner, node.attr)

    def _lambda(self, node: ast.Lambda) -> object:
        return node

    def _slice(self, node: ast.Slice) -> object:
        return slice(*(None if each is None else self._of(each) for each in (node.lower, node.upper, node.step)))

    def _joinedstr(self, node: ast.JoinedStr) -> object:
        return "".join(str(self._of(each)) for each in node.values)

    def _formattedvalue(self, node: ast.FormattedValue) -> object:
        value = self._of(node.value)
        written: dict[int, Callable[[object], str]] = {115: str, 114: repr, 97: ascii}
        value = written[node.conversion](value) if node.conversion in written else value
        form = str(self._of(node.format_spec)) if node.format_spec else ""
        _narrow(form)
        return format(value, form)

    def _call(self, node: ast.Call) -> object:
        if any(isinstance(each, ast.Starred) for each in node.args) or any(word.arg is None for word in node.keywords):
            raise Unknown
        name = self.name(node.func)
        if name == "map" and len(node.args) > 1:
            each_by = _CALLED[self.name(node.args[0])]
            return [each_by(each) for each in rows_of(self._of(node.args[1]))]
        words = {str(word.arg): self._of(word.value) for word in node.keywords}
        called = None if name in self.given else _CALLED.get(name) or _LAST.get(name.rpartition(".")[2])
        if called is not None and name not in self.helpers:
            given = [self._of(each) for each in node.args]
            _affordable(name, given)
            return called(*given, **words)
        if name in self.helpers and not words:
            return self._helper(self.helpers[name], [self._of(each) for each in node.args])
        held = self._held(node.func)
        if held is not None:
            names = [each.arg for each in held.args.args]
            return self._applied(names, held.body, [self._of(each) for each in node.args])
        if isinstance(node.func, ast.Attribute):
            return _method(self._of(node.func.value), node.func.attr, [self._of(each) for each in node.args])
        raise Unknown

    def _held(self, node: ast.expr) -> ast.Lambda | None:
        """The function without a name that is called, where it is one: kept in a variable, or taken from a table."""
        if not isinstance(node, ast.Name | ast.Subscript | ast.Call | ast.Lambda):
            return None
        if isinstance(node, ast.Name) and node.id not in self.given and node.id not in self.sources:
            return None
        found = self._of(node)
        return found if isinstance(found, ast.Lambda) else None

    def _helper(self, function: ast.FunctionDef, given: list[object]) -> object:
        last = function.body[-1]
        if not isinstance(last, ast.Return):
            raise Unknown
        return self._applied([each.arg for each in function.args.args], last.value, given)

    def _applied(self, names: list[str], body: ast.expr | None, given: list[object]) -> object:
        if len(names) != len(given):
            raise Unknown
        own = {**self.given, **dict(zip(names, given, strict=True))}
        inner = Worth(given=own, sources=self.sources, name=self.name, helpers=self.helpers, steps=self.steps,
                      depth=self.depth)  # fmt: skip
        try:
            return inner._of(body)
        finally:
            self.steps = inner.steps

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> object:
        return list(self._comprehended(node.generators, node.elt, {}))

    _generatorexp = _setcomp = _listcomp

    def _comprehended(
        self, generators: list[ast.comprehension], element: ast.expr, bound: dict[str, object]
    ) -> Iterable[object]:
        first, *others = generators
        for item in rows_of(self._of(first.iter)):
            names = _bound(first.target, item)
            held, self.given = self.given, {**self.given, **bound, **names}
            try:
                if all(self._of(each) for each in first.ifs):
                    yield from self._comprehended(others, element, names) if others else [self._of(element)]
            finally:
                self.given = held


def _weight(value: object, left: int) -> int:
    """How many items may still be made after this one; shared parts count each time, as they would when written."""
    if isinstance(value, str | bytes):
        return left - 1 - len(value) // 8
    left -= 1
    if isinstance(value, list | tuple | set | frozenset | dict):
        for each in value.items() if isinstance(value, dict) else value:
            left = _weight(each, left)
            if left < 0:
                break
    return left


def _bounded(value: object) -> object:
    if isinstance(value, str | bytes):
        if len(value) > MOST_SIZE:
            raise Unknown
    elif isinstance(value, int):
        if value.bit_length() > MOST_BITS:
            raise Unknown
    elif _weight(value, MOST_SIZE) < 0:
        raise Unknown
    return value


def _small(sign: ast.operator, left: object, right: object) -> None:
    """Refuse what would be large before it is made."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | bytes | list | tuple) and isinstance(other, int) and len(one) * other > MOST_SIZE:
            raise Unknown
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * (abs(right) if isinstance(sign, ast.Pow) else 1)
        if bits > MOST_BITS or (isinstance(sign, ast.LShift) and right > MOST_BITS):
            raise Unknown


def _narrow(form: str | bytes) -> None:
    if _WIDE.search(form if isinstance(form, str) else form.decode("latin-1")):
        raise Unknown


def _affordable(name: str, given: list[object]) -> None:
    if name in ("range", "bytes") and any(isinstance(each, int) and abs(each) > MOST_SIZE for each in given):
        raise Unknown
    if name == "sum" and any(not isinstance(each, int | float) for each in (*rows_of(given[0]), *given[1:])):
        raise Unknown


def rows_of(value: object) -> list[object]:
    """The items of a plain collection; raises ``Unknown`` for anything else."""
    if isinstance(value, str | bytes | list | tuple | set | frozenset | dict | KeysView | ValuesView | ItemsView):
        return list(value)
    raise Unknown


def _bound(target: ast.expr, item: object) -> dict[str, object]:
    if isinstance(target, ast.Name):
        return {target.id: item}
    if isinstance(target, ast.Tuple) and isinstance(item, list | tuple) and len(item) == len(target.elts):
        return {name: value for each, part in zip(target.elts, item, strict=True)
                for name, value in _bound(each, part).items()}  # fmt: skip
    raise Unknown


def _method(owner: object, name: str, given: list[object]) -> object:
    if type(owner).__module__ == "_hashlib" or type(owner).__name__ in ("blake2b", "blake2s"):
        if name not in ("hexdigest", "digest") or given:
            raise Unknown
    elif name not in _METHODS.get(type(owner), set()):
        raise Unknown
    if name in ("replace", "join", "to_bytes") and _product(owner, given) > MOST_SIZE * 100:
        raise Unknown
    return getattr(owner, name)(*given)


def _product(owner: object, given: list[object]) -> int:
    sizes = [len(each) if isinstance(each, str | bytes | list | tuple) else each if isinstance(each, int) else 1
             for each in (owner, *given)]  # fmt: skip
    return max(sizes[0], 1) * max(1, *sizes[1:], 1)


def constant(node: ast.AST | None, *, name: Callable[[ast.AST], str] | None = None) -> object:
    """The worth of an expression without variables; raises ``Unknown``."""
    return Worth(name=name).of(node) if name else Worth().of(node)
