"""A trial for people: the verdict in one line, then what it rests on, the important things first.

Every name and message comes from a patch or a program: control characters are written as escapes, long ones are cut.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from windtunnel.api.exports.text import command, counted, fates, place, tests_by_id, visible
from windtunnel.cli.gate_text import gate_headline, gate_sections
from windtunnel.cli.render import seconds, size
from windtunnel.core.effects import FileEffect
from windtunnel.core.result import Reason
from windtunnel.core.trial import Channel, CheckReport, ExecutionTestResult, SandboxResult, TamperFinding

_NAMED = 10
_LABEL = 11
_LEAST_WIDTH, _WIDE = 40, 500
_COLOURS = {"broken": "red", "new and failing": "red", "vanished": "red", "silenced": "red", "flaky": "yellow",
            "fixed": "green", "new": "green", "still failing": "yellow"}
_EXPLAINED = ("broken", "new and failing")
_READ = {Channel.LIVE: "sealed records", Channel.FILE: "a report file", Channel.STREAM: "machine-readable output",
         Channel.TEXT: "read from words for people", Channel.EXIT_CODE: "exit code alone"}
_WALLS = ("network", "memory", "system calls", "capabilities")
_WATCHES = {"files": "files", "processes": "processes", "network": "network", "blocked": "refused calls"}

Line = tuple[str, str]
"""Text and the colour it may be shown in; no colour is an empty name."""


def trial_lines(
    result: SandboxResult, *, project: str, width: int | None = None, slowest: int = 0,
) -> list[Line]:
    """The whole report; ``width`` is the terminal's, None where nobody counts columns."""
    columns = _WIDE if width is None else max(width, _LEAST_WIDTH)
    lines = [headline(result), *_why(result)]
    for label, told in (*_sections(result, project), *([("slowest", _slowest(result, slowest))] if slowest else ())):
        for number, (text, shade) in enumerate(told):
            lead = (label if number == 0 else "").ljust(_LABEL)
            lines.append((lead + cut(text, columns - _LABEL), shade))
    return [(cut(text, columns).rstrip(), shade) for text, shade in lines]


def headline(result: SandboxResult) -> Line:
    """The verdict in one line."""
    took = f"({seconds(result.execution_time)})"
    if result.success and result.to_read:
        read, things = result.to_read[0], counted(len(result.to_read), "thing")
        words = visible(f"{place(read.path, read.line)} {read.message}".strip(), most=160)
        return f"GOOD, with {things} to read: {words}  ({_improvement(result)})  {took}", "yellow"
    if result.success:
        return f"GOOD  {_improvement(result)}  {took}", "green"
    first = visible(result.reasons[0], most=200) if result.reasons else "no reason was given"
    more = f"; {counted(len(result.reasons) - 1, 'more reason')}" if result.reasons[1:] else ""
    return f"NOT GOOD  {first}{more}  {took}", "red"


def cut(text: str, columns: int) -> str:
    """At most so many columns on the screen, with the middle left out: both ends of a test's name tell something."""
    if _columns(text) <= columns:
        return text
    head = _fitting(text, (columns - 1) * 2 // 3)
    tail = _fitting(text[::-1], columns - 1 - _columns(head))[::-1]
    return f"{head}…{tail}"


def _columns(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_wide, text))


def _wide(char: str) -> int:
    return 0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _fitting(text: str, columns: int) -> str:
    used = 0
    for number, char in enumerate(text):
        used += _wide(char)
        if used > columns:
            return text[:number]
    return text


def _improvement(result: SandboxResult) -> str:
    fixed, new = len(result.delta.fixed), len(result.delta.new)
    parts = [counted(fixed, "test fixed", plural="tests fixed")] if fixed else []
    parts += [counted(new, "new test")] if new else []
    return ", ".join([*parts, "nothing broken" if result.test_results else "nothing broken, but no test looked"])


def _why(result: SandboxResult) -> list[Line]:
    if result.success or len(result.reasons) < 2:  # noqa: PLR2004 -- one reason stands in the verdict
        return []
    return [(f"  - {visible(reason)}", "") for reason in result.reasons]


def _sections(result: SandboxResult, project: str) -> Iterator[tuple[str, list[Line]]]:
    yield "", [("", "")]
    yield "tests", _tests(result)
    for label, told in (
        ("lint", _lint(result)), ("tamper", _tamper(result)), ("gate", _gate(result)), ("effects", _files(result)),
        ("network", _network(result)), ("processes", _processes(result)), ("refused", _refused(result)),
        ("notes", _plain(result.notes)),
    ):
        if told:
            yield label, told
    yield "", [("", "")]
    yield "checks", [(_check(report), "" if report.success else "yellow") for report in result.reports] or [
        ("none ran", "yellow")]
    yield "project", [(visible(project), "grey"), (_baseline(result), "grey")]
    yield "walls", [(_walls(result), "grey"), (_watched(result), "grey")]
    yield "used", [(_used(result), "grey")]
    yield "trial", [(visible(result.id), "grey")]


def _tests(result: SandboxResult) -> list[Line]:
    known = tests_by_id(result)
    told: list[Line] = []
    for words, names in fates(result.delta):
        if names:
            told.append((f"{words:15}  {len(names)}", _COLOURS[words]))
            told += _named(names, known, explained=words in _EXPLAINED)
    if result.delta.still_passing:
        told.append((f"{'still passing':15}  {result.delta.still_passing}", ""))
    ran = any(test.status.good or test.status.bad for test in result.test_results)
    return told if told and ran else [*told, ("none was run; that is never a pass", "red")]


def _slowest(result: SandboxResult, most: int) -> list[Line]:
    ordered = sorted(result.test_results, key=lambda test: -test.duration_seconds)
    return [(f"{seconds(test.duration_seconds):>8}  {visible(test.id)}", "grey") for test in ordered[:most]]


def _named(names: Sequence[str], known: dict[str, ExecutionTestResult], *, explained: bool) -> Iterator[Line]:
    for name in names[:_NAMED]:
        yield f"  {visible(name)}", ""
        message = known[name].message if explained and name in known else ""
        first = next((line.strip() for line in message.splitlines() if line.strip()), "")
        if first:
            yield f"    {visible(first, most=300)}", "grey"
    yield from _rest(len(names))


def _rest(number: int) -> list[Line]:
    return [(f"  … {number - _NAMED} more", "grey")] if number > _NAMED else []


def _lint(result: SandboxResult) -> list[Line]:
    found, gone = result.new_findings, result.fixed_findings
    if not found and not gone:
        return []
    less = f", {gone} gone" if gone else ""
    told: list[Line] = [(f"{counted(len(found), 'new finding')}{less}", "yellow" if found else "green")]
    for each in found[:_NAMED]:
        words = [place(each.path, each.line, each.column), f"{each.tool} {each.rule}", each.message]
        told.append((f"  {'  '.join(visible(word, most=300) for word in words)}", ""))
    return told + _rest(len(found))


def _tamper(result: SandboxResult) -> list[Line]:
    ordered = sorted(result.tamper, key=lambda found: found.severity != "block")
    told = [line for found in ordered[:_NAMED] for line in _bent(found)]
    return told + _rest(len(ordered))


def _bent(found: TamperFinding) -> Iterator[Line]:
    blocks = found.severity == "block"
    where = place(found.path, found.line)
    words = ["blocks" if blocks else "look", found.rule, *([where] if where else []), found.message]
    yield "  ".join(visible(word, most=300) for word in words), "red" if blocks else "yellow"
    if found.evidence:
        yield f"  {visible(found.evidence.strip(), most=200)}", "grey"


def _gate(result: SandboxResult) -> list[Line]:
    if result.gate is None:
        return []
    sections = (line for _, told in gate_sections(result.gate) for line in told)
    return [gate_headline(result.gate), *((f"  {text}", shade) for text, shade in sections)]


def _files(result: SandboxResult) -> list[Line]:
    effects = result.effects
    odd = sorted(effects.unexpected, key=lambda file: not file.runs_later)
    told: list[Line] = [(_file(file), "red" if file.runs_later else "yellow") for file in odd[:_NAMED]]
    told += _rest(len(odd))
    usual = Counter(file.litter for file in effects.files if file.litter)
    if usual:
        kinds = ", ".join(f"{number} {visible(what)}" for what, number in usual.most_common())
        told.append((f"usual litter, folded away: {kinds}", "grey"))
    if effects.files_omitted:
        told.append((f"{counted(effects.files_omitted, 'more file')} not listed", "yellow"))
    return told


def _file(file: FileEffect) -> str:
    meaning = f"; would run later: {visible(file.runs_later)}" if file.runs_later else ""
    much = f" ({size(file.size)})" if file.act != "deleted" and file.kind == "file" else ""
    kind = "" if file.kind == "file" else f" {file.kind}"
    return f"{file.act}{kind} {visible(file.path.removeprefix('/workspace/'))}{much}{meaning}"


def _network(result: SandboxResult) -> list[Line]:
    tried = result.effects.network
    told: list[Line] = [(f"{visible(each.target)}  {each.outcome} {each.count} times, {visible(each.rule)}", "yellow")
                        for each in tried[:_NAMED]]
    more = result.effects.network_omitted + max(0, len(tried) - _NAMED)
    return [*told, *([(f"  … {more} more", "grey")] if more else [])]


def _processes(result: SandboxResult) -> list[Line]:
    left = Counter(result.effects.processes_left)
    return [(f"left running, then ended: {_counts(left.items())}", "yellow")] if left else []


def _refused(result: SandboxResult) -> list[Line]:
    calls: Counter[str] = Counter()
    for call in result.effects.blocked:
        calls[call.name] += call.count
    return [(f"system calls: {_counts(calls.items())}", "yellow")] if calls else []


def _counts(items: Iterable[tuple[str, int]]) -> str:
    shown = [visible(name) + (f" {number} times" if number > 1 else "") for name, number in items]
    return ", ".join(shown[:_NAMED]) + (f", … {len(shown) - _NAMED} more" if len(shown) > _NAMED else "")


def _plain(notes: Sequence[str]) -> list[Line]:
    return [(visible(note), "") for note in notes[:_NAMED]] + _rest(len(notes))


def _check(report: CheckReport) -> str:
    check = report.check
    source = "as given" if check.found_in == "given" else f"from {visible(check.found_in)}"
    ended = f"exit code {report.exit_code}" if report.reason is Reason.EXITED else f"stopped: {report.reason}"
    return (f"{check.kind:5}  {visible(command(report))}  ({source}; {ended}; {seconds(report.execution_time)}; "
            f"{_READ[report.channel]})")


def _baseline(result: SandboxResult) -> str:
    kept = "baseline kept from an earlier trial" if result.baseline_cached else "baseline run now, and kept"
    copied = ", shown as a copy" if result.workspace == "copy" else ""
    touched = counted(len(result.changes), "file")
    return f"{kept}; {touched} changed{copied}; the folder itself was not touched"


def _walls(result: SandboxResult) -> str:
    if result.level is None:
        return "nothing ran"
    shown = [f"{name} {visible(result.enforced[name], most=60)}" for name in _WALLS if name in result.enforced]
    rest = len(result.enforced) - len(shown)
    more = f", and {rest} more (--json lists them)" if rest > 0 else ""
    return f"{result.level} level: {', '.join(shown)}{more}"


def _watched(result: SandboxResult) -> str:
    seen = [words for name, words in _WATCHES.items() if name in result.effects.watched]
    unseen = [words for name, words in _WATCHES.items() if name not in result.effects.watched]
    blind = f"; not watched: {', '.join(unseen)}" if unseen else ""
    return f"watched: {', '.join(seen) or 'nothing'}{blind}"


def _used(result: SandboxResult) -> str:
    used = result.usage
    return (f"{seconds(used.cpu_seconds)} of processor, {size(used.memory_peak_bytes)} of memory at most, "
            f"{used.processes_peak or '-'} processes, {size(used.disk_bytes)} of files")
