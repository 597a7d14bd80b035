"""The part of the page that needs no script: verdict, figures, tests set aside, weak tests, and the list of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from windtunnel.api.exports.mutation_html_data import shown
from windtunnel.api.exports.mutation_sheets import by_path
from windtunnel.api.exports.mutation_words import (
    MEANINGS,
    ORDER,
    SIGNS,
    aside,
    figures,
    score_words,
    verdict,
)
from windtunnel.api.exports.text import counted
from windtunnel.core.mutation import Fate, Judged, MutationResult, State
from windtunnel.engine.report.parts import Markup, element, joined

_MOST_NAMED = 200
_BANNER_SIGNS = {"good": "✓", "warn": "✗", "bad": "!"}
_KEYS = "Keys: j and k go to the next and the previous line with a mutant, Escape closes it."


def main_part(result: MutationResult) -> Markup:
    """The whole body but its data and its script."""
    of = "" if result.state is State.JUDGED else "unproven"
    return element("main", _top(result), _tiles(result), _grounds(result), _explorer(result) if result.judged else "",
                   of=of)


def _top(result: MutationResult) -> Markup:
    tone, words = verdict(result)
    sign = element("span", _BANNER_SIGNS[tone], of="sign", aria_hidden="true")
    files = len({one.mutant.path for one in result.judged})
    about = (f"{counted(len(result.judged), 'mutant')} in {counted(files, 'file')}, "
             f"{result.execution_time:.1f} seconds")
    return joined(element("h1", "Mutation report"), element("p", about, of="lead"),
                  element("div", sign, element("span", words), of=f"banner {tone}", role="status"))


def _tiles(result: MutationResult) -> Markup:
    score = score_words(result.judged, result.state)
    tiles = [_tile(score, "score: killed, of killed, survived and untested", of="score")]
    tiles += [_tile(result.counts[fate], str(fate), of=_class(fate), sign=SIGNS[fate]) for fate in ORDER
              if fate in result.counts]
    return element("ul", *tiles, of="tiles")


def _tile(number: object, words: str, *, of: str, sign: str = "") -> Markup:
    mark = element("i", sign, aria_hidden="true") if sign else ""
    return element("li", element("b", mark, number), element("span", words), of=of)


def _class(fate: Fate) -> str:
    return str(fate).replace(" ", "-")


def _grounds(result: MutationResult) -> Markup:
    """What the fates rest on."""
    parts = [element("ul", *(element("li", line) for line in figures(result)), of="plain")]
    parts += [_folded(f"{counted(len(names), 'test')} set aside: {words}", names) for words, names in aside(result)]
    if result.weak:
        parts.append(_folded(counted(len(result.weak), "weak test"), [
            f"{one.test}: {one.reason}" for one in result.weak]))
    if result.notes:
        parts.append(_folded(counted(len(result.notes), "note"), result.notes))
    return element("section", element("h2", "What this rests on"), *parts, of="grounds")


def _folded(title: str, names: Sequence[str]) -> Markup:
    rows = [element("li", shown(name)) for name in names[:_MOST_NAMED]]
    left = len(names) - _MOST_NAMED
    more = [element("li", f"… {left} more")] if left > 0 else []
    return element("details", element("summary", title), element("ul", *rows, *more, of="plain names"))


def _explorer(result: MutationResult) -> Markup:
    """Filters, files and the place where the script shows a file."""
    files = [_file(number, path, found, result.state)
             for number, (path, found) in enumerate(by_path(result.judged).items())]
    without = Markup('<noscript><p class="note">The source and the mutants are shown by a script of this page, which '
                     "this browser does not run.</p></noscript>")
    asked = Markup('<input type="search" id="wanted" placeholder="Filter files" aria-label="Filter files by name" '
                   'autocomplete="off" spellcheck="false">')
    return joined(
        element("div", _chips(result), element("p", "", of="note", id="told", role="status"), of="bar"),
        element("div",
                element("nav", element("h2", "Files"), asked, element("ol", *files, id="files"), aria_label="files"),
                element("section", without, element("div", "", id="source"), element("p", _KEYS, of="note keys"),
                        of="source", id="shown", tabindex="-1", aria_label="source"), of="explorer"),
        element("section", "", id="paper"))


def _chips(result: MutationResult) -> Markup:
    chips = [element("button", element("i", SIGNS[fate], aria_hidden="true"), f" {fate} ",
                     element("b", result.counts[fate]), of=f"chip {_class(fate)}", type="button", aria_pressed="false",
                     data_fate=str(number), title=MEANINGS[fate])
             for number, fate in enumerate(ORDER) if fate in result.counts]
    return element("div", *chips, of="chips", role="group", aria_label="show only these fates")


def _file(number: int, path: str, found: Sequence[Judged], state: State) -> Markup:
    counts = Counter(one.fate for one in found)
    words = ", ".join(f"{counts[fate]} {fate}" for fate in ORDER if counts[fate])
    named = element("span", shown(path), of="path")
    button = element(
        "button", named, element("span", score_words(found, state), of="share"),
        _bar(counts, len(found)), element("span", words, of="words"), type="button", data_file=str(number))
    return element("li", button)


def _bar(counts: Counter[Fate], total: int) -> Markup:
    """Killed first, so that its length is the score's; widths are attributes, which need no style of their own."""
    order = (Fate.KILLED, *(fate for fate in ORDER if fate is not Fate.KILLED))
    return element("svg", *_pieces(order, counts, total), of="share", viewBox="0 0 100 6", preserveAspectRatio="none",
                   aria_hidden="true")


def _pieces(order: Iterable[Fate], counts: Counter[Fate], total: int) -> Iterable[Markup]:
    at = 0.0
    for fate in order:
        if width := 100 * counts[fate] / total:
            yield element("rect", x=f"{at:.2f}", width=f"{width:.2f}", height="6", of=_class(fate))
            at += width
