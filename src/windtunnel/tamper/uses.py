"""What the tests of a project give to it: every literal that is an input, and the test that it stands in.

An input is whatever a test holds that is not plainly an answer: arguments of calls, rows of tables, values of fixtures,
what data files hold. What a claim compares with is an answer. Where that cannot be told, it counts as an input.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, islice

from windtunnel.tamper.derivations import LEAST_DIGEST, MOST_LONG, digests_of, numbers_of, parts_of, skeleton, spells
from windtunnel.tamper.literals import literal, units, value
from windtunnel.tamper.script import SCRIPT
from windtunnel.tamper.script_uses import script_uses
from windtunnel.tamper.trees import children, parse

MOST_USES = 20_000
"""Literals of one test file that are read."""
FEW = 2
LEAST_PARTS = 2
LEAST_KEY = 4
"""Characters of a key that is put together of others."""
MOST_DIGESTED = 1000
"""Texts of which digests are made."""
MOST_PAIRED = 8
"""Numbers of one line that are taken together."""
_NUMBER = re.compile(r"^-?\d{1,15}(\.\d{1,15})?$")
_EQUAL = frozenset(
    ("assertEqual", "assertEquals", "assertIs", "assertListEqual", "assertDictEqual", "assertTupleEqual",
     "assertAlmostEqual", "assertIn", "assertRegex")
)  # fmt: skip
SILENT = frozenset(("ids", "id", "match", "reason", "msg", "indirect", "name"))
"""Keywords that tell people or runners something."""


@dataclass(frozen=True, slots=True)
class Use:
    """One literal of a test."""

    text: str
    """Its canonical text."""
    path: str
    test: str = ""
    """The test that it stands in; empty for what stands outside of all tests of its file."""
    line: int = 0

    @property
    def place(self) -> str:
        """For people."""
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"{self.test} ({where})" if self.test else where


@dataclass(frozen=True, slots=True)
class Inputs:
    """The literals of one file of the tests."""

    given: tuple[Use, ...]
    said: Mapping[str, frozenset[str]]
    """By test, every literal of it, answers too."""
    names: Mapping[str, frozenset[str]]
    """By test, every name of it."""
    wanted: tuple[Use, ...] = ()
    """Answers that it wants."""


def expected_names(test: ast.AST) -> set[str]:
    """Parameters of a test that are compared with and never handed to anything."""
    compared, handed = set[str](), set[str]()
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            compared |= {each.id for each in (node.left, *node.comparators) if isinstance(each, ast.Name)}
        elif isinstance(node, ast.Call):
            given = (*node.args, *(word.value for word in node.keywords))
            names = {each.id for part in given for each in ast.walk(part) if isinstance(each, ast.Name)}
            if getattr(node.func, "attr", "") in _EQUAL:
                compared |= {each.id for each in node.args if isinstance(each, ast.Name)}
            else:
                handed |= names
    return compared - handed


class _File:
    """The tests of one Python file."""

    def __init__(self, tree: ast.Module, path: str) -> None:
        self.path = path
        self.given: list[Use] = []
        self.wanted: list[Use] = []
        self.said: dict[str, set[str]] = {}
        self.names: dict[str, set[str]] = {}
        self._walk(tree, "")

    def _walk(self, node: ast.AST, test: str) -> None:
        waiting: list[tuple[ast.AST, str, bool]] = [(node, test, False)]
        while waiting and len(self.given) < MOST_USES:
            node, test, answer = waiting.pop()
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                test = node.name
                waiting += self._decorated(node)
                waiting += [(each, test, False) for each in node.body]
                continue
            if isinstance(node, ast.Name | ast.Attribute):
                self.names.setdefault(test, set()).add(node.attr if isinstance(node, ast.Attribute) else node.id)
            if isinstance(node, ast.expr) and (text := _text(node)) is not None:
                self._take(node, text, test, answer=answer)
                if isinstance(node, ast.Constant | ast.UnaryOp | ast.BinOp | ast.JoinedStr):
                    continue
            waiting += self._parts(node, test, answer=answer)

    def _take(self, node: ast.expr, text: str, test: str, *, answer: bool) -> None:
        self.said.setdefault(test, set()).add(text)
        listed = [Use(f"len:{len(node.elts)}", self.path, test, node.lineno)] if isinstance(node, ast.List) else []
        self.given += [] if answer else [Use(text, self.path, test, node.lineno), *listed]
        self.wanted += [Use(text, self.path, test, node.lineno)] if answer else []

    def _parts(self, node: ast.AST, test: str, *, answer: bool) -> Iterator[tuple[ast.AST, str, bool]]:
        answers = answers_of(node)
        for each in children(node):
            if isinstance(each, ast.keyword) and each.arg in SILENT:
                continue
            inner = answer and not isinstance(node, ast.Call)
            yield each, test, inner or each in answers

    def _decorated(self, test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[ast.AST, str, bool]]:
        """The tables of a test; columns that are compared with are answers."""
        expected = expected_names(test) if test.decorator_list else set()
        for mark in test.decorator_list:
            if not isinstance(mark, ast.Call) or getattr(mark.func, "attr", "") != "parametrize" or len(mark.args) < 2:  # noqa: PLR2004 -- names and rows
                yield mark, test.name, False
                continue
            names = _names(mark.args[0])
            rows = mark.args[1].elts if isinstance(mark.args[1], ast.List | ast.Tuple) else [mark.args[1]]
            for row in rows:
                cells = row.args if isinstance(row, ast.Call) else getattr(row, "elts", [])
                fits = len(cells) == len(names) and len(names) > 1
                for name, cell in zip(names, cells, strict=True) if fits else (("", row),):
                    yield cell, test.name, name in expected


def _names(node: ast.expr) -> list[str]:
    try:
        named = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return []
    listed = named.split(",") if isinstance(named, str) else named
    return [str(each).strip() for each in listed] if isinstance(listed, list | tuple) else []


def answers_of(node: ast.AST) -> list[ast.AST]:
    """The parts of a claim that are the answer it wants."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _EQUAL:
        sides = node.args[:2]
    else:
        return []
    plain = [each for each in sides if not any(isinstance(part, ast.Call) for part in ast.walk(each))]
    literals = [each for each in plain if not isinstance(each, ast.Name | ast.Attribute | ast.Subscript)]
    return [*literals] if len(literals) < len(sides) else []


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.Dict | ast.Set):
        return None
    if isinstance(node, ast.List | ast.Tuple | ast.UnaryOp):
        return literal(node)
    return value(node) if isinstance(node, ast.BinOp | ast.JoinedStr | ast.Call) else None


@lru_cache(maxsize=512)
def _python(path: str, data: bytes) -> Inputs:
    tree = parse(data)
    if tree is None:
        return Inputs((), {}, {})
    file = _File(tree, path)
    said, names = ({test: frozenset(texts) for test, texts in all_.items()} for all_ in (file.said, file.names))
    return Inputs(tuple(file.given), said, names, tuple(file.wanted))


@lru_cache(maxsize=512)
def _script(path: str, data: bytes) -> Inputs:
    read = script_uses(data)
    given, wanted = (tuple(Use(text, path, test, line) for text, test, line in rows)
                     for rows in (read.given, read.wanted))  # fmt: skip
    return Inputs(given, read.said, read.names, wanted)


@lru_cache(maxsize=512)
def _stored(path: str, data: bytes) -> Inputs:
    said = frozenset(text for unit in units({path: data}) for text in unit)
    held = tuple(Use(text, path) for text in sorted(said))
    return Inputs(held, {"": said}, {}, held)


def inputs_of(tests: Mapping[str, bytes]) -> dict[str, Inputs]:
    """By file of the tests."""
    found: dict[str, Inputs] = {}
    for path, data in tests.items():
        read = _python if path.endswith(".py") else _script if SCRIPT.search(path) else _stored
        found[path] = read(path, data)
    return found


class Uses:
    """All inputs of the tests, to be looked up by what a decision goes by."""

    def __init__(self, tests: Mapping[str, bytes]) -> None:
        """Reads the tests once; what was read before is kept."""
        self.files = inputs_of(tests)
        self.by_text: dict[str, list[Use]] = {}
        self.texts: dict[str, list[Use]] = {}
        self.folded: dict[str, list[Use]] = {}
        self._shares: dict[str, float] = {}
        for use in (each for file in self.files.values() for each in file.given):
            self.by_text.setdefault(use.text, []).append(use)
            if use.text[:1] in "'\"":
                text = ast.literal_eval(use.text)
                self.texts.setdefault(text, []).append(use)
                self.folded.setdefault(text.strip().lower(), []).append(use)

    def whole(self, held: object) -> list[Use]:
        """Tests that use just this value; a text counts in any size of its letters."""
        found = self.by_text.get(repr(held), [])
        return found if found or not isinstance(held, str) else self.folded.get(held.strip().lower(), [])

    def holding(self, part: str) -> list[Use]:
        """Tests with an input that holds this text among others."""
        return [use for text, uses in self.texts.items() if part in text for use in uses]

    def made_up_of(self, part: str) -> list[Use]:
        """Tests with an input that is this text for the most part."""
        long = [text for text in self.texts if part and part in text and len(part) * 2 >= len(text)]
        return [use for text in long for use in self.texts[text]]

    def sized(self, length: int) -> list[Use]:
        """Tests with an input of this length."""
        lists = self.by_text.get(f"len:{length}", [])
        return [*lists, *(use for text, uses in self.texts.items() if len(text) == length for use in uses)]

    def expecting(self, answer: object) -> list[Use]:
        """Tests that want just this answer."""
        return self._expected.get(repr(answer), [])

    @cached_property
    def _expected(self) -> dict[str, list[Use]]:
        found: dict[str, list[Use]] = {}
        for use in (each for file in self.files.values() for each in file.wanted):
            found.setdefault(use.text, []).append(use)
        return found

    def digested(self, digest: str) -> list[Use]:
        """Tests with an input that this is a digest of, or the beginning of one."""
        wanted = digest.lower()
        found = {text for made, text in self._digests.get(wanted[:LEAST_DIGEST], ()) if made.startswith(wanted)}
        return [use for text in sorted(found) for use in self.texts[text]]

    @cached_property
    def _digests(self) -> dict[str, list[tuple[str, str]]]:
        """The digests of the tests' texts, by their beginnings."""
        found: dict[str, list[tuple[str, str]]] = {}
        for text in islice((each for each in self.texts if len(each) <= MOST_LONG), MOST_DIGESTED):
            for made in digests_of(text):
                found.setdefault(made[:LEAST_DIGEST], []).append((made, text))
        return found

    def composed(self, key: str) -> list[Use]:
        """Tests that hold all the words and numbers that a key is put together of."""
        parts = dict.fromkeys(parts_of(key))
        if len(parts_of(key)) < LEAST_PARTS or len(key) < LEAST_KEY:
            return []
        return [use for use in self._first if all(self._knows(use, part) for part in parts)]

    @cached_property
    def _first(self) -> list[Use]:
        """One use for each test."""
        return distinct(use for file in self.files.values() for use in file.given)

    def _knows(self, use: Use, part: str) -> bool:
        file = self.files[use.path]
        said, names = file.said.get(use.test, frozenset()), file.names.get(use.test, frozenset())
        return repr(part) in said or part in said or part in names

    def fitting(self, pattern: str) -> list[Use]:
        """Tests with an input that a pattern spells out, which few others fit."""
        signs = skeleton(pattern)
        found = [text for text in self.texts if len(text) <= MOST_LONG and spells(signs, text)]
        return [use for text in found for use in self.texts[text]] if len(found) <= FEW else []

    def derived(self, number: float) -> list[Use]:
        """Tests with an input that this number can be made of: a length, a code of a sign, a sum of those."""
        found = [use for text, uses in self.texts.items() if number in numbers_of(text) for use in uses]
        return found or self._sums.get(number, [])

    @cached_property
    def _sums(self) -> dict[float, list[Use]]:
        """Sums, differences and products of two numbers of one line of a test."""
        lines: dict[tuple[str, int], list[Use]] = {}
        for use in (each for file in self.files.values() for each in file.given if _NUMBER.match(each.text)):
            lines.setdefault((use.path, use.line), []).append(use)
        found: dict[float, list[Use]] = {}
        for uses in lines.values():
            values = [float(use.text) for use in uses[:MOST_PAIRED]]
            for one, other in combinations(values, 2):
                for made in (one + other, abs(one - other), one * other):
                    found.setdefault(made, []).append(uses[0])
        return found

    def share(self, part: str) -> float:
        """The part of all texts of the tests that hold this one."""
        if part not in self._shares:
            self._shares[part] = sum(part in text for text in self.texts) / max(len(self.texts), 1)
        return self._shares[part]

    def answers(self, use: Use) -> frozenset[str]:
        """Every literal of the test that a use stands in."""
        said = self.files[use.path].said
        return said.get(use.test, frozenset())

    def speaks(self, use: Use, names: Collection[str]) -> bool:
        """Whether the test that a use stands in names one of these; whatever stands outside of tests may."""
        return not use.test or not self.files[use.path].names.get(use.test, frozenset()).isdisjoint(names)


def distinct(uses: Iterable[Use]) -> list[Use]:
    """One for each test."""
    return list({(use.path, use.test): use for use in reversed(list(uses))}.values())[::-1]
