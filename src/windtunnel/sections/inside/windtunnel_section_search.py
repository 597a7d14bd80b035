"""Looks for inputs that return normally and that run lines nobody ran before, and keeps few of them."""

from __future__ import annotations

import itertools
import random
import sys
import time
import zlib
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

import windtunnel_section_forks as forks  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_call import RETURNED, UNMADE, Caller  # type: ignore[import-not-found]  # the same
from windtunnel_section_drawn import drawn  # type: ignore[import-not-found]  # the same
from windtunnel_section_guess import Guesses, argument  # type: ignore[import-not-found]  # the same
from windtunnel_section_learned import MOST_MAKERS, MOST_REMARKS, Learned  # type: ignore[import-not-found]  # the same
from windtunnel_section_mine import Miner  # type: ignore[import-not-found]  # the same
from windtunnel_section_near import CHUNK, Kept, Near  # type: ignore[import-not-found]  # the same
from windtunnel_section_patterns import Heard, matching, patterns_of  # type: ignore[import-not-found]  # the same
from windtunnel_section_target import Inputs, Target  # type: ignore[import-not-found]  # the same
from windtunnel_section_trace import PLACE, Arc, Trace, spent  # type: ignore[import-not-found]  # the same

FEW, MANY, MOST_TRIES, IDLE = 120, 3000, 6000, 500
"""Ways to combine inputs once one returned, and before; tries in all, tries without news."""
WISHED, WALL_FACTOR = 1000, 8.0
IDLE_WHEN_ALL_RAN, MOST_LOST, MOST_MATCHED = 160, 12, 30
CALL_SECONDS, MOST_SEEDS = 2.0, 120


class Search:
    """Of one section."""

    def __init__(self, target: Target, order: Dict[str, Any], learned: Learned) -> None:
        self.target, self.order, self.learned = target, order, learned
        number = zlib.crc32(target.row["id"].encode("utf-8", "replace"))
        self.chance = random.Random(order["seed"] * 2**32 + number)
        self.until = time.monotonic() + WALL_FACTOR * order["seconds"]
        self.began = spent()
        self.guesses = Guesses(target, learned.makers)
        self.caller = Caller(target, order["seed"])
        self.trace = Trace()
        self.known: Set[Arc] = set()
        self.kept: List[Kept] = []
        self.seen: Set[Inputs] = set()
        self.tries = self.idle = self.returned = self.lost = 0
        self.wished: Set[Inputs] = set()
        """Inputs that somebody gave, which are kept whatever they do."""
        self.gone: List[Tuple[Inputs, str]] = []
        """Inputs that ended their process or never returned."""
        self.makers: List[Tuple[str, str]] = []
        self.near = Near(target, self.guesses, self.chance)
        self.lines: Set[int] = target.lines()
        self.file = target.code.co_filename if target.code is not None else ""
        self.patterns = Heard()
        self.matched: Set[Any] = set()
        self.patterns.listen()
        self._match(self._patterns())

    def _patterns(self) -> List[Any]:
        """That the code's own names stand for."""
        names = self.target.code.co_names if self.target.code is not None else ()
        owner = vars(self.target.owner) if isinstance(self.target.owner, type) else {}
        found: List[Any] = patterns_of({**vars(self.target.module), **owner}, names)
        return found

    def _match(self, patterns: List[Any]) -> None:
        fresh = [one for one in patterns if one not in self.matched][: max(0, MOST_MATCHED - len(self.matched))]
        if fresh:
            self.matched.update(fresh)
            self.guesses.match(matching(fresh, self.order["seed"]))

    def run(self) -> None:
        """Those that were written, those that can be guessed, and those near the best of them."""
        written = list(itertools.islice(self._written(), MOST_SEEDS))
        for inputs in written:
            self.guesses.take(inputs)
        self._all(iter(written), most=MOST_SEEDS)
        self._all(self.guesses.combined(), most=MANY, enough=FEW)
        if not self.returned:
            self.guesses.draw(lambda hint: drawn(hint, self.order["seed"]))
            self._all(self.guesses.combined(), most=MANY // 4, enough=1)
        while self.kept and not self._is_over():
            some = list(itertools.islice(self.near.of(self.kept, self.seen), CHUNK))
            if not some:
                break
            self._try(some)

    def _written(self) -> Iterator[Inputs]:
        given = list(self.learned.given(self.target))
        if self.target.needs_object:
            objects = self.guesses.receivers()[:3]
            given = [inputs if any(slot == "." for slot, _ in inputs) else ((".", text), *inputs)
                     for inputs in given for text in objects]
        self.wished = set(given)
        yield from given
        yield from Miner(self.target, self.learned.index).calls()

    def _all(self, source: Iterator[Inputs], *, most: int, enough: int = 0) -> None:
        """In chunks, up to ``most``, or ``enough`` of them once one returned."""
        tried = 0
        while tried < most and not self._is_late() and self.lost < MOST_LOST:
            if self.returned and enough and tried >= enough:
                return
            some = list(itertools.islice(source, CHUNK))
            if not some:
                return
            tried += len(some)
            self._try([inputs for inputs in some if inputs not in self.seen])

    def _is_over(self) -> bool:
        idle = IDLE_WHEN_ALL_RAN if self.returned and not self.lines - self.ran() else IDLE
        return self._is_late() or self.idle > idle or self.tries > MOST_TRIES or self.lost >= MOST_LOST

    def _is_late(self) -> bool:
        """By the processor, so that a busy machine finds the same; by the clock for what waits."""
        return bool(spent() - self.began > self.order["seconds"]) or time.monotonic() > self.until

    def ran(self) -> Set[int]:
        """Lines of its own that ran."""
        return {line for name, _, line in self.known if name == self.file} & self.lines

    def _try(self, some: List[Inputs]) -> None:
        self.seen.update(some)
        seconds = min(CALL_SECONDS, self.order["seconds"] / 2)
        for inputs, told, why in forks.each(some, self._attempt, seconds=seconds, until=self.until):
            self.tries += 1
            self.idle += 1
            if told is None:
                self.lost += 1
                self.gone.append((inputs, why))
                continue
            self._judge(inputs, told)

    def _attempt(self, inputs: Inputs) -> List[Any]:
        """In a copy: how it ended, which ways through the code are new, and what class its value is of."""
        self.patterns.take()
        with self.trace:
            told = self.caller(inputs)
        fresh = self.trace.take() - self.known
        self.known |= fresh
        place = ""
        if told["how"] == RETURNED:
            kind = type(self.caller.value_returned)
            module = sys.modules.get(kind.__module__)
            file = getattr(module, "__file__", None) or ""
            own = file.startswith(PLACE) and "<" not in kind.__qualname__
            place = kind.__module__ + ":" + kind.__qualname__ if own else ""
        return [told["how"], sorted(fresh), place, self.patterns.take()]

    def _judge(self, inputs: Inputs, told: List[Any]) -> None:
        try:
            how, fresh, place, patterns = told
            arcs = {(str(file), int(first), int(last)) for file, first, last in fresh} - self.known
        except (TypeError, ValueError):
            return  # it wrote into our pipe
        if patterns:
            self._match([one for one in patterns if isinstance(one, str)])
        if how == UNMADE:
            return
        self.known |= arcs
        is_first = how == RETURNED and not self.returned
        self.returned += how == RETURNED
        if inputs in self.wished:
            self.kept.append(Kept(inputs, how, WISHED))
        elif arcs or is_first or (how == RETURNED and sum(one.how == RETURNED for one in self.kept) < 3):
            self.kept.append(Kept(inputs, how, len(arcs)))
            self.idle = 0 if arcs else self.idle
            if how == RETURNED:
                self.guesses.take(inputs)
        if place and len(self.makers) < MOST_MAKERS and how == RETURNED:
            self.makers.append((place, self._as_text(inputs)))

    def _as_text(self, inputs: Inputs) -> str:
        """The whole call, for others to use what it makes."""
        parts = ", ".join(argument(slot, text, self.target) if slot.startswith("*") or slot == "." else
                          (slot + "=" + text if self._by_name(slot, inputs) else text)
                          for slot, text in inputs if slot != ".")
        name, last = str(self.target.row["name"]), str(self.target.name)
        receiver = dict(inputs).get(".")
        head = "(" + receiver + ")." + last if receiver else "wt.of(" + repr(self.target.module.__name__) + ")." + name
        return head if self.target.kind == "property" else head + "(" + parts + ")"

    def _by_name(self, slot: str, inputs: Inputs) -> bool:
        """Whether something before it was left out."""
        given = dict(inputs)
        for one in self.target.parameters:
            if one.name == slot:
                return bool(one.kind is one.KEYWORD_ONLY)
            if one.name not in given:
                return True
        return False

    def chosen(self, most: int) -> List[Inputs]:
        """What returned first, then by how much news each brought; in the order in which they were found."""
        order = sorted(range(len(self.kept)), key=lambda at: (self.kept[at].how != RETURNED, -self.kept[at].news, at))
        returned = [at for at in order if self.kept[at].how == RETURNED]
        others = [at for at in order if self.kept[at].how != RETURNED and self.kept[at].news]
        share = most if not others else max(1, most - max(1, most // 4))
        picked = returned[:share]
        picked += others[: most - len(picked)]
        picked += returned[share : share + most - len(picked)]
        return [self.kept[at].inputs for at in sorted(picked)]

def explore(target: Target, order: Dict[str, Any], learned: Learned, say: Callable[[Any], None]) -> None:
    """Tell the inputs that are worth keeping, each as it ends again in a copy of its own."""
    search = Search(target, order, learned)
    search.run()
    hostile = round(order["calls"] * order["hostile"] / 100)
    usual = search.chosen(max(1, order["calls"] - hostile))
    nasty_ones = search.near.hostile(search.kept, hostile)
    for inputs, end in _confirmed(search, usual):
        say({"kept": {"inputs": inputs, "hostile": False, **end}})
    for inputs, end in _confirmed(search, nasty_ones):
        say({"kept": {"inputs": inputs, "hostile": True, **end}})
    for inputs, why in search.gone[: 1 if search.kept else 2]:
        say({"kept": {"inputs": inputs, "hostile": False, **_gone(why)}})
    say({"tries": search.tries, "lines_run": len(search.ran()), "lines": len(search.lines), "makers": search.makers,
         "remarks": learned.remarks[:MOST_REMARKS], "unfit": learned.unfit})


def _gone(why: str) -> Dict[str, Any]:
    return {"how": "never returned" if why == forks.LATE else "ended the process", "message": why}


def _confirmed(search: Search, some: List[Inputs]) -> Iterator[Tuple[Inputs, Dict[str, Any]]]:
    """As a fresh process ends them, twice; a value that is another the second time has no digest."""
    until = time.monotonic() + search.order["seconds"] + CALL_SECONDS
    rounds = [{inputs: (told, why) for inputs, told, why in forks.each(
        some, search.caller, seconds=CALL_SECONDS, until=until)} for _ in range(2)]
    for inputs in some:
        first, second = (found.get(inputs, (None, "its turn did not come")) for found in rounds)
        told = first[0]
        if told is None:
            yield inputs, _gone(first[1])
        elif told["how"] != UNMADE:
            same = second[0] is not None and second[0].get("digest") == told.get("digest")
            yield inputs, {**told, "digest": told.get("digest", "") if same else ""}
