"""From the answers of all versions to a doubt: a short list of signs, each with its words.

The signs and their bounds were found on one part of a corpus and measured on the rest; the decision page has the table.
Refused is a change that shows a strong one. Weak ones, and that another patch passes too, are only told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windtunnel.core.gate import Doubt
from windtunnel.engine.disagreement_words import Heard, Symptom, Version
from windtunnel.mutation.alternatives.expressions import CONSTANT
from windtunnel.mutation.alternatives.made import DECIDING

LEAST_INPUTS = 20
"""Fewer say nothing."""
LEAST_STABLE = 0.5
"""Of the inputs, those that the change answers the same way twice; with fewer it is no function of its arguments."""
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
_STEADY = ("again differs(", "order matters(")
INTERNAL = ("IndexError", "KeyError", "TypeError", "AttributeError", "NameError", "UnboundLocalError", "RecursionError",
            "ZeroDivisionError", "StopIteration", "RuntimeError")
"""What programs raise by mistake, mostly."""


def weighed(told: Heard) -> Doubt:
    """How the change stands."""
    why = _unknown(told)
    if why:
        return Doubt(state="not judged", reason=why, tried=told.tried, passing=len(told.others))
    share = _share(told)
    strong, weak = next(_strong(told), ""), next(_weak(told, share), "")
    return Doubt(
        state="hollow" if strong else "doubtful" if weak else "none", reason=strong or weak, share=share,
        inputs=len(_others(told)), tried=told.tried, passing=len(told.others), against=_against(told),
        witness=told.witness)


def _unknown(told: Heard) -> str:
    """Why nothing can be said, if so."""
    if told.fix is None or told.old is None:
        return told.note or "what the tests call could not be called again"
    if len(told.places) < LEAST_STABLE * told.made:
        return "the changed code answers differently each time it is asked"
    if len(_others(told)) < LEAST_INPUTS:
        return "too few inputs could be made from the calls of the tests"
    return ""


def _strong(told: Heard) -> Iterator[str]:
    """Signs that good fixes seldom show."""
    yield from _outvoted(told)
    yield from _literal(told)
    yield from _arbitrary(told)
    yield from _crashing(told)
    yield from _unsteady(told)


def _weak(told: Heard, share: float) -> Iterator[str]:
    """Signs that good fixes show too, in the measured corpus up to half as often."""
    yield from _special(told)
    yield from _left(told)
    yield from _narrow(told)
    if share > 0 and told.witness is not None and told.witness.other:
        yield f"another patch that passes the same tests answers {share:.0%} of {len(_others(told))} inputs otherwise"


def _outvoted(told: Heard) -> Iterator[str]:
    """More of the patches that were given agree with each other than with the change."""
    given = [version for version in told.others if version.base == "given"]
    groups = _groups(told, [told.fix, *given] if told.fix is not None else given)
    largest = max(map(len, groups), default=0)
    if groups and largest > len(groups[0]):
        yield f"{largest} of the {len(given)} other patches answer alike, and otherwise than the change"


def _against(told: Heard) -> int:
    return sum(_differing(version, told.fix, _valid(told)) > 0 for version in told.others if version.base == "given")


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


def _share(told: Heard) -> float:
    """On how many of the inputs a patch that passes answers otherwise than the change."""
    valid = _valid(told)
    fix = told.fix
    differing = [at for at in valid if fix is not None and any(
        version.letters[at] != fix.letters[at] for version in told.others)]
    return len(differing) / len(valid) if valid else 0.0


def _others(told: Heard) -> list[int]:
    """Inputs that no test gives."""
    return [at for at, place in enumerate(told.places) if place != "o"]


def _valid(told: Heard) -> list[int]:
    """Of those, the ones that the change or the code before it answers."""
    versions = [version for version in (told.fix, told.old) if version is not None]
    return [at for at in _others(told) if any(version.kinds[at] == "v" for version in versions)]


def _differing(one: Version | None, other: Version | None, places: Sequence[int]) -> float:
    if one is None or other is None or not places:
        return 0.0
    return sum(one.letters[at] != other.letters[at] for at in places) / len(places)
