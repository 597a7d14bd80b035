"""Arguments that are missing from a call of a function of the file, in Java, Go and Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.languages import table_of
from windtunnel.repair.foreign.said.spot import Fix, Spot, put

_HEADS = {"go": r"func (?:\([^()\n]*\) )?{}\(", "rust": r"fn {}(?:<[^<>\n]*>)?\(", "java": r"[\w<>\[\]]+ {}\("}


def missing_arguments(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Variables that are called like the parameters which are given nothing."""
    table = table_of(spot.path)
    name = said[1] if said.re.groups else _called(spot)
    if table is None or table.name not in _HEADS or not name:
        return
    head = re.search(_HEADS[table.name].format(re.escape(name)), spot.text)
    call = next((one for one in re.finditer(rf"\b{re.escape(name)}\(", spot.code)), None)
    if head is None or call is None:
        return
    parameters = [_name(one, table.name) for one in _listed(spot.text, head.end())[0]]
    given, close = _listed(spot.text, spot.start + call.end())
    wanted = [one for one in parameters if one != "self"][len(given):]
    before = spot.text[head.end() : spot.start] if head.start() < spot.start else spot.text[: spot.start]
    if wanted and all(re.search(rf"\b{re.escape(one)}\b", before) for one in wanted):
        text = (", " if given else "") + ", ".join(wanted)
        yield put(close, text, name="arguments", prior=0.85, reason=f"{', '.join(wanted)} was not handed on")


def _called(spot: Spot) -> str:
    """The function whose call begins at the place."""
    found = re.compile(r"(?:\w+(?:\.|::))*(\w+)\(").match(spot.text, spot.offset)
    return found[1] if found is not None else ""


def _listed(text: str, start: int) -> tuple[list[str], int]:
    """What stands between commas up to the bracket that closes, and where that is."""
    depth, at, parts = 0, start, [""]
    while at < len(text) and (depth or text[at] not in ")]}"):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
        if text[at] == "," and not depth:
            parts.append("")
        else:
            parts[-1] += text[at]
        at += 1
    return [part.strip() for part in parts if part.strip()], at


def _name(parameter: str, language: str) -> str:
    """Of a parameter as it is declared."""
    words = re.findall(r"\w+", parameter.partition(":")[0] if language == "rust" else parameter)
    return words[-1] if words and language != "go" else words[0] if words else ""
