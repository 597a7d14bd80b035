"""From what operators propose to mutants with places and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import Mutant, identity
from windtunnel.mutation.grammars.equivalence import known_equivalent
from windtunnel.mutation.grammars.operators import OPERATORS
from windtunnel.mutation.grammars.place import Operator, Proposal
from windtunnel.mutation.grammars.pragmas import excluded_lines, is_written_by_hand
from windtunnel.mutation.grammars.source import Source
from windtunnel.mutation.grammars.walk import places

DUPLICATE = "same text as another mutant"
_MOST_REPLACED = 4000
"""Bytes: what is larger says nothing to people, and many of them one in the other would fill the memory."""
_MOST_LOOKED_AT = 200_000
"""Bytes of a node that an operator is asked about: a tower of brackets is not read anew for each of its storeys."""
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class _Edit:
    proposal: Proposal
    operator: str
    function: str
    equivalent: str


def chosen(names: Collection[str] | None) -> tuple[Operator, ...]:
    """The operators of these names, or all."""
    if names is None:
        return OPERATORS
    unknown = sorted(set(names) - {operator.name for operator in OPERATORS})
    if unknown:
        raise UsageError(f"no such operator: {unknown[0][:100]!r} "
                         f"(known: {', '.join(each.name for each in OPERATORS)})", field="operators")
    return tuple(operator for operator in OPERATORS if operator.name in names)


def candidates(source: Source, *, lines: Collection[int] | None, operators: Sequence[Operator],
               dropped: Counter[str]) -> Iterator[Mutant]:
    """All that the operators make of the file, in the order of the text; names count those outside ``lines`` too."""
    if not is_written_by_hand(source):
        return
    excluded, wanted = excluded_lines(source), None if lines is None else frozenset(lines)
    equals: Counter[tuple[str, ...]] = Counter()
    for edit in _distinct(_edits(source, operators), dropped):
        (line, column), (end_line, end_column) = map(source.position, (edit.proposal.start, edit.proposal.end))
        touched = range(line, end_line + 1)
        if not excluded.isdisjoint(touched):
            continue
        begin, end = source.span(line, end_line)
        original = source.content[edit.proposal.start:edit.proposal.end].decode()
        parts = (source.path, edit.function, edit.operator, source.content[begin:end].decode().strip(), original,
                 edit.proposal.text)
        equals[parts] += 1
        if wanted is not None and wanted.isdisjoint(touched):
            continue
        if edit.equivalent:
            dropped[edit.equivalent] += 1
            continue
        yield Mutant(
            id=identity(*parts, ordinal=equals[parts]), path=source.path, operator=edit.operator, line=line,
            column=column, end_line=end_line, end_column=end_column, original=original, replacement=edit.proposal.text,
            start=edit.proposal.start, end=edit.proposal.end, function=edit.function,
            scope="function" if edit.function else "module", description=described(original, edit.proposal.text))


def _edits(source: Source, operators: Sequence[Operator]) -> list[_Edit]:
    grammar = source.grammar
    order = {operator.name: at for at, operator in enumerate(OPERATORS)}
    offered: dict[str, list[Operator]] = {}
    for operator in operators:
        for kind in grammar.kinds.get(operator.name, ()):
            offered.setdefault(kind, []).append(operator)
    found: list[_Edit] = []
    for node, place in places(source):
        for operator in offered.get(node.type, ()) if node.end_byte - node.start_byte <= _MOST_LOOKED_AT else ():
            found.extend(
                _Edit(_apart(source, proposal), operator.name, place.name, known_equivalent(node, place, proposal))
                for proposal in operator.propose(node, place)
                if proposal.end - proposal.start <= _MOST_REPLACED and grammar.admits(proposal, place))
    return sorted(found, key=lambda edit: (edit.proposal.start, edit.proposal.end, order[edit.operator]))


def _distinct(edits: list[_Edit], dropped: Counter[str]) -> Iterator[_Edit]:
    seen: set[Proposal] = set()
    for edit in edits:
        if edit.proposal in seen:
            dropped[DUPLICATE] += 1
        else:
            seen.add(edit.proposal)
            yield edit


def _apart(source: Source, proposal: Proposal) -> Proposal:
    """The new text with a space where it would grow together with what stands before it."""
    left, text = source.content[max(0, proposal.start - 1):proposal.start], proposal.text
    after = text[:1].encode() or source.content[proposal.end:proposal.end + 1]
    grown = (_is_word(left) and _is_word(after)) or left + after in {b"--", b"++"}
    return Proposal(start=proposal.start, end=proposal.end, text=f" {text}") if grown else proposal


def _is_word(letter: bytes) -> bool:
    return letter.isalnum() or letter in {b"_", b"$"} or letter > b"\x7f"


def described(original: str, replacement: str) -> str:
    """One short line for people."""
    before, after = _shown(original), _shown(replacement)
    return f"{before} → {after}" if after not in {"", ";"} else f"{before} dropped"


def _shown(text: str) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
    return line if len(line) <= _MOST_SHOWN else f"{line[:_MOST_SHOWN - 1]}…"
