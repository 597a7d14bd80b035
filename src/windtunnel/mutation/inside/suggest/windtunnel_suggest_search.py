"""Looks for inputs of one function that tell it from its mutants, and for the fewest and shortest of them.

Real calls come first, then their neighbours, then neighbours of those that ran the mutated lines. Each input runs twice
on the function as it is: one that ends differently, or in which chance or the time of day have a part, is not used.
"""

from __future__ import annotations

import ast
import operator
import time
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Tuple

from windtunnel_suggest_attempt import RAISED, Attempt, Told  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_suggest_forks import LOST, each  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_target import Inputs  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_vary import variants  # type: ignore[import-not-found]  # the same

MOST_ROUNDS, MOST_IN_ROUND, MOST_BASES, MOST_POOL, MOST_CHECKS, MOST_SHRUNK = 6, 150, 8, 12, 12, 60
RANKS = {"value": 0, "raises": 30, ".": 20, "after": 25, "message": 80}
"""What an aspect costs in letters, against a shorter text with another one."""
CALLABLES = (str, bool, len, max, operator.sub, operator.add)
FURTHER = ("None", "0", "1", "''", "True", "str", "bool")
"""What further keywords are tried with, whose names stand in the code."""
MANY_DIGITS, MANY_COST = 12, 40
MOST_SHRINKS, MOST_TIMES = 5, 4
"""Times that what was found is made shorter, and that a round may be larger because many mutants are left."""
ALIKE = {"List": "sequence", "Tuple": "sequence", "iter": "sequence", "int": "number", "float": "number",
         "bool": "number"}
"""Kinds of which one may stand where another was seen."""
SINGLE = ("True", "False", "None")


class Check(NamedTuple):
    """One thing that a test could assert."""

    inputs: Inputs
    aspect: str
    expected: str


class Seen(NamedTuple):
    """What the function as it is does with an input."""

    told: Told
    lines: FrozenSet[int]


class Suspect(NamedTuple):
    """A mutant of the function."""

    number: int
    lines: FrozenSet[int]
    constants: List[Any]
    """Of its own line first, then of the function."""
    loads: bool
    """Whether it acts when its file is loaded, so that no line tells whether it ran."""


class Search:
    """Of one function."""

    def __init__(
        self, attempt: Attempt, suspects: List[Suspect], switch: Callable[[int], bool], *, memory: int, until: float,
    ) -> None:
        """``switch`` puts a mutant into the process that it is called in."""
        self.attempt, self.suspects, self.switch, self.memory, self.until = attempt, suspects, switch, memory, until
        self.seen: Dict[Inputs, Optional[Seen]] = {}
        self.shown: Dict[int, Dict[Check, None]] = {one.number: {} for one in suspects}
        self.used: Dict[Tuple[int, Inputs], None] = {}
        self.pool: Dict[str, Dict[str, None]] = {}
        self.kinds: Dict[str, Dict[str, None]] = {}
        self.tries: Dict[int, int] = dict.fromkeys(self.shown, 0)
        self.chance, self.dumb = 0, 0

    def run(self, calls: List[Inputs]) -> None:
        """As long as there is time and something left to find."""
        for inputs in sorted(calls, key=_size):
            for slot, text in inputs:
                self.pool.setdefault(_pool(slot), {})[text] = None
                self.kinds.setdefault(_pool(slot), {})[_kind(text)] = None
        for name, value in self.attempt.target.defaults.items():
            text = self.attempt.writer.text(value)
            if name in self.kinds and text:
                self.kinds[name][_kind(text)] = None
        self._add_callables()
        fresh = sorted(calls, key=_size)[:MOST_IN_ROUND]
        for _ in range(MOST_ROUNDS):
            self._try(fresh, self._open())
            if not self._open() or time.monotonic() > self.until:
                break
            fresh = self._further()
        for _ in range(MOST_SHRINKS):
            shorter = [inputs for inputs in self._shorter() if inputs not in self.seen]
            if not shorter or time.monotonic() > self.until:
                break
            self._try(shorter, [one for one in self.suspects if self.shown[one.number]])
        self._again()

    def _add_callables(self) -> None:
        """Functions that everybody has, beside those that were given to it."""
        names = self.attempt.writer.names
        for texts in self.pool.values():
            named = [text for text in texts if _kind(text) == "callable" and text not in SINGLE]
            if any(callable(eval(text, dict(names.space))) for text in named):
                texts.update(dict.fromkeys(filter(None, map(names.of, CALLABLES))))

    def _open(self) -> List[Suspect]:
        return [one for one in self.suspects if not self.shown[one.number]]

    def _try(self, fresh: List[Inputs], suspects: List[Suspect]) -> None:
        fresh = [inputs for inputs in dict.fromkeys(fresh) if inputs not in self.seen]
        watched = self._each(fresh, self.attempt.watched)
        plain = self._each(fresh, self.attempt)
        for inputs, first, second in zip(fresh, watched, plain):
            self.seen[inputs] = None
            if LOST in (first, second) or not first[0]:
                continue
            if first[2] or first[0] != second:
                self.chance += 1
            elif len(first[0]) == 1:
                self.dumb += 1
                self.seen[inputs] = Seen({}, frozenset(first[1]))
            else:
                self.seen[inputs] = Seen(first[0], frozenset(first[1]))
        for one in suspects:
            self._compare(one, fresh)

    def _each(self, inputs: List[Inputs], act: Callable[[Inputs], Any], number: int = -1) -> List[Any]:
        found: List[Any] = each(inputs, act, prepare=lambda: number < 0 or self.switch(number), memory=self.memory,
                                until=self.until)
        return found

    def _compare(self, suspect: Suspect, fresh: List[Inputs]) -> None:
        reaching = [inputs for inputs in fresh if self._reaches(inputs, suspect)]
        self.tries[suspect.number] += len(reaching)
        for inputs, told in zip(reaching, self._each(reaching, self.attempt, suspect.number) if reaching else ()):
            seen = self.seen[inputs]
            if told != LOST and seen is not None:
                for aspect, expected in self._differing(inputs, seen.told, told):
                    self.shown[suspect.number][Check(inputs, aspect, expected)] = None

    def _reaches(self, inputs: Inputs, suspect: Suspect) -> bool:
        seen = self.seen.get(inputs)
        return seen is not None and bool(seen.told) and (suspect.loads or not seen.lines.isdisjoint(suspect.lines))

    def _differing(self, inputs: Inputs, told: Told, other: Told) -> Iterator[Tuple[str, str]]:
        for aspect, text in told.items():
            if aspect == "shape" or (aspect == "message" and other.get("raises") != told["raises"]):
                continue
            taken_otherwise = aspect == "value" and told["shape"] == "plain" != other.get("shape")
            if taken_otherwise or not self._same(text, other.get(aspect)):
                yield aspect, text
        if "raises" not in told and other.get("shape") not in RAISED:
            given = dict(inputs)
            for aspect in other:
                slot = aspect[len("after ") :] if aspect.startswith("after ") else ""
                if slot in given and aspect not in told:
                    yield aspect, given[slot]

    def _same(self, text: str, other: Optional[str]) -> bool:
        """Whether ``==`` could tell one from the other, or ``is`` where a test would say so."""
        if text == other or other is None or text in SINGLE:
            return text == other
        try:
            space = dict(self.attempt.writer.names.space)
            return bool(eval(text, space) == eval(other, space))
        except Exception:
            return False

    def _further(self) -> List[Inputs]:
        """Neighbours of the most promising inputs of each mutant that is left, in turn."""
        ways = [self._around(one) for one in self._open()]
        most = MOST_IN_ROUND * min(len(ways), MOST_TIMES)
        found: Dict[Inputs, None] = {}
        while ways and len(found) < most:
            for way in list(ways):
                fresh = next((inputs for inputs in way if inputs not in self.seen and inputs not in found
                              and not self._odd(inputs)), None)
                if fresh is None:
                    ways.remove(way)
                else:
                    found[fresh] = None
        return list(found)

    def _around(self, suspect: Suspect) -> Iterator[Inputs]:
        ways = [self._neighbours(base, suspect.constants) for base in self._bases(suspect)]
        while ways:
            for way in list(ways):
                fresh = next(way, None)
                if fresh is None:
                    ways.remove(way)
                else:
                    yield fresh

    def _bases(self, suspect: Suspect) -> List[Inputs]:
        """Those that ran its lines, else those that ran most; the shortest of each kind of outcome first."""
        known = [(inputs, seen) for inputs, seen in self.seen.items()
                 if seen is not None and (suspect.number, inputs) not in self.used]
        near = [one for one in known if self._reaches(one[0], suspect)]
        order = sorted(near or known, key=lambda one: (0 if near else -len(one[1].lines), _size(one[0])))
        kinds: Dict[Any, int] = {}
        ranked: List[Tuple[int, int, Inputs]] = []
        for inputs, seen in order:
            kind = (seen.lines, seen.told.get("shape"))
            kinds[kind] = kinds.get(kind, 0) + 1
            ranked.append((kinds[kind], len(ranked), inputs))
        bases = [inputs for _, _, inputs in sorted(ranked)[:MOST_BASES]]
        self.used.update(dict.fromkeys((suspect.number, inputs) for inputs in bases))
        return bases

    def _neighbours(self, base: Inputs, constants: List[Any]) -> Iterator[Inputs]:
        """One slot changed, in turn; then slots left out, added, or taken from other calls."""
        ways = [self._slot(base, at, constants) for at in range(len(base))]
        ways += [self._added(base, constants), self._borrowed(base)]
        while ways:
            for way in list(ways):
                fresh = next(way, None)
                if fresh is None:
                    ways.remove(way)
                else:
                    yield fresh

    def _slot(self, base: Inputs, at: int, constants: List[Any]) -> Iterator[Inputs]:
        slot, text = base[at]
        target = self.attempt.target
        if slot in target.defaults or slot.startswith("*"):
            yield base[:at] + base[at + 1 :]
        if target.defaults.get(slot, 0) is None and text != "None":
            yield (*base[:at], (slot, "None"), *base[at + 1 :])
        for other in variants(text, constants):
            yield (*base[:at], (slot, other), *base[at + 1 :])

    def _added(self, base: Inputs, constants: List[Any]) -> Iterator[Inputs]:
        """Optional ones that the call left to their defaults."""
        given, target, writer = dict(base), self.attempt.target, self.attempt.writer
        for name, value in target.defaults.items():
            if name in given:
                continue
            text = writer.text(value)
            others = [*list(self.pool.get(name, ()))[:MOST_POOL], *(variants(text, constants) if text else ())]
            for other in others:
                yield (*base, (name, other))
        for word in [one for one in constants if isinstance(one, str) and one.isidentifier()] if target.further else ():
            if word not in target.parameters() and "**" + word not in given:
                for other in FURTHER:
                    yield (*base, ("**" + word, other))
        if target.rest:
            count = sum(slot.startswith("*") and not slot.startswith("**") for slot, _ in base)
            for other in list(self.pool.get("*", ()))[:MOST_POOL]:
                yield (*base, ("*" + str(count), other))

    def _borrowed(self, base: Inputs) -> Iterator[Inputs]:
        for at, (slot, text) in enumerate(base):
            for other in list(self.pool.get(_pool(slot), ()))[:MOST_POOL]:
                if other != text:
                    yield (*base[:at], (slot, other), *base[at + 1 :])

    def cost(self, check: Check) -> int:
        """In letters that a person has to read; numbers with many digits are no good example."""
        call = self.attempt.target.call(check.inputs, self.attempt.callee)
        rank = next(rank for name, rank in RANKS.items() if check.aspect.startswith(name))
        many = sum(part.isdigit() for part in check.expected) > MANY_DIGITS
        return len(call) + len(check.expected) + rank + (MANY_COST if many else 0)

    def _odd(self, inputs: Inputs) -> bool:
        """Whether something is of a kind that no test gave to it: what follows says little of the code."""
        known = [(self.kinds.get(_pool(slot)), text) for slot, text in inputs]
        # Where nothing but None was ever given, nobody knows what else it takes.
        return any(kinds is not None and {*kinds} != {"NoneType"} and _kind(text) not in kinds for kinds, text in known)

    def best(self, number: int) -> List[Check]:
        """Those that show this mutant, the simplest first."""
        return sorted(self.shown[number], key=lambda check: (self.cost(check), check))[:MOST_CHECKS]

    def _shorter(self) -> List[Inputs]:
        """Simpler neighbours of the simplest that were found."""
        found: Dict[Inputs, None] = {}
        for suspect in self.suspects:
            for check in self.best(suspect.number)[:2]:
                near = [inputs for inputs in self._neighbours(check.inputs, [])
                        if _size(inputs) < _size(check.inputs) and not self._odd(inputs)]
                found.update(dict.fromkeys(sorted(near, key=_size)[:MOST_SHRUNK // 2]))
        return sorted(found, key=_size)[:MOST_SHRUNK]

    def _again(self) -> None:
        """What the best of each mutant say of all others."""
        wanted = dict.fromkeys(check.inputs for one in self.suspects for check in self.best(one.number))
        for one in self.suspects:
            if self.shown[one.number]:
                known = {check.inputs for check in self.shown[one.number]}
                self._compare(one, [inputs for inputs in wanted if inputs not in known])

    def chosen(self) -> List[Tuple[Check, List[int]]]:
        """The fewest checks that show all that can be shown, each with the mutants that are left to it."""
        left = {number: set(checks) for number, checks in self.shown.items() if checks}
        found = []
        while left:
            offered = dict.fromkeys(check for number in left for check in self.best(number))
            kills = {check: [number for number in left if check in left[number]] for check in offered}
            check = min(offered, key=lambda check: (-len(kills[check]), self.cost(check), check))
            found.append((check, kills[check]))
            for number in kills[check]:
                del left[number]
        return found


def _pool(slot: str) -> str:
    """All that follow the named ones share theirs."""
    return slot.strip("*0123456789") or "*"


def _kind(text: str) -> str:
    """Roughly, of which type the value is."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    name = type(node.value).__name__ if isinstance(node, ast.Constant) else type(node).__name__
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name = node.func.id
    if name in ("Name", "Attribute", "Lambda"):
        name = "callable"
    return ALIKE.get(name, name)


def _size(inputs: Inputs) -> Tuple[int, Inputs]:
    return sum(len(text) + 2 for _, text in inputs), inputs
