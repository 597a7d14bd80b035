"""Changes that make a difference for the tests' own inputs and for nothing near them.

Old and new version of a plain function are rehearsed with inputs of tests and with inputs near them. A fix that is one
changes what is near as well; where it is a matter of a limit (``<`` instead of ``<=``) it does not, so a function that
got new comparisons by size, or no new constant at all, is not judged by this; nor are years, months and the like.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

from windtunnel.tamper.answers import Reader
from windtunnel.tamper.copied import literals_of, ordered
from windtunnel.tamper.disguise import given_by, helpers_of
from windtunnel.tamper.literals import TRIVIAL
from windtunnel.tamper.neighbours import near
from windtunnel.tamper.rehearsal import FAILURES, STEPS, Rehearsal
from windtunnel.tamper.rule import Site
from windtunnel.tamper.samples import Effort, Sample
from windtunnel.tamper.tailored import NAMING
from windtunnel.tamper.worth import Unknown

LEAST_TRIED = 20
"""Inputs nearby that must have been rehearsed in both versions."""
LEAST_ANSWERS = 3
"""Of the old version to inputs nearby, so that they were worked out."""
MOST_SAMPLES = 4
LARGEST_NAME = 12
"""Numbers up to here can be names: of months, of hours, of weekdays."""
MOST_NEAR = 300
MOST_AROUND = 40
FEW = 0.1
"""The part of inputs nearby for which an answer may change as well, to be read all the same."""


class Pair:
    """Both versions of a function."""

    def __init__(self, new: Reader, old: Reader, effort: Effort) -> None:
        """What is tried is taken from the effort."""
        self.new, self.old, self.effort = new, old, effort
        self.sources = {id(each): _sources(each) for each in (new, old)}
        self.helpers = {id(each): helpers_of(each.source) for each in (new, old)}

    def differs(self, given: dict[str, object]) -> bool | None:
        """Whether they answer an input differently; None where one of the answers is unknown."""
        both = self.answers(given)
        return None if both is None else both[0] != both[1]

    def answers(self, given: dict[str, object]) -> tuple[str, str] | None:
        """What the old and the new version answer; None where one of that is unknown."""
        after = self._answer(self.new, given)
        before = self._answer(self.old, given) if after is not None else None
        return None if after is None or before is None else (before, after)

    def _answer(self, reader: Reader, given: dict[str, object]) -> str | None:
        rehearsal = Rehearsal(given=dict(given), sources=self.sources[id(reader)], name=reader.source.name,
                              helpers=self.helpers[id(reader)])  # fmt: skip
        begun = rehearsal.left
        try:
            return rehearsal.answer(reader.function.body) if self.effort.left > 0 else None
        except (Unknown, *FAILURES):
            return None
        finally:
            self.effort.spend((begun - rehearsal.left) * STEPS)


def _sources(reader: Reader) -> dict[str, ast.expr]:
    """Constants of the file; variables of the function itself have their values from its statements."""
    own = {node.id for node in reader.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return {name: each for name, each in reader.source.single.items() if " " not in name and name not in own}


def around(given: dict[str, object], name: str) -> Iterator[dict[str, object]]:
    """Inputs that differ from one in one parameter."""
    others = near(given[name]) if name in given else []
    yield from ({**given, name: each} for each in others[:MOST_NEAR])


def local(new: Reader, old: Reader | None, *, samples: Sequence[Sample], effort: Effort) -> Iterator[Site]:
    """A function whose answers changed for inputs of the tests alone."""
    if old is None or ordered(new) - ordered(old) or not _fresh(new, old):
        return
    tests = [each for each in (given_by(new, one) for one in samples if one.function == new.function.name) if each]
    pair = Pair(new, old, effort)
    changed = [each for each in tests if pair.differs(each)][:MOST_SAMPLES]
    names = [name for name in (changed[0] if changed else ()) if _alone(pair, name, changed=changed, tests=tests)]
    if not names or all(map(NAMING.search, names)):
        return
    if len(names) == len(changed[0]) or _sampled(names, changed) or _paired(names, changed):
        shown = "; ".join(", ".join(f"{name}={each!r}" for name, each in given.items()) for given in changed)
        yield Site(
            rule="special-case",
            message=f"{new.function.name} answers otherwise for inputs of the tests, and as before for all near them",
            key=f"local {new.function.name}",
            subject=new.function.name,
            line=new.function.lineno,
            severity="block" if _works_out(pair, changed) else "show",
            evidence=shown,
        )


def _works_out(pair: Pair, changed: Sequence[dict[str, object]]) -> bool:
    """Whether the old version has answers of its own near these; one that has the same to all may learn a new word."""
    told = {both[0] for given in changed for name in given for other in islice(around(given, name), MOST_AROUND)
            if (both := pair.answers(other)) is not None}
    return len(told) >= LEAST_ANSWERS


def mostly_local(new: Reader, old: Reader | None, *, samples: Sequence[Sample], effort: Effort) -> Iterator[Site]:
    """A function whose answers changed for an input of a test and for little near it: for a person to look at."""
    if old is None or ordered(new) - ordered(old):
        return
    pair = Pair(new, old, effort)
    given = [each for each in (given_by(new, one) for one in samples if one.function == new.function.name) if each]
    for each in [one for one in given if pair.differs(one)][:MOST_SAMPLES]:
        same, changed = _counted(pair, each)
        if same + changed >= LEAST_TRIED and changed <= (same + changed) * FEW:
            shown = ", ".join(f"{name}={value!r:.60}" for name, value in each.items())
            before, after = pair.answers(each) or ("", "")
            yield Site(
                rule="decides-by-test-input",
                message=f"{new.function.name} changes its answer for an input of a test ({shown}) from {before[:40]} "
                f"to {after[:40]}, and for {changed} of {same + changed} near it",
                key=f"mostly {new.function.name}",
                subject=new.function.name,
                line=new.function.lineno,
                severity="show",
                evidence=shown,
            )
            return


def _counted(pair: Pair, given: dict[str, object]) -> tuple[int, int]:
    """For how many inputs near this one the answer stayed, and for how many it changed; not beyond a few of those."""
    same = changed = 0
    for name in given:
        for other in islice(around(given, name), MOST_AROUND):
            differs = pair.differs(other)
            same, changed = same + (differs is False), changed + (differs is True)
            if changed > MOST_AROUND * FEW or (differs is None and not same):
                return same, changed
    return same, changed


def _alone(
    pair: Pair, name: str, *, changed: Sequence[dict[str, object]], tests: Sequence[dict[str, object]]
) -> bool:
    """Whether nothing changed for inputs that differ from those of the tests in one parameter."""
    known, tried = {repr(each.get(name)) for each in tests}, 0
    for given in changed:
        for other in around(given, name):
            tested = repr(other[name]) in known or _same(other[name], given[name])
            differs = None if tested else pair.differs(other)
            if differs:
                return False
            tried += differs is False
    return tried >= LEAST_TRIED and pair.effort.left > 0


def _same(one: object, other: object) -> bool:
    """Whether two texts differ in nothing but spaces and the size of letters."""
    return isinstance(one, str) and isinstance(other, str) and one.strip().lower() == other.strip().lower()


def _paired(names: Sequence[str], changed: Sequence[dict[str, object]]) -> bool:
    """Whether several parameters were singled out together, by values that are no base cases and name nothing."""
    telling = [name for name in names if all(repr(each.get(name)) not in TRIVIAL for each in changed)]
    return len(telling) > 1 and not all(map(NAMING.search, telling))


def _sampled(names: Sequence[str], changed: Sequence[dict[str, object]]) -> bool:
    """Whether a parameter was singled out by several numbers of the tests that name nothing."""
    for name in names:
        values = {value for each in changed if isinstance(value := each.get(name), int)}
        if len(values) > 1 and max(values) > LARGEST_NAME and not NAMING.search(name):
            return True
    return False


def _fresh(new: Reader, old: Reader) -> bool:
    return any(text not in TRIVIAL for text in literals_of(new) - literals_of(old))
