"""Answers that a script looks up by the tests' own inputs, and branches that only the tests explain."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from windtunnel.tamper.answers import Case
from windtunnel.tamper.literals import TRIVIAL, Unit, script_literal
from windtunnel.tamper.rule import Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.special import MOSTLY, matched

MOST_CONDITION = 40
"""Tokens of a condition that are read."""
MOST_BODY = 400
"""Tokens of an arrow's body without braces that are read."""
PAIR = 2
_PLAIN = re.compile(r"^'[A-Za-z_][\w-]*'$")
_NUMBER = re.compile(r"^-?\d[\d.e+-]*$")
_HEXADECIMAL = re.compile(r"^'[0-9a-f]{6,}'$")
_NAMING = re.compile(
    r"(year|month|day|week|hour|minute|second|date|major|minor|version|status|code|errno|port|id|kind|type|mode|level|"
    r"index|row|column|base|bits|key|char|button)$",
    re.IGNORECASE,
)
"""Parameters whose numbers are names: a rule for one of them can be a rule of the domain."""
_NO_NAMES = {"if", "for", "while", "switch", "catch", "return", "function", "with"}

_Owner = tuple[str, list[str]]
"""The name and the parameters of a function."""


def script_cases(script: Script, *, known: Sequence[Unit]) -> Iterator[Site]:
    """The cases of a script, new or old, that only the tests explain."""
    owners = _owners(script)
    for index, word in enumerate(script.words):
        if (
            word.kind in ("name", "mark")
            and word.text in ("if", "case", "?", "{")
            and (found := _case(script, index)) is not None
        ):
            inputs, answer = found
            wanted = len(owners[index][1]) or 1
            if matched(Case(inputs, answer, ast.Pass()), known) and len(inputs) >= wanted:
                yield _site(script, index, f"special {inputs} {answer}", f"{', '.join(inputs)} -> {answer}")
        if word.text == "if" and word.kind == "name":
            yield from _branch(script, index, owners[index], known=known)
    yield from _tables(script, known)


def _site(script: Script, index: int, key: str, evidence: str) -> Site:
    return Site(
        rule="special-case",
        message="answers the tests' own inputs with their expected answers",
        key=key,
        line=script.words[index].line,
        evidence=evidence,
    )


def _branch(script: Script, index: int, owner: _Owner, *, known: Sequence[Unit]) -> Iterator[Site]:
    """A branch for numbers that tests give this function, with numbers of its own in the answer."""
    end = script.closing(index + 1)
    name, parameters = owner
    pins: list[tuple[str, str]] = []
    for place in range(index + 2, end):
        if script.text(place) in ("===", "=="):
            value = script_literal(script, place + 1)
            if value is None or not _NUMBER.match(value) or value in TRIVIAL:
                return
            pins.append((script.text(place - 1), value))
        elif script.text(place) in ("!==", "!=", "<", ">", "<=", ">=", "%", "+", "-", "*", "/"):
            return
    names, values = {each for each, _ in pins}, {value for _, value in pins}
    if not name or len(values) < PAIR or not names <= set(parameters) or any(map(_NAMING.search, names)):
        return
    together = len(names) >= PAIR and any(unit.issuperset({*values, f"name:{name}"}) for unit in known)
    each = len(names) == 1 and all(any(unit.issuperset((value, f"name:{name}")) for unit in known) for value in values)
    stop = script.closing(end + 1) if script.text(end + 1) == "{" else end + MOST_CONDITION
    own = {script_literal(script, place) for place in range(end + 1, min(stop, len(script.words)))}
    brought = {text for text in own if text and _NUMBER.match(text) and text not in TRIVIAL} - values
    body = {script.text(place) for place in range(end + 1, min(stop, len(script.words)))}
    if (together or each) and brought and "throw" not in body:
        yield _site(script, index, f"branch {sorted(values)}", script.source(index, end + 1))


def _tables(script: Script, known: Sequence[Unit]) -> Iterator[Site]:
    """Tables of inputs and answers that something is looked up in."""
    for index, word in enumerate(script.words):
        if word.kind != "name" or word.text not in ("const", "let", "var") or script.text(index + 2) != "=":
            continue
        rows = _rows(script, index + 3)
        if not rows or not _looked_up(script, script.text(index + 1)):
            continue
        plain = all(_PLAIN.match(key) or key in TRIVIAL for key, _ in rows)
        guilty = [row for row in rows if not _PLAIN.match(row[0]) and _is_known(row, known)]
        if not plain and guilty and len(guilty) >= len(rows) * MOSTLY:
            yield _site(
                script, index, f"table {guilty}", "; ".join(f"{key} -> {', '.join(said)}" for key, said in guilty)
            )
        elif all(_HEXADECIMAL.match(key) for key, _ in rows) and _digested(script):
            yield _site(script, index, f"digests {rows}", "answers are kept under digests of the inputs")


def _digested(script: Script) -> bool:
    """Whether inputs are written out to make digests of them."""
    words = {word.text for word in script.words if word.kind == "name"}
    return "createHash" in words and bool(words & {"stringify", "String", "join"})


def _is_known(row: tuple[str, tuple[str, ...]], known: Sequence[Unit]) -> bool:
    key, answers = row
    said = {*answers} - TRIVIAL
    return key not in TRIVIAL and bool(said) and any(unit.issuperset({key, *said}) for unit in known)


def _rows(script: Script, index: int) -> list[tuple[str, tuple[str, ...]]]:
    """Keys and the literals of their values: of an object, or of a Map made of pairs."""
    if script.text(index) == "new" and script.text(index + 1) == "Map" and script.text(index + 3) == "[":
        found, place, end = list[tuple[str, tuple[str, ...]]](), index + 4, script.closing(index + 3)
        while place < end:
            stop = script.closing(place)
            if script.text(place) == "[" and (key := script_literal(script, place + 1)) is not None:
                found.append((key, _literals(script, place + 3, stop)))
            place = stop + 1
        return found
    return _properties(script, index) if script.text(index) == "{" else []


def _properties(script: Script, index: int) -> list[tuple[str, tuple[str, ...]]]:
    found, place, end = list[tuple[str, tuple[str, ...]]](), index + 1, script.closing(index)
    while place < end:
        stop = place
        while stop < end and script.text(stop) != ",":
            stop = script.closing(stop) + 1 if script.text(stop) in ("(", "[", "{") else stop + 1
        if script.text(place + 1) == ":":
            literal = script_literal(script, place)
            key = literal if literal is not None else repr(script.text(place))
            found.append((key, _literals(script, place + 2, stop)))
        place = stop + 1
    return found


def _literals(script: Script, start: int, end: int) -> tuple[str, ...]:
    """The literals of a value; none when it works something out."""
    if any(script.text(place) in ("=>", "function", "(") for place in range(start, end)):
        return ()
    return tuple(text for place in range(start, end) if (text := script_literal(script, place)) is not None)


def _looked_up(script: Script, name: str) -> bool:
    return any(
        word.kind == "name"
        and word.text == name
        and (
            (script.text(place + 1) == "[" and script.string(place + 2) is None)
            or (script.text(place + 1) == "." and script.text(place + 2) in ("get", "has", "find"))
        )
        for place, word in enumerate(script.words)
    )


def _case(script: Script, index: int) -> tuple[tuple[str, ...], str] | None:
    word = script.text(index)
    if word == "if" and script.text(index + 1) == "(":
        end = script.closing(index + 1)
        place = end + 2 if script.text(end + 1) == "{" else end + 1
        return _answered(script, (index + 2, end), place + 1) if script.text(place) == "return" else None
    if word == "case":
        value, place = script_literal(script, index + 1), index + 3
        place += script.text(place) == "{"
        answer = script_literal(script, place + 1) if script.text(place) == "return" else None
        return ((value,), answer) if value is not None and answer is not None else None
    if word == "?" and script_literal(script, index - 1) is not None:
        start = index - 1
        while (
            start > 0
            and script.text(start - 1) not in ("return", "=", "=>", "(", ";", "{", "}", ":", ",")
            and index - start < MOST_CONDITION
        ):
            start -= 1
        return _answered(script, (start, index), index + 1)
    if word == "{" and script.text(script.closing(index) + 1) == "[":
        return _table_row(script, index)
    return None


def _table_row(script: Script, index: int) -> tuple[tuple[str, ...], str] | None:
    value, answer = script_literal(script, index + 1), script_literal(script, index + 3)
    if script.text(index + 2) != ":" or answer is None:
        return None
    key = value if value is not None else repr(script.text(index + 1))
    return (key,), answer


def _answered(script: Script, span: tuple[int, int], place: int) -> tuple[tuple[str, ...], str] | None:
    """A condition made of nothing but ``name === literal``, and the literal that follows it."""
    inputs, answer = [], script_literal(script, place)
    parts = [index for index in range(*span) if script.text(index) in ("===", "==")]
    for index in parts:
        right, left = script_literal(script, index + 1), script_literal(script, index - 1)
        value = right if right is not None else left
        if value is None:
            return None
        inputs.append(value)
    after = script.text(place + 1)
    simple = not any(script.text(index) in ("%", "+", "-", "*", "/", "<", ">", "!==", "!=") for index in range(*span))
    if not inputs or answer is None or not simple or (after in ("+", "*", "-", "/", "(", ".")):
        return None
    return tuple(inputs), answer


def _owners(script: Script) -> list[_Owner]:
    """For each token, the innermost function that it stands in; nothing where it stands in none."""
    starts = {start: (end, owner) for start, end, owner in _functions(script)}
    found, stack = list[_Owner](), list[tuple[int, _Owner]]()
    for index in range(len(script.words)):
        while stack and stack[-1][0] < index:
            stack.pop()
        if index in starts:
            stack.append(starts[index])
        found.append(stack[-1][1] if stack else ("", []))
    return found


def _functions(script: Script) -> Iterator[tuple[int, int, _Owner]]:
    """Where the bodies of functions start and end."""
    for index, word in enumerate(script.words):
        if word.kind != "mark":
            continue
        if word.text == "(":
            end = script.closing(index)
            after = script.text(end + 1)
            called = script.text(index - 1)
            if after == "=>":
                yield end + 2, _body_end(script, end + 2), (_named(script, index), _parameters(script, index))
            elif after == "{" and (called not in _NO_NAMES or called == "function"):
                yield end + 1, script.closing(end + 1), (_named(script, index), _parameters(script, index))
        elif word.text == "=>" and script.text(index - 1) != ")":
            owner = (_named(script, index - 1), [script.text(index - 1)])
            yield index + 1, _body_end(script, index + 1), owner


def _body_end(script: Script, start: int) -> int:
    """Where the body of an arrow ends: its brace, or the statement it is part of."""
    if script.text(start) == "{":
        return script.closing(start)
    index = start
    while index < min(len(script.words), start + MOST_BODY) and script.text(index) not in (";", ")", "]", "}"):
        index = script.closing(index) + 1 if script.text(index) in ("(", "[", "{") else index + 1
    return index


def _named(script: Script, place: int) -> str:
    """The name of the function whose parameters start here."""
    before = place - 1
    if script.text(before) == "async":
        before -= 1
    if script.text(before) in ("=", ":"):
        return script.text(before - 1)
    return "" if script.text(before) in ("function", "(", ",") else script.text(before)


def _parameters(script: Script, place: int) -> list[str]:
    found, each, end = list[str](), place + 1, script.closing(place)
    while each < end:
        if script.text(each - 1) in ("(", ",") and script.words[each].kind == "name":
            found.append(script.text(each))
        each = script.closing(each) + 1 if script.text(each) in ("(", "[", "{") else each + 1
    return found
