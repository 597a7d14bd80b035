"""The statements of a test file, walked in order: what names stand for, and under which conditions a place is reached.

Loops over tables are walked row by row, branches on literals are decided, functions inside keep what they leave early
and declare to themselves. What names mean to a runner is left to who derives from this. Bounded in rows and in steps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from windtunnel.tamper.script import Script
from windtunnel.tamper.script_claims import ScriptTest
from windtunnel.tamper.script_values import MOST_DEPTH, Callable, Reader, Scope, Words, is_literal, parts, rows

MOST_CLAIMS = 3_000
MOST_ROWS = 400
"""Rows of one table that are walked one by one."""
MOST_STEPS = 400_000
MOST_LEVELS = 40
"""Blocks in blocks that are looked into."""
_FALSE = frozenset(("false", "0", "null", "undefined", "''", "NaN"))
_LITERAL = re.compile(r"^('.*'|\".*\"|-?\d[\w.]*|true|false|null|undefined)$", re.DOTALL)


@dataclass(slots=True)
class State:
    """Where the walk is."""

    scope: Scope
    group: tuple[str, ...] = ()
    silent: str = ""
    only: bool = False
    test: ScriptTest | None = None
    guards: frozenset[str] = frozenset()
    dead: bool = False
    row: str = ""
    depth: int = 0
    level: int = 0
    """Blocks in blocks."""

    def inner(self, **changes: object) -> State:
        """A state of its own for what stands inside."""
        given: dict[str, object] = {"scope": self.scope.child(), "level": self.level + 1, **changes}
        return replace(self, **given)  # type: ignore[arg-type]  # names and types are those of the fields


class Walk:
    """One file, walked once."""

    def __init__(self, script: Script, *, path: str = "") -> None:
        """Make ready; nothing is walked yet."""
        self.script = script
        self.reader = Reader(script, path=path)
        self.left = [MOST_CLAIMS, MOST_STEPS]
        """Claims and steps that are still allowed."""
        self.imported: set[str] = set()
        """Names that stand for something of the runner's or of the assertion library's."""

    def name(self, index: int, state: State) -> int:  # noqa: ARG002 -- for those who know what names mean
        """What a name at the start of an expression means; where to go on."""
        return index + 1

    def walk(self, start: int, end: int, state: State) -> None:
        """Everything from one token to before another, in this state."""
        index = start if state.level < MOST_LEVELS else end
        while index < end and self.left[1] > 0:
            self.left[1] -= 1
            index = max(self._step(index, end, state), index + 1)

    def _step(self, index: int, end: int, state: State) -> int:
        script, mark = self.script, self.script.text(index)
        if not mark or script.text(index - 1) == ".":
            return self._called(index, state) if mark == "forEach" else index + 1
        if mark in ("const", "let", "var"):
            return self.declare(index, state.scope)
        if mark == "function" or (mark == "=>" and script.text(index + 1) == "{"):
            return self._function(index, state)
        if mark in ("for", "if", "while", "try", "class", "return"):
            return self._statement(index, end, state)
        return self.name(index, state)

    def _statement(self, index: int, end: int, state: State) -> int:
        script, mark = self.script, self.script.text(index)
        after = index + 1
        if mark == "for":
            after = self._loop(index, state)
        elif mark in ("if", "while"):
            after = self._if(index, end, state)
        elif mark == "try" and script.text(index + 1) == "{":
            after = self._try(index + 1, state)
        elif mark == "class":
            brace = next((at for at in range(index, min(index + 12, end)) if script.text(at) == "{"), index)
            after = script.closing(brace) + 1
        elif mark == "return" and state.test is not None and self._leaves(index):
            state.dead = True
        return after

    def _leaves(self, index: int) -> bool:
        script = self.script
        return script.text(index + 1) in (";", "}") or (index + 1 < len(script.words) and script.words[index + 1].fresh)

    def declare(self, index: int, scope: Scope) -> int:
        """Names that a declaration gives to functions and values."""
        script, place = self.script, index + 1
        after = script.closing(place) + 1 if script.text(place) in ("{", "[") else place + 1
        if script.text(after) == ":":
            after = next((at for at in range(after, after + 40) if script.text(at) in ("=", ";", "")), after)
        if script.text(after) != "=":
            return after
        known = self.reader.callable(after + 1)
        if known is not None:
            scope.values.pop(script.text(place), None)
            scope.functions[script.text(place)] = known
            return known.body[1] + known.block
        stop = self.reader.expression_end(after + 1)
        if script.text(place) in self.script.aliases or script.text(after + 1) in ("require", "await"):
            imported = script.text(after + 1) == "require" or script.text(place) in self.imported
            if imported or script.text(after + 2) == "import":
                return stop
        self.reader.bind(place, self.reader.text(after + 1, stop, scope), scope)
        return after + 1

    def _function(self, index: int, state: State) -> int:
        """A function inside: what it leaves early or declares stays its own."""
        script = self.script
        known = self.reader.callable(index) if script.text(index) == "function" else None
        if known is not None and script.text(index + 1) != "(" and self._is_statement(index):
            return known.body[1] + 1
        brace = known.body[0] - 1 if known is not None else index + 1
        if script.text(brace) != "{":
            return index + 1
        self.walk(brace + 1, script.closing(brace), state.inner())
        return script.closing(brace) + 1

    def _is_statement(self, index: int) -> bool:
        return self.script.text(index - 1) in ("", ";", "{", "}", "export", "async", "default") or (
            self.script.words[index].fresh and self.script.text(index - 1) not in (",", "(", "=", ":")
        )

    def _loop(self, index: int, state: State) -> int:
        script = self.script
        index += script.text(index + 1) == "await"
        end = script.closing(index + 1)
        of = next((at for at in range(index + 2, end) if script.text(at) == "of"), 0)
        brace = end + 1 if script.text(end + 1) == "{" else 0
        start, stop = (brace + 1, script.closing(brace)) if brace else (end + 1, self._line_end(end + 1))
        if not of:
            header = " ".join(self.reader.text(index + 2, end, state.scope))
            self.walk(start, stop, state.inner(guards=state.guards | {f"for {header}"}))
            return stop + bool(brace)
        pattern = index + 2 + (script.text(index + 2) in ("const", "let", "var"))
        given = self.reader.text(of + 1, end, state.scope)
        self.rows(given, [pattern], (start, stop), state)
        return stop + bool(brace)

    def rows(
        self, table: Words, patterns: list[int], body: tuple[int, int], state: State, *, split: bool = False
    ) -> None:
        """The body of a loop, once for each row where the text says what the rows are."""
        ended = {self.script.text(at) for at in range(*body)} & {"break", "switch"} == {"break"}
        found = None if ended else rows(table)
        if found is None or len(found) > MOST_ROWS or self.left[0] <= 0 or state.depth >= MOST_DEPTH:
            self.walk(*body, state.inner(guards=state.guards | {f"of {' '.join(table)}"}, depth=state.depth + 1))
            return
        for row in found:
            inner = state.inner(row=" ".join(row), depth=state.depth + 1)
            spread = parts(row) if split and is_literal(row, "[") else [row]
            for place, pattern in enumerate(patterns):
                self.reader.bind(pattern, spread[place] if place < len(spread) else None, inner.scope)
            self.walk(*body, inner)

    def _called(self, index: int, state: State) -> int:
        """``TABLE.forEach((row) => ...)``."""
        script = self.script
        known = self.reader.callable(index + 2) if script.text(index + 1) == "(" else None
        if known is None:
            return index + 1
        start = self._chain_start(index - 1)
        table = self.reader.text(start, index - 1, state.scope)
        patterns = [first for first, _ in self.patterns(known)][:1]
        self.rows(table, patterns, known.body, state)
        return script.closing(index + 1) + 1

    def _chain_start(self, index: int) -> int:
        """Where the expression before a dot starts."""
        script, place = self.script, index - 1
        if script.text(place) in (")", "]"):
            depth = 0
            while place > 0:
                depth += (script.text(place) in (")", "]", "}")) - (script.text(place) in ("(", "[", "{"))
                if not depth:
                    break
                place -= 1
        if script.text(place) == "(" and re.match(r"^[\w$]+$", script.text(place - 1)):
            place -= 1
        while script.text(place - 1) == ".":
            place -= 2
        return place

    def patterns(self, known: Callable) -> list[tuple[int, int]]:
        """Where the parameters of a function start and end."""
        start, end = known.parameters
        if self.script.text(start - 1) != "(":
            return [(start, end)]
        return list(self.reader.spans(start - 1))

    def _line_end(self, start: int) -> int:
        """Where a statement without braces ends."""
        script, index = self.script, start
        while index < len(script.words) and script.text(index) not in (";", "}"):
            if index > start and script.words[index].fresh and script.text(index) != ".":
                break
            index = script.closing(index) + 1 if script.text(index) in ("(", "[", "{") else index + 1
        return index

    def _if(self, index: int, end: int, state: State) -> int:
        script, close = self.script, self.script.closing(index + 1)
        words = self.reader.text(index + 2, close, state.scope)
        said, truth = " ".join(words), _truth(words)
        start, stop, after = self._branch(close + 1)
        leaves = script.text(start) in ("return", "continue", "break")
        if not leaves or script.text(index) == "while":
            guards = state.guards | ({f"if {said}"} if truth is None else set())
            inner = state.inner(guards=guards, dead=state.dead or truth is False)
            self.walk(start, stop, inner)
        elif truth is None:
            state.guards |= {f"unless {said}"}
        elif truth:
            state.dead = True
        if script.text(after) == "else" and after < end:
            start, stop, after = self._branch(after + 1)
            guards = state.guards | ({f"unless {said}"} if truth is None else set())
            self.walk(start, stop, state.inner(guards=guards, dead=state.dead or truth is True))
        return after

    def _branch(self, index: int) -> tuple[int, int, int]:
        """A branch without its braces, and what follows it."""
        script = self.script
        if script.text(index) == "{":
            return index + 1, script.closing(index), script.closing(index) + 1
        stop = self._line_end(index)
        return index, stop, stop + (script.text(stop) == ";")

    def _try(self, brace: int, state: State) -> int:
        script, end = self.script, self.script.closing(brace)
        self.walk(brace + 1, end, state.inner(dead=state.dead or self.swallowed(end)))
        place = end + 1
        if script.text(place) == "catch":
            body = script.closing(place + 1) + 1 if script.text(place + 1) == "(" else place + 1
            self.walk(body + 1, script.closing(body), state.inner(guards=state.guards | {"catch"}))
            place = script.closing(body) + 1
        return place

    def swallowed(self, end: int) -> bool:
        """Whether what is thrown before this brace is caught and forgotten."""
        if self.script.text(end + 1) != "catch":
            return False
        place = end + 2
        if self.script.text(place) == "(":
            place = self.script.closing(place) + 1
        body = {self.script.text(each) for each in range(place, self.script.closing(place))}
        return not body & {"throw", "expect", "fail", "assert", "done"}


def _truth(words: Words) -> bool | None:
    """What a condition comes to, where it is made of literals."""
    if words[:1] == ("!",) and words[1:2] != ("!",):
        inner = _truth(words[1:])
        return None if inner is None else not inner
    if len(words) == 1 and _LITERAL.match(words[0]):
        return words[0] not in _FALSE
    if is_literal(words, "[") or is_literal(words, "{"):
        return True
    if len(words) == 3 and _LITERAL.match(words[0]) and _LITERAL.match(words[2]):  # noqa: PLR2004 -- left, sign, right
        same = words[0] == words[2]
        return {"===": same, "==": same, "!==": not same, "!=": not same}.get(words[1])
    return None
