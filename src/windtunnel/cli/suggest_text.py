"""Tests that would have noticed, as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.api.exports.text import counted, visible, visible_lines
from windtunnel.cli.render import colour
from windtunnel.core.mutation import Mutant, MutationResult
from windtunnel.core.suggestion import Suggestion

_MOST_TESTS, _MOST_REASONS, _MOST_PLACES = 40, 20, 6


def suggested(result: MutationResult) -> Iterator[str]:
    """Each with the place to put it, then those for which there is none, then the warning."""
    found = result.suggestions
    if found is None:
        return
    mutants = {one.mutant.id: one.mutant for one in result.judged}
    for test in found.tests[:_MOST_TESTS]:
        yield _test(test, mutants)
    if len(found.tests) > _MOST_TESTS:
        yield f"and {len(found.tests) - _MOST_TESTS} more tests (--suggest-diff has them all)"
    reasons = [_reason(mutants[one.mutant], one.reason) for one in found.without if one.mutant in mutants]
    if reasons:
        more = len(reasons) - _MOST_REASONS
        yield "\n".join([colour("no test found for", "bold"), *reasons[:_MOST_REASONS],
                         *([f"  and {more} more"] if more > 0 else [])])
    if found.tests:
        noticed = sum(len(test.kills) for test in found.tests)
        words = f"{counted(len(found.tests), 'test')} would notice {counted(noticed, 'mutant')} more"
        yield f"{words} (found in {found.seconds:.1f} s). {found.warning}"


def _test(test: Suggestion, mutants: dict[str, Mutant]) -> str:
    where = f"{'a new file' if test.new_file else 'add to'} {visible(test.path)}"
    places = sorted({(mutants[name].path, mutants[name].line) for name in test.kills if name in mutants})
    some = ", ".join(f"{visible(path)}:{line}" for path, line in places[:_MOST_PLACES])
    head = colour(f"+ {where}", "bold") + f"  notices {some}{' …' if places[_MOST_PLACES:] else ''}"
    lines = [*test.imports, *(["", ""] if test.imports else []), *test.code.rstrip("\n").split("\n")]
    return "\n".join([head, *(colour(f"    {visible_lines(line, most=2000)}".rstrip(), "green") for line in lines)])


def _reason(mutant: Mutant, reason: str) -> str:
    place = f"{visible(mutant.path)}:{mutant.line}"
    return f"  {place}  {visible(mutant.description)}: {visible(reason)}"
