"""Signs that a change mends only what the tests look at, each with its words.

Strong ones refuse a change that is alone; weak ones are only told. Beside other patches it also counts how far the
change is from them. The bounds were found on one part of a corpus and measured on the rest; the decision page has the
table.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from windtunnel.engine.disagreement_words import Heard, Symptom, Version
from windtunnel.mutation.alternatives.expressions import CONSTANT
from windtunnel.mutation.alternatives.made import DECIDING

LEAST_INPUTS = 20
"""Fewer say nothing."""
SPECIAL = 0.045
"""Next to a call that it repairs the change is as before, but for this share at most: it repairs that call alone."""
CRASHING = 0.025
"""Of the inputs: the change fails inside on these, where the code before answered."""
LEFT = 0.1
"""Of the inputs that showed the symptom before: these still show it."""
FREQUENT, RARE = 0.6, 0.03
"""A symptom that more inputs or fewer showed before is none."""
UNSTEADY = 0.01
"""Of the inputs: the order of a list, or asking again with the answer, makes a difference for these as never before."""
KNOWN = 0.5
"""Of the literals that the change brings: these stand in the calls that it repairs."""
ARBITRARY = 0.01
"""Of the inputs: a literal is arbitrary where another one passes the tests and answers these otherwise."""
OFTEN = 0.25
"""Of the literals that the change brings: these must be arbitrary."""
NARROW = 0.08
"""Of the inputs: these would be answered anew by a wider condition that passes the tests, and not by the change."""
ALIKE = 0.99
"""Two versions that agree on this share of the inputs count as one."""
NOISE = 0.005
"""One input in two hundred: so many may differ between two patches by chance."""
FAR = 3.0
"""A change that is twenty times as far from the others as these from each other can be no farther."""
LEAST_GIVEN, ENOUGH_GIVEN = 2, 4
"""Fewer patches of others have no vote; only so many are weighed by how far they are from each other."""
STRONG, APART = "strong", "apart"
_STEADY = ("again differs(", "order matters(")
INTERNAL = ("IndexError", "KeyError", "TypeError", "AttributeError", "NameError", "UnboundLocalError", "RecursionError",
            "ZeroDivisionError", "StopIteration", "RuntimeError")
"""What programs raise by mistake, mostly."""


def strengths(told: Heard) -> dict[str, float]:
    """Whether a change shows a strong sign, and how far it is from other patches: -1 speaks for it, 1 against it."""
    return {STRONG: float(any(strong(told))), APART: _apart(told)}


def strong(told: Heard) -> Iterator[str]:
    """Signs that good fixes seldom show."""
    yield from _literal(told)
    yield from _arbitrary(told)
    yield from _crashing(told)
    yield from _unsteady(told)


def weak(told: Heard) -> Iterator[str]:
    """Signs that good fixes show too, in the measured corpus up to half as often."""
    yield from _special(told)
    yield from _left(told)
    yield from _narrow(told)


def majority(told: Heard) -> Iterator[str]:
    """More of the patches that were given agree with each other than with the change."""
    votes = given(told)
    groups = _groups(told, [told.fix, *votes] if told.fix is not None else votes)
    largest = max(map(len, groups), default=0)
    if groups and largest > len(groups[0]):
        yield f"{largest} of the {len(votes)} other patches answer alike, and otherwise than the change"


def against(told: Heard) -> int:
    """How many of the patches that were given answer some input otherwise."""
    return sum(_differing(version, told.fix, _valid(told)) > 0 for version in given(told))


def outvoted(told: Heard) -> Iterator[str]:
    """Patches that were given agree with each other more than with the change."""
    yield from majority(told)
    votes = given(told)
    if _apart(told) > 0:
        nearest, closest = _distances(told)
        yield (f"two of the {len(votes)} other patches differ on {closest:.1%} of the inputs, and the change from each "
               f"of them on {nearest:.1%} at least")


def given(told: Heard) -> list[Version]:
    """Patches of others that pass."""
    return [version for version in told.others if version.base == "given"]


def share_of(told: Heard) -> float:
    """On how many of the inputs a patch that passes answers otherwise than the change."""
    valid, fix = _valid(told), told.fix
    differing = [at for at in valid if fix is not None and any(
        version.letters[at] != fix.letters[at] for version in told.others)]
    return len(differing) / len(valid) if valid else 0.0


def inputs_of(told: Heard) -> list[int]:
    """Inputs that no test gives."""
    return [at for at, place in enumerate(told.places) if place != "o"]


def _apart(told: Heard) -> float:
    """How much farther the change is from the nearest of the given patches than the nearest two from each other."""
    if told.fix is None or len(given(told)) < LEAST_GIVEN:
        return 0.0
    nearest, closest = _distances(told)
    return max(-1.0, min(1.0, math.log((nearest + NOISE) / (closest + NOISE)) / FAR))


def _distances(told: Heard) -> tuple[float, float]:
    """Of the change to the nearest given patch, and of the nearest two of these: shares of the inputs."""
    votes, valid = given(told), _valid(told)
    return (min(_differing(told.fix, one, valid) for one in votes),
            min(_differing(one, other, valid) for one, other in itertools.combinations(votes, 2)))


def _special(told: Heard) -> Iterator[str]:
    near = [at for at in _valid(told) if told.places[at] == "n"]
    if len(near) >= LEAST_INPUTS and _differing(told.fix, told.old, near) <= SPECIAL:
        yield "next to the calls that it repairs it does as the code before: it seems to know the tests' own inputs"


def _literal(told: Heard) -> Iterator[str]:
    count, found, shown = told.literals
    if found and found >= KNOWN * count:
        yield f"it brings a literal of the calls that it repairs ({shown})"


def _arbitrary(told: Heard) -> Iterator[str]:
    """Numbers or texts that could be others for all that the tests say; of a whole table of them some always can."""
    found: dict[str, float] = {}
    for version in told.others:
        named = version.change.removeprefix(CONSTANT)
        if version.base == "fix" and version.change.startswith(CONSTANT) and named in told.new:
            found[named] = max(found.get(named, 0.0), _differing(version, told.fix, _valid(told)))
    loose = {named: share for named, share in found.items() if share >= ARBITRARY}
    if loose and len(loose) >= OFTEN * len(told.new):
        named, share = max(loose.items(), key=lambda one: one[1])
        yield (f"its {named} could be another number or text for all that the tests say: {share:.0%} of the inputs "
               "would be answered otherwise")


def _narrow(told: Heard) -> Iterator[str]:
    """Another patch that passes does more of the same, and nothing else."""
    wider = max((_wider(told, version) for version in told.others
                 if version.base == "fix" and version.change in DECIDING), default=0.0)
    if NARROW <= wider <= 1 - NARROW * 5:
        yield f"its condition could be wider for all that the tests say: {wider:.0%} more of the inputs would change"


def _wider(told: Heard, version: Version) -> float:
    """The share of inputs that the version answers anew beyond the change; 0 for one that does anything else."""
    fix, old, valid = told.fix, told.old, _valid(told)
    if fix is None or old is None or not valid:
        return 0.0
    changed = [at for at in valid if fix.letters[at] != old.letters[at]]
    beyond = [at for at in valid if fix.letters[at] == old.letters[at] != version.letters[at]]
    fits = all(version.letters[at] == fix.letters[at] for at in changed)
    breaks = any(version.kinds[at] != "v" and old.kinds[at] == "v" for at in beyond)
    return len(beyond) / len(valid) if fits and changed and not breaks else 0.0


def _crashing(told: Heard) -> Iterator[str]:
    for one in told.regressions:
        name = one.name.removeprefix("no ")
        if name in INTERNAL and one.inputs >= LEAST_INPUTS and one.after >= CRASHING * one.inputs:
            yield f"raises {name} for {one.after} of {one.inputs} inputs that the code before answers"


def _unsteady(told: Heard) -> Iterator[str]:
    for one in told.regressions:
        if one.name.startswith(_STEADY) and one.inputs >= LEAST_INPUTS and one.after >= UNSTEADY * one.inputs:
            yield f"{one.name.removesuffix(' == 0')} for {one.after} of {one.inputs} inputs, and for none before"


def _left(told: Heard) -> Iterator[str]:
    """All of the symptoms that can be believed are left somewhere; one that is mended everywhere is enough."""
    credible = [one for one in told.symptoms if _credible(one)]
    if credible and all(one.after > LEFT * one.before for one in credible):
        least = min(credible, key=lambda one: one.after / one.before)
        yield (f"what it mends for the tests' own calls ({least.name}) it leaves for {least.after} of {least.before} "
               "other inputs")


def _credible(one: Symptom) -> bool:
    return (one.inputs >= LEAST_INPUTS and max(5, RARE * one.inputs) <= one.before <= FREQUENT * one.inputs
            and "then " not in one.name and one.name != "no ValueError")


def _groups(told: Heard, versions: Sequence[Version]) -> list[list[Version]]:
    """Versions that answer alike, that of the first one first."""
    valid = _valid(told)
    groups: list[list[Version]] = []
    for version in versions:
        home = next((group for group in groups if _differing(group[0], version, valid) <= 1 - ALIKE), None)
        if home is None:
            groups.append([version])
        else:
            home.append(version)
    return groups


def _valid(told: Heard) -> list[int]:
    """Of those, the ones that the change or the code before it answers."""
    versions = [version for version in (told.fix, told.old) if version is not None]
    return [at for at in inputs_of(told) if any(version.kinds[at] == "v" for version in versions)]


def _differing(one: Version | None, other: Version | None, places: Sequence[int]) -> float:
    if one is None or other is None or not places:
        return 0.0
    return sum(one.letters[at] != other.letters[at] for at in places) / len(places)
