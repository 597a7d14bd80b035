"""Several faults at once: proposals that each mend other tests, put together as one.

What each mends alone is known from their own judgements; whether they go together the tests say. Only proposals that
touch different lines are put together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from windtunnel.core.repair import FileEdit, Judgement, Proposal
from windtunnel.engine.fix.region import region_of

MOST_EACH = 3
"""Proposals for one test that are put together with those for others."""
_MOST_TOGETHER = 8
SEVERAL = "several"
"""The name of what is put together."""


def choices(
    failing: Sequence[str], partial: Sequence[tuple[Proposal, Judgement]], *, harmless: Callable[[Proposal], bool],
) -> Iterator[tuple[Proposal, ...]]:
    """Sets of proposals that mend all failing tests between them, the first for each first; none where one is left.

    ``harmless`` says whether a proposal breaks nothing, and is asked only of those that are needed.
    """
    known: dict[str, bool] = {}

    def fits(proposal: Proposal) -> bool:
        if proposal.key not in known:
            known[proposal.key] = harmless(proposal)
        return known[proposal.key]

    ways = [list(itertools.islice((one for one, judged in partial if name in judged.passed and fits(one)), MOST_EACH))
            for name in failing]
    if not all(ways):
        return
    told: set[frozenset[str]] = set()
    # The sum of the places counts: what takes the first of each comes before what takes the third of one.
    for picked in sorted(itertools.product(*map(range, map(len, ways[:_MOST_TOGETHER]))), key=sum):
        together = {one.key: one for one in (way[at] for way, at in zip(ways, picked, strict=False))}
        mended = {name for one, judged in partial if one.key in together for name in judged.passed}
        if len(together) > 1 and mended >= set(failing) and frozenset(together) not in told:
            told.add(frozenset(together))
            yield tuple(together.values())


def combined(proposals: Sequence[Proposal], read: Callable[[str], str | None]) -> Proposal | None:
    """All of them as one, made for the same texts; None where two touch the same lines."""
    texts: dict[str, list[str]] = {}
    for proposal in proposals:
        for edit in proposal.edits:
            texts.setdefault(edit.path, []).append(edit.text)
    merged = {path: _merged(read(path) or "", several) for path, several in texts.items()}
    if not proposals or any(text is None for text in merged.values()):
        return None
    first = proposals[0]
    edits = tuple(FileEdit(path=path, text=text or "") for path, text in sorted(merged.items()))
    return Proposal(edits=edits, origin=first.origin, name=SEVERAL, place=first.place, prior=min(
        one.prior for one in proposals), reason="\n".join(sentence(one) for one in proposals))


def sentence(proposal: Proposal) -> str:
    """Where and why; a line for each of those that were put together."""
    if proposal.name == SEVERAL:
        return proposal.reason
    where = f"{proposal.place.file}:{proposal.place.line}: " if proposal.place.line else f"{proposal.place.file}: "
    return where + proposal.reason


def _merged(old: str, texts: Sequence[str]) -> str | None:
    """One text with the changes of all; None where their lines meet."""
    lines = old.splitlines(keepends=True)
    parts = sorted({(region.first, region.old_end, "".join(new.splitlines(keepends=True)[
        region.first - 1:region.new_end - 1])) for new in texts for region in (region_of(old, new),)})
    if any(max(one[1], one[0] + 1) > other[0] for one, other in itertools.pairwise(parts)):
        return None
    for first, end, text in reversed(parts):
        lines[first - 1:end - 1] = [text]
    return "".join(lines)
