"""Search: every edit of the suspicious functions, the likeliest first.

What holds: a proposal names the bytes that it replaces and all others stay; its text has no errors by its grammar; no
text comes twice. That it compiles is likely and not sure, since nothing here resolves types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, Proposal, Scene
from windtunnel.repair.foreign.edit import Edit
from windtunnel.repair.foreign.edits import SORTS
from windtunnel.repair.foreign.focus import Focus, focus_on
from windtunnel.repair.foreign.here import Here, functions_in, here_of, name_of
from windtunnel.repair.foreign.languages import table_of
from windtunnel.repair.foreign.naturalness import naturalness
from windtunnel.repair.foreign.oddities import note_oddities
from windtunnel.repair.foreign.tree import Tree, parsed, understood

MOST_FILES = 60
MOST_EDITS = 40_000
"""Of one group of functions that are equally suspicious."""
_TIERS = 4
"""Functions are searched in so many groups, the most suspicious first."""
_WORTH = {
    "excess": 2.5,
    "negation": 1.7,
    "text": 1.4,
    "variable": 1.3,
    "constant": 1.2,
    "statement-added": 0.8,
    "condition-added": 0.7,
    "moved": 0.6,
    "call": 0.55,
    "off-by-one": 0.55,
}
"""By sort: how much oftener than others it was right, of all that came before the right one, in the programs of the
tests, each of the five kinds of faults counted alike; the root of it, since they are few."""

_Found = tuple[float, int, Edit, Here]


def search(scene: Scene) -> Iterator[Proposal]:
    """Edits of the project's functions; only files of these languages, and only those that may be changed."""
    focus = focus_on(scene)
    suspects = sorted(_suspects(scene, focus), key=lambda row: -row[0])
    best = suspects[0][0] if suspects else 0.0
    told: set[tuple[str, bytes]] = set()
    for _, group in groupby(suspects, key=lambda row: round(_TIERS * row[0] / best)):
        yield from _proposals(_ranked(((weight, tree, at) for weight, tree, at in group), focus), told)


def _suspects(scene: Scene, focus: Focus) -> Iterator[tuple[float, Tree, int]]:
    """Each function by its number in its file, with its weight."""
    for path in [path for path in scene.paths if table_of(path) is not None][:MOST_FILES]:
        text = scene.read(path)
        tree = parsed(text, path=path) if text else None
        if tree is None or tree.root.has_error:
            continue
        for at, function in enumerate(functions_in(tree.root)):
            weight = focus.of(function, tree)
            if weight > 0:
                yield weight, tree, at


def _ranked(suspects: Iterable[tuple[float, Tree, int]], focus: Focus) -> list[_Found]:
    found: list[_Found] = []
    for weight, tree, at in suspects:
        function = next(one for number, one in enumerate(functions_in(tree.root)) if number == at)
        here = here_of(function, tree)
        note_oddities(here)
        for edit in _edits(here):
            line = tree.line(edit.start)
            share = focus.at(line, path=tree.path, function=weight)
            score = edit.prior * _WORTH.get(edit.name, 1.0) * share * naturalness(edit, here)
            if score > 0:
                found.append((score, len(found), edit, here))
        if len(found) > MOST_EDITS:
            break
    return sorted(found, key=lambda row: (-row[0], row[1]))


def _edits(here: Here) -> Iterator[Edit]:
    for node in here.nodes:
        for sort in SORTS:
            yield from sort.edits(node, here)
        yield from here.table.own(node, here)


def _proposals(found: Iterable[_Found], told: set[tuple[str, bytes]]) -> Iterator[Proposal]:
    for score, _, edit, here in found:
        tree = here.tree
        after = tree.content[: edit.start] + edit.text.encode() + tree.content[edit.end :]
        key = (tree.path, after)
        if key in told or after == tree.content or not understood(after, table=tree.table):
            continue
        told.add(key)
        yield Proposal(
            edits=(FileEdit(path=tree.path, text=after.decode("utf-8", "replace")),),
            origin="search",
            name=edit.name,
            reason=edit.reason,
            place=Place(file=tree.path, line=tree.line(edit.start), symbol=name_of(here.function, tree) or None),
            prior=min(1.0, score),
            features={"naturalness": naturalness(edit, here), "edit": edit.prior},
        )
