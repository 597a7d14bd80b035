"""The gate's verdict for people: the verdict in one line, then what nobody would have noticed, as diffs.

Every name and line comes from a patch or a program: control characters are written as escapes, long ones are cut.
"""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.api.exports.text import counted, line_ranges, visible
from windtunnel.cli.render import seconds
from windtunnel.core.gate import GateResult, GateVerdict, Revert, Survivor, Witness
from windtunnel.core.mutation import Fate

_NAMED, _DIFF_LINES, _LABEL, _VALUE = 10, 8, 11, 160
_HEADS = {GateVerdict.GOOD: ("GOOD", "green"), GateVerdict.NOT_GOOD: ("NOT GOOD", "red"),
          GateVerdict.NOTHING_JUDGED: ("NOTHING JUDGED", "yellow")}

Line = tuple[str, str]
"""Text and the colour it may be shown in; no colour is an empty name."""


def gate_page(result: GateResult) -> list[Line]:
    """The whole report."""
    return [gate_headline(result), *_more_reasons(result), *(
        (f"{(label if not number else '').ljust(_LABEL)}{text}".rstrip(), shade)
        for label, told in gate_sections(result) for number, (text, shade) in enumerate(told))]


def gate_headline(result: GateResult) -> Line:
    """The verdict in one line."""
    word, shade = _HEADS[result.verdict]
    first = visible(result.reasons[0], most=200) if result.reasons else ""
    return f"{word}  {first}  ({seconds(result.execution_time)})", shade


def gate_sections(result: GateResult) -> Iterator[tuple[str, list[Line]]]:
    """What the verdict rests on; sections that say nothing are left out."""
    for label, told in (
        ("hollow", _hollow(result)), ("doubt", _doubt(result)), ("survivors", _survivors(result)),
        ("untested", _untested(result)), ("to read", _exempting(result)), ("put back", _reverts(result)),
        ("mutants", _counts(result)), ("tests", _tests(result)),
        ("notes", [(visible(note), "") for note in result.notes[:_NAMED]] + _rest(len(result.notes))),
    ):
        if told:
            yield label, told


def _more_reasons(result: GateResult) -> list[Line]:
    return [(f"  - {visible(reason)}", "") for reason in result.reasons] if result.reasons[1:] else []


def _hollow(result: GateResult) -> list[Line]:
    """Hunks that nothing notices; of a change that is hollow as a whole, all of it."""
    told: list[Line] = []
    for each in result.hollow_parts[:_NAMED]:
        why = "no test runs it" if each.fate is Fate.UNTESTED else "no test fails without it"
        told += [(f"{_place(each)}  {why}", "red" if result.hollow else "yellow"), *_diff(each.diff)]
    return told + _rest(len(result.hollow_parts))


def _doubt(result: GateResult) -> list[Line]:
    """One line, and the input that shows it; of a change that is in none, nothing."""
    doubt = result.doubt
    if doubt is None or doubt.state == "none":
        return []
    if doubt.state == "not judged":
        return [(f"not judged: {visible(doubt.reason)}", "grey")]
    told: list[Line] = [(visible(doubt.reason), "red" if doubt.state == "hollow" else "yellow")]
    return told + ([_witness(doubt.witness)] if doubt.witness is not None else [])


def _witness(one: Witness) -> Line:
    before = f", before: {visible(one.before, most=_VALUE)}" if one.before else ""
    other = f", another patch that passes: {visible(one.other, most=_VALUE)}" if one.other else ""
    call = f"{visible(one.function)}({visible(one.arguments, most=_VALUE)})"
    return f"  {call}  the change: {visible(one.change, most=_VALUE)}{other}{before}", ""


def _survivors(result: GateResult) -> list[Line]:
    told: list[Line] = []
    for one in result.survivors[:_NAMED]:
        told += [(_survivor(one), "yellow"), *_diff(one.diff)]
    return told + _rest(len(result.survivors))


def _survivor(one: Survivor) -> str:
    why = "no test runs it" if one.fate is Fate.UNTESTED else "no test notices"
    return f"{visible(one.path)}:{one.line}  {visible(one.operator)}: {visible(one.description)}  ({why})"


def _untested(result: GateResult) -> list[Line]:
    return [(f"{visible(path)}: {line_ranges(lines)}", "yellow")
            for path, lines in list(result.untested.items())[:_NAMED]]


def _exempting(result: GateResult) -> list[Line]:
    """A change cannot exempt itself, and somebody should know that it asked for it."""
    told: list[Line] = [(f"{visible(each)}  (mutated all the same)", "yellow") for each in result.exempting[:_NAMED]]
    return told + _rest(len(result.exempting))


def _reverts(result: GateResult) -> list[Line]:
    if not result.reverts:
        return []
    whole, hunks = result.reverts[0], [each for each in result.reverts if each.part == "hunk"]
    by = f" by {visible(whole.by)}" if whole.by else ""
    told: list[Line] = [(f"the whole change: {_noticed(whole)}{by}", "")]
    parts = [("hunks", hunks), ("lines", [each for each in result.reverts if each.part == "line"])]
    for word, some in parts:
        if some and (word != "hunks" or some[1:]):
            noticed = sum(each.fate is Fate.KILLED for each in some)
            told.append((f"{noticed} of {len(some)} {word} noticed", ""))
    return told


def _noticed(each: Revert) -> str:
    words = {Fate.KILLED: "noticed", Fate.SURVIVED: "not noticed", Fate.UNTESTED: "no test runs it"}
    return words.get(each.fate, f"not told ({each.fate})")


def _counts(result: GateResult) -> list[Line]:
    if not result.counts:
        return []
    score = f"score {result.score:.2f}  " if result.score is not None else ""
    return [(score + ", ".join(f"{number} {fate}" for fate, number in result.counts.items()), "")]


def _tests(result: GateResult) -> list[Line]:
    told: list[Line] = [(f"{counted(result.tests, 'test')} judged", "")] if result.tests else []
    if result.set_aside:
        names = ", ".join(visible(name) for name in result.set_aside[:3])
        told.append((f"{counted(len(result.set_aside), 'test')} set aside, failing or wavering: {names}", "yellow"))
    weak = [one for one in result.weak if one.reason == "asserts nothing" and one.reached]
    if weak:
        told.append((f"asserts nothing: {', '.join(visible(one.test) for one in weak[:3])}", "yellow"))
    return told


def _diff(text: str) -> list[Line]:
    lines = text.split("\n") if text else []
    shown = [(f"  {visible(line, most=160)}", "red" if line.startswith("-") else "green")
             for line in lines[:_DIFF_LINES]]
    return [*shown, *([("  …", "grey")] if len(lines) > _DIFF_LINES else [])]


def _place(each: Revert) -> str:
    lines = f"{each.line}" if each.line == each.end_line else f"{each.line}-{each.end_line}"
    return f"{visible(each.path)}:{lines}"


def _rest(count: int) -> list[Line]:
    return [(f"… {count - _NAMED} more", "grey")] if count > _NAMED else []
