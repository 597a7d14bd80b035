"""The page that ``windtunnel analyze`` shows, as lines with the name of a colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from windtunnel.cli.render import clean, seconds, size
from windtunnel.core.analysis import Analysis, Dependencies, Part

Line = tuple[str, str]
_BAR = 24
_FULL, _HALF = "█", "▌"
_SHORT_HASH = 12
_MOST_CELL = 70
_SOUND, _FAIR = 20.0, 10.0
"""Of the maintainability index: Microsoft calls 20 and more good, below 10 poor."""
_COMPLEX = 10


def page(result: Analysis, *, most: int) -> Iterator[Line]:
    """What to print, and in which colour; an empty name means as it is."""
    yield from _head(result)
    yield from _languages(result, most)
    yield from _parts(result.structure.parts, most)
    yield from _dependencies(result.dependencies, most)
    yield from _measures(result, most)
    notes = (*result.notes, *result.dependencies.notes)
    if notes:
        yield from _title("Notes")
        yield from ((f"  {clean(note)}", "grey") for note in notes[:most])
        yield from _more(len(notes), most)


def _head(result: Analysis) -> Iterator[Line]:
    structure = result.structure
    yield clean(result.root), "bold"
    how = "changed since: stale" if result.stale else "from the cache" if result.cached else "looked at now"
    yield f"{structure.files} files, {size(structure.bytes)}, {structure.lines} lines", ""
    yield f"tree {result.tree[:_SHORT_HASH]}, {how} in {seconds(result.seconds)}", "grey"


def _title(text: str) -> Iterator[Line]:
    yield "", ""
    yield text, "bold"


def _more(count: int, most: int) -> Iterator[Line]:
    if count > most:
        yield f"  and {count - most} more (--most, or --json for all)", "grey"


def _rows(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as they need to be; the last may run on."""
    cells = [[clean(cell) for cell in row] for row in rows]
    widths = [max(min(len(row[at]), _MOST_CELL) for row in cells) for at in range(len(cells[0]))] if cells else []
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _languages(result: Analysis, most: int) -> Iterator[Line]:
    counted = [one for one in result.structure.languages if one.share > 0]
    others = [one for one in result.structure.languages if one.share == 0]
    yield from _title("Languages")
    if not counted:
        yield "  none that Linguist counts", ""
    for row in _rows([(one.name, _bar(one.share), f"{one.share:6.1%}", _count(one.files, "file"), f"{one.lines} lines")
                      for one in counted[:most]]):
        yield row, ""
    yield from _more(len(counted), most)
    if others:
        yield f"  also {', '.join(f'{clean(one.name)} ({one.files})' for one in others[:most])}", "grey"


def _bar(share: float) -> str:
    halves = round(share * _BAR * 2)
    return (_FULL * (halves // 2) + _HALF * (halves % 2)).ljust(_BAR, "·")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _parts(parts: Sequence[Part], most: int) -> Iterator[Line]:
    yield from _title("Parts")
    if not parts:
        yield "  none: no manifest that is known here", ""
    for part in parts[:most]:
        named = f" ({clean(part.name)})" if part.name else ""
        yield f"  {clean(part.folder) or '.'}{named}: {part.ecosystem}, {part.manager or 'no manager'}", "green"
        for word, told in (
            ("frameworks", [f"{one.name} [{one.kind}]" for one in part.frameworks]),
            ("tests", part.tests),
            ("tools", part.tools),
            ("entry points", part.entry_points),
            ("scripts", tuple(part.scripts)),
            ("commands", [f"{one.purpose}: {one.command}" for one in part.commands]),
            ("locks", part.locks or ["none"]),
        ):
            if told:
                left = f" and {len(told) - most} more" if len(told) > most else ""
                yield f"    {word.ljust(12)} {clean(', '.join(told[:most]))}{left}", ""
    yield from _more(len(parts), most)


def _dependencies(found: Dependencies, most: int) -> Iterator[Line]:
    yield from _title("Dependencies")
    direct = [one for one in found.dependencies if one.direct]
    groups = Counter(one.group for one in direct)
    told = ", ".join(f"{count} {clean(group)}" for group, count in groups.most_common(most))
    yield (f"  {len(direct)} direct{f' ({told})' if told else ''}, "
           f"{len(found.dependencies) - len(direct)} more by lock files"), ""
    if not found.conflicts:
        yield "  no conflicts found", "green"
    else:
        yield f"  {_count(len(found.conflicts), 'conflict')}", "red"
        for row in _rows([("  " + one.kind, one.name, one.reason) for one in found.conflicts[:most]]):
            yield row, "red"
        yield from _more(len(found.conflicts), most)
    for row in _rows(
        [
            ("  " + one.id, f"{one.name} {one.version}", f"fixed in {', '.join(one.fixed_in) or 'none'}", one.summary)
            for one in found.vulnerabilities[:most]
        ]
    ):
        yield row, "red"
    yield from _more(len(found.vulnerabilities), most)
    for ecosystem, words in found.audited.items():
        yield f"  {ecosystem}: {clean(words)}", "yellow" if words.startswith("not audited") else "green"


def _measures(result: Analysis, most: int) -> Iterator[Line]:
    metrics = result.metrics
    yield from _title("Measures")
    index = "not measured" if metrics.maintainability is None else f"{metrics.maintainability:.0f} of 100"
    shade = "" if metrics.maintainability is None else (
        "green" if metrics.maintainability >= _SOUND else "yellow" if metrics.maintainability >= _FAIR else "red")
    yield (
        f"  code            {_count(metrics.code_lines, 'line')}, {_count(metrics.functions, 'function')} measured",
        "",
    )
    yield f"  maintainability {index}", shade
    yield f"  complexity      {metrics.average_complexity:.1f} on average", ""
    yield f"  duplication     {metrics.duplicated_share:.1%} of code lines", ""
    covered = (
        f"{metrics.coverage:.1%} of lines ({metrics.coverage_source})" if metrics.coverage is not None else "no report"
    )
    yield f"  coverage        {covered}", ""
    worst = [one for one in metrics.complex_functions if one.cyclomatic > _COMPLEX]
    if worst:
        yield f"  {_count(len(worst), 'function')} of more than {_COMPLEX} ways through, the worst first", "yellow"
        yield from (
            (row, "")
            for row in _rows(
                [
                    (f"  {one.cyclomatic}", one.name, f"{one.file}:{one.line}", f"{one.lines} lines")
                    for one in worst[:most]
                ]
            )
        )
    if metrics.duplications:
        yield "  stretches that stand twice, the longest first", "yellow"
        yield from ((row, "") for row in _rows([
            (f"  {one.length} lines", f"{one.files[0]}:{one.lines[0]}", f"{one.files[1]}:{one.lines[1]}")
            for one in metrics.duplications[:most]]))
