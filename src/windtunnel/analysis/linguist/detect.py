"""The language of one file: modeline, name, shebang, extension, XML, manual page, heuristics, classifier.

What Linguist asks Ruby's patterns, Python's answer, which have no deadline. So the text they see is cut: its first
50 KiB, lines of at most 500 characters, and no more than 24 blanks or 2 empty lines in a row. Modelines are read by
hand, because Linguist's pattern for Vim's takes exponential time on a hostile line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from windtunnel.analysis.linguist.classify import MOST_TEXT, classifier
from windtunnel.analysis.linguist.data import rules_of, tables

_SCOPE = 5
_LONGEST_LINE = 500
_MOST_EMPTY = 2
_SPACES = " " * 24
_BLANKS = re.compile(rf"[ \t\f\v\r]{{{len(_SPACES)},}}")
_VIM = re.compile(r"(?:^|[ \t])(?:vi|[Vv]im[<=>]?[0-9]*|ex):(.*)")
_FILETYPE = re.compile(r"(?:^|[ \t:])(?:filetype|ft|syntax)[ \t]?=(\w+)(?=$|\s|:)", re.ASCII)
_MODE = re.compile(r"(?:^|[ \t;])mode[ \t]{0,9}:[ \t]{0,9}([^:;\s]+)", re.IGNORECASE)
_MANUAL = re.compile(r"\.(?:[1-9](?![0-9])[a-z_0-9]*|0p|n|man|mdoc)(?:\.in)?$", re.IGNORECASE | re.ASCII)
_EXEC = re.compile(r"exec (\w+)[\s\"']{1,9}\$0[\s\"']{1,9}\$@", re.ASCII)
_BINARY_SCOPE = 8000
_LITTLE = 2000


def is_binary(content: bytes) -> bool:
    """Whether this is no text, as far as its beginning tells."""
    return b"\0" in content[:_BINARY_SCOPE] and not content.startswith((b"\xff\xfe", b"\xfe\xff"))


def text_of(content: bytes) -> str:
    """The text, with a sign where it is no UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "replace")


def detect(name: str, text: str, *, guess: bool = True) -> str | None:
    """The language of a file of this name and text; without ``guess``, its content decides nothing."""
    candidates = _modeline(text) or _by_name(name)
    if len(candidates) == 1:
        return candidates[0]
    for found in (_by_interpreter(text), _by_extension(name)):
        candidates = _narrowed(candidates, found)
        if len(candidates) == 1:
            return candidates[0]
    candidates = candidates or _by_shape(name, text)
    if not guess:
        return candidates[0] if candidates else None
    return _by_content(name, _cut(text if _matters(candidates) else text[:_LITTLE] + text[-_LITTLE:]), candidates)


def _matters(candidates: Sequence[str]) -> bool:
    """Whether a program or markup is among them; of data and prose a little text tells enough."""
    kinds = tables().kinds
    return not candidates or any(kinds[one] in ("programming", "markup") for one in candidates)


def _narrowed(candidates: Sequence[str], found: Sequence[str] | None) -> tuple[str, ...]:
    """Those of the candidates that were found; where none was, the candidates as they are."""
    if not found:
        return tuple(candidates)
    return tuple(one for one in candidates if one in found) or tuple(candidates) if candidates else tuple(found)


def _by_content(name: str, text: str, candidates: Sequence[str]) -> str | None:
    ruled = _by_rules(name, text)
    if len(ruled) == 1:
        return ruled[0]
    candidates = ruled or candidates
    if len(candidates) < 2:  # noqa: PLR2004 -- nothing to choose from
        return candidates[0] if candidates else None
    return classifier().best(text, candidates) or candidates[0]


def _by_name(name: str) -> tuple[str, ...]:
    return tables().filenames.get(name.rpartition("/")[2], ())


def _by_extension(name: str) -> tuple[str, ...]:
    """By the longest ending that anybody claims."""
    low = name.rpartition("/")[2].lower()
    known = tables()
    at = low.find(".")
    while at >= 0:
        if found := known.extensions.get(low[at:]):
            return () if low.endswith(known.generic) else found
        at = low.find(".", at + 1)
    return ()


def _by_shape(name: str, text: str) -> tuple[str, ...]:
    if "xml version=" in "\n".join(text[:1000].split("\n", 2)[:2]):
        return ("XML",)
    return ("Roff Manpage", "Roff") if _MANUAL.search(name) else ()


def _by_rules(name: str, text: str) -> tuple[str, ...]:
    low, known = name.rpartition("/")[2].lower(), tables().heuristics
    at = low.find(".")
    while at >= 0:
        if (number := known.get(low[at:])) is not None:
            return next(
                (languages for languages, tests in rules_of(number) if all(one.holds(text) for one in tests)), ()
            )
        at = low.find(".", at + 1)
    return ()


def _by_interpreter(text: str) -> tuple[str, ...]:
    if not text.startswith("#!"):
        return ()
    head = text[:5 * _LONGEST_LINE].split("\n", _SCOPE)[:_SCOPE]
    words = head[0][2:_LONGEST_LINE].split()
    script = words[0].rpartition("/")[2] if words else ""
    if script == "env":
        script = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
    script = re.sub(r"\.\d+$", "", script.rpartition("/")[2])
    if script == "sh" and (found := next(filter(None, map(_EXEC.search, head)), None)):
        script = found[1]
    if script == "osascript" and "-l" in words:
        return ()
    return tables().interpreters.get(script, ())


def _modeline(text: str) -> tuple[str, ...]:
    area = text[:_SCOPE * _LONGEST_LINE], text[-_SCOPE * _LONGEST_LINE:]
    if not any("-*-" in one or "ft=" in one or "ft =" in one or "filetype" in one or "syntax" in one for one in area):
        return ()
    head = area[0].split("\n", _SCOPE)[:_SCOPE]
    if any("UseVimball" in line for line in head):
        return ()
    tail = area[1].rstrip("\n").split("\n")[-_SCOPE:]
    for read in (_emacs, _vim):
        for line in (*head, *tail):
            mode = read(line[:_LONGEST_LINE])
            if mode is not None:
                found = tables().aliases.get(mode.lower())
                return (found,) if found else ()
    return ()


def _emacs(line: str) -> str | None:
    _, began, rest = line.partition("-*-")
    told, ended, _ = rest.partition("-*-")
    if not began or not ended:
        return None
    if ":" not in told:
        words = told.split()
        return words[0] if len(words) == 1 and ";" not in words[0] else None
    found = _MODE.search(told)
    return found[1] if found else None


def _vim(line: str) -> str | None:
    if "=" not in line or ":" not in line:
        return None
    options = _VIM.search(line)
    found = _FILETYPE.search(options[1]) if options else None
    return found[1] if found else None


def _cut(text: str) -> str:
    """What patterns may see."""
    lines = text[:MOST_TEXT].split("\n")
    empty = 0
    kept = []
    for line in lines:
        empty = 0 if line and not line.isspace() else empty + 1
        if empty <= _MOST_EMPTY:
            short = line[:_LONGEST_LINE]
            kept.append(_BLANKS.sub(_SPACES, short) if len(short) > len(_SPACES) else short)
    return "\n".join(kept)
