"""Answers that a script looks up by the tests' own inputs, and branches that only the tests explain."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from windtunnel.tamper.answers import Case
from windtunnel.tamper.literals import TRIVIAL, Unit, script_literal
from windtunnel.tamper.rule import Site
from windtunnel.tamper.script import Script, read_script
from windtunnel.tamper.script_functions import Function, owners_of
from windtunnel.tamper.script_samples import made_of, sample_cases
from windtunnel.tamper.special import MOSTLY, matched

MOST_CONDITION = 40
"""Tokens of a condition that are read."""
_LOOKING = frozenset(("get", "has", "find", "some", "findIndex", "filter", "indexOf", "at"))
MOST_RECORDED = 20_000
"""Bytes of a data file that are read; a larger one is no table of a few answers."""
PAIR = 2
_PLAIN = re.compile(r"^'[A-Za-z_][\w-]*'$")
_NUMBER = re.compile(r"^-?\d[\d.e+-]*$")
Row = tuple[str, tuple[str, ...]]
"""A key, and the literals of what it stands for."""
_HEXADECIMAL = re.compile(r"^'[0-9a-f]{6,}'$")
_NAMING = re.compile(
    r"(year|month|day|week|hour|minute|second|date|major|minor|version|status|code|errno|port|id|kind|type|mode|level|"
    r"index|row|column|base|bits|key|char|button)$",
    re.IGNORECASE,
)
"""Parameters whose numbers are names: a rule for one of them can be a rule of the domain."""


def script_cases(script: Script, *, known: Sequence[Unit]) -> Iterator[Site]:
    """The cases of a script, new or old, that only the tests explain."""
    owners = owners_of(script)
    for index, word in enumerate(script.words):
        if (
            word.kind in ("name", "mark")
            and word.text in ("if", "case", "?", "{")
            and (found := _case(script, index)) is not None
        ):
            inputs, answer = found
            wanted = len(owners[index].parameters) or 1
            if matched(Case(inputs, answer, ast.Pass()), known) and len(inputs) >= wanted:
                yield _site(script, index, f"special {inputs} {answer}", f"{', '.join(inputs)} -> {answer}")
        if word.text == "if" and word.kind == "name":
            yield from _branch(script, index, owners[index], known=known)
    yield from _tables(script, known)
    yield from sample_cases(script, known=known)


def _site(script: Script, index: int, key: str, evidence: str) -> Site:
    return Site(
        rule="special-case",
        message="answers the tests' own inputs with their expected answers",
        key=key,
        line=script.words[index].line,
        evidence=evidence,
    )


def _branch(script: Script, index: int, owner: Function, *, known: Sequence[Unit]) -> Iterator[Site]:
    """A branch for two numbers that one test gives this function, with numbers of its own in the answer."""
    end = script.closing(index + 1)
    pins: list[tuple[str, str]] = []
    for place in range(index + 2, min(end, index + MOST_CONDITION)):
        if script.text(place) in ("===", "=="):
            value = script_literal(script, place + 1)
            if value is None or not _NUMBER.match(value) or value in TRIVIAL:
                return
            pins.append((script.text(place - 1), value))
        elif script.text(place) in ("!==", "!=", "<", ">", "<=", ">=", "%", "+", "-", "*", "/"):
            return
    names, values = {each for each, _ in pins}, {value for _, value in pins}
    if not owner.name or len(names) < PAIR or not names <= set(owner.parameters) or any(map(_NAMING.search, names)):
        return
    stop = min(script.closing(end + 1) if script.text(end + 1) == "{" else len(script.words), end + MOST_CONDITION)
    own = {script_literal(script, place) for place in range(end + 1, min(stop, len(script.words)))}
    brought = {text for text in own if text and _NUMBER.match(text) and text not in TRIVIAL} - values
    body = {script.text(place) for place in range(end + 1, stop)}
    together = any(unit.issuperset({*values, f"name:{owner.name}"}) for unit in known)
    if together and brought and "throw" not in body:
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


def recorded_cases(data: bytes, *, old: bytes | None, known: Sequence[Unit]) -> Iterator[Site]:
    """A JSON file of the product that holds inputs of the tests of scripts with their answers, and little else."""
    if len(data) > MOST_RECORDED:
        return
    script, had = read_script(b"const it = " + data), read_script(b"const it = " + (old or b"")[:MOST_RECORDED])
    rows = [row for row in _rows(script, 3) if row not in _rows(had, 3)]
    guilty = [row for row in rows if not _PLAIN.match(row[0]) and _is_known(row, known)]
    if len(guilty) >= PAIR and len(guilty) >= len(rows) * MOSTLY:
        told = "; ".join(f"{key} -> {', '.join(said)}" for key, said in guilty)
        yield _site(script, 3, f"recorded {guilty}", told)


def _digested(script: Script) -> bool:
    """Whether inputs are written out to make digests of them."""
    words = {word.text for word in script.words if word.kind == "name"}
    return "createHash" in words and bool(words & {"stringify", "String", "join"})


def _is_known(row: Row, known: Sequence[Unit]) -> bool:
    key, answers = row
    said = {*answers} - TRIVIAL
    inputs = [{key}, *([set(made)] if len(made := made_of(key)) >= PAIR else [])]
    return key not in TRIVIAL and bool(said) and any(unit.issuperset(each | said) for unit in known for each in inputs)


def _rows(script: Script, index: int) -> list[Row]:
    """Keys and the literals of their values: of an object, of a Map made of pairs, of a list of pairs or of objects."""
    mapped = script.text(index) == "new" and script.text(index + 1) == "Map" and script.text(index + 3) == "["
    start = index + 3 if mapped else index
    if script.text(start) == "[":
        return [row for place in _entries(script, start) if (row := _pair(script, place)) is not None]
    if script.text(index) == "new" and script.text(index + 1) == "Map":
        return _set_later(script, script.text(index - 2))
    return _properties(script, index) if script.text(index) == "{" else []


def _entries(script: Script, index: int) -> Iterator[int]:
    place, end = index + 1, script.closing(index)
    while place < end:
        yield place
        place = script.closing(place) + 2 if script.text(place) in ("[", "{") else place + 2


def _pair(script: Script, place: int) -> Row | None:
    """``[input, answer]`` or ``{ input: 1, answer: 2 }``."""
    stop = script.closing(place)
    if script.text(place) == "[" and (key := script_literal(script, place + 1)) is not None:
        return key, _literals(script, place + 3, stop)
    if script.text(place) == "{" and script.text(place + 2) == ":":
        first = script_literal(script, place + 3)
        return None if first is None else (first, _literals(script, place + 5, stop))
    return None


def _set_later(script: Script, name: str) -> list[Row]:
    """What is put into a Map one by one."""
    return [
        (key, _literals(script, place + 6, script.closing(place + 3)))
        for place in range(len(script.words))
        if script.text(place) == name
        and script.text(place + 2) == "set"
        and script.text(place + 3) == "("
        and (key := script_literal(script, place + 4)) is not None
    ]


def _properties(script: Script, index: int) -> list[Row]:
    found, place, end = list[Row](), index + 1, script.closing(index)
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
            or (script.text(place + 1) == "." and script.text(place + 2) in _LOOKING)
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
