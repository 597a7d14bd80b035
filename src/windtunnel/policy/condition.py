"""Conditions, compiled once.

The compiler and its runtime are written in Rust (``common-expression-language``). What holds: only conditions whose
words, depth and cost were found good reach it; one that fails while it runs is a ``Failed``, never an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.core.limits import Limits
from windtunnel.core.policy import Request
from windtunnel.core.ports import Network
from windtunnel.core.result import Level
from windtunnel.policy import words
from windtunnel.policy.binding import binding
from windtunnel.policy.direct import Test, direct
from windtunnel.policy.facts import Facts, mask_of
from windtunnel.policy.kinds import check_kinds
from windtunnel.policy.words import BadCondition

if TYPE_CHECKING:
    import cel

BUDGET = 10_000_000
"""Steps that all conditions of a policy may take together, about a tenth of a microsecond each."""
_FAILURES = (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
_PLACE = re.compile(r"<input>:(\d+):(\d+): (.*)")
_SAMPLES = (
    Request(verb="run"),
    Request(verb="apply", actor="someone", roles=("developer",), project="/project", paths=("src/one.py",),
            languages=("python",), level=Level.PROCESS, network=Network(allow_hosts=("example.com",)), limits=Limits(),
            change_files=1, change_lines=1, commands=("make",)),
)


class Failed(Exception):
    """A condition has no answer for this request; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition, ready to be held against requests."""

    source: str
    fields: tuple[str, ...]
    mask: int
    """The same as one number."""
    program: cel.Program
    steps: tuple[int, ...]
    """How many steps are taken once, once for each item of a list, and so on."""
    test: Test | None = None
    """The same as a function, for requests of usual values; none where only the engine knows the answer."""

    def holds(self, facts: Facts) -> bool:
        """Its answer; ``Failed`` where it has none."""
        if facts.size > facts.most_items:
            raise Failed(f"too costly for a request of {facts.size} items (at most {facts.most_items})")
        try:
            if self.mask & ~facts.given:
                facts.give(self.fields)
            answer = self.program.execute(facts.context)
        except _FAILURES as error:
            raise Failed(_short(error)) from error
        except BaseException as error:
            raise _panic(error, Failed("the engine of conditions gave up on it")) from error
        if answer is True or answer is False:
            return answer
        raise Failed(f"it gives {type(answer).__name__}, not true or false")


def most_items(conditions: Iterable[Condition]) -> int:
    """The longest list of a request that these together are tried on."""
    steps = [sum(counts) for counts in zip(*(condition.steps for condition in conditions), strict=True)]
    low, high = 0, BUDGET
    while low < high:
        middle = (low + high + 1) // 2
        if sum(count * middle**power for power, count in enumerate(steps)) <= BUDGET:
            low = middle
        else:
            high = middle - 1
    return low


def compile_condition(source: str, *, left: int = BUDGET) -> Condition:
    """A condition from its text, for at most the steps that are left; a ``BadCondition`` says what is wrong with it."""
    found = words.read(source)
    if sum(found.steps) > left:
        raise BadCondition("too costly, with those before it (try fewer or plainer patterns)")
    for pattern in found.patterns:
        _run(f"''.matches({pattern})", said=source)
    made = Condition(source=source, fields=tuple(sorted(found.fields)),
                     mask=mask_of(found.fields), program=_compiled(" ".join(found.made), said=source),
                     steps=tuple(found.steps), test=direct(found.made))
    check_kinds(source, found.made, found.places)
    _try(made)
    return made


def _compiled(text: str, *, said: str) -> cel.Program:
    try:
        return binding().compile(text)  # type: ignore[no-any-return]  # loaded by its place
    except _FAILURES as error:
        raise BadCondition(_where(error, said)) from error
    except BaseException as error:
        raise _panic(error, BadCondition("the compiler cannot read it")) from error


def _panic(error: BaseException, ours: Exception) -> BaseException:
    """Ours, for a fault inside the compiled module, which is not an ``Exception``; the error itself for all others."""
    return ours if type(error).__name__ == "PanicException" else error


def _run(text: str, *, said: str) -> None:
    try:
        _compiled(text, said=said).execute()
    except _FAILURES as error:
        raise BadCondition(_short(error)) from error


def _where(error: Exception, said: str) -> str:
    """The compiler's word on what was really written, since the compiled text has other columns."""
    try:
        binding().compile(said)
    except _FAILURES as own:
        error = own
    match = _PLACE.search(str(error))
    if match is None:
        return _short(error)
    lines = said.split("\n")
    at = sum(len(line) + 1 for line in lines[: int(match[1]) - 1]) + int(match[2]) - 1
    return f"{words.place(said, at)}: {_short(match[3].partition(' expecting ')[0])}"


def _try(made: Condition) -> None:
    """Refuse a condition that cannot have an answer, whatever is asked."""
    reasons = []
    for sample in _SAMPLES:
        try:
            made.holds(Facts(sample))
        except Failed as failure:
            reasons.append(str(failure))
    if len(reasons) == len(_SAMPLES):
        raise BadCondition(f"never true or false: {reasons[-1]}")


def _short(error: object) -> str:
    text = re.sub(r"\s+", " ", str(error)).strip().removeprefix("ERROR: ")[:160]
    return "".join(letter if letter.isprintable() else "?" for letter in text) or type(error).__name__
