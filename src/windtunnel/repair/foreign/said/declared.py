"""Declarations that forbid what is done: private, constant, or of weaker access than what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said.spot import Fix, Spot, put


def private_member(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Java: what gives the member away is called instead, or the member is no longer private."""
    name, span = said[1], spot.word(said[1])
    getter = f"get{name[:1].upper()}{name[1:]}"
    if span is not None and not spot.text.startswith("(", span[1]):
        for other in (getter, f"is{getter[3:]}"):
            if re.search(rf"\b{other}\(\)", spot.text):
                yield Fix(start=span[0], end=span[1], text=f"{other}()", name="method", prior=0.85,
                          reason=f"{name} is private, and {other} gives it")
    found = re.search(rf"\bprivate (?=[\w<>\[\], ]{{1,80}} {re.escape(name)}\b)", spot.text)
    if found is not None:
        yield Fix(start=found.start(), end=found.end(), text="", name="access", prior=0.6,
                  reason=f"{name} is used from outside")


def weaker(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Java: what stands for a method of an interface is as open as that."""
    shut = re.match(r"\s*(private |protected )?", spot.code)
    start, end = (shut.start(1), shut.end(1)) if shut is not None and shut[1] else (len(spot.indent),) * 2
    yield Fix(start=spot.start + start, end=spot.start + end, text=f"{said[1]} ", name="access", prior=0.9,
              reason=f"it stands for something that is {said[1]}")


def go_constant(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Go: what is changed is no constant."""
    found = re.search(rf"\bconst (?={re.escape(said[1])}\b)", spot.text)
    if found is not None:
        yield Fix(start=found.start(), end=found.end(), text="var ", name="constant-changed", prior=0.9,
                  reason=f"{said[1]} is changed later")


def go_map(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Go: a map is made before something is put into it."""
    owner = re.match(r"\s*([\w.]+)\[", spot.code)
    found = re.search(rf"\bvar {re.escape(owner[1])} (map\[[^\]\n]+\][^\s=]+)(?=\n)", spot.text) if owner else None
    if found is not None:
        yield put(found.end(), f" = {found[1]}{{}}", name="initial", prior=0.9,
                  reason="a map is made before it is filled")
    elif owner is not None and "." in owner[1]:
        kind = re.search(rf"\b{re.escape(owner[1].rpartition('.')[2])}\s+(map\[[^\]\n]+\]\S+)", spot.text)
        if kind is not None:
            made = f"if {owner[1]} == nil {{\n{spot.indent}\t{owner[1]} = {kind[1]}{{}}\n{spot.indent}}}\n{spot.indent}"
            yield put(spot.start + len(spot.indent), made, name="initial", prior=0.7,
                      reason="a map is made before it is filled")


def rust_private(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Rust: what is used from outside says so."""
    kinds = "fn|struct|enum|const|static|mod|type|trait"
    found = re.search(rf"^[ \t]*(?=(?:async |const |unsafe )*(?:{kinds}) {said[1]}\b)", spot.text, re.MULTILINE)
    if found is not None:
        yield put(found.end(), "pub ", name="access", prior=0.9, reason=f"{said[1]} is used from outside")


def rust_private_field(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Rust: a field that is used from outside, or what gives it away."""
    span = spot.word(said[1])
    if span is not None and re.search(rf"\bpub fn {said[1]}\(&self\)", spot.text):
        yield put(span[1], "()", name="method", prior=0.85, reason=f"{said[1]} is private, and a method gives it")
    found = re.search(rf"^[ \t]*(?={said[1]}: )|[{{,] (?={said[1]}: \w)", spot.text, re.MULTILINE)
    if found is not None:
        yield put(found.end(), "pub ", name="access", prior=0.7, reason=f"{said[1]} is used from outside")


def rust_mutable(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Rust: what is lent to be changed says so."""
    if spot.text.startswith("&", spot.offset) and not spot.text.startswith("&mut ", spot.offset):
        yield put(spot.offset + 1, "mut ", name="mutable", prior=0.9, reason="it is lent to be changed")
