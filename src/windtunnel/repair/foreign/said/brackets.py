"""Text that is not the language: a mark too few or too many, found by trying and asking the grammar."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from windtunnel.repair.foreign.languages import table_of
from windtunnel.repair.foreign.said.spot import Fix, Spot, near, put
from windtunnel.repair.foreign.tree import understood

_MOST_SECONDS = 1.0
_MOST_TRIES = 400
_TOKEN = re.compile(
    r"[A-Za-z_$][\w$]*|\d[\w.]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|=>|->|:=|[-+*/%&|^=<>!]=?|\S"
)
_EXPECTED = re.compile(
    r"['`\"]?([)\](}{\[;,:=]|=>|->)['`\"]? expected|expected (?:one of )?`?'?([)\](}{\[;,:=])[`']?|"
    r"missing ([)\]}]) |possibly missing comma or ([)}\]])|expecting ([{}()])|expected '([;,)])'"
)
_KEYWORDS = {
    "javascript": "function return const let var class if else for while switch case break continue async await new "
    "import export default typeof throw try catch finally extends static",
    "typescript": "function return const let var class if else for while switch case break continue async await new "
    "import export default typeof throw try catch interface type enum implements private readonly",
    "java": "public private protected static final void class interface return if else for while switch case break "
    "continue new import package extends implements throws throw try catch int double boolean long char",
    "go": "func return if else for range switch case break continue package import type struct interface var const "
    "defer go map select default",
    "rust": "fn let mut return if else for in while loop match impl struct enum trait pub use mod const static where "
    "break continue",
}
_MARKS = (")", "]", "}", ";", ",", "(", "{", "[", ":", '"', "'", "=")


def syntax(spot: Spot) -> Iterator[Fix]:
    """Edits of one mark or word after which the grammar finds no error, likeliest first."""
    table = table_of(spot.path)
    if table is None:
        return
    deadline = time.thread_time() + _MOST_SECONDS
    for count, fix in enumerate(_tries(spot, language=table.name)):
        if count > _MOST_TRIES or time.thread_time() > deadline:
            return
        after = spot.text[: fix.start] + fix.text + spot.text[fix.end :]
        if understood(after.encode("utf-8", "replace"), table=table):
            yield fix


def _tries(spot: Spot, *, language: str) -> Iterator[Fix]:
    yield from _keyword(spot, language=language)
    yield from _quotes(spot)
    wanted = _wanted(spot.problem.message)
    if wanted != "}":
        yield from _inserted(spot, wanted)
    yield from _balanced(spot)
    yield from _dropped(spot)
    yield from _compared(spot)
    for mark in _MARKS:
        if mark != wanted:
            yield from _inserted(spot, mark)


def _wanted(message: str) -> str:
    """The mark that the tool misses."""
    found = _EXPECTED.search(message)
    return next((part for part in found.groups() if part), "") if found is not None else ""


def _tokens(spot: Spot) -> list[tuple[int, int]]:
    """Of the line, of the one before it that has any, and of the one after."""
    first = spot.line - 1
    while first > 1 and not spot.of_line(first).strip():
        first -= 1
    last = min(spot.line + 1, len(spot.starts))
    begin = spot.starts[max(first, 1) - 1]
    end = spot.starts[last - 1] + len(spot.of_line(last))
    found = [match.span() for match in _TOKEN.finditer(spot.text, begin, end)]
    return sorted(found, key=lambda span: (abs(span[1] - spot.offset), span[0]))[:60]


def _inserted(spot: Spot, mark: str) -> Iterator[Fix]:
    if not mark:
        return
    opens = mark in "([{"
    for start, end in _tokens(spot):
        if mark in ";:" and spot.text[end : end + 1] not in {"\n", "", "\r", " "}:
            continue
        at, text = (start, mark) if opens else (end, mark)
        if mark == "{":
            at, text = end, " {"
        yield put(at, text, name="syntax", prior=0.6, reason=f"`{mark}` is missing")


def _dropped(spot: Spot) -> Iterator[Fix]:
    for start, end in _tokens(spot):
        token = spot.text[start:end]
        if len(token) <= 2 and not token.isalnum():  # noqa: PLR2004 -- a mark, no word
            yield Fix(start=start, end=end, text="", name="syntax", prior=0.4, reason=f"`{token}` is too many")


def _compared(spot: Spot) -> Iterator[Fix]:
    double = "===" if spot.path.endswith(("js", "ts", "jsx", "tsx")) else "=="
    for found in re.finditer(r"(?<![=<>!:+\-*/])=(?![=>])", spot.code):
        at = spot.start + found.start()
        yield Fix(start=at, end=at + 1, text=double, name="syntax", prior=0.6, reason="a question, not an assignment")


def _keyword(spot: Spot, *, language: str) -> Iterator[Fix]:
    words = _KEYWORDS[language].split()
    for line in dict.fromkeys((spot.line, spot.line - 1)):
        code = spot.of_line(line)
        begin = spot.starts[line - 1] if line > 0 else 0
        for found in re.finditer(r"[A-Za-z]{2,}", code):
            for other in near(found[0], words, most=1) if found[0] not in words else ():
                yield Fix(
                    start=begin + found.start(),
                    end=begin + found.end(),
                    text=other,
                    name="misspelt-keyword",
                    prior=0.8,
                    reason=f"{found[0]} is no word of the language; {other} is",
                )


def _quotes(spot: Spot) -> Iterator[Fix]:
    """A text that is not closed: before what ends the statement, or at the end of the line."""
    code = spot.code
    for quote in ('"', "'", "`"):
        if code.count(quote) % 2 == 1:
            tail = re.search(r"(?:\){0,20};?|,)\s{0,20}$", code)
            cut = tail.start() if tail is not None else len(code)
            for at in dict.fromkeys((cut, len(code.rstrip().rstrip(";,")), len(code.rstrip()))):
                yield put(spot.start + at, quote, name="syntax", prior=0.7, reason="the text is not closed")


def _balanced(spot: Spot) -> Iterator[Fix]:
    """A brace too few or too many, where the indentation shows that a block ends; the best fits first."""
    depth = _depth(spot.text)
    tries: list[tuple[int, int, Fix]] = []
    if depth > 0:
        for line in range(1, len(spot.starts) + 1):
            code = spot.of_line(line)
            if code.strip():
                tries += [(0, line, fix) for fix in _closings(spot, line)]
    elif depth < 0:
        for line in range(1, len(spot.starts) + 1):
            if spot.of_line(line).strip() in {"}", "};", "})"}:
                end = spot.starts[line] if line < len(spot.starts) else len(spot.text)
                tries.append(
                    (
                        0,
                        line,
                        Fix(
                            start=spot.starts[line - 1],
                            end=end,
                            text="",
                            name="syntax",
                            prior=0.6,
                            reason="a brace too many",
                        ),
                    )
                )
    if len(tries) * len(spot.text) > 4_000_000:  # noqa: PLR2004 -- characters that are looked at in all
        return
    scored = [(_unfit(spot.text[: fix.start] + fix.text + spot.text[fix.end :]), -line, fix) for _, line, fix in tries]
    yield from (fix for _, _, fix in sorted(scored, key=lambda row: row[:2])[:60])


def _closings(spot: Spot, line: int) -> Iterator[Fix]:
    code = spot.of_line(line)
    end = spot.starts[line - 1] + len(code)
    indent = code[: len(code) - len(code.lstrip())]
    shallower = [indent[:cut] for cut in (len(indent) - 1, len(indent) - 2, len(indent) - 4) if cut >= 0]
    for one in dict.fromkeys([indent, *shallower]):
        yield put(end, f"\n{one}}}", name="syntax", prior=0.6, reason="a block is not closed")


def _stripped(text: str) -> str:
    """Without what stands in quotes and comments, roughly."""
    return re.sub(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n]){1,6}'|//[^\n]*", "", text)


def _depth(text: str) -> int:
    plain = _stripped(text)
    return plain.count("{") - plain.count("}")


def _unfit(text: str) -> int:
    """How many lines are indented otherwise than their braces say."""
    plain = _stripped(text).splitlines()
    unit = min((len(line) - len(line.lstrip()) for line in plain if line[:1] in " \t" and line.strip()), default=4)
    depth, wrong = 0, 0
    for line in plain:
        code = line.strip()
        if code:
            own = depth - 1 if code.startswith("}") else depth
            wrong += (len(line) - len(line.lstrip())) != own * unit
        depth += code.count("{") - code.count("}")
    return wrong
