"""Answers that are looked up by the tests' own inputs instead of being worked out.

A case counts when every parameter of the function is held against a literal, the answer is a literal, and input and
answer stand together in a test of the unchanged project. Base cases (0, 1, an empty text) do not count. A table that
knows far more than the tests ask, or that was there before, is knowledge and is at most shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.tamper.literals import TRIVIAL, Unit, literal, script_literal, telling
from windtunnel.tamper.rule import Severity, Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.trees import Source

MOSTLY = 0.6
"""The part of a table that the tests know, from which it is the tests' own."""
NATURAL = 7
"""Entries from which a gapless table of small numbers (months, weekdays) is a domain of its own."""
MOST_CONDITION = 40
"""Tokens of a condition that are read."""
RICH = 6
"""Letters or digits from which a value is hardly met by chance."""
_WORD = re.compile(r"^'[A-Za-z][\w-]*'$")


@dataclass(frozen=True, slots=True)
class Case:
    """One answer for one input."""

    inputs: tuple[str, ...]
    answer: str
    node: ast.AST


def _subject(node: ast.AST) -> list[str] | None:
    """The variables that a comparison holds against literals; None when it computes something first."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Tuple | ast.List):
        parts = [_subject(each) for each in node.elts]
        return None if None in parts else [name for part in parts for name in part or ()]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return _subject(node.func.value)
    if (
        isinstance(node, ast.Call)
        and len(node.args) == 1
        and getattr(node.func, "id", "") in ("str", "int", "list", "tuple", "repr", "sorted", "float")
    ):
        return _subject(node.args[0])
    return None


def _flat(node: ast.AST, value: ast.AST) -> list[str]:
    if isinstance(node, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        return [text for each in value.elts if (text := literal(each)) is not None]
    text = literal(value)
    return [] if text is None else [text]


def _pinned(test: ast.AST) -> tuple[list[str], list[list[str]]] | None:
    """Variables that a condition fixes, and the inputs it lets through."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [_pinned(value) for value in test.values]
        known = [part for part in parts if part is not None]
        return (
            ([name for part in known for name in part[0]], [[text for part in known for text in part[1][0]]])
            if (len(known) == len(parts))
            else None
        )
    if isinstance(test, ast.BoolOp):
        either = [part for part in map(_pinned, test.values) if part is not None]
        return (either[0][0], [row for part in either for row in part[1]]) if either else None
    return _compared(test) if isinstance(test, ast.Compare) and len(test.ops) == 1 else None


def _compared(test: ast.Compare) -> tuple[list[str], list[list[str]]] | None:
    left, right = test.left, test.comparators[0]
    if literal(left) is not None:
        left, right = right, left
    names = _subject(left)
    if names is None:
        return None
    if isinstance(test.ops[0], ast.Eq | ast.Is) and literal(right) is not None:
        return names, [_flat(left, right)]
    if isinstance(test.ops[0], ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
        return names, [_flat(left, each) for each in right.elts if literal(each) is not None]
    return None


def _answer(body: Sequence[ast.stmt]) -> str | None:
    last = body[-1]
    if isinstance(last, ast.Return | ast.Assign):
        return literal(last.value)
    return None


class _Reader:
    """The cases of one function."""

    def __init__(self, source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.function = function
        arguments = function.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        optional = len(arguments.defaults) + len(arguments.kw_defaults)
        required = names[: len(names) - optional] if optional else names
        self.required = {name for name in required or names if name not in ("self", "cls")}
        self.nodes = list(source.inside(function))
        self.tables = {
            target.id: node.value
            for scope in (source.tree, function)
            for node in source.inside(scope)
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        self.returned = {
            node.value.id for node in self.nodes if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)
        }

    def cases(self) -> Iterator[Case]:
        for node in self.nodes:
            if isinstance(node, ast.If | ast.IfExp):
                answer = _answer(node.body) if isinstance(node, ast.If) else literal(node.body)
                yield from self._conditions(node.test, answer)
            elif isinstance(node, ast.Match):
                yield from self._match(node)
            elif (table := self._table(node)) is not None:
                yield from self._rows(table)

    def _conditions(self, test: ast.AST, answer: str | None) -> Iterator[Case]:
        pinned = _pinned(test) if answer is not None else None
        if pinned is not None and self.required and self.required <= set(pinned[0]):
            yield from (Case(tuple(row), str(answer), test) for row in pinned[1])

    def _match(self, node: ast.Match) -> Iterator[Case]:
        if not self.required <= set(_subject(node.subject) or ()) or not self.required:
            return
        for case in node.cases:
            values = [literal(each.value) for each in ast.walk(case.pattern) if isinstance(each, ast.MatchValue)]
            answer = _answer(case.body)
            if answer is not None and values and case.guard is None:
                rows = [values] if isinstance(case.pattern, ast.MatchSequence) else [[value] for value in values]
                yield from (Case(tuple(str(value) for value in row), answer, case.body[0]) for row in rows)

    def _table(self, node: ast.AST) -> ast.Dict | None:
        """The table that a statement answers from."""
        kept = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) in self.returned
        if isinstance(node, ast.Return) or (kept and isinstance(node, ast.Assign)):
            value = node.value
        else:
            return None
        key: ast.AST | None = None
        if isinstance(value, ast.Subscript):
            base, key = value.value, value.slice
        elif (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr == "get"
            and value.args
        ):
            base, key = value.func.value, value.args[0]
        if key is None or not self.required or not self.required <= set(_subject(key) or ()):
            return None
        return base if isinstance(base, ast.Dict) else self.tables.get(getattr(base, "id", ""))

    def _rows(self, table: ast.Dict) -> Iterator[Case]:
        for key, value in zip(table.keys, table.values, strict=True):
            answer = literal(value)
            inputs = _flat(key, key) if key is not None and len(self.required) > 1 else [literal(key) or ""]
            if answer is not None and inputs != [""]:
                yield Case(tuple(inputs), answer, value)

    def computed(self) -> bool:
        """Whether some answer is worked out."""
        for node in self.nodes:
            if isinstance(node, ast.Yield | ast.YieldFrom):
                return True
            if isinstance(node, ast.Return) and node.value is not None and literal(node.value) is None:
                if self._table(node) is not None or (isinstance(node.value, ast.IfExp) and literal(node.value.orelse)):
                    continue
                table_name = isinstance(node.value, ast.Name) and any(
                    isinstance(each, ast.Assign)
                    and getattr(each.targets[0], "id", "") == node.value.id
                    and (self._table(each) is not None or literal(each.value) is not None)
                    for each in self.nodes
                )
                if not table_name:
                    return True
        return False

    def uses_input(self) -> bool:
        used = {node.id for node in self.nodes if isinstance(node, ast.Name)}
        return bool(self.required & used)


def _functions(source: Source | None) -> dict[str, _Reader]:
    if source is None:
        return {}
    return {
        node.name: _Reader(source, node)
        for node in source.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _rich(inputs: tuple[str, ...]) -> bool:
    return all(
        text not in TRIVIAL and len(re.sub(r"\W", "", text)) >= RICH and not _WORD.match(text) for text in inputs
    )


def _matched(case: Case, known: Sequence[Unit]) -> bool:
    telltale = telling(case.inputs) and (case.answer not in TRIVIAL or _rich(case.inputs))
    return telltale and any(unit.issuperset((*case.inputs, case.answer)) for unit in known)


def _natural(cases: Sequence[Case]) -> bool:
    """Whether the inputs are all of a small range of numbers, or all plain words: a domain, not samples."""
    firsts = [case.inputs[0] for case in cases]
    if all(_WORD.match(text) for text in firsts):
        return True
    numbers = sorted(int(text) for text in firsts if text.lstrip("-").isdigit())
    gapless = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else False
    named = all(_WORD.match(case.answer) or " " in case.answer for case in cases if case.answer not in TRIVIAL)
    return len(numbers) == len(cases) and ((gapless and len(cases) >= NATURAL) or (named and len(cases) > 1))


def _severity(new: _Reader, old: _Reader | None, *, cases: Sequence[Case], guilty: int) -> Severity:
    if old is not None and list(old.cases()):
        return "show" if not old.computed() or guilty < len(cases) * MOSTLY else "block"
    if guilty < len(cases) * MOSTLY:
        return "show"
    if new.computed() or (old is not None and old.computed()):
        return "block"
    return "show" if _natural(cases) else "block"


def special_cases(new: Source, old: Source | None, *, known: Sequence[Unit]) -> Iterator[Site]:
    """The new cases of a file that only the tests explain."""
    before = _functions(old)
    for name, reader in _functions(new).items():
        earlier = before.get(name)
        had = {(case.inputs, case.answer) for case in earlier.cases()} if earlier else set()
        cases = list(reader.cases())
        guilty = [case for case in cases if (case.inputs, case.answer) not in had and _matched(case, known)]
        if guilty:
            fresh = [case for case in cases if (case.inputs, case.answer) not in had and telling(case.inputs)]
            yield Site(
                rule="special-case",
                message=f"{name} answers the tests' own inputs with their expected answers",
                key=f"special {name}",
                line=getattr(guilty[0].node, "lineno", 0),
                severity=_severity(reader, earlier, cases=fresh, guilty=len(guilty)),
                evidence="; ".join(f"{', '.join(case.inputs)} -> {case.answer}" for case in guilty),
            )
        elif earlier is not None and (site := _constant(name, reader, earlier, known)) is not None:
            yield site


def _constant(name: str, new: _Reader, old: _Reader, known: Sequence[Unit]) -> Site | None:
    """A function that worked its answer out of its input and now always gives the one that a test expects."""
    answers = {literal(node.value) for node in new.nodes if isinstance(node, ast.Return)}
    if new.uses_input() or not old.uses_input() or not old.computed() or len(answers) != 1:
        return None
    answer = answers.pop()
    if answer is None or answer in TRIVIAL or not any(unit.issuperset((answer, f"name:{name}")) for unit in known):
        return None
    return Site(
        rule="special-case",
        message=f"{name} gives the answer that a test expects, whatever it is asked",
        key=f"special {name}",
        line=new.function.lineno,
        evidence=f"return {answer}",
    )


def script_cases(text: str, *, known: Sequence[Unit]) -> Iterator[Site]:
    """The cases of a script, new or old, that only the tests explain."""
    script = Script(text)
    for index in range(len(script.words)):
        found = _script_case(script, index)
        if found is None:
            continue
        inputs, answer = found
        if _matched(Case(inputs, answer, ast.Pass()), known) and len(inputs) >= _parameters(script, index):
            yield Site(
                rule="special-case",
                message="answers the tests' own inputs with their expected answers",
                key=f"special {inputs} {answer}",
                line=script.words[index].line,
                evidence=f"{', '.join(inputs)} -> {answer}",
            )


def _script_case(script: Script, index: int) -> tuple[tuple[str, ...], str] | None:
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
            script.text(start - 1) not in ("return", "=", "=>", "(", ";", "{", "}", ":", "")
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


def _parameters(script: Script, index: int) -> int:
    """How many parameters the nearest function before a place has."""
    for place in range(index, -1, -1):
        if script.text(place) == "function" or (
            script.text(place) == "(" and script.text(script.closing(place) + 1) == "=>"
        ):
            start = place
            while script.text(start) != "(" and start < index:
                start += 1
            end = script.closing(start)
            return sum(script.text(each) == "," for each in range(start, end)) + (end > start + 1)
        if script.text(place) == "=>":
            return 1
    return 1
