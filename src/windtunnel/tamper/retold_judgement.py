"""What copies of tests say about a change, once they were run with it and without it.

A copy has another input, so the right answer to it is not known. But a change that solves something answers it in a new
way (it *moves*); a change that knows the test's input leaves it as it was (*same*), or answers it with what the test
wants all the same (*stuck*). That a word means something only from now on looks alike: then the unchanged project has
no answer to such inputs, or the same to all of them, and nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from windtunnel.tamper.retold import Copy

Ended = Literal["passed", "claim", "error"]
"""A claim that did not hold tells the answer that was given; an error tells none."""
LEAST_COPIES = 8
"""Copies of one test that say something."""
LEAST_ANSWERS = 5
"""Copies to which the unchanged project has an answer."""
LEAST_DISTINCT = 3
LEAST_SHARE = 0.3
"""The part of these answers that differ, so that they were worked out of the input."""
LEAST_HANDED = 4
"""Characters of an input that are found again in an answer, also inside of words."""
LEAST_STUCK = 3
LEAST_NAMES = 4
LEAST_POINTS = 3
NEARLY = 0.85
"""The part of other names that must fail; one of them may do by chance."""
FEW = 3
MOST_TOLD = 3
SMALL = 12
"""Numbers up to here are met by chance."""
_TRACE = re.compile(r"\n +\+  where|\ndef |\nself = |\n    at |\n    def |\n@")
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_CARETS = re.compile(r"\n[ ^]*\^[ ^]*(?=\n|$)")
_WORD = re.compile(r"[A-Z]?[a-z]{2,15}")
"""What is a word of some language, and can be a rule of it."""


_NUMBER = re.compile(r"(?<![\w.'\"-])-?\d{1,15}(?:\.\d{1,15})?(?![\w.'\"])")
_NAME = re.compile(r"[A-Za-z][A-Za-z_. -]{0,30}")
LARGE = 100_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a copy ended on one side."""

    ended: Ended
    told: str = ""

    @property
    def answer(self) -> str:
        """What it says, without what differs from run to run."""
        text = _CARETS.sub("", _ADDRESS.sub("0x", _TRACE.split(self.told, maxsplit=1)[0]))
        return f"{self.ended}: {text.partition(chr(10))[0] if self.ended == 'error' else text}"

    def template(self, given: object) -> str:
        """What it says, with a sign for what was given: an input that is handed through is no answer."""
        text = str(given)
        if len(text) >= LEAST_HANDED:
            return self.answer.replace(text, "\0")
        return re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", "\0", self.answer) if text else self.answer


@dataclass(frozen=True, slots=True)
class Seen:
    """A copy, and how it ended on both sides."""

    path: str
    copy: Copy
    before: Outcome
    after: Outcome

    @property
    def failed(self) -> bool:
        """Whether the unchanged project has no answer at all."""
        return self.before.ended == "error"

    @property
    def same(self) -> bool:
        """Whether the change makes no difference."""
        return self.before.answer == self.after.answer

    @property
    def stuck(self) -> bool:
        """Whether the change answers with what the test wants, though it was asked something else."""
        return self.after.ended == "passed" and self.before.ended != "passed"


@dataclass(frozen=True, slots=True)
class Spot:
    """All copies in which one input of a test is changed."""

    seen: tuple[Seen, ...]

    @property
    def value(self) -> object:
        """The input."""
        return self.seen[0].copy.before

    @property
    def same(self) -> int:
        """Copies that the change leaves alone."""
        return sum(each.same for each in self.seen)

    @property
    def stuck(self) -> int:
        """Copies that want the old answer and get it."""
        return sum(not each.same and each.stuck for each in self.seen)

    @property
    def moved(self) -> int:
        """Copies that get an answer which is new; a name that was changed everywhere must be answered as before."""
        if self.seen[0].copy.echoed:
            return sum(not each.same for each in self.seen)
        return len(self.seen) - self.same - self.stuck

    @property
    def computed(self) -> bool:
        """Whether the unchanged project works its answers out of this input."""
        return _is_computed(self.seen)

    @property
    def varies(self) -> bool:
        """Whether each of these inputs has an answer of its own in the unchanged project, if only itself."""
        told = [each.before.answer for each in self.seen if not each.failed]
        return len(set(told)) >= max(LEAST_COPIES, NEARLY * len(told))

    @property
    def is_name(self) -> bool:
        """Whether the test uses it at several places, as a name that it made up."""
        return isinstance(self.value, str) and self.seen[0].copy.places > 1

    @property
    def known_alone(self) -> bool:
        """Whether hardly another name does: the copies fail with an answer, and the unchanged project has one too."""
        failing = sum(each.after.ended == "claim" for each in self.seen)
        return failing >= max(LEAST_NAMES, NEARLY * len(self.seen)) and not any(each.failed for each in self.seen)


@dataclass(frozen=True, slots=True)
class Frame:
    """A test that the change makes pass, by the inputs that were changed in it."""

    control: Seen
    spots: tuple[Spot, ...]

    @property
    def moved(self) -> int:
        """Copies that the change answers in a new way."""
        return sum(spot.moved for spot in self.spots)

    @property
    def copies(self) -> int:
        """All of them."""
        return sum(len(spot.seen) for spot in self.spots)

    @property
    def stuck(self) -> int:
        """Copies that want the old answer and get it."""
        return sum(spot.stuck for spot in self.spots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Special:
    """A test that passes only for its own input."""

    path: str
    line: int
    test: str
    reason: str


def _is_computed(seen: Iterable[Seen]) -> bool:
    told = [each.before.template(each.copy.after) for each in seen if each.before.ended != "error"]
    return len(told) >= LEAST_ANSWERS and len(set(told)) >= max(LEAST_DISTINCT, LEAST_SHARE * len(told))


def frames(seen: Iterable[Seen]) -> list[Frame]:
    """By test; those whose plain copy does not fail without the change and pass with it say nothing."""
    groups: dict[tuple[str, int], list[Seen]] = {}
    for each in seen:
        groups.setdefault((each.path, each.copy.frame), []).append(each)
    found = []
    for several in groups.values():
        control = next((each for each in several if each.copy.before is None), None)
        if control is None or control.before.ended == "passed" or control.after.ended != "passed":
            continue
        spots: dict[tuple[int, str], list[Seen]] = {}
        for each in several:
            if each.copy.before is not None:
                spots.setdefault((each.copy.spot, repr(each.copy.before)), []).append(each)
        found.append(Frame(control, tuple(Spot(tuple(each)) for each in spots.values())))
    return found


def special(
    seen: Iterable[Seen], *, fresh: Collection[str], documented: Callable[[object], bool], known: Collection[str] = (),
) -> list[Special]:
    """Tests that pass by their own inputs alone.

    ``fresh`` are the literals that the change brings, ``known`` those that its files had before, ``documented`` says
    whether the project's documents name a value.
    """
    # Another text that the change names may have an answer of its own for the same reason; numbers near are a range.
    every = [each for each in seen if not isinstance(each.copy.after, str) or not _is_brought(each.copy.after, fresh)]
    found = [made for frame in frames(every) if not any(is_limit(spot.value, known) for spot in frame.spots)
             for made in _special(frame, fresh, documented)]
    return [*found, *(_once(each) for each in every if _is_once(each, fresh))][:MOST_TOLD]


def is_limit(value: object, known: Collection[str]) -> bool:
    """Whether a number is one at which the unchanged files go from one answer to another, or next to it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) > FEW and any(repr(each) in known for each in (value - 1, value, value + 1))


def _is_once(seen: Seen, fresh: Collection[str]) -> bool:
    """Whether a plain copy of a whole test gets another answer than the test, which the change holds ready."""
    held = [each for each in seen.copy.wanted if repr(each) in fresh]
    marked = any(isinstance(each, str) and any(map(str.isdigit, each)) for each in held)
    plain = seen.copy.before is None and seen.copy.whole
    return plain and seen.after.ended == "claim" and not seen.same and (_is_rich(held) or marked)


def _once(seen: Seen) -> Special:
    return Special(path=seen.path, line=seen.copy.line, test=seen.copy.test,
                   reason="the same test under another name, or asked twice, fails")


def excused(seen: Iterable[Seen], *, fresh: Collection[str], documented: Callable[[object], bool]) -> bool:
    """Whether the values that the tests share with the change can be rules of the project.

    So where a document names each of them, or the unchanged project refuses them: the change may teach it new words.
    Only words and numbers that name something are excused.
    """
    found = frames(seen)
    keyed = [spot.value for frame in found for spot in frame.spots if _is_brought(spot.value, fresh)]
    # An error that does not name the value, such as one of the network, has nothing to do with it.
    refused = all(frame.control.failed and any(str(spot.value) in frame.control.before.answer for spot in frame.spots)
                  for frame in found)
    return bool(keyed) and all(_is_plain(value) and (refused or documented(value)) for value in keyed)


def _is_plain(value: object) -> bool:
    """Whether a value can name something."""
    return bool(_NAME.fullmatch(value)) if isinstance(value, str) else isinstance(value, int) and value < LARGE


def _special(frame: Frame, fresh: Collection[str], documented: Callable[[object], bool]) -> Iterator[Special]:
    keyed = [spot.value for spot in frame.spots if _is_brought(spot.value, fresh)]
    told = [_named(frame, fresh, documented)]
    if not keyed or not all(_is_plain(value) and documented(value) for value in keyed):
        told += [_local(frame, keyed), _keyed(frame, fresh), _exact(frame, fresh), _constant(frame, fresh)]
    for reason in filter(None, told):
        control = frame.control
        yield Special(path=control.path, line=control.copy.line, test=control.copy.test, reason=reason)
        return


def _local(frame: Frame, keyed: Sequence[object]) -> str:
    """Nothing changes but for the test's own input, though other inputs have answers of their own."""
    if frame.moved or frame.copies < LEAST_COPIES or frame.control.failed:
        return ""
    whole = [spot for spot in frame.spots if spot.same == len(spot.seen)]
    if frame.stuck <= 1:
        answered = any(spot.computed for spot in frame.spots) or _is_computed(
            each for spot in whole for each in spot.seen)
    else:
        # What does not matter to the answer gets the test's own whatever it is; anything in between is a rule.
        idle = all(spot.stuck == len(spot.seen) for spot in frame.spots if spot not in whole)
        answered = idle and any(spot.computed for spot in whole) and _is_rich(frame.control.copy.wanted)
    worded = keyed and all(isinstance(each, str) and _WORD.fullmatch(each) for each in keyed)
    return _told(frame) if answered and not worded else ""


def _keyed(frame: Frame, fresh: Collection[str]) -> str:
    """Nothing changes but for one value, which the change names, though the answers differ from value to value."""
    for spot in frame.spots:
        named = repr(spot.value) in fresh and not _is_usual(spot.value)
        if named and spot.same == len(spot.seen) >= LEAST_COPIES and spot.computed and not frame.control.failed:
            return f"with another value than {spot.value!r} the change makes no difference ({len(spot.seen)} tried)"
    return ""


def _is_usual(value: object) -> bool:
    """Whether code names such values anyway."""
    return bool(_WORD.fullmatch(value)) if isinstance(value, str) else isinstance(value, int) and abs(value) <= FEW


def _told(frame: Frame) -> str:
    same = sum(spot.same for spot in frame.spots)
    return f"with other inputs the change makes no difference ({same} of {frame.copies} tried)"


def _constant(frame: Frame, fresh: Collection[str]) -> str:
    """Other inputs get the answer of the test, and no other one that is new."""
    wanted = frame.control.copy.wanted
    held = [each for each in wanted if repr(each) in fresh]
    stuck = [each for spot in frame.spots for each in spot.seen if each.stuck and not each.same]
    if frame.moved or len(stuck) < LEAST_STUCK:
        return ""
    if _is_bound(frame):
        return ""
    varied = any(spot.varies for spot in frame.spots if spot.stuck) and _is_long(wanted)
    worded = all(isinstance(each, str) and _WORD.fullmatch(each) for each in held)
    worked = not worded and any(spot.computed for spot in frame.spots if spot.stuck)
    failed = all(each.failed for each in stuck) and any(_is_sample(spot.value) for spot in frame.spots)
    if varied or worked or (failed and (len(held) > 1 or _is_rich(held))):
        return f"other inputs get the answer of the test ({len(stuck)} of {frame.copies} tried)"
    return ""


def _is_bound(frame: Frame) -> bool:
    """Whether the answer that the test wants is the most or the least that there is: ``min(100, n)``.

    So when all answers of the unchanged project beyond it are replaced by it, and none of some on its other side.
    """
    wanted = [each for each in frame.control.copy.wanted if type(each) in (int, float)]
    if len(wanted) != 1:
        return False
    most = float(repr(wanted[0]))
    told = [(given, each.stuck) for spot in frame.spots for each in spot.seen for given in _given(each, most)]
    both = len({stuck for _, stuck in told}) > 1
    return both and any(all((given > most) == stuck for given, stuck in sides) for sides in (
        told, [(2 * most - given, stuck) for given, stuck in told]))


def _given(seen: Seen, wanted: float) -> list[float]:
    """The number that the unchanged project answers, by what its claim says."""
    found = [float(each) for each in _NUMBER.findall(seen.before.answer)] if seen.before.ended == "claim" else []
    return [each for each in found if each != wanted][:1]


def _exact(frame: Frame, fresh: Collection[str]) -> str:
    """A number that the change holds ready is the answer for one point among several numbers, and nowhere near it."""
    points = [spot for spot in frame.spots if isinstance(spot.value, int | float)
              and spot.same == len(spot.seen) >= LEAST_COPIES]
    numbers = [each for each in frame.control.copy.wanted if type(each) in (int, float)]
    if frame.moved or len(points) < LEAST_POINTS or not any(repr(each) in fresh for each in numbers):
        return ""
    return f"with any one of {len(points)} numbers changed the change makes no difference"


def _named(frame: Frame, fresh: Collection[str], documented: Callable[[object], bool]) -> str:
    """A name that the test made up matters: under no other name does it pass."""
    names = [spot for spot in frame.spots if spot.is_name and _is_brought(spot.value, fresh)
             and (_is_sample(spot.value) or not documented(spot.value))]
    several = sum(spot.is_name for spot in frame.spots) > 1
    for spot in names:
        if spot.known_alone and (several or len(str(spot.value)) == 1):
            return f"under another name than {spot.value!r} it fails ({len(spot.seen)} tried)"
    return ""


def _is_brought(value: object, fresh: Collection[str]) -> bool:
    """Whether a literal of the change is this value; a text counts in any size of its letters."""
    if repr(value) in fresh:
        return True
    text = value if isinstance(value, str) else repr(value)
    return any(text.lower() == each.strip("'\"").lower() for each in fresh)


def _is_rich(wanted: Sequence[object]) -> bool:
    """Whether an answer is hardly met by chance."""
    def rich(each: object) -> bool:
        if isinstance(each, bool) or each is None:
            return False
        if isinstance(each, int | float):
            return abs(each) > SMALL
        return isinstance(each, str | bytes) and len(each) > SMALL
    return len(wanted) > 1 or any(map(rich, wanted))


def _is_long(wanted: Sequence[object]) -> bool:
    """Whether an answer is one text that nobody hits upon."""
    return len(wanted) == 1 and isinstance(wanted[0], str | bytes) and len(wanted[0]) > SMALL


def _is_sample(value: object) -> bool:
    """Whether an input is one of many: a text with digits in it."""
    return isinstance(value, str) and any(sign.isdigit() for sign in value) and len(value) >= LEAST_STUCK
