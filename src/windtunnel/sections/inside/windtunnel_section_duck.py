"""What a parameter must be able to do, from what the code does with it."""

from __future__ import annotations

import ast
import collections
import datetime
import decimal
import io
import pathlib
import re
import types
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

from windtunnel_section_names import GIVEN, KINDS, lambdas  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_target import code_of, maker_of, node_of  # type: ignore[import-not-found]  # the same

MOST_DEEP, MOST_CONSTANTS = 3, 12
_SECOND = {"map": "iterable", "filter": "iterable", "filterfalse": "iterable", "takewhile": "iterable",
           "dropwhile": "iterable", "starmap": "pairs", "reduce": "iterable", "isinstance": "class", "repeat": "int",
           "islice": "int", "bisect": "any", "getattr": "str", "hasattr": "str", "partial": "any", "round": "int"}
_FIRST = {"map": "callable", "filter": "callable", "filterfalse": "callable", "takewhile": "callable",
          "dropwhile": "callable", "islice": "iterable", "starmap": "callable", "repeat": "any", "reduce": "callable"}
_OWNERS: List[Tuple[str, Any]] = [
    ("str", str), ("mapping", dict), ("sequence", list), ("set", set), ("bytes", bytes), ("stream", io.StringIO),
    ("number", float), ("int", int), ("datetime", datetime.datetime), ("timedelta", datetime.timedelta),
    ("date", datetime.date), ("path", pathlib.Path), ("pattern", re.Pattern), ("match", re.Match),
    ("exception", BaseException), ("decimal", decimal.Decimal), ("class", type), ("callable", types.FunctionType),
    ("iterable", collections.deque), ("mapping", collections.Counter), ("stream", io.BytesIO),
    ("iterator", types.GeneratorType)]
Matches = Callable[[ast.AST], bool]


class Uses:
    """Of one parameter in some code, and in what that hands it on to."""

    def __init__(self, space: Dict[str, Any], deep: int = 0) -> None:
        """``space`` is what the code's names stand for."""
        self.space, self.deep = space, deep
        self.kinds: Dict[str, float] = {}
        self.attributes: Dict[str, None] = {}
        self.constants: Dict[str, None] = {}
        self.types: List[Any] = []
        self.keys: Dict[str, None] = {}
        self.arities: Dict[int, None] = {}
        self.elements: List[Uses] = []

    def look(self, node: Any, matches: Matches) -> Uses:
        """At every place in the code that has it."""
        parents = {child: parent for parent in ast.walk(node) for child in ast.iter_child_nodes(parent)}
        for child, parent in list(parents.items()):
            if matches(child):
                self._use(child, parent, parents)
                self._element(child, parent, node)
        return self

    def _add(self, kind: str, weight: float = 1.0) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0.0) + weight

    def _use(self, child: Any, parent: Any, parents: Dict[Any, Any]) -> None:
        if isinstance(parent, ast.Call):
            self._called(child, parent)
        elif isinstance(parent, ast.keyword):
            above = parents.get(parent)
            self._passed(above, child, -1, parent.arg or "")
            if parent.arg == "key":
                self._callable(1)
        elif isinstance(parent, ast.Attribute):
            self.attributes[parent.attr] = None
        elif isinstance(parent, ast.Subscript):
            self._subscript(child, parent)
        elif isinstance(parent, ast.BinOp):
            self._operator(child, parent)
        elif isinstance(parent, ast.Compare):
            self._compared(child, parent)
        else:
            self._plain(child, parent)

    def _plain(self, child: Any, parent: Any) -> None:
        """Where the place alone says what it is."""
        through = (ast.For, ast.AsyncFor, ast.comprehension)
        if isinstance(parent, (ast.Starred, ast.YieldFrom)) or (isinstance(parent, through) and parent.iter is child):
            self._add("iterable", 2.0)
        elif isinstance(parent, ast.AugAssign):
            self._add("iterable" if isinstance(parent.op, ast.Add) and parent.value is child else "number", 0.5)
        elif isinstance(parent, ast.UnaryOp) and not isinstance(parent.op, ast.Not):
            self._add("number", 2.0)
        elif isinstance(parent, (ast.With, ast.withitem)):
            self._add("context", 2.0)
        elif isinstance(parent, ast.Raise):
            self._add("exception", 2.0)
        elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], (ast.Tuple, ast.List)):
            self._add("pair", 1.5)
        elif isinstance(parent, (ast.If, ast.IfExp, ast.BoolOp, ast.UnaryOp)):
            self._add("bool", 0.3)

    def _called(self, child: Any, parent: ast.Call) -> None:
        if parent.func is child:
            self._callable(len(parent.args) if not any(isinstance(one, ast.Starred) for one in parent.args) else -1)
            return
        at = next((at for at, one in enumerate(parent.args) if one is child), -1)
        self._passed(parent, child, at, "")

    def _callable(self, arity: int) -> None:
        self._add("callable", 3.0)
        self.arities[arity] = None

    def _passed(self, call: Any, child: Any, at: int, name: str) -> None:
        if not isinstance(call, ast.Call):
            return
        called = str(getattr(call.func, "attr", getattr(call.func, "id", "")))
        if called == "isinstance" and at == 0 and len(call.args) > 1:
            self._types(call.args[1])
        elif called == "join" and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Constant):
            self._add("strings", 3.0)
        elif called in _FIRST and at == 0:
            self._add(_FIRST[called], 2.0)
            if _FIRST[called] == "callable":
                self.arities[2 if called == "reduce" else 1] = None
        elif called in _SECOND and at == 1:
            self._add(_SECOND[called], 2.0)
        elif called in GIVEN and at <= 1 and not self._is_own(call.func):
            self._add(GIVEN[called], 1.5)
        else:
            self._followed(call.func, at, name)

    def _is_own(self, node: Any) -> bool:
        return isinstance(node, ast.Name) and isinstance(self.space.get(node.id), types.FunctionType)

    def _followed(self, callee: Any, at: int, name: str) -> None:
        """Into a function of the project's own."""
        found: Any = self.space.get(callee.id) if isinstance(callee, ast.Name) else None
        if self.deep >= MOST_DEEP or found is None:
            return
        function = maker_of(found) if isinstance(found, type) else found
        code = code_of(function)
        node = node_of(code)
        if node is None:
            return
        names = [one.arg for one in [*node.args.posonlyargs, *node.args.args]]
        names = names[1:] if isinstance(found, type) else names
        wanted = name or (names[at] if 0 <= at < len(names) else "")
        if wanted:
            space = getattr(function, "__globals__", self.space)
            self._merge(Uses(space, self.deep + 1).look(node, named(wanted)), 0.7)

    def _merge(self, other: Uses, share: float) -> None:
        for kind, weight in other.kinds.items():
            self._add(kind, weight * share)
        self.attributes.update(other.attributes)
        self.constants.update(other.constants)
        self.keys.update(other.keys)
        self.arities.update(other.arities)
        self.types += other.types
        self.elements += other.elements

    def _types(self, node: ast.expr) -> None:
        for one in node.elts if isinstance(node, ast.Tuple) else [node]:
            try:
                found = eval(ast.unparse(one), dict(self.space))
            except Exception:
                continue
            self.types += [kind for kind in (found if isinstance(found, tuple) else (found,)) if isinstance(kind, type)]

    def _subscript(self, child: Any, parent: ast.Subscript) -> None:
        index = parent.slice
        index = getattr(index, "value", index) if type(index).__name__ == "Index" else index
        if parent.value is child:
            if isinstance(index, ast.Constant) and isinstance(index.value, str):
                self.keys[index.value] = None
                self._add("mapping", 3.0)
            elif isinstance(index, (ast.Slice, ast.UnaryOp, ast.Constant)):
                self._add("sequence", 2.0)
            else:
                self._add("sequence", 1.0)
                self._add("mapping", 1.0)
            return
        table = self.space.get(parent.value.id) if isinstance(parent.value, ast.Name) else None
        self._table(table)

    def _table(self, table: Any) -> None:
        if isinstance(table, (dict, set, frozenset, list, tuple)) and table:
            for key in list(table)[:6]:
                if isinstance(key, (str, int, float, bytes, tuple)):
                    self.constants[repr(key)] = None

    def _operator(self, child: Any, parent: ast.BinOp) -> None:
        other = parent.right if parent.left is child else parent.left
        if isinstance(parent.op, ast.Mod) and isinstance(getattr(parent.left, "value", None), str):
            return
        if isinstance(other, ast.JoinedStr) or isinstance(getattr(other, "value", None), (str, bytes)):
            self._add("str", 2.0)
        elif isinstance(other, (ast.List, ast.ListComp)):
            self._add("sequence", 2.0)
        elif isinstance(other, ast.Tuple):
            self._add("pair", 2.0)
        else:
            self._add("number", 0.7 if isinstance(parent.op, (ast.Add, ast.BitOr)) else 1.5)

    def _compared(self, child: Any, parent: ast.Compare) -> None:
        others = [one for one in [parent.left, *parent.comparators] if one is not child]
        for other in others:
            parts = other.elts if isinstance(other, (ast.Tuple, ast.List, ast.Set)) else [other]
            for part in parts[:MOST_CONSTANTS]:
                if isinstance(part, ast.Constant) and part.value is not None:
                    self.constants[repr(part.value)] = None
                    if type(part.value) in (int, float):
                        self._add("number", 1.5)
            if isinstance(other, ast.Name):
                self._table(self.space.get(other.id))
        if isinstance(parent.ops[0], (ast.In, ast.NotIn)) and parent.comparators[0] is child:
            self._add("mapping", 0.6)
            self._add("iterable", 0.6)
        elif isinstance(parent.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE)):
            self._add("number", 1.0)

    def _element(self, child: Any, parent: Any, node: Any) -> None:
        """What is done with each that comes out of it."""
        through = isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)) and parent.iter is child
        if not through or self.deep > 1:
            return
        if isinstance(parent.target, ast.Tuple):
            self._add("pairs", 2.5)
        elif isinstance(parent.target, ast.Name):
            self.elements.append(Uses(self.space, self.deep + 1).look(node, named(parent.target.id)))

    def texts(self, types_of: Callable[[Any], List[str]], makers: Callable[[Set[str]], List[str]]) -> List[str]:
        """Inputs that could do all that, the likeliest first."""
        found: List[str] = []
        if self.keys:
            found.append("{" + ", ".join(repr(key) + ": 1" for key in list(self.keys)[:8]) + "}")
            found.append("{" + ", ".join(repr(key) + ": 'a'" for key in list(self.keys)[:8]) + "}")
        attributes = {name for name in self.attributes if not name.startswith("__")}
        if attributes:
            fitting = [kind for kind, owner in _OWNERS if all(hasattr(owner, name) for name in attributes)]
            for kind in fitting[:4]:
                self._add(kind, 4.0)
            found += makers(attributes)[:4]
            if not fitting:
                found.append("wt.fake(" + ", ".join(name + "=1" for name in sorted(attributes)[:8]) + ")")
                found.append("wt.fake()")
        found += [text for kind in self.types[:4] for text in types_of(kind)[:2]]
        found += list(self.constants)[:MOST_CONSTANTS] if self.constants else []
        for arity in [arity for arity in self.arities if arity >= 0][:2]:
            found += lambdas(arity)[:8]
        for element in self.elements[:2]:
            inner = element.texts(types_of, makers)[:4]
            found += ["[" + ", ".join(inner[:2]) + "]"] if inner else []
            found += ["[" + text + "]" for text in inner[:3]]
        ordered = sorted(self.kinds, key=lambda kind: -self.kinds[kind])
        return list(dict.fromkeys([*found, *_mixed([KINDS[kind] for kind in ordered if kind in KINDS])]))


def _mixed(lists: List[List[str]]) -> Iterator[str]:
    """Three of each, then the rest."""
    for some in lists:
        yield from some[:3]
    for some in lists:
        yield from some[3:]


def named(name: str) -> Matches:
    """A use of a variable."""
    return lambda node: isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def kept_as(owner: str, attribute: str) -> Matches:
    """A use of an attribute of the object itself."""
    return lambda node: isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(
        node.value, ast.Name) and node.value.id == owner and isinstance(node.ctx, ast.Load)


def uses_of(name: str, node: Any, space: Dict[str, Any], whole: Any = None) -> Uses:
    """Of a parameter; ``whole`` is the class of a constructor, whose other methods use what it keeps."""
    found = Uses(space).look(node, named(name))
    for one in ast.walk(node):
        if not isinstance(one, ast.Assign) or len(one.targets) != 1:
            continue
        target, value = one.targets[0], one.value
        itself = isinstance(value, ast.Name) and value.id == name
        if isinstance(target, ast.Name) and target.id != name and itself:
            found.look(node, named(target.id))
        elif isinstance(target, ast.Attribute) and itself and isinstance(target.value, ast.Name) and whole is not None:
            found.look(whole, kept_as(target.value.id, target.attr))
    return found
