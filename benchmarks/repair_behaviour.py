"""Whether two programs behave alike on generated inputs: run as a script, told on its input, in a process of its own.

Arguments are drawn by expressions of the corpus from a generator with a fixed seed. Values must be equal (numbers with
a fraction to nine digits), arguments must be left in the same state, errors must be of the same class. The candidate
is a program of ours that was changed by an edit; it is held by limits of time and memory, not by a sandbox.
"""

from __future__ import annotations

import copy
import json
import math
import random
import resource
import signal
import sys
from collections.abc import Callable, Iterable
from types import GeneratorType
from typing import Any

CALLS = 150
CALL_SECONDS = 1.0
"""Of processor time, as a busy machine makes every clock unfair."""
_MEMORY_BYTES = 2 << 30
_MOST_ITEMS = 2000
_PRECISION = 1e-9


class Draw:
    """What the expressions of the corpus call; each draws from the one generator."""

    def __init__(self, seed: str) -> None:
        self.r = random.Random(seed)

    def n(self, low: int, high: int) -> int:
        return self.r.randint(low, high)

    def flip(self) -> bool:
        return self.r.random() < 0.5

    def pick(self, items: Any) -> Any:  # noqa: ANN401 -- any value at all
        return self.r.choice(items)

    def ints(self, most: int = 8, *, low: int = -9, high: int = 9, least: int = 0) -> list[int]:
        return [self.n(low, high) for _ in range(self.n(least, most))]

    def distinct(self, most: int = 8, *, low: int = 0, high: int = 30, least: int = 0) -> list[int]:
        return self.r.sample(range(low, high + 1), self.n(least, most))

    def word(self, most: int = 8, *, letters: str = "abcde", least: int = 0) -> str:
        return "".join(self.r.choice(letters) for _ in range(self.n(least, most)))

    def words(self, most: int = 6, *, letters: str = "abc", least: int = 0, each: int = 4) -> list[str]:
        return [self.word(each, letters=letters, least=1) for _ in range(self.n(least, most))]

    def grid(self, rows: int, columns: int, *, low: int = 0, high: int = 9) -> list[list[int]]:
        return [[self.n(low, high) for _ in range(columns)] for _ in range(rows)]

    def pairs(self, most: int = 6, *, low: int = 0, high: int = 9) -> list[tuple[int, int]]:
        return [(self.n(low, high), self.n(low, high)) for _ in range(self.n(0, most))]

    def spans(self, most: int = 6, *, low: int = 0, high: int = 20) -> list[tuple[int, int]]:
        return [(start, start + self.n(1, 6)) for start in self.ints(most, low=low, high=high)]

    def graph(self, most: int = 6, *, share: float = 0.4) -> dict[int, list[int]]:
        nodes = range(self.n(1, most))
        return {one: [other for other in nodes if other != one and self.r.random() < share] for one in nodes}

    def undirected(self, most: int = 6, *, share: float = 0.4) -> dict[int, list[int]]:
        nodes = range(self.n(1, most))
        made: dict[int, list[int]] = {one: [] for one in nodes}
        for one in nodes:
            for other in range(one):
                if self.r.random() < share:
                    made[one].append(other)
                    made[other].append(one)
        return made


def names(draw: Draw) -> dict[str, Any]:
    """For the expressions: the methods, and the generator itself as ``r``."""
    return {name: getattr(draw, name) for name in dir(draw) if not name.startswith("_")}


def same(one: Any, other: Any) -> bool:  # noqa: ANN401 -- any value at all
    """Equal, with some room for numbers that have a fraction."""
    if isinstance(one, float) and isinstance(other, int | float):
        close = math.isclose(one, other, rel_tol=_PRECISION, abs_tol=_PRECISION)
        return close or (math.isnan(one) and math.isnan(other))
    if isinstance(one, list | tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def outcome(call: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any, Any]:
    """What a call gives, and what it leaves of its arguments."""
    given = copy.deepcopy(arguments)
    signal.setitimer(signal.ITIMER_VIRTUAL, CALL_SECONDS)
    try:
        value = call(*given)
        if isinstance(value, GeneratorType | map | filter | zip | range):
            value = [item for item, _ in zip(value, range(_MOST_ITEMS), strict=False)]
    except TimeoutError:
        return ("endless", None, None)
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- what it raises is its behaviour
        return ("raised", type(error).__name__, None)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return ("gave", value, given)


def difference(good: str, other: str, *, name: str, inputs: str, driver: str = "", calls: int = CALLS) -> str:
    """The first call that tells them apart; empty where none does."""
    try:
        ours, theirs = (_callable(source, name=name, driver=driver) for source in (good, other))
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- a program that does not load behaves otherwise
        return f"does not load: {type(error).__name__}"
    draw = Draw(name)
    told = compile(f"({inputs},)" if not inputs.rstrip().endswith(",") else f"({inputs})", "<inputs>", "eval")
    for _ in range(calls):
        arguments = eval(told, names(draw))
        one, another = outcome(ours, arguments), outcome(theirs, arguments)
        if not same(one, another):
            return f"{name}{arguments!r}: {another[1]!r} is given, not {one[1]!r}"[:300]
    return ""


def _callable(source: str, *, name: str, driver: str) -> Callable[..., Any]:
    space: dict[str, Any] = {"__name__": name}
    exec(compile(f"{source}\n\n{driver}", name, "exec"), space)
    found: Callable[..., Any] = space["driver" if driver else name]
    return found


def _late(*_: object) -> None:
    raise TimeoutError


def main(lines: Iterable[str]) -> None:
    """One comparison for each line, as JSON; one line of JSON in answer."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    signal.signal(signal.SIGVTALRM, _late)
    for line in lines:
        print(json.dumps(difference(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.stdin)
