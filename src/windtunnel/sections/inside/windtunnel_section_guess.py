"""Inputs that nobody wrote yet: for each parameter a list of texts, by rising oddity."""

from __future__ import annotations

import ast
import enum
import heapq
import inspect
import itertools
import sys
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from windtunnel_section_duck import uses_of  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_hints import Hints, fields_of, hints_of, name_of  # type: ignore[import-not-found]  # the same
from windtunnel_section_names import GRID, KINDS, by_name  # type: ignore[import-not-found]  # the same
from windtunnel_section_target import NOTHING, Inputs, Target, class_node, code_of, maker_of, node_of  # type: ignore[import-not-found]  # the same

MOST_RECEIVERS, MOST_COMBINED = 24, 4000
Choice = Tuple[Tuple[str, str], ...]
"""What one slot, or all that follow the named ones, is given."""


class Guesses:
    """Of one section."""

    def __init__(self, target: Target, makers: Dict[str, List[str]]) -> None:
        """``makers`` are texts by the class they make, as ``module:Class``."""
        self.target, self.known = target, makers
        self.hints = Hints(self.made_by)
        self.pool: Dict[str, Dict[str, None]] = {}
        self.lists: Dict[str, List[str]] = {}
        self.objects: Optional[List[str]] = None
        self.matching: List[str] = []
        """Texts that fit regular expressions of the code."""

    def match(self, texts: List[str]) -> None:
        """Let these be tried wherever a text may be given."""
        fresh = [text for text in map(repr, texts) if text not in self.matching]
        if fresh:
            self.matching += fresh
            self.lists.clear()

    def draw(self, drawn: Callable[[Any], List[str]]) -> None:
        """Let what a type draws be tried first."""
        hints = hints_of(self.target.function)
        for one in self.target.required():
            hint = hints.get(one.name, one.annotation)
            texts = drawn(hint) if hint is not NOTHING else []
            self.lists[one.name] = list(dict.fromkeys([*texts, *self.of(one)]))

    def take(self, inputs: Inputs) -> None:
        """What was given once may be given again."""
        for slot, text in inputs:
            self.pool.setdefault(_pool(slot), {})[text] = None

    def made_by(self, kind: Any) -> List[str]:
        """Texts known to make objects of a class, or of one below it."""
        found = list(self.known.get(_place(kind), ()))
        for place, texts in self.known.items():
            other = _found(place)
            if isinstance(other, type) and other is not kind and _is_below(other, kind):
                found += texts[:2]
        return found

    def having(self, attributes: Set[str]) -> List[str]:
        """Texts that make objects with all these attributes."""
        found: List[str] = []
        for place, texts in self.known.items():
            kind = _found(place)
            if isinstance(kind, type) and all(hasattr(kind, name) or name in _fields(kind) for name in attributes):
                found += texts[:2]
        return found

    def receivers(self) -> List[str]:
        """Texts of objects whose method it is."""
        if self.objects is None:
            owner = self.target.owner
            known = self.made_by(owner)
            self.objects = [*known, *(self._constructed(owner) if len(known) < MOST_RECEIVERS else [])]
        return list(dict.fromkeys([*self.pool.get(".", ()), *self.objects]))[:MOST_RECEIVERS]

    def _constructed(self, owner: Any) -> List[str]:
        """As the hints of its constructor have it, then as its code has it."""
        name = name_of(owner)
        if not name:
            return []
        row = {**self.target.row, "kind": "class", "name": self.target.row["name"].rpartition(".")[0]}
        try:
            maker = Guesses(Target(row, self.target.module), self.known)
            combined = list(itertools.islice(maker.combined(), MOST_RECEIVERS))
        except Exception:
            return list(self.hints.made(owner)[:4])
        head = "wt.concrete(" + name + ", " if inspect.isabstract(owner) else name + "("
        rows = ([argument(slot, text, maker.target) for slot, text in inputs] for inputs in combined)
        return [head + ", ".join(row) + ")" for row in rows]

    def of(self, parameter: inspect.Parameter) -> List[str]:
        """For one parameter."""
        if parameter.name not in self.lists:
            found = list(dict.fromkeys(self._of(parameter)))
            if any(text[:1] in "'\"" for text in found[:8]):
                found = list(dict.fromkeys([*found[:2], *self.matching, *found[2:]]))
            self.lists[parameter.name] = found
        return self.lists[parameter.name]

    def _of(self, parameter: inspect.Parameter) -> Iterator[str]:
        yield from list(self.pool.get(parameter.name, ()))[:12]
        if self.target.kind == "class" and _is_below(self.target.found, enum.Enum):
            yield from (text for text in (literal(member.value) for member in self.target.found) if text)
        hinted = self._hinted(parameter)
        yield from hinted
        default = literal(parameter.default)
        if default and parameter.default is not None:
            yield default
        duck = self._duck(parameter.name)
        kinds = by_name(parameter.name)
        named = [text for kind in kinds for text in KINDS[kind]]
        if hinted:
            yield from duck[:6]
        else:
            yield from _alternating(duck, named)
        yield from _by_default(parameter.default)
        yield from GRID

    def _hinted(self, parameter: inspect.Parameter) -> List[str]:
        target = self.target
        fields = fields_of(target.found) if target.kind == "class" else {}
        hints = {**fields, **hints_of(target.function)}
        hint = hints.get(parameter.name, parameter.annotation)
        found: List[str] = self.hints.texts(hint) if hint is not NOTHING else []
        return found

    def _duck(self, name: str) -> List[str]:
        target = self.target
        code = code_of(maker_of(target.found)) if target.kind == "class" else target.code
        node = node_of(code)
        if node is None:
            return []
        space = getattr(inspect.unwrap(target.function), "__globals__", None) or vars(target.module)
        whole = class_node(target.found) if target.kind == "class" else None
        found: List[str] = uses_of(name, node, space, whole).texts(self.hints.texts, self.having)
        return found

    def choices(self) -> List[List[Choice]]:
        """For each slot that has to be given, what it may be."""
        found: List[List[Choice]] = []
        if self.target.needs_object:
            found.append([((".", text),) for text in self.receivers()])
        found += [[((one.name, text),) for text in self.of(one)] for one in self.target.required()]
        rest = next((one for one in self.target.parameters if one.kind is one.VAR_POSITIONAL), None)
        if rest is not None:
            found.append(list(self._rest(rest)))
        return found

    def _rest(self, parameter: inspect.Parameter) -> Iterator[Choice]:
        texts = [*self.pool.get("*", ()), *self._elements(parameter)]
        for some in ((), texts[:1], texts[:2], texts[1:2], texts[:1] * 2, texts[2:3], texts[:3], texts[3:4]):
            yield tuple(("*" + str(at), text) for at, text in enumerate(some))
        yield from (((("*0"), text),) for text in [*texts[4:10], *GRID])
        yield from ((("*0", one), ("*1", other)) for one, other in zip(texts[1:8], texts[2:9]))

    def _elements(self, parameter: inspect.Parameter) -> List[str]:
        """What comes out of the list that a text would make, for each of ``*given``."""
        hints = hints_of(self.target.function).get(parameter.name)
        found = list(self.hints.texts(hints)) if hints is not None else []
        name = parameter.name
        kinds = by_name(name[:-1] if name.endswith("s") else name) or by_name(name)
        lists = [node for node in map(_list, self._duck(name)) if node]
        found += [text for parts in lists for text in parts[:2]]
        return list(dict.fromkeys([*found, *(text for kind in kinds for text in KINDS[kind]), *KINDS["any"]]))

    def combined(self) -> Iterator[Inputs]:
        """Every way to give what must be given, the least odd first."""
        lists = self.choices()
        if any(not some for some in lists):
            return
        for number, places in enumerate(by_oddity([len(some) for some in lists])):
            if number == 60:
                yield from self._alike()
            yield tuple(part for some, at in zip(lists, places) for part in some[at])


    def _alike(self) -> Iterator[Inputs]:
        """All that must be given of one kind."""
        names = [one.name for one in self.target.required()]
        objects = [[(".", text)] for text in self.receivers()[:2]] if self.target.needs_object else [[]]
        for texts in KINDS.values() if len(names) > 1 else ():
            given = [(name, texts[at % len(texts)]) for at, name in enumerate(names)]
            yield from ((*some, *given) for some in objects)
            yield from ((*some, *((name, texts[0]) for name in names)) for some in objects)


def by_oddity(sizes: Sequence[int]) -> Iterator[Tuple[int, ...]]:
    """Places in lists of these sizes, by the sum of the places."""
    first = tuple(0 for _ in sizes)
    heap, seen = [(0, first)], {first}
    while heap and len(seen) < 10 * MOST_COMBINED:
        total, places = heapq.heappop(heap)
        yield places
        for at, size in enumerate(sizes):
            if places[at] + 1 < size:
                other = (*places[:at], places[at] + 1, *places[at + 1 :])
                if other not in seen:
                    seen.add(other)
                    heapq.heappush(heap, (total + 1, other))


def literal(value: Any) -> str:
    """A text that makes it again; nothing where none does."""
    if isinstance(value, type) and value is not NOTHING:
        return str(name_of(value))
    try:
        text = repr(value)
        return text if len(text) < 200 and ast.literal_eval(text) == value else ""
    except Exception:
        return ""


def _by_default(default: Any) -> Iterator[str]:
    """Others of the kind of a default."""
    kinds = {bool: "bool", int: "int", float: "number", str: "str", bytes: "bytes", tuple: "pair", list: "iterable",
             dict: "mapping", type: "class"}
    for kind, word in kinds.items():
        if type(default) is kind:
            yield from KINDS[word]
    if callable(default):
        yield from KINDS["callable"]


def _alternating(one: List[str], other: List[str]) -> Iterator[str]:
    """Three of the first, two of the second, and so on."""
    first, second = iter(one), iter(other)
    while True:
        some = [*itertools.islice(first, 3), *itertools.islice(second, 2)]
        if not some:
            return
        yield from some


def _list(text: str) -> List[str]:
    node = ast.parse(text, mode="eval").body
    return [ast.unparse(one) for one in node.elts] if isinstance(node, (ast.List, ast.Tuple)) else []


def argument(slot: str, text: str, target: Target) -> str:
    """As it stands in a call."""
    if slot.startswith("**"):
        return slot[2:] + "=" + text
    only = {one.name for one in target.parameters if one.kind is one.KEYWORD_ONLY}
    return slot + "=" + text if slot in only else text


def _pool(slot: str) -> str:
    return "*" if slot.startswith("*") and not slot.startswith("**") else slot


def _place(kind: Any) -> str:
    return str(getattr(kind, "__module__", "")) + ":" + str(getattr(kind, "__qualname__", ""))


def _found(place: str) -> Any:
    module, _, name = place.partition(":")
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _is_below(kind: Any, other: Any) -> bool:
    try:
        return issubclass(kind, other)
    except TypeError:
        return False


def _fields(kind: Any) -> Dict[str, Any]:
    return dict(getattr(kind, "__annotations__", {}) or {})
