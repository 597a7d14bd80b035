"""From what operators propose to mutants with places and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from windtunnel.core.errors import UsageError
from windtunnel.mutation.encoding import quiet
from windtunnel.mutation.mutant import Mutant, identity
from windtunnel.mutation.operator import Operator
from windtunnel.mutation.operators import OPERATORS
from windtunnel.mutation.patterns import known_equivalent
from windtunnel.mutation.pragmas import excluded_lines
from windtunnel.mutation.source import Source
from windtunnel.mutation.walk import Found, proposals

_TOKEN = re.compile(
    r"""\s+|[rbuRBU]{0,2}(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\w+|[-+*/%@&|^<>=!~:]+|.""", re.DOTALL)
_MOST_SHOWN = 60
_MOST_AROUND = 2000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mutant, and the name of the pattern by which it is known to change nothing."""

    mutant: Mutant
    equivalent: str
    piece: Piece


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text that holds the mutant, by offsets in the text."""

    start: int
    end: int
    """Of the mutant itself."""
    around: tuple[int, int] | None
    """The largest expression around it that is quickly compiled; none where the mutant is no part of one."""


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str
    found: Found


def chosen(names: Collection[str] | None, *, custom: Sequence[Operator] = ()) -> tuple[Operator, ...]:
    """The operators of these names, or all."""
    known = (*OPERATORS, *custom)
    if names is None:
        return known
    unknown = sorted(set(names) - {operator.name for operator in known})
    if unknown:
        raise UsageError(f"no such operator: {unknown[0][:100]!r} (known: {', '.join(each.name for each in known)})",
                         field="operators")
    return tuple(operator for operator in known if operator.name in names)


def candidates(source: Source, *, lines: Collection[int] | None, operators: Sequence[Operator],
               representations: bool, distrusted: Collection[int] = ()) -> list[Candidate]:
    """All that the operators make of the file, in the order of the text; names count those outside ``lines`` too."""
    try:
        with quiet():
            excluded = excluded_lines(source, distrusted=distrusted)
            return list(_candidates(source, lines=lines, operators=operators, representations=representations,
                                    excluded=excluded))
    except RecursionError as error:
        raise UsageError(f"{source.path}: nested too deep to be mutated", field="source") from error


def _candidates(source: Source, *, lines: Collection[int] | None, operators: Sequence[Operator],
                representations: bool, excluded: frozenset[int]) -> Iterator[Candidate]:
    order = {operator.name: at for at, operator in enumerate(operators)}
    wanted = None if lines is None else frozenset(lines)
    edits = [_edit(source, found) for found in proposals(
        source, operators=operators, lines=wanted, representations=representations)]
    edits.sort(key=lambda edit: (edit.start, edit.end, order[edit.found.operator]))
    equals: Counter[tuple[str, ...]] = Counter()
    for edit in edits:
        (line, column), (end_line, end_column) = source.position(edit.start), source.position(edit.end)
        touched = range(line, end_line + 1)
        if not excluded.isdisjoint(touched):
            continue
        original = source.text[edit.start:edit.end]
        parts = (source.path, edit.found.function, edit.found.operator, source.line_text(line, end_line), original,
                 edit.text)
        equals[parts] += 1
        if wanted is not None and wanted.isdisjoint(touched):
            continue
        mutant = Mutant(
            id=identity(*parts, ordinal=equals[parts]), path=source.path, operator=edit.found.operator, line=line,
            column=column, end_line=end_line, end_column=end_column, original=original, replacement=edit.text,
            start=source.byte(edit.start), end=source.byte(edit.end), function=edit.found.function,
            scope="function" if edit.found.function else "module", description=_description(original, edit.text))
        equivalent = known_equivalent(source, edit.found.ancestors, start=edit.start, end=edit.end, text=edit.text)
        yield Candidate(mutant, equivalent, Piece(edit.start, edit.end, _around(source, edit)))


def _around(source: Source, edit: _Edit) -> tuple[int, int] | None:
    found = None
    for node, _ in reversed(edit.found.ancestors):
        if isinstance(node, cst.BaseStatement | cst.BaseSmallStatement | cst.BaseSuite):
            break
        if isinstance(node, cst.BaseExpression):
            begin, end = source.span(node)
            if end - begin > _MOST_AROUND:
                break
            if begin <= edit.start and edit.end <= end:
                found = begin, end
    return found


def _edit(source: Source, found: Found) -> _Edit:
    proposal = found.proposal
    start, end = proposal.region or source.span(proposal.target)
    new = proposal.replacement if isinstance(proposal.replacement, str) else _code(source, proposal.replacement)
    start, end, new = _trimmed(source.text, start, end, new=new, words=proposal.trim)
    return _Edit(start, end, _apart(source.text, start, end, new=new), found)


def _code(source: Source, node: cst.CSTNode) -> str:
    return source.module.code_for_node(node)


def _trimmed(text: str, start: int, end: int, *, new: str, words: bool) -> tuple[int, int, str]:
    """The edit without what stays the same at its ends: whitespace, or all words."""
    before, after = _TOKEN.findall(text[start:end]), _TOKEN.findall(new)
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first] and (words or before[first].isspace()):
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last] and (
            words or before[-1 - last].isspace()):
        last += 1
    if first == len(before) - last:
        return start, end, new
    skipped, cut = len("".join(before[:first])), len("".join(before[len(before) - last:]))
    return start + skipped, end - cut, new[skipped:len(new) - cut]


def _apart(text: str, start: int, end: int, *, new: str) -> str:
    """The new text with a space where it would grow together with a word beside it."""
    left, right = text[start - 1:start], text[end:end + 1]
    if not new:
        return " " if _is_word(left) and _is_word(right) else new
    before = " " if _is_word(left) and _is_word(new[0]) else ""
    return before + new + (" " if _is_word(right) and _is_word(new[-1]) else "")


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _description(original: str, replacement: str) -> str:
    before, after = _shown(original), _shown(replacement)
    return f"{before} → {after}" if after not in {"", "pass"} else f"{before} dropped"


def _shown(text: str) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
    return line if len(line) <= _MOST_SHOWN else f"{line[:_MOST_SHOWN - 1]}…"
