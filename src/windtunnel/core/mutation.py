"""Whether tests would have noticed: the fates of seeded defects, and what follows from them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from windtunnel.core.suggestion import Suggestions

Scope = Literal["function", "module"]
_ID_LENGTH = 16


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    """A test noticed it."""
    SURVIVED = "survived"
    """Tests ran it, and none noticed."""
    UNTESTED = "untested"
    """No test runs it."""
    TIMEOUT = "timeout"
    """It did not end in time; nobody knows whether a test would have noticed."""
    SAME = "same"
    """It changes nothing."""
    FAILED = "failed"
    """It could not be tried."""
    NOT_JUDGED = "not judged"
    """Its turn did not come."""

    @property
    def counts(self) -> bool:
        """Whether it says something of the tests."""
        return self in (Fate.KILLED, Fate.SURVIVED, Fate.UNTESTED)


class Weakness(StrEnum):
    """Why a test is called weak."""

    ASSERTS_NOTHING = "asserts nothing"
    """No ``assert``, ``raises``, ``assertEqual`` or the like stands in it, nor in what it calls in its own file."""
    NOTICES_NOTHING = "notices nothing"
    """It runs mutants that other tests notice, and alone it noticed none of those that it was asked about."""
    NEVER_FIRST = "never the first to notice"
    """Whatever it notices, a cheaper test or one that notices more has noticed before."""


class State(StrEnum):
    """What a run of mutants says as a whole; only the first can ever be good."""

    JUDGED = "judged"
    NO_MUTANTS = "no mutants"
    """Nothing in what was asked about can be mutated."""
    NO_TESTS = "no tests"
    NO_TEST_PASSES = "no test passes"
    NOT_NOTICED = "a forced failure was not noticed"
    """The tests pass whatever happens: fates would prove nothing."""
    NONE_COUNTS = "no mutant was judged"
    """All timed out, could not be tried, or had no turn."""
    BROKEN = "the tests did not come to their end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A file with ``original`` replaced by ``replacement`` between two offsets, and nothing else changed."""

    id: str
    """The same after edits elsewhere in the file: it counts no lines."""
    path: str
    operator: str
    line: int
    """From 1."""
    column: int
    """From 0, in bytes of UTF-8, as ``ast`` counts."""
    end_line: int
    end_column: int
    original: str
    replacement: str
    start: int
    """In bytes of the file as it is stored."""
    end: int
    function: str
    """Qualified name of the innermost function that holds it; empty at module level."""
    scope: Scope
    """``function``: exchanging the code of the function is enough. ``module``: it acts when the module is imported."""
    description: str
    """One short line for people."""


def identity(*parts: str, ordinal: int) -> str:
    """A name made of what a mutant is and where it stands, told from its equals by their order."""
    # The lengths keep two different lists of parts from reading the same.
    text = "".join(f"{len(part)}:{part}" for part in parts) + f"#{ordinal}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A mutant with its fate."""

    mutant: Mutant
    fate: Fate
    by: str = ""
    """The test that noticed it."""
    way: str = ""
    """``switched`` in memory, ``fresh`` in a process that loaded it, ``disk`` in the file, ``kept`` from before,
    ``alone`` in a run of the tests of its own."""
    why: str = ""
    """Why it could not be tried, such as that it does not compile."""
    seconds: float = 0.0
    reached: int = 0
    """How many tests run it."""
    tests: tuple[str, ...] = ()
    """Some of those, where none of them noticed it."""
    footprint: str = ""
    """Of all that the fate rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A fate from before."""

    fate: Fate
    footprint: str
    """Of all that it rests on; it is taken only while that is the same."""
    by: str = ""
    """The test that noticed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """How often mutants survived before, by what they are and by where they are: (survived, judged)."""

    operators: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    functions: Mapping[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """By path and function."""


class Memory(Protocol):
    """Where fates are kept between runs."""

    def known(self, project: str, environment: str) -> Mapping[str, Kept]:
        """Fates found in this project with these surroundings, by the id of the mutant."""
        ...

    def experience(self, project: str) -> Experience:
        """What earlier runs in this project show."""
        ...

    def keep(self, project: str, environment: str, result: MutationResult) -> None:
        """Remember what a run found."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakTest:
    """A test that shows little of the code it runs."""

    test: str
    reason: Weakness
    reached: int = 0
    """How many judged mutants it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the score of all mutants is likely to be, from those of a random draw that were judged."""

    share: float
    """Of the draw: how many of those that say something were noticed."""
    low: float
    high: float
    """Wilson's interval: in 95 of 100 such runs the score of all lies between the two."""
    drawn: int
    """How many of the draw say something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationResult:
    """All mutants of a run."""

    state: State
    judged: tuple[Judged, ...] = ()
    tests: int = 0
    """How many pass and were used."""
    failing: tuple[str, ...] = ()
    """Tests set aside because they fail without any mutant."""
    flaky: tuple[str, ...] = ()
    """Tests set aside because they ended differently the second time."""
    dependent: tuple[str, ...] = ()
    """Tests set aside because they fail when others run before them in another order."""
    compared: int = 0
    """How many were tried both ways."""
    differing: int = 0
    """How many of those had another fate when loaded anew, which then counts."""
    dropped: int = 0
    """Mutants that compile to the same code, never tried."""
    execution_time: float = 0.0
    notes: tuple[str, ...] = ()
    weak: tuple[WeakTest, ...] = ()
    tries: int = 0
    """How many mutants were really tried, each counted once; the others were kept from before or no test runs them."""
    estimate: Estimate | None = None
    """Where not all were judged: what the score of all is likely to be."""
    suggestions: Suggestions | None = None
    """Tests that would have noticed; None where nobody asked for them."""

    @property
    def counts(self) -> dict[Fate, int]:
        """How many of each fate."""
        found = Counter(one.fate for one in self.judged)
        return {fate: found[fate] for fate in Fate if found[fate]}

    @property
    def score(self) -> float | None:
        """The share that tests noticed of all that say something; None where nothing does."""
        told = [one.fate for one in self.judged if one.fate.counts]
        return told.count(Fate.KILLED) / len(told) if told and self.state is State.JUDGED else None
