"""What Java and Go programs say when they end at run time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.languages import java
from windtunnel.repair.foreign.said.spot import Fix, Spot, put

_HEAD = re.compile(
    r"^[ \t]+(?:(?:public|private|protected|static|final) )*([\w<>\[\]]+) \w+\(([^()\n]*)\)[^;{\n]*\{[ \t]*\n",
    re.MULTILINE)
_ROUNDS = re.compile(r"<=(?= ?(?:len\(\w+\)|[\w.]+\.(?:length|size\(\)|length\(\))))")
_LENGTH = re.compile(r"\[len\(\w+\)(?=\])|\[\w+\.length(?=\])|\.(?:get|charAt)\(\w+\.(?:size|length)\(\)(?=\))")


def nothing_there(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Java: a parameter that is nothing gets the answer for nothing, before all else."""
    heads = [found for found in _HEAD.finditer(spot.text) if found.end() <= spot.start]
    if not heads:
        return
    head = heads[-1]
    names = [part.split()[-1] for part in head[2].split(",") if part.split()]
    name = said[1] or (names[int(said[2]) - 1] if said[2] and int(said[2]) <= len(names) else "")
    if name in names and head[1] != "void":
        zeros = java.TABLE.zeros
        value = next(iter(zeros.get(head[1]) or zeros.get(head[1].partition("<")[0]) or ("null",)))
        inner = re.match(r"[ \t]*", spot.text[head.end() :])
        indent = inner[0] if inner is not None else ""
        guard = f"{indent}if ({name} == null) {{\n{indent}    return {value};\n{indent}}}\n"
        yield put(head.end(), guard, name="null-check", prior=0.6, reason=f"{name} may be nothing")


def past_the_end(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """The bound of the loop around is one too far, or the length itself is the index."""
    if said[1] != said[2]:
        return
    for at in list(_ROUNDS.finditer(spot.text[: spot.offset]))[-1:]:
        yield Fix(start=at.start(), end=at.end(), text="<", name="boundary", prior=0.8,
                  reason="the last round is past the end")
    direct = _LENGTH.search(spot.code)
    if direct is not None:
        yield put(spot.start + direct.end(), " - 1" if "." in direct[0] else "-1", name="boundary", prior=0.85,
                  reason="the last one stands before the length")


def quoted(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Java: a text stands in double quotes."""
    found = re.search(r"'((?:[^'\\\n]|\\.){2,}|)'", spot.code)
    if found is not None:
        inner = found[1].replace('"', '\\"')
        yield Fix(start=spot.start + found.start(), end=spot.start + found.end(), text=f'"{inner}"', name="syntax",
                  prior=0.9, reason="a text stands in double quotes")


def unclosed(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Rust: what is opened on a line is closed before the mark that ends the line."""
    opened = spot.text[spot.offset : spot.offset + 1]
    end = re.search(r"[;,]?[ \t]*$", spot.code)
    if opened in {"(", "["} and end is not None and not spot.code.rstrip().endswith(("{", "(", "[")):
        at = spot.start + end.start()
        close = {"(": ")", "[": "]"}[opened]
        yield put(at, close, name="syntax", prior=0.85, reason=f"`{close}` is missing")
