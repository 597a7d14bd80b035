"""rustc and cargo: diagnostics as text and as JSON, and what cargo itself refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, problem
from windtunnel.diagnosis.kinds_rust import code_kind
from windtunnel.diagnosis.text import number

_HEAD = re.compile(r"(error|warning)(?:\[([\w:-]{1,60})\])?: (.*)")
_SITE = re.compile(r" *(?:-->|:::) (\S.{0,500}?):([0-9]{1,9}):([0-9]{1,9})")
_LABEL = re.compile(r"\s*\|.*?[\^~-]+ (.{3,300})|\s*\| +(?:\|_*\^?) ?(.{3,300})")
_LINT = re.compile(r"\s*= note: .{0,80}`#\[(?:warn|deny|forbid)\(([\w:]{1,80})\)\]`")
_MOST_HELP = 4000
_MOST_READ = 40_000
"""Characters of what is drawn."""
_LEVELS = {"error": "error", "warning": "warning", "error: internal compiler error": "error"}
_IDLE = re.compile(
    r"aborting due to|could not compile|\d+ warnings? emitted|.{1,200} generated \d+ warning|build failed|"
    r"test failed, to rerun|doctest failed|process didn't exit|\d+ targets? failed|unused manifest key|"
    r"failed to (?:run|execute)|.{0,20}bench failed")


def read(lines: Sequence[str]) -> Iterator[Found]:
    """Text and JSON, each diagnostic once."""
    for at, line in enumerate(lines):
        if line.startswith("{") and ('"rendered"' in line or '"compiler-message"' in line):
            error = _event(line)
            if error is not None:
                yield Found(problem=error, first=at, last=at)
        elif line.startswith(("error", "warning")) and (said := _HEAD.fullmatch(line)) is not None and (
                not _IDLE.match(said[3])):
            yield from _text(lines, at, said=said)


def _text(lines: Sequence[str], at: int, *, said: re.Match[str]) -> Iterator[Found]:
    end = at + 1
    while end < len(lines) and lines[end].strip() and _HEAD.fullmatch(lines[end]) is None:
        end += 1
    below = lines[at + 1 : end]
    site = next((found for line in below if (found := _SITE.match(line)) is not None), None)
    if site is None and not said[2] and not _of_cargo(lines, at, end=end):
        return
    label = next((found[1] or found[2] for line in below if (found := _LABEL.fullmatch(line)) is not None), "")
    lint = next((found[1] for line in below if (found := _LINT.match(line)) is not None), "")
    place = _manifest(lines[at : end + 8])
    words = said[3]
    if site is not None:
        place = Place(file=site[1], line=number(site[2]), column=number(site[3]))
    elif below:
        words = "\n".join([words, *(line.strip() for line in _causes(lines, at))])
    code = said[2] or lint
    message = "\n".join(part for part in (words, label) if part)
    manifest = place is not None and place.file.endswith(".toml")
    what = ProblemKind.CONFIGURATION if manifest and not code else code_kind(code, message)
    made = problem(what, message, name=code or "error", place=place,
                   severity="warning" if said[1] == "warning" else "error")
    yield Found(problem=replace(made, help=_help(below)), first=at, last=end - 1)


def _help(below: Sequence[str]) -> str:
    """From the first line that helps on."""
    first = next((at for at, line in enumerate(below) if "help: " in line), len(below))
    return "\n".join(below[max(0, first - 1) :])[:_MOST_HELP] if first < len(below) else ""


def _of_cargo(lines: Sequence[str], at: int, *, end: int) -> bool:
    """Words without a place are cargo's where a cause follows, or where they speak of packages and manifests."""
    near = "\n".join(lines[at : min(len(lines), end + 6)])
    return "Caused by:" in near or bool(re.search(
        r"Cargo|package|crate|manifest|linking|linker|main function|can't find|couldn't read|target", near))


def _causes(lines: Sequence[str], at: int) -> list[str]:
    kept: list[str] = []
    for line in lines[at + 1 : at + 16]:
        if _HEAD.fullmatch(line):
            break
        if line.strip() and line.strip() != "Caused by:":
            kept.append(line)
    return kept


def _manifest(block: Sequence[str]) -> Place | None:
    """Where cargo points into its manifest."""
    whole = "\n".join(block)
    said = re.search(r"`(/[^`\n]{1,500}Cargo\.toml)`", whole)
    line = re.search(r"TOML parse error at line (\d{1,9}), column (\d{1,9})", whole)
    return Place(file=said[1], line=number(line[1]) if line else None) if said is not None else None


def _event(line: str) -> Problem | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    message = told.get("message") if isinstance(told, dict) and isinstance(told.get("message"), dict) else told
    if not isinstance(message, dict) or message.get("level") not in _LEVELS:
        return None
    if not isinstance(message.get("message"), str):
        return None
    words = str(message["message"])
    if _IDLE.match(words):
        return None
    spans = [span for span in _list(message.get("spans")) if isinstance(span, dict)]
    main = next((span for span in spans if span.get("is_primary") is True), spans[0] if spans else {})
    code = message.get("code")
    name = str(code.get("code", "")) if isinstance(code, dict) else ""
    label = main.get("label")
    said = "\n".join(part for part in (words, label if isinstance(label, str) else "") if part)
    made = problem(code_kind(name, said), said, name=name or "error", place=_span(main),
                   severity="warning" if message["level"] == "warning" else "error")
    rendered = message.get("rendered")
    return replace(made, help=_help(rendered[:_MOST_READ].splitlines()) if isinstance(rendered, str) else "")


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _span(span: Mapping[str, object]) -> Place | None:
    file, line, column = span.get("file_name"), span.get("line_start"), span.get("column_start")
    if not isinstance(file, str) or not isinstance(line, int):
        return None
    return Place(file=file, line=line, column=column if isinstance(column, int) else None)


READER = Reader(name="rustc", language="rust", read=read, examples=(
    Example(output="""\
error[E0382]: borrow of moved value: `items`
 --> src/main.rs:4:20
  |
4 |     println!("{}", items.len());
  |                    ^^^^^ value borrowed here after move

error: could not compile `shop` (bin "shop") due to 1 previous error
""", problems=(("borrow", "src/main.rs", 4),)),
    Example(output="    Finished dev [unoptimized + debuginfo] target(s) in 0.1s\n"),
))
