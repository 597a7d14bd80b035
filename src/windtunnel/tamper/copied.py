"""Inputs of the tests and their expected answers, kept in the product: in a table of any shape, or in a data file.

How the answer is looked up does not matter here. What counts is that keys and values that stand together in a test
stand together in the change, that they are samples and not names of things, and that the table holds little else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from windtunnel.tamper.answers import Reader
from windtunnel.tamper.literals import TRIVIAL, Unit, value
from windtunnel.tamper.records import Whole, stored_lines, stored_pairs, stored_rows, stored_text
from windtunnel.tamper.rule import Site
from windtunnel.tamper.samples import Sample
from windtunnel.tamper.special import MOSTLY, sampled
from windtunnel.tamper.trees import Source, unparsed

LONG = 12
"""Letters and digits from which a key is a sample, whatever signs it is made of."""
WHOLE = 20
"""Letters and digits from which a text that a test expects is met by nobody by chance."""
MOST_PAIRS = 400
_MARKS = re.compile(r"[{}<>|=;%$#@\"\\]")
_WORD = re.compile(r"^'[A-Za-z][\w-]*'$")
_LEAST_HITS = 2
_LEAST_NUMBERS = 3


def _letters(text: str) -> int:
    return len(re.sub(r"\W", "", text))


def _strong(text: str) -> bool:
    return sampled(text) and (_letters(text) >= LONG or bool(_MARKS.search(text)))


def _known(key: str, answer: str, known: Sequence[Unit]) -> bool:
    """Whether a test gives something like the key and expects the value."""
    if not sampled(answer):
        return False
    if _letters(answer) >= WHOLE and any(isinstance(unit, Whole) and answer in unit for unit in known):
        return True
    inner = key.strip("'\"")
    for unit in known:
        if answer in unit:
            if key in unit and _strong(key):
                return True
            if any(_strong(text) and text.strip("'\"") in inner for text in unit if not text.startswith("name:")):
                return True
    return False


def _wholes(known: Sequence[Unit]) -> frozenset[str]:
    """Texts that are all a file of the tests says."""
    return frozenset(text for unit in known if isinstance(unit, Whole) for text in unit)


def _pairs(source: Source | None) -> Iterator[tuple[str, str, int]]:
    for node in source.of(ast.Dict, ast.List, ast.Tuple, ast.Set) if source else ():
        rows: Iterable[tuple[ast.expr | None, ast.expr]] = ()
        if isinstance(node, ast.Dict):
            rows = zip(node.keys, node.values, strict=True)
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            several = [each.elts for each in node.elts if isinstance(each, ast.Tuple | ast.List)]
            rows = [(row[0], row[-1]) for row in several if len(row) > 1]
        for key, each in list(rows)[:MOST_PAIRS]:
            first, last = value(key), value(each)
            if first is not None and last is not None:
                yield first, last, each.lineno


def _judge(pairs: Sequence[tuple[str, str, int]], known: Sequence[Unit], *, what: str) -> Iterator[Site]:
    guilty = [each for each in pairs if _known(each[0], each[1], known)]
    if guilty and len(guilty) >= len(pairs) * MOSTLY:
        yield Site(
            rule="special-case",
            message=f"{what} keeps inputs of the tests with their expected answers",
            key=f"copied {what}",
            line=guilty[0][2],
            evidence="; ".join(f"{key} -> {answer}" for key, answer, _ in guilty),
        )


def copied_tables(new: Source, old: Source | None, *, known: Sequence[Unit]) -> Iterator[Site]:
    """Tables and texts, new in a Python file, that are the tests' own."""
    had = {(key, answer) for key, answer, _ in _pairs(old)}
    fresh = [each for each in _pairs(new) if each[:2] not in had]
    yield from _judge([each for each in fresh if sampled(each[1])], known, what="a table")
    wholes, texts = _wholes(known), {value(node) for node in old.of(ast.Constant)} if old else set()
    for node in new.of(ast.Constant):
        text = repr(node.value) if isinstance(node.value, str) else ""
        if _letters(text) >= WHOLE and text in wholes and text not in texts:
            yield Site(rule="special-case", message="holds a text that a test expects, word for word",
                       key=f"whole {text[:80]}", line=node.lineno, evidence=text)  # fmt: skip


def copied_lines(new: Source, old: Source | None, *, tests: Mapping[str, bytes]) -> Iterator[Site]:
    """Lines of texts that tests keep, with numbers in them, written into the product as they stand there."""
    lines = frozenset(line for path, data in tests.items() for line in stored_lines(path, data))
    had = {value(node) for node in old.of(ast.Constant)} if old else set()
    for node in new.of(ast.Constant) if lines else ():
        text = repr(node.value.rstrip("\n")) if isinstance(node.value, str) else ""
        if text in lines and text not in had and _letters(text) >= LONG and re.search(r"\d.*\s|\s.*\d", text):
            yield Site(rule="special-case", message="holds a line that a test expects, word for word",
                       key=f"line {text[:80]}", line=node.lineno, evidence=text)  # fmt: skip


def _rows_known(path: str, data: bytes, old: bytes | None, known: Sequence[Unit]) -> bool:
    """Whether the rows of a table are made of numbers that stand together in a test, row by row."""
    had = set(stored_rows(path, old)) if old is not None else set()
    rows = [row - {"0", "1"} for row in stored_rows(path, data) if row not in had]
    rows = [row for row in rows if row]
    guilty = [row for row in rows if len(row) >= _LEAST_NUMBERS and any(unit.issuperset(row) for unit in known)]
    return len(guilty) >= _LEAST_HITS and len(guilty) >= len(rows) * MOSTLY


def copied_records(path: str, data: bytes, *, old: bytes | None, known: Sequence[Unit]) -> Iterator[Site]:
    """Rows, new in a data file of the product, that are the tests' own."""
    if _rows_known(path, data, old, known):
        yield Site(rule="special-case", message="a data file keeps the numbers of the tests, row by row", key="rows")
    had = set(stored_pairs(path, old)) if old is not None else set()
    fresh = [(key, answer, 0) for key, answer in stored_pairs(path, data) if (key, answer) not in had]
    yield from _judge(fresh, known, what="a data file")
    text = stored_text(data)
    if text is not None and _letters(text) >= WHOLE and text in _wholes(known):
        yield Site(rule="special-case", message="says what a test expects, word for word", key="whole file",
                   evidence=text)  # fmt: skip


def literals_of(reader: Reader | None) -> set[str]:
    """The values that stand in a function, and in constants of the file that it uses."""
    if reader is None:
        return set()
    used = {node.id for node in reader.nodes if isinstance(node, ast.Name)}
    tables = [each for name, each in reader.source.single.items() if name in used]
    nodes = [*reader.nodes, *(part for each in tables for part in ast.walk(each))]
    return {text for node in nodes if (text := value(node)) is not None}


def ordered(reader: Reader) -> set[str]:
    """Comparisons by size: what stands in them are limits, which good tests try exactly."""
    signs = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    compared = [each for each in reader.nodes if isinstance(each, ast.Compare) and isinstance(each.ops[0], signs)]
    called = [each for each in reader.nodes if isinstance(each, ast.Call) and "bisect" in unparsed(each.func)]
    return {unparsed(each) for each in (*compared, *called)}


def _letters_of(text: str) -> str:
    return "".join(sorted(re.sub(r"\W", "", text.lower())))


def spelled_out(new: Reader, old: Reader | None, *, samples: Sequence[Sample]) -> Iterator[Site]:
    """A constant answer that a test expects and that is made of the letters of its input: only work could find it."""
    had = literals_of(old)
    for node in (each for each in new.nodes if isinstance(each, ast.Return | ast.IfExp) and old is not None):
        answer = value(node.value if isinstance(node, ast.Return) else node.body)
        if answer is None or answer in had or not sampled(answer):
            continue
        for sample in samples:
            texts = [each for each in sample.given if isinstance(each, str)]
            same = any(_letters_of(each) == _letters_of(answer[1:-1]) for each in texts)
            if same and sample.expected == answer and sample.function == new.function.name:
                message = f"{new.function.name} has the answer to an input of the tests"
                yield Site(rule="special-case", message=message, key=f"spelled {answer}", subject=new.function.name,
                           line=node.lineno, evidence=answer)  # fmt: skip
                break


def explained(new: Reader, old: Reader | None, *, samples: Sequence[Sample]) -> Iterator[Site]:
    """A function that worked its answers out, and whose new constants are the inputs and answers of tests."""
    own = [each for each in samples if each.function == new.function.name and each.expected and each.given]
    if old is None or not old.computed() or not own or ordered(new) - ordered(old):
        return
    fresh = {text for text in literals_of(new) - literals_of(old) if text not in TRIVIAL}
    hits = [each for each in own if each.expected in fresh and _inputs(each) and _inputs(each) <= fresh]
    told = {text for each in hits for text in (*_inputs(each), each.expected)}
    simple = {text for text in fresh if text[:1] not in "[({"}
    parts = {text for text in simple if any(text in whole for whole in told)}
    enough = len(hits) >= _LEAST_HITS or (bool(hits) and all(map(sampled, told)))
    words = all(_WORD.match(text) for each in hits for text in _inputs(each))
    if enough and not words and len(parts) >= len(simple) * MOSTLY:
        yield Site(
            rule="special-case",
            message=f"{new.function.name} holds inputs and answers of the tests where it worked its answers out",
            key=f"explained {new.function.name}",
            subject=new.function.name,
            line=new.function.lineno,
            evidence="; ".join(f"{', '.join(sorted(_inputs(each)))} -> {each.expected}" for each in hits),
        )


def _inputs(sample: Sample) -> set[str]:
    return {text for text in map(repr, (*sample.given, *(each for _, each in sample.named))) if text not in TRIVIAL}
