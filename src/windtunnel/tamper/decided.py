"""Decisions by inputs of the tests, new in a change: found in either language, matched with the tests, told.

All files of a change are asked first what they decide by; then only those tests are read that could explain it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from windtunnel.tamper.deciding import Hit, Matcher, grouped, site_of
from windtunnel.tamper.decision import Decision
from windtunnel.tamper.decisions import decisions
from windtunnel.tamper.disguise import recognised
from windtunnel.tamper.effects import Effect, effect_of
from windtunnel.tamper.locality import mostly_local
from windtunnel.tamper.mentions import Mentions
from windtunnel.tamper.novelty import Novelty
from windtunnel.tamper.pairs import pair_at, pair_of
from windtunnel.tamper.product import both_sources
from windtunnel.tamper.rule import Site
from windtunnel.tamper.samples import Effort, Sample, samples
from windtunnel.tamper.script import SCRIPT, read_script
from windtunnel.tamper.script_decisions import script_decisions, script_without
from windtunnel.tamper.script_functions import functions_of
from windtunnel.tamper.stored_decisions import STORED, stored_decisions
from windtunnel.tamper.trees import Source
from windtunnel.tamper.uses import Uses
from windtunnel.tamper.wanted import explaining, is_near

MOST_DECISIONS = 1500
"""Decisions of one file that are looked at; people do not write more in one change."""
MOST_FOUND = 8
"""Things to read in one file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What decisions are held against."""

    tests: Mapping[str, bytes]
    """The unchanged project's test files."""
    fixed: Collection[str] | None = None
    """Tests that pass with the change and did not before; None where nobody knows."""
    mentions: Mentions = field(default_factory=lambda: Mentions(None))
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One file of a change."""

    path: str
    data: bytes
    old: bytes | None
    """Before the change; None where there was none."""

    @property
    def sources(self) -> tuple[Source | None, Source | None]:
        """Both sides of a Python file; they are kept for whoever asks next."""
        return both_sources(self.path, self.old, self.data)

    def decisions(self) -> Sequence[Decision]:
        """What it decides by that is new."""
        new = Novelty(self.data, self.old)
        if self.path.endswith(".py"):
            source = self.sources[1]
            return () if source is None else decisions(source, new)
        if SCRIPT.search(self.path):
            return script_decisions(read_script(self.data), new)
        return stored_decisions(self.data, new) if self.path.endswith(STORED) else ()


def decided(files: Iterable[Changed], asked: Asked) -> Iterator[tuple[str, Site]]:
    """What is new and goes by an input of a test that the change makes pass, with the path of its file."""
    if asked.fixed is not None and not asked.fixed:
        return
    found = [(file, file.decisions()[:MOST_DECISIONS]) for file in files]
    near = explaining(asked.tests, [each for _, several in found for each in several], asked.fixed)
    matcher, calls = Matcher(Uses(near), asked.fixed), _calls(asked)
    for file, several in found:
        for site in _told(file, several, matcher=matcher, asked=asked, calls=calls):
            yield file.path, site


def _told(
    file: Changed, found: Sequence[Decision], *, matcher: Matcher, asked: Asked, calls: Sequence[Sample]
) -> Iterator[Site]:
    if file.path.endswith(".py"):
        before, source = file.sources
        if source is not None:
            yield from _python(file, (before, source), found, matcher=matcher, asked=asked, calls=calls)
    elif SCRIPT.search(file.path):
        yield from _script(file, found, matcher=matcher, asked=asked)
    elif hits := _hits(found, matcher, own=()):
        yield site_of(hits, matcher=matcher, mentions=asked.mentions, effect=Effect(), extends=True)


def _python(
    file: Changed, sources: tuple[Source | None, Source], found: Sequence[Decision], *, matcher: Matcher, asked: Asked,
    calls: Sequence[Sample],
) -> Iterator[Site]:  # fmt: skip
    before, source = sources
    own = source.made | {each.name for each in source.of(ast.ClassDef)}
    hits, told = _hits(found, matcher, own=own), set[int]()
    had = decisions(before) if hits and before is not None else ()
    for group in _readable(hits, had, asked):
        decision = group[0].decision
        effect = effect_of(decision, pair_at(source, before, decision.line), samples=calls, effort=asked.effort)
        told.add(decision.line)
        yield site_of(group, matcher=matcher, mentions=asked.mentions, effect=effect, extends=_extends(decision, had))
    gained = [each for each in calls if matcher.is_fixed(each.test)]
    yield from _narrow(sources, Novelty(file.data, file.old), calls=gained, effort=asked.effort, told=told)


def _narrow(
    sources: tuple[Source | None, Source], new: Novelty, *, calls: Sequence[Sample], effort: Effort, told: set[int]
) -> Iterator[Site]:
    """Conditions that hold for an input of a test and nothing near it, whatever they go by; and changes as narrow."""
    (before, source), called = sources, {each.function for each in calls}
    for function in (each for each in source.functions if each.name in called):
        lines = range(function.lineno, (function.end_lineno or 0) + 1)
        if not new.any(lines):
            continue
        pair = pair_of(source, before, function)
        found = [site for site in recognised(*pair, samples=calls, effort=effort) if site.line in new]
        if not found and told.isdisjoint(lines):
            found = list(mostly_local(*pair, samples=calls, effort=effort))
        yield from (site for site in found if site.line not in told)


def _calls(asked: Asked) -> list[Sample]:
    """The calls in files with tests that pass now."""
    return samples({path: data for path, data in asked.tests.items() if is_near(path, asked.fixed)})


def _script(file: Changed, found: Sequence[Decision], *, matcher: Matcher, asked: Asked) -> Iterator[Site]:
    script = read_script(file.data)
    hits = _hits(found, matcher, own={each.name for each in functions_of(script)})
    unchanged = read_script(file.old or b"") if hits else script
    had = script_decisions(unchanged) if hits else ()
    for group in _readable(hits, had, asked):
        decision = group[0].decision
        alone = script_without(script, unchanged, decision)
        effect = Effect("without this branch the function is as it was", alone=True) if alone else Effect()
        yield site_of(group, matcher=matcher, mentions=asked.mentions, effect=effect, extends=_extends(decision, had))


def _hits(found: Sequence[Decision], matcher: Matcher, *, own: Collection[str]) -> list[Hit]:
    return [hit for each in found if (hit := matcher.hit(each, own=own)) is not None]


def _readable(hits: Sequence[Hit], had: Sequence[Decision], asked: Asked) -> list[list[Hit]]:
    """What is worth reading: new, and not a word that the project knows, in a table that had others."""
    keys = {each.key for each in had}
    groups = grouped(hit for hit in hits if hit.decision.key not in keys)
    return [group for group in groups if not all(_is_vocabulary(hit, had, asked) for hit in group)][:MOST_FOUND]


def _is_vocabulary(hit: Hit, had: Sequence[Decision], asked: Asked) -> bool:
    known = hit.decision.how == "row" and not hit.expected and _extends(hit.decision, had)
    return known and bool(asked.mentions.where(hit.decision.value))


def _extends(decision: Decision, had: Sequence[Decision]) -> bool:
    """Whether the same thing was held against other constants of the same kind before."""
    kind = (decision.how, decision.function, decision.subject, type(decision.value))
    return any((each.how, each.function, each.subject, type(each.value)) == kind and each.value != decision.value
               for each in had)  # fmt: skip
