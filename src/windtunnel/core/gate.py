"""Whether the tests would have noticed a change: the nouns of the gate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import Fate, WeakTest
from windtunnel.core.randomness import fresh_id

_DOUBTS = ("deny", "allow", "skip")
"""The strictest first."""


class GateVerdict(StrEnum):
    """What to do with the change, as far as its tests go."""

    GOOD = "good"
    NOT_GOOD = "not good"
    NOTHING_JUDGED = "nothing judged"
    """Nobody knows; never to be taken for good."""


class GateState(StrEnum):
    """How far the judging came; only the first three can be good."""

    JUDGED = "judged"
    NO_MUTANTS = "nothing to mutate in the changed lines"
    """Good where a test fails without the change, which is then all that is known."""
    DELETES_ONLY = "the change only deletes"
    """The same."""
    NOTHING_CHANGED = "the change changes nothing"
    TESTS_ONLY = "the change touches tests alone"
    NOT_PYTHON = "the change touches no Python code of the product"
    NOTHING_RUNS = "the change touches nothing that runs"
    """Comments, docstrings, blank lines."""
    NOT_COMPILED = "the changed code does not compile"
    NO_TESTS = "no tests"
    NO_TEST_PASSES = "no test passes"
    NOT_NOTICED = "a forced failure was not noticed"
    """The tests pass whatever happens."""
    NONE_COUNTS = "no mutant was judged"
    """All timed out, could not be tried, or had no turn."""
    UNSURE = "too much could not be judged"
    """What timed out or had no turn could have turned the verdict."""
    BROKEN = "the tests did not come to their end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What a change must reach."""

    least: float = 0.5
    """The share of the mutants in its lines that tests must notice, from 0 to 1."""
    most_survivors: int | None = None
    """How many of them may go unnoticed; None for any number."""
    hollow: Literal["deny", "allow"] = "deny"
    """Whether a change is refused that no test fails without; a change that is to alter nothing needs ``allow``."""
    doubt: Literal["deny", "allow", "skip"] = "deny"
    """Whether a change is refused that seems to mend only what the tests look at; ``skip`` does not look for that."""

    def __post_init__(self) -> None:
        """Refuse what could never or always be reached by mistake."""
        if isinstance(self.least, bool) or not isinstance(self.least, int | float) or not 0 <= self.least <= 1 \
                or math.isnan(self.least):
            raise UsageError(f"least: {self.least!r:.40} is not a share from 0 to 1 (try 0.5)", field="least")
        most = self.most_survivors
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 0):
            raise UsageError(f"most_survivors: {most!r:.40} is not a number from 0 up", field="most_survivors")
        if self.hollow not in ("deny", "allow"):
            raise UsageError(f"hollow: {self.hollow!r:.40} is neither deny nor allow", field="hollow")
        if self.doubt not in _DOUBTS:
            raise UsageError(f"doubt: {self.doubt!r:.40} is none of {', '.join(_DOUBTS)}", field="doubt")

    def strictest(self, other: Thresholds | None) -> Thresholds:
        """What satisfies both."""
        if other is None:
            return self
        most = [one.most_survivors for one in (self, other) if one.most_survivors is not None]
        return Thresholds(least=max(self.least, other.least), most_survivors=min(most, default=None),
                          hollow="deny" if "deny" in (self.hollow, other.hollow) else "allow",
                          doubt=min(self.doubt, other.doubt, key=_DOUBTS.index))


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A mutant in a changed line that no test noticed."""

    path: str
    line: int
    operator: str
    description: str
    fate: Fate
    """``survived``, or ``untested`` where no test runs it."""
    diff: str
    """What the mutant changes, as a diff of whole lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revert:
    """A part of the change put back as it was, the rest of it left in place."""

    part: Literal["change", "file", "hunk", "line"]
    """``change`` is all of its product code at once."""
    path: str
    """Empty for a change of several files."""
    line: int
    """First line of it in the changed file; of lines that were deleted, the one before."""
    end_line: int
    fate: Fate
    by: str = ""
    """The test that fails without it."""
    diff: str = ""

    @property
    def unnoticed(self) -> bool:
        """Whether no test fails without it, for sure."""
        return self.fate in (Fate.SURVIVED, Fate.UNTESTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """One input on which patches that pass the same tests answer differently; all of it as the program shows it."""

    function: str
    arguments: str
    change: str
    """What the change answers."""
    other: str
    """What another patch answers that passes the same tests."""
    before: str
    """What the code before the change answers."""
    patch: str = ""
    """The function as that other patch has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """How the change stands among other patches that pass the same tests, on inputs that no test gives."""

    state: Literal["none", "doubtful", "hollow", "not judged"]
    """``hollow`` is refused; ``doubtful`` is for a person to read."""
    reason: str = ""
    """Why it is in doubt, or could not be judged."""
    share: float | None = None
    """Of the inputs: on how many a patch that passes the same tests answers otherwise than the change."""
    score: float | None = None
    """What the state follows from; above 0 is hollow."""
    inputs: int = 0
    tried: int = 0
    """How many other patches the tests judged."""
    passing: int = 0
    """How many of those pass them all."""
    against: int = 0
    """How many of the patches that were given pass them all, and answer some input otherwise."""
    witness: Witness | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The verdict on a change by what its tests would notice, and all that it rests on."""

    verdict: GateVerdict
    state: GateState
    reasons: tuple[str, ...] = ()
    """Why it is not good, or nothing was judged; for a good one, what was noticed."""
    score: float | None = None
    """The share of the mutants in changed lines that tests noticed, of all that say something; None where none does."""
    counts: Mapping[Fate, int] = field(default_factory=dict)
    """How many mutants in changed lines had each fate."""
    survivors: tuple[Survivor, ...] = ()
    untested: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Changed lines that no test runs, by file, as far as something in them could be mutated or put back."""
    reverts: tuple[Revert, ...] = ()
    hollow: bool | None = None
    """Whether no test fails without the change; None where that could not be told."""
    tests: int = 0
    """How many pass with the change and judged it."""
    set_aside: tuple[str, ...] = ()
    """Tests that fail with the change, or waver, and so judged nothing."""
    weak: tuple[WeakTest, ...] = ()
    exempting: tuple[str, ...] = ()
    """Comments of the change by which it would keep its own lines from being mutated, with their places, to be read: a
    change cannot exempt itself, so these lines were mutated all the same."""
    doubt: Doubt | None = None
    """How it stands among other patches that pass the same tests; None where that was not asked."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    execution_time: float = 0.0
    notes: tuple[str, ...] = ()
    id: str = field(default_factory=fresh_id)

    @property
    def success(self) -> bool:
        """Whether the tests would have noticed; false also where nobody knows."""
        return self.verdict is GateVerdict.GOOD

    @property
    def hollow_parts(self) -> tuple[Revert, ...]:
        """Hunks of the change that no test notices when they are put back."""
        return tuple(each for each in self.reverts if each.part == "hunk" and each.unnoticed)


class Verdicts(Protocol):
    """Where verdicts are kept between runs."""

    def verdict(self, project: str, key: str) -> tuple[float, str] | None:
        """When it was found, in seconds since 1970, and the verdict as JSON; None where there is none."""
        ...

    def keep_verdict(self, project: str, key: str, text: str) -> None:
        """Remember one."""
        ...
