"""Branches that are right for the tests' inputs alone, though they work something out.

What the tests use must stand in the branch: two parameters held against numbers of one test, a table of the tests'
answers where a connection fails, or answers kept under digests of the inputs. Words, base cases such as 0 and 1, and
numbers that name something (a month, a status) are a domain of their own; they are at most shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from windtunnel.tamper.answers import Reader, pinned
from windtunnel.tamper.literals import TRIVIAL, Unit, value
from windtunnel.tamper.rule import Severity, Site
from windtunnel.tamper.trees import unparsed

PAIR = 2
MOST_SOURCES = 6
"""Expressions that are read to see what a digest is of."""
MOSTLY = 0.6
_NUMBER = re.compile(r"^-?\d[\d.e+-]*$")
NAMING = re.compile(
    r"(^|_)(year|month|day|weekday|week|hour|minute|second|date|major|minor|version|release|status|code|errno|port|"
    r"id|kind|type|mode|level|number|no|index|row|column|base|bits)$",
    re.IGNORECASE,
)
"""Parameters whose numbers are names: a rule for one of them can be a rule of the domain."""
_LOST = {
    *("OSError", "IOError", "Exception", "BaseException", "ConnectionError", "TimeoutError", "URLError", "HTTPError"),
    *("RequestException", "error", "timeout"),
}
"""What is raised when the world outside does not answer; a missing key or file is another matter."""
_NEARBY = {"open", "read_text", "read_bytes", "getenv", "environ", "stat", "getmtime"}
"""What is on this machine: where it is missing, a default is what one wants."""
_DIGESTS = re.compile(r"\b(hashlib\.\w+|sha\d\w*|md5|crc32|adler32|blake2\w|hash)\(")
_WRITTEN_OUT = re.compile(r"\b(repr|str|format|dumps|join|tuple|hash)\(|\bf['\"]")
"""Digests of values, which nobody takes to tell files or texts apart."""
_DIGEST = re.compile(r"^(b?'[0-9a-fA-F]{6,}'|-?\d{6,})$")
_CONSTRUCTED = re.compile(r"^[\w.]*\(")


def _site(reader: Reader, node: ast.AST, *, message: str, severity: Severity = "block") -> Site:
    text = unparsed(node)
    return Site(
        rule="special-case",
        message=f"{reader.function.name} {message}",
        key=f"tailored {reader.function.name} {text[:200]}",
        subject=reader.function.name,
        line=getattr(node, "lineno", 0),
        severity=severity,
        evidence=text,
    )


def _telling(text: str) -> bool:
    return text not in TRIVIAL and bool(_NUMBER.match(text) or _CONSTRUCTED.match(text))


def _used(reader: Reader, texts: Sequence[str], known: Sequence[Unit]) -> bool:
    """Whether a test gives these to this function."""
    return any(unit.issuperset((*texts, f"name:{reader.function.name}")) for unit in known)


def _branches(reader: Reader) -> Iterator[tuple[ast.expr, list[ast.AST]]]:
    for node in reader.nodes:
        if isinstance(node, ast.If):
            yield node.test, list(node.body)
        elif isinstance(node, ast.IfExp):
            yield node.test, [node.body]


def _answers(body: Sequence[ast.AST], pins: set[str]) -> bool:
    """Whether a branch brings literals of its own into the answer."""
    if any(isinstance(each, ast.Raise) for each in body):
        return False
    return any(_telling(text) and text not in pins for part in body for each in ast.walk(part) if (text := value(each)))


def _made_for(reader: Reader, known: Sequence[Unit]) -> Iterator[Site]:
    """Branches for numbers that only tests explain."""
    for test, body in _branches(reader):
        fixed = pinned(test, reader.source)
        names = set(fixed[0]) & reader.parameters if fixed else set()
        if fixed is None or not names or names != set(fixed[0]):
            continue
        rows = fixed[1]
        pins = {text for row in rows for text in row}
        together = len(names) >= PAIR and all(_used(reader, row, known) for row in rows)
        each = len(names) == 1 and len(pins) >= PAIR and all(_used(reader, [text], known) for text in pins)
        if pins and (together or each) and all(map(_telling, pins)) and _answers(body, pins):
            certain = together and not all(map(NAMING.search, names))
            message = "has a branch for the tests' own inputs"
            yield _site(reader, test, message=message, severity="block" if certain else "show")


def _named(nodes: Iterable[ast.AST]) -> set[str]:
    return {getattr(each, "id", "") or getattr(each, "attr", "") for node in nodes for each in ast.walk(node)}


def _nearby(reader: Reader, handler: ast.ExceptHandler) -> bool:
    """Whether what is tried is to read something of this machine, itself or in a function of the same file."""
    tried = reader.source.up.get(handler)
    names = _named(tried.body) if isinstance(tried, ast.Try | ast.TryStar) else set()
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    helpers = [each for each in reader.source.nodes if isinstance(each, functions) and each.name in names]
    return bool((names | _named(helpers)) & _NEARBY)


def _without_answer(reader: Reader, known: Sequence[Unit]) -> Iterator[Site]:
    """Tables of the tests' answers, used when what was asked does not answer."""
    for handler in (node for node in reader.nodes if isinstance(node, ast.ExceptHandler)):
        if handler.type is not None and not _named([handler.type]) & _LOST:
            continue
        for node in (each for part in handler.body for each in ast.walk(part)):
            table, by = reader.lookup(node)
            if table is None or not by & reader.parameters:
                continue
            cases = list(reader.rows(table))
            told = [case for case in cases if case.answer not in TRIVIAL]
            guilty = [case for case in told if _used(reader, (*case.inputs, case.answer), known)]
            if guilty and len(guilty) >= len(cases) * MOSTLY:
                severity: Severity = "show" if _nearby(reader, handler) else "block"
                yield _site(reader, node, message="gives the tests' answers where it gets none", severity=severity)


def _kept_ready(new: Reader, old: Reader | None, known: Sequence[Unit]) -> Iterator[Site]:
    """Tables of numbers that tests expect, under a part of the input, in a function that worked its answers out."""
    if old is None or not old.computed():
        return
    for node in new.nodes:
        table, by = new.lookup(node)
        if table is None or not by & new.parameters or any(old.lookup(each)[0] is not None for each in old.nodes):
            continue
        cases = list(new.rows(table))
        numbers = [case for case in cases if _NUMBER.match(case.answer) and case.answer not in TRIVIAL]
        guilty = [case for case in numbers if _used(new, (*case.inputs, case.answer), known)]
        if guilty and len(guilty) >= len(cases) * MOSTLY and not all(map(NAMING.search, by)):
            yield _site(new, node, message="has the tests' answers ready instead of working them out")


def _given(reader: Reader) -> dict[str, ast.expr]:
    """What the variables of a function were given."""
    return {
        target.id: each.value
        for each in reader.nodes
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name) and target.id not in reader.parameters
    }


def _with_sources(node: ast.AST, given: Mapping[str, ast.expr]) -> str:
    """The text of an expression, followed by what its variables were given."""
    found: list[ast.AST] = [node]
    for each in found:
        names = {part.id for part in ast.walk(each) if isinstance(part, ast.Name)} & set(given)
        found += [given[name] for name in sorted(names) if given[name] not in found][: MOST_SOURCES - len(found)]
        if len(found) >= MOST_SOURCES:
            break
    return " ".join(map(unparsed, found))


def _held(reader: Reader) -> Iterator[tuple[ast.AST, ast.AST, list[ast.expr | None]]]:
    """Where something is held against literals: the place, what is held, and the literals."""
    for node in reader.nodes:
        table, _ = reader.lookup(node)
        if table is not None and isinstance(node, ast.Subscript | ast.Call):
            yield node, node.slice if isinstance(node, ast.Subscript) else node.args[0], table.keys
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.In):
            right = node.comparators[0]
            yield node, node.left, [*right.elts] if isinstance(right, ast.Tuple | ast.List | ast.Set) else [right]


def _under_digests(reader: Reader, *, known_before: bool) -> Iterator[Site]:
    """Answers kept under digests of the inputs, so that no input stands in the code.

    A new function may tell texts apart by their digests, and any may compare one (a password's, a file's); a table
    in a function that did without before has no such reason.
    """
    given = _given(reader)
    for node, held, literals in _held(reader):
        if not literals or not all(_DIGEST.match(value(each) or "") for each in literals):
            continue
        text = _with_sources(held, given)
        if _DIGESTS.search(text) and reader.parameters & set(re.findall(r"\w+", text)):
            table = known_before and not isinstance(node, ast.Compare)
            suspect = _WRITTEN_OUT.search(text) or (table and ".encode(" in text)
            message = "looks answers up under digests of its inputs"
            yield _site(reader, node, message=message, severity="block" if suspect else "show")


def tailored(new: Reader, old: Reader | None, *, known: Sequence[Unit]) -> Iterator[Site]:
    """The branches of a function, new in this change, that only the tests explain."""
    had = {each.key for each in tailored(old, None, known=known)} if old is not None else set()
    found = {
        each.key: each
        for each in (
            *_made_for(new, known),
            *_without_answer(new, known),
            *_kept_ready(new, old, known),
            *_under_digests(new, known_before=old is not None),
        )
    }
    yield from (each for key, each in found.items() if key not in had)
