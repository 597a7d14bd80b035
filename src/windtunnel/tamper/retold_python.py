"""Tests of a Python file, copied with other inputs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from windtunnel.tamper.literals import TRIVIAL, value
from windtunnel.tamper.probing import Probe, decorator, listening, probes
from windtunnel.tamper.retold import (
    MARK,
    MOST_COPIES,
    MOST_SPOTS,
    MOST_TEXT,
    Copy,
    Edit,
    Retold,
    edited,
    others,
)
from windtunnel.tamper.trees import parse
from windtunnel.tamper.uses import SILENT, answers_of, expected_names

MOST_FRAMES = 24
_Test = ast.FunctionDef | ast.AsyncFunctionDef
_PAIR = 2


@dataclass(slots=True)
class _Spot:
    """One input, wherever it stands in a test."""

    value: object
    nodes: list[ast.expr] = field(default_factory=list)
    echoes: list[ast.expr] = field(default_factory=list)


@dataclass(slots=True)
class _Frame:
    """A test with one row of its table and one of its claims."""

    test: _Test
    edits: list[Edit]
    inputs: list[ast.expr]
    answers: list[ast.expr]


class _File:
    def __init__(self, path: str, data: bytes, tree: ast.Module) -> None:
        self.path, self.text = path, data.decode("utf-8", "replace")
        starts, place = [0], 0
        for line in data.splitlines(keepends=True):
            place += len(line)
            starts.append(place)
        self.data, self.starts, self.tree = data, starts, tree
        self.words = list(dict.fromkeys(each.value for call in ast.walk(tree) if isinstance(call, ast.Call)
                                        for each in call.args if isinstance(each, ast.Constant)
                                        and isinstance(each.value, str)))
        self.tables = {each.targets[0].id: each.value for each in tree.body
                       if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name)}

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node stands, in characters."""
        first, last = (self.starts[line - 1] + column for line, column in (
            (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)))  # type: ignore[attr-defined]  # all that are asked for have places
        return tuple(len(self.data[:place].decode("utf-8", "replace")) for place in (first, last))  # type: ignore[return-value]  # two of them

    def source(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def frames(self, test: _Test) -> Iterator[_Frame]:
        for edits, cells, wanted in self._rows(test):
            for more, statements in self._claims(test):
                inputs, answers = list(cells), list(wanted)
                for each in statements:
                    _gather(each, inputs, answers, answer=False)
                yield _Frame(test, [*edits, *more], inputs, answers)

    def _rows(self, test: _Test) -> Iterator[tuple[list[Edit], list[ast.expr], list[ast.expr]]]:
        """Each row of the test's table alone; one without anything where it has none."""
        marks = [each for each in test.decorator_list if isinstance(each, ast.Call)
                 and getattr(each.func, "attr", "") == "parametrize" and len(each.args) >= _PAIR]
        table = self._table(marks[0].args[1]) if len(marks) == 1 else None
        if table is None:
            if not marks:
                yield [], [], []
            return
        names, expected = _names(marks[0].args[0]), expected_names(test)
        start, end = self.span(marks[0].args[1])
        for row in table:
            inputs, answers = list[ast.expr](), list[ast.expr]()
            cells = row.args if isinstance(row, ast.Call) else row.elts if isinstance(row, ast.Tuple | ast.List) else []
            fits = len(names) == len(cells) > 1
            for name, cell in zip(names, cells, strict=True) if fits else (("", row),):
                _gather(cell, inputs, answers, answer=name in expected)
            yield [Edit(start=start, end=end, text=f"[{self.source(row)}]")], inputs, answers

    def _table(self, node: ast.expr) -> list[ast.expr] | None:
        node = self.tables.get(node.id, node) if isinstance(node, ast.Name) else node
        return node.elts if isinstance(node, ast.List | ast.Tuple) else None

    def _claims(self, test: _Test) -> Iterator[tuple[list[Edit], list[ast.stmt]]]:
        """Each claim of the test alone, with what is done before it."""
        claims = [each for each in ast.walk(test) if _is_claim(each)]
        if len(claims) <= 1:
            yield [], list(test.body)
            return
        for kept in claims:
            gone = [each for each in claims if each is not kept]
            edits = [Edit(start=start, end=end, text="pass") for each in gone for start, end in [self.span(each)]]
            yield edits, [each for each in test.body if each not in gone]


def _is_claim(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return getattr(node.value.func, "attr", "").startswith("assert")
    return isinstance(node, ast.Assert)


def _names(node: ast.expr) -> list[str]:
    try:
        named = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return []
    listed = named.split(",") if isinstance(named, str) else named
    return [str(each).strip() for each in listed] if isinstance(listed, list | tuple) else []


def _gather(node: ast.AST, inputs: list[ast.expr], answers: list[ast.expr], *, answer: bool) -> None:
    """The constants and lists of a node, apart by what they are for."""
    waiting: list[tuple[ast.AST, bool]] = [(node, answer)]
    while waiting:
        node, answer = waiting.pop()
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict):
            (answers if answer else inputs).append(node)
        wanted = [*answers_of(node), *_made(node)]
        waiting += [(each, answer or each in wanted) for each in ast.iter_child_nodes(node)
                    if not (isinstance(each, ast.keyword) and each.arg in SILENT)]


def _made(node: ast.AST) -> list[ast.expr]:
    """Sides of a claim that are made of constants alone: ``date(2024, 5, 10)``."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "").startswith("assert"):
        sides = node.args[:2]
    else:
        return []
    made: list[ast.expr] = [each for each in sides[1:] if isinstance(each, ast.Call) and value(each) is not None]
    return made if len(made) < len(sides) else []


def _spots(frame: _Frame) -> list[_Spot]:
    found: dict[str, _Spot] = {}
    for node in sorted(frame.inputs, key=lambda each: (each.lineno, each.col_offset)):
        if isinstance(node, ast.Constant) and _is_telling(node.value):
            # Texts are names and mean the same everywhere in a test; equal numbers do not.
            key = repr(node.value) if isinstance(node.value, str) else f"{node.lineno}:{node.col_offset}"
            found.setdefault(key, _Spot(node.value)).nodes.append(node)
    for node in frame.answers:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and repr(node.value) in found:
            found[repr(node.value)].echoes.append(node)
    return list(found.values())[:MOST_SPOTS]


def _is_telling(value: object) -> bool:
    if isinstance(value, str | bytes):
        return 0 < len(value) <= MOST_TEXT
    return isinstance(value, int | float) and repr(value) not in TRIVIAL


def _wanted(frame: _Frame) -> tuple[object, ...]:
    """The constants of the answers that a test wants."""
    return tuple(dict.fromkeys(each.value for each in frame.answers if isinstance(each, ast.Constant)))


def retell_python(path: str, data: bytes, tests: Collection[str], heard: Sequence[str] = ()) -> Retold | None:
    """The file with copies of these tests behind them; None where there is nothing to ask.

    ``heard`` are the files of the project whose calls are asked again.
    """
    tree = parse(data)
    if tree is None:
        return None
    file, copies, edits = _File(path, data, tree), list[Copy](), list[Edit]()
    number = frame_number = 0
    for test in [each for each in ast.walk(tree) if isinstance(each, _Test) and each.name in tests]:
        told = list[str]()
        for frame in list(file.frames(test))[:MOST_FRAMES]:
            frame_number += 1
            wanted, spots = _wanted(frame), _spots(frame)
            options: list[tuple[_Spot | None, object]] = [(None, None)]
            options += [(spot, each) for spot in spots for each in others(spot.value, file.words)]
            for spot, other in options if spots and number + len(options) <= MOST_COPIES else ():
                number += 1
                changed = [] if spot is None else [
                    Edit(start=start, end=end, text=repr(other))
                    for each in (*spot.nodes, *spot.echoes) for start, end in [file.span(each)]]
                told.append(_copy(file, frame, changed, number))
                copies.append(Copy(number=number, frame=frame_number, test=test.name, line=test.lineno,
                                   before=spot.value if spot else None, after=other,
                                   places=len(spot.nodes) + len(spot.echoes) if spot else 0,
                                   echoed=bool(spot and spot.echoes), wanted=wanted,
                                   spot=spots.index(spot) if spot else -1,
                                   whole=all(edit.text != "pass" for edit in frame.edits)))
        end = file.span(test)[1]
        edits.append(Edit(start=end, end=end, text="".join(f"\n\n{each}" for each in told)))
    probed, more = _probed(file, tests, heard) if heard else ((), [])
    if not copies and not probed:
        return None
    return Retold(path=path, data=edited(file.text, [*edits, *more]).encode(), copies=tuple(copies), probes=probed)


def _probed(file: _File, tests: Collection[str], heard: Sequence[str]) -> tuple[tuple[Probe, ...], list[Edit]]:
    """Copies that tell what is called during them, of these tests and of some others."""
    found = {each.name: each for each in ast.walk(file.tree) if isinstance(each, ast.FunctionDef)
             and (each.name in tests or each.name.startswith("test"))}
    asked = probes((name, each.lineno, name in tests) for name, each in found.items())
    edits = [_head(file, heard)] if asked else []
    for probe in asked:
        test = found[probe.test]
        start, end = file.span(test)
        told = Edit(start=start, end=start, text=f"{decorator(probe.part)}\n{' ' * test.col_offset}")
        text = _copy(file, _Frame(test, [told], [], []), [], probe.number)
        edits.append(Edit(start=end, end=end, text=f"\n\n{text}"))
    return tuple(asked), edits


def _head(file: _File, heard: Sequence[str]) -> Edit:
    """Before the first statement that may have something before it."""
    first = next(each for at, each in enumerate(file.tree.body) if not (
        (isinstance(each, ast.ImportFrom) and each.module == "__future__")
        or (at == 0 and isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))))
    line = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
    start = len(file.data[: file.starts[line - 1]].decode("utf-8", "replace"))
    return Edit(start=start, end=start, text=listening(heard))


def _copy(file: _File, frame: _Frame, changed: list[Edit], number: int) -> str:
    """The text of a test under a name of its own."""
    test = frame.test
    first = min([test.lineno, *(each.lineno for each in test.decorator_list)])
    start = len(file.data[: file.starts[first - 1]].decode("utf-8", "replace"))
    end = file.span(test)[1]
    row = [edit for edit in frame.edits if edit.text.startswith("[")]
    inside = [edit for edit in changed if not any(each.start <= edit.start < each.end for each in row)]
    named = file.text.index(test.name, file.span(test)[0])
    inside.append(Edit(start=named, end=named + len(test.name), text=f"{test.name}_{MARK}{number}"))
    kept = [edit for edit in frame.edits if edit not in row]
    kept += [Edit(start=each.start, end=each.end, text=_row(file, each, changed)) for each in row]
    moved = [Edit(start=each.start - start, end=each.end - start, text=each.text) for each in (*inside, *kept)
             if start <= each.start and each.end <= end]
    return edited(file.text[start:end], moved)


def _row(file: _File, row: Edit, changed: list[Edit]) -> str:
    """The one row of a table, with the changes that fall into it; the row may stand elsewhere in the file."""
    inner = row.text[1:-1]
    at = -1
    while (at := file.text.find(inner, at + 1)) >= 0:
        within = [Edit(start=each.start - at, end=each.end - at, text=each.text) for each in changed
                  if at <= each.start and each.end <= at + len(inner)]
        if within:
            return f"[{edited(inner, within)}]"
    return row.text
