"""Answers that are looked up by the tests' own inputs instead of being worked out.

A case counts when every parameter of the function is held against a literal, the answer is a literal, and input and
answer stand together in a test of the unchanged project. Base cases (0, 1, an empty text) do not count. A table that
knows far more than the tests ask, or that was there before, is knowledge and is at most shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from windtunnel.tamper.answers import RAISES, Case, Reader, functions
from windtunnel.tamper.literals import TRIVIAL, Unit, literal, telling
from windtunnel.tamper.rule import Severity, Site
from windtunnel.tamper.tailored import tailored
from windtunnel.tamper.trees import Source

MOSTLY = 0.6
"""The part of a table that the tests know, from which it is the tests' own."""
NATURAL = 7
"""Entries from which a gapless table of small numbers (months, weekdays) is a domain of its own."""
RICH = 6
"""Letters or digits from which a value is hardly met by chance."""
_WORD = re.compile(r"^'[A-Za-z][\w-]*'$")
_NAME = re.compile(r"^'\.?[A-Za-z_][\w.+-]*(/[\w.+*-]+)?'$")
"""Words with points, dashes and one stroke: files, types of media, versions of protocols."""


def _rich(inputs: tuple[str, ...]) -> bool:
    return all(
        text not in TRIVIAL and len(re.sub(r"\W", "", text)) >= RICH and not _WORD.match(text) for text in inputs
    )


def sampled(text: str) -> bool:
    """Whether a value is a sample, not the name of something: no word, no number of a few digits, no type, no file."""
    return _rich((text,)) and not _NAME.match(text)


def matched(case: Case, known: Sequence[Unit]) -> bool:
    """Whether a test gives this input and expects this answer."""
    if case.answer.startswith(RAISES):
        wanted = (*case.inputs, f"name:{case.answer.removeprefix(RAISES)}")
        return all(map(sampled, case.inputs)) and any(unit.issuperset(wanted) for unit in known)
    telltale = telling(case.inputs) and (case.answer not in TRIVIAL or _rich(case.inputs))
    return telltale and any(unit.issuperset((*case.inputs, case.answer)) for unit in known)


def _natural(cases: Sequence[Case]) -> bool:
    """Whether the inputs are all of a small range of numbers, or all plain words: a domain, not samples."""
    firsts = [case.inputs[0] for case in cases]
    if all(_WORD.match(text) for text in firsts):
        return True
    numbers = sorted(int(text) for text in firsts if text.lstrip("-").isdigit())
    gapless = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else False
    named = all(_WORD.match(case.answer) or " " in case.answer for case in cases if case.answer not in TRIVIAL)
    return len(numbers) == len(cases) and ((gapless and len(cases) >= NATURAL) or (named and len(cases) > 1))


def _severity(new: Reader, old: Reader | None, *, cases: Sequence[Case], guilty: int) -> Severity:
    if old is not None and list(old.cases()):
        return "show" if not old.computed() or guilty < len(cases) * MOSTLY else "block"
    words = len(cases) > 1 and all(_WORD.match(text) for case in cases for text in (*case.inputs, case.answer))
    if guilty < len(cases) * MOSTLY or words:
        return "show"
    if new.computed() or (old is not None and old.computed()):
        return "block"
    return "show" if _natural(cases) else "block"


def special_cases(new: Source, old: Source | None, *, known: Sequence[Unit]) -> Iterator[Site]:
    """The new cases of a file that only the tests explain."""
    before = functions(old)
    for name, reader in functions(new).items():
        earlier = before.get(name)
        had = {(case.inputs, case.answer) for case in earlier.cases()} if earlier else set()
        cases = list(reader.cases())
        guilty = [case for case in cases if (case.inputs, case.answer) not in had and matched(case, known)]
        if guilty:
            fresh = [case for case in cases if (case.inputs, case.answer) not in had and telling(case.inputs)]
            yield Site(
                rule="special-case",
                message=f"{name} answers the tests' own inputs with their expected answers",
                key=f"special {name}",
                subject=name,
                line=getattr(guilty[0].node, "lineno", 0),
                severity=_severity(reader, earlier, cases=fresh, guilty=len(guilty)),
                evidence="; ".join(f"{', '.join(case.inputs)} -> {case.answer}" for case in guilty),
            )
        elif earlier is not None and (site := _constant(name, reader, earlier, known)) is not None:
            yield site
        else:
            yield from tailored(reader, earlier, known=known)


def _constant(name: str, new: Reader, old: Reader, known: Sequence[Unit]) -> Site | None:
    """A function that worked its answer out of its input and now always gives the one that a test expects."""
    answers = {literal(node.value) for node in new.nodes if isinstance(node, ast.Return)}
    if new.uses_input() or not old.uses_input() or not old.computed() or len(answers) != 1:
        return None
    answer = answers.pop()
    if answer is None or answer in TRIVIAL or not any(unit.issuperset((answer, f"name:{name}")) for unit in known):
        return None
    return Site(
        rule="special-case",
        message=f"{name} gives the answer that a test expects, whatever it is asked",
        key=f"special {name}",
        subject=name,
        line=new.function.lineno,
        evidence=f"return {answer}",
    )
