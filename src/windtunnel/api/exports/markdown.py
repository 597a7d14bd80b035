"""Markdown for pull requests.

Every word of a program, patch or tool is put in a ``code`` element with each sign that Markdown, HTML or a forge
could read written as a character reference; so it makes no markup, no link, no mention and no reference to an issue.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windtunnel.api.exports.text import command, counted, fates, place, tests_by_id, visible, visible_lines
from windtunnel.core.trial import SandboxResult

_NAMED, _MOST_LINES, _MOST = 20, 50, 60_000
_PLACE = "/workspace/"
_BAD_FATES = ("broken", "new and failing", "vanished", "silenced")


def markdown_text(result: SandboxResult) -> str:
    """Verdict, counts, and the rest folded away."""
    mark = "✅ **Good**" if result.success else "❌ **Not good**"
    head = [f"### Windtunnel: {mark}", *_reasons(result), _table(result)]
    foot = _foot(result)
    return "\n\n".join([*head, *within(_folded(result), _MOST - sum(map(len, (*head, foot)))), foot]) + "\n"


def within(parts: Iterable[str], room: int) -> Iterable[str]:
    """As many as fit in a comment; a forge refuses one that is too long."""
    for part in parts:
        room -= len(part) + 2
        if room < 0:
            yield "… the rest was left out: too long for a comment"
            return
        yield part


def harmless(text: str, *, most: int = 300) -> str:
    """One line of somebody else's words, as code."""
    return f"<code>{_references(visible(text, most=most))}</code>" if text.strip() else ""


def _references(text: str) -> str:
    return "".join(char if char in " -/" or char.isalnum() or not char.isascii() else f"&#{ord(char)};"
                   for char in text)


def _reasons(result: SandboxResult) -> list[str]:
    read = [f"- **to read**: {harmless(place(each.path, each.line))} {harmless(each.message)}"
            for each in result.to_read[:_NAMED]]
    if not result.reasons:
        return ["\n".join(["Nothing broken.", "", *read]).rstrip()]
    lines = [f"- {harmless(reason)}" for reason in result.reasons[:_NAMED]]
    return ["\n".join([*lines, *_more(len(result.reasons) - _NAMED, "- "), *read])]


def _table(result: SandboxResult) -> str:
    rows = [(words, len(names)) for words, names in fates(result.delta)]
    rows += [("still passing", result.delta.still_passing), ("new lint findings", len(result.new_findings)),
             ("tamper findings", len(result.tamper)), ("unexpected files", len(result.effects.unexpected)),
             ("network attempts", len(result.effects.network))]
    shown = [(words, number) for words, number in rows if number or words in {"broken", "fixed"}]
    return "\n".join([
        "| " + " | ".join(words for words, _ in shown) + " |", "|" + " ---: |" * len(shown),
        "| " + " | ".join(str(number) for _, number in shown) + " |"])


def _folded(result: SandboxResult) -> Iterable[str]:
    known = tests_by_id(result)
    for words, names in fates(result.delta):
        items = [harmless(name) + (f" {harmless(known[name].message.partition(chr(10))[0])}"
                                   if words in _BAD_FATES and name in known else "") for name in names]
        yield from _details(f"{counted(len(names), 'test')} {words}", items)
    yield from _details(counted(len(result.new_findings), "new lint finding"), [
        f"{harmless(place(found.path, found.line, found.column))} {harmless(f'{found.tool} {found.rule}')} "
        f"{harmless(found.message)}" for found in result.new_findings])
    yield from _details(counted(len(result.tamper), "tamper finding"), [
        f"{'**blocks**' if found.severity == 'block' else 'to look at'}: {harmless(found.rule)} "
        f"{harmless(place(found.path, found.line))} {harmless(found.message)}" for found in result.tamper])
    yield from _gate(result)
    yield from _effects(result)
    yield from _details("notes", [harmless(note) for note in result.notes])
    yield from _output(result)


def _gate(result: SandboxResult) -> Iterable[str]:
    """What nobody would have noticed, as far as it goes on a line."""
    if result.gate is None:
        return
    found = result.gate
    items = [harmless(reason) for reason in found.reasons]
    items += [f"nothing fails without {harmless(place(each.path, each.line))}" for each in found.hollow_parts]
    items += [f"{harmless(place(one.path, one.line))} {harmless(one.description)}: {one.fate}"
              for one in found.survivors]
    yield from _details(f"gate: {found.verdict}", items)


def _effects(result: SandboxResult) -> Iterable[str]:
    effects = result.effects
    items = []
    for file in effects.unexpected:
        later = f" (would run later: {harmless(file.runs_later)})" if file.runs_later else ""
        items.append(f"{file.act} {harmless(file.path.removeprefix(_PLACE))}{later}")
    items += [f"{tried.outcome} {tried.count} times: {harmless(tried.target)} {harmless(tried.rule)}"
              for tried in effects.network]
    items += [f"process left {harmless(name)}" for name in effects.processes_left]
    items += [f"refused call {harmless(call.name)} {call.count} times" for call in effects.blocked]
    yield from _details("side effects", items)


def _details(title: str, items: Sequence[str]) -> Iterable[str]:
    if items:
        lines = [f"- {item}" for item in items[:_NAMED]]
        yield "\n".join([f"<details><summary>{title}</summary>", "", *lines, *_more(len(items) - _NAMED, "- "), "",
                         "</details>"])


def _output(result: SandboxResult) -> Iterable[str]:
    """The end of what a failed build or a stopped check said; raw HTML, so that blank lines stay inside."""
    for report in result.reports:
        said = (report.stderr or report.stdout).strip()
        if said and not report.tests and not report.findings and not report.success:
            lines = visible_lines("\n".join(said.splitlines()[-_MOST_LINES:]), most=10_000)
            yield (f"<details><summary>output of {harmless(command(report))}</summary>\n\n"
                   f"<pre>{_references(lines).replace('&#10;', chr(10))}</pre>\n\n</details>")


def _more(number: int, prefix: str) -> list[str]:
    return [f"{prefix}… {number} more"] if number > 0 else []


def _foot(result: SandboxResult) -> str:
    checks = ", ".join(f"{report.check.kind} {harmless(command(report))}" for report in result.reports)
    level = f"{result.level} level" if result.level else "no walls were needed"
    kept = "kept baseline" if result.baseline_cached else "new baseline"
    return (f"<sub>{checks or 'no check ran'} · {level} · {kept} · {result.execution_time:.1f} s · trial "
            f"{harmless(result.id)}</sub>")
