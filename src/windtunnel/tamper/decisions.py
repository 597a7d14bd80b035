"""Where Python product code decides by constants: every comparison, case, table, pattern and part of a text.

Constants are worked out first. Limits (``<``, ``<=``) are a domain's own and left out, but for ranges so narrow that
they single something out, and for differences from a constant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from windtunnel.tamper.decision import Decision, How
from windtunnel.tamper.literals import value
from windtunnel.tamper.novelty import Novelty
from windtunnel.tamper.outcomes import answer_of, outcome_of
from windtunnel.tamper.trees import Source, unparsed
from windtunnel.tamper.worth import Unknown, Worth

MOST_ROWS = 60
"""Rows of one table that are looked at; a longer one is knowledge."""
MOST_FRESH = 400
"""New rows of a table that are looked at."""
LARGEST_NAMED = 12
"""Numbers up to here often have a name: of weekdays, of months."""
NARROW = 5
"""Numbers that a range lets through at most, to single something out."""
_PARTS = frozenset(
    ("startswith", "endswith", "find", "rfind", "index", "rindex", "count", "__contains__", "removeprefix",
     "removesuffix", "replace", "split", "rsplit", "partition", "rpartition", "casefold")
)  # fmt: skip
_WHOLE = frozenset(("__eq__", "__ne__", "eq", "ne", "isclose", "compare_digest", "fnmatch", "fnmatchcase", "is_"))
_PATTERNS = frozenset(("match", "fullmatch", "search", "compile", "sub", "subn", "findall", "finditer"))
_LOOKING = frozenset(("get", "pop", "setdefault", "index", "items", "keys", "__getitem__", "__contains__", "count"))
_SOUGHT = frozenset(("index", "find", "count", "__contains__", "get"))
_DYNAMIC = frozenset(("getattr", "globals", "vars", "locals"))
_TYPES = frozenset(("type", "isinstance", "issubclass", "getenv", "hasattr"))
_SIMPLE = (str, int, float, bytes)


def decisions(source: Source, new: Novelty | None = None) -> tuple[Decision, ...]:
    """The decisions of a file, in no order; where it is said what is new, those alone."""
    return tuple(_Finder(source, new).found())


class _Finder:
    """Walks one file."""

    def __init__(self, source: Source, new: Novelty | None) -> None:
        self.source, self.group, self.new = source, 0, new
        self.renamed = set(self._renamed())

    @cached_property
    def looked_up(self) -> set[str]:
        """Names of tables that something is looked up in."""
        return set(self._looked_up())

    def _renamed(self) -> Iterator[str]:
        """Names that stand for something new."""
        for target, made, _ in self.source.bindings() if self.new is not None else ():
            if isinstance(target, ast.Name) and (self._is_fresh(target) or self._is_fresh(made)):
                yield target.id

    def _is_fresh(self, node: ast.AST | None) -> bool:
        """Whether a place is new, by its own lines or by a name in it."""
        if self.new is None or node is None:
            return True
        first = getattr(node, "lineno", 0)
        return self.new.any(range(first, (getattr(node, "end_lineno", 0) or first) + 1)) if first else True

    def _is_new(self, node: ast.AST) -> bool:
        if self._is_fresh(node):
            return True
        names = (each.id for each in ast.walk(node) if isinstance(each, ast.Name)) if self.renamed else ()
        return not self.renamed.isdisjoint(names)

    def found(self) -> Iterator[Decision]:
        for node in filter(self._is_new, self.source.of(ast.Compare)):
            yield from self._compared(node)
        for call in filter(self._is_new, self.source.of(ast.Call)):
            yield from self._called(call)
        for case in self.source.of(ast.match_case):
            parts = ast.walk(case.pattern) if self._is_fresh(case.pattern) else ()
            matched = getattr(self.source.up.get(case), "subject", case)
            for each in parts:
                if isinstance(each, ast.MatchValue):
                    made = self._worth(each.value)
                    yield from self._of(made, case, how=self._how(matched), subject=unparsed(matched))
        yield from self._tables()
        yield from self._members()
        yield from self._answers()

    def _answers(self) -> Iterator[Decision]:
        """Constants that a branch answers with, whatever its condition is."""
        branches: list[ast.If | ast.IfExp | ast.match_case] = [
            *self.source.of(ast.If), *self.source.of(ast.IfExp), *self.source.of(ast.match_case)]  # fmt: skip
        for branch in branches:
            body = branch.body if isinstance(branch.body, list) else [ast.Return(value=branch.body)]
            fresh = self._is_fresh(branch.body if isinstance(branch, ast.IfExp) else body[0])
            text = answer_of(body) if fresh else None
            if text is not None and not text.startswith(("raises", "nothing")):
                yield from self._ready(text, branch)

    def _ready(self, text: str, at: ast.AST, group: int = 0) -> Iterator[Decision]:
        """An answer that is kept ready."""
        try:
            made = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return
        where = getattr(at, "lineno", 0) or getattr(getattr(at, "pattern", None), "lineno", 0)
        yield Decision(value=made, how="answer", line=where, function=getattr(self.source.scope(at), "name", ""),
                       subject="answer", evidence=unparsed(at)[:160], group=group, answer=text)  # fmt: skip

    def _compared(self, node: ast.Compare) -> Iterator[Decision]:
        sides = [node.left, *node.comparators]
        for sign, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(sign, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
                yield from self._equal(node, left, right)
            elif isinstance(sign, ast.In | ast.NotIn):
                yield from self._contained(node, left, right)
            else:
                yield from self._apart(node, left, right)
        yield from self._between(node)

    def _equal(self, node: ast.Compare, left: ast.expr, right: ast.expr) -> Iterator[Decision]:
        for held, other in ((left, right), (right, left)):
            if self._varies(held):
                how: How = "length" if self._is_length(held) else self._how(held)
                for option in self._options(other):
                    yield from self._of(option, node, how=how, subject=unparsed(held))

    def _contained(self, node: ast.Compare, left: ast.expr, right: ast.expr) -> Iterator[Decision]:
        if self._varies(left):
            made, subject = self._worth(right), unparsed(left)
            how = self._how(left)
            if isinstance(made, str):
                yield from self._of(made, node, how=how, subject=subject)
            else:
                yield from self._rows(_items(made), node, how=how, subject=subject)
        elif self._varies(right):
            yield from self._of(self._worth(left), node, how="part", subject=unparsed(right))

    def _apart(self, node: ast.Compare, left: ast.expr, right: ast.expr) -> Iterator[Decision]:
        """``abs(x - 37.5) < 0.1``: near to one value."""
        for side in (left, right):
            for each in ast.walk(side):
                if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Sub) and "abs(" in unparsed(side):
                    yield from self._of(self._worth(each.right), node, how="whole", subject=unparsed(each.left))

    def _between(self, node: ast.Compare) -> Iterator[Decision]:
        low, high = self._worth(node.left), self._worth(node.comparators[-1])
        if not isinstance(low, int | float) or not isinstance(high, int | float) or not 0 < high - low <= NARROW < low:
            return
        for number in range(int(low), int(high) + 1) if len(node.ops) > 1 else ():
            yield from self._of(number, node, how="whole", subject=unparsed(node.comparators[0]))

    def _called(self, call: ast.Call) -> Iterator[Decision]:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if name in _PATTERNS and call.args and self.source.name(call.func).startswith(("re.", "regex.")):
            yield from self._of(self._worth(call.args[0]), call, how="pattern", subject=name)
        elif name in _PARTS and owner is not None and self._varies(owner) and call.args:
            made = self._worth(call.args[0])
            for each in made if isinstance(made, tuple) else (made,):
                yield from self._of(each, call, how="part", subject=f"{unparsed(owner)}.{name}")
        elif name in _SOUGHT and owner is not None and call.args and self._varies(call.args[0]):
            kept = self._worth(owner)
            items = [] if isinstance(kept, dict) else _items(kept)
            yield from self._rows(items, call, how="row", subject=unparsed(call.args[0]))
        elif name in _WHOLE:
            for each in call.args:
                if not self._varies(each):
                    yield from self._of(self._worth(each), call, how="whole", subject=name)

    def _tables(self) -> Iterator[Decision]:
        for table in filter(self._is_fresh, self.source.of(ast.Dict)):
            if self._is_looked_up(table):
                pairs = zip(table.keys, table.values, strict=True)
                yield from self._keys([(key, each) for key, each in pairs if key is not None])
        listed: list[ast.List | ast.Tuple] = [*self.source.of(ast.List), *self.source.of(ast.Tuple)]
        for rows in filter(self._is_fresh, listed):
            if self._is_asked(rows):
                yield from (each for item in rows.elts if (text := value(item)) is not None
                            for each in self._ready(text, item))  # fmt: skip
            paired = _paired(rows.elts)
            if paired and self._is_looked_up(rows):
                yield from self._keys(paired)
        for call in filter(self._is_fresh, self.source.of(ast.Call)):
            if getattr(call.func, "id", "") == "dict" and call.keywords and self._is_looked_up(call):
                yield from self._keys([(ast.copy_location(ast.Constant(word.arg), word.value), word.value)
                                       for word in call.keywords if word.arg])  # fmt: skip
        for put in self.source.of(ast.Assign):
            target = put.targets[0]
            if isinstance(target, ast.Subscript) and self._is_fresh(put) and _name(target.value) in self.looked_up:
                yield from self._keys([(target.slice, put.value)])

    def _is_asked(self, rows: ast.expr) -> bool:
        """Whether a list has a name, by which items are taken out of it."""
        above = self.source.up.get(rows)
        return isinstance(above, ast.Assign | ast.AnnAssign) and self._is_looked_up(rows)

    def _keys(self, pairs: list[tuple[ast.expr, ast.expr]]) -> Iterator[Decision]:
        self.group += 1
        fresh = [(key, kept) for key, kept in pairs if self._is_fresh(key) or self._is_fresh(kept)]
        for key, kept in fresh[:MOST_FRESH]:
            made = self._worth(key)
            if isinstance(made, (*_SIMPLE, tuple)):
                function = getattr(self.source.scope(key), "name", "")
                yield Decision(value=made, how="row", line=key.lineno, function=function, answer=value(kept),
                               subject="row", evidence=f"{unparsed(key)}: {unparsed(kept)}"[:160],
                               group=self.group, rows=len(fresh))  # fmt: skip
            if (text := value(kept)) is not None:
                yield from self._ready(text, kept, self.group)

    def _members(self) -> Iterator[Decision]:
        """Members of an enumeration, and functions that are found by a name worked out."""
        for kind in self.source.of(ast.ClassDef):
            if any(_name(base).endswith(("Enum", "Flag")) for base in kind.bases):
                self.group += 1
                for each in kind.body:
                    if isinstance(each, ast.Assign) and self._is_fresh(each):
                        made = self._worth(each.value)
                        yield from self._of(made, each, how="row", subject=kind.name, group=self.group)
        if any(getattr(call.func, "id", "") in _DYNAMIC for call in self.source.of(ast.Call)):
            for function in filter(self._is_fresh, self.source.functions):
                last = function.name.strip("_").partition("_")[2] or function.name.strip("_")
                yield from self._of(last, function, how="row", subject="name of a function")

    def _rows(self, items: list[object], node: ast.AST, *, how: How, subject: str) -> Iterator[Decision]:
        self.group += 1
        for each in items if len(items) <= MOST_ROWS else ():
            yield from self._of(each, node, how=how, subject=subject, group=self.group if len(items) > 1 else 0)

    def _is_length(self, held: ast.expr) -> bool:
        """Whether it is the length of something, also by way of a variable."""
        made = self.source.single.get(held.id, held) if isinstance(held, ast.Name) else held
        return isinstance(made, ast.Call) and getattr(made.func, "id", "") == "len"

    def _how(self, held: ast.AST) -> How:
        """What a function is given is held as a whole; anything else can be a part of it."""
        given = getattr(self.source.scope(held), "args", None) if isinstance(held, ast.Name) else None
        names = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)} if given else set()
        return "whole" if isinstance(held, ast.Name) and held.id in names else "part"

    def _of(self, made: object, node: ast.AST, *, how: How, subject: str, group: int = 0) -> Iterator[Decision]:
        if not isinstance(made, (*_SIMPLE, tuple)) or self._is_named(made, node):
            return
        where = getattr(node, "lineno", 0) or getattr(getattr(node, "pattern", None), "lineno", 0)
        answer, shown = outcome_of(self.source, node)
        yield Decision(value=made, how=how, line=where, function=getattr(self.source.scope(node), "name", ""),
                       subject=subject, answer=answer, evidence=shown, group=group)  # fmt: skip

    def _is_named(self, made: object, node: ast.AST) -> bool:
        """Whether a small number has a name that is no part of the change."""
        if not isinstance(made, int) or abs(made) > LARGEST_NAMED or self.new is None:
            return False
        parts = [node, *getattr(node, "patterns", ())]
        return not any(
            (isinstance(each, ast.Constant) and each.value == made)
            or (isinstance(each, ast.Name) and each.id in self.renamed)
            for part in parts for each in ast.walk(part)
        )  # fmt: skip

    def _worth(self, node: ast.AST | None) -> object:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id not in self.source.single:
            return None
        try:
            return Worth(sources=self.source.single, name=self.source.name).of(node)
        except Unknown:
            return None

    def _options(self, node: ast.expr) -> Iterable[object]:
        """The constants that a side of a comparison can be: one, or those that a loop goes through."""
        running = self.source.single.get(f"{node.id} of") if isinstance(node, ast.Name) else None
        return _items(self._worth(running)) if running is not None else [self._worth(node)]

    def _varies(self, node: ast.expr) -> bool:
        """Whether it is something that differs from call to call, and no type or variable of the machine."""
        if isinstance(node, ast.Constant) or self.source.name(node).startswith(("sys.", "os.", "platform.")):
            return False
        if isinstance(node, ast.Call) and self.source.name(node.func).rpartition(".")[2] in _TYPES:
            return False
        if isinstance(node, ast.Name) and (node.id in self.source.single or node.id.startswith("__")):
            return self._worth(node) is None
        return any(isinstance(each, ast.Name | ast.Attribute | ast.Call) for each in ast.walk(node))

    def _looked_up(self) -> Iterator[str]:
        """Names of tables that something is looked up in."""
        for node in self.source.of(ast.Subscript):
            if self._varies(node.slice):
                yield _name(node.value)
        for call in self.source.of(ast.Call):
            looks = isinstance(call.func, ast.Attribute) and call.func.attr in _LOOKING
            if looks and (not call.args or self._varies(call.args[0])):
                yield _name(call.func.value)  # type: ignore[attr-defined]  # it is an attribute
        for test in self.source.of(ast.Compare):
            yield from (_name(each) for sign, each in zip(test.ops, test.comparators, strict=True)
                        if isinstance(sign, ast.In | ast.NotIn))  # fmt: skip
        yield from (_name(each.iter) for each in self.source.of(ast.For))
        yield from (_name(each.iter) for each in self.source.of(ast.comprehension))

    def _is_looked_up(self, table: ast.expr) -> bool:
        """Whether something is looked up in a table; one whose keys are no names is there for nothing else."""
        if isinstance(table, ast.Dict) and any(isinstance(made := self._worth(key), (*_SIMPLE, tuple))
                                               and not str(made).isidentifier() for key in table.keys):  # fmt: skip
            return True
        node: ast.AST = table
        for above in self.source.above(table):
            if isinstance(above, ast.Assign | ast.AnnAssign | ast.NamedExpr):
                targets = above.targets if isinstance(above, ast.Assign) else [above.target]
                return any(_name(target) in self.looked_up for target in targets)
            if isinstance(above, ast.Subscript | ast.Attribute):
                return above.value is node if isinstance(above, ast.Subscript) else above.attr in _LOOKING
            if isinstance(above, ast.For | ast.comprehension | ast.Compare | ast.stmt):
                return isinstance(above, ast.For | ast.comprehension | ast.Compare)
            node = above
        return False


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _items(made: object) -> list[object]:
    return list(made)[: MOST_ROWS + 1] if isinstance(made, list | tuple | set | frozenset | dict) else []


def _paired(rows: Sequence[ast.expr]) -> list[tuple[ast.expr, ast.expr]]:
    """The first and the last of each row; nothing where they are not all rows."""
    found = [row.elts for row in rows if isinstance(row, ast.Tuple | ast.List) and len(row.elts) > 1]
    return [(row[0], row[-1]) for row in found] if len(found) == len(rows) else []


_ESCAPED = re.compile(r"\\([^\w])")


def plain_pattern(text: str) -> list[str]:
    """The runs of plain characters of a pattern: what a text must hold to fit it."""
    return [part for part in re.split(r"\\[\w]|[\[\](){}|^$.*+?\\]+", _ESCAPED.sub(r"\1", text)) if part]
