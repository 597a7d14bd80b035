"""What the Go compiler says of values and their types: conversions, results, errors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said.imports import go_import
from windtunnel.repair.foreign.said.spot import Fix, Spot, put

_NUMBERS = re.compile(r"u?int(?:8|16|32|64)?|float(?:32|64)|byte|rune|untyped (?:int|float|rune)")
_ZEROS = {"string": '""', "bool": "false", "error": "nil"}


def unfit(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """``cannot use x (variable of type A) as B``: converted, pointed to or looked through."""
    text, given, wanted = said[1], _described(said[2]), said[3].strip()
    start = spot.offset
    if not spot.text.startswith(text, start):
        at = spot.text.find(text, spot.start, spot.start + len(spot.code))
        if at < 0:
            return
        start = at
    end = start + len(text)
    made = _made(text, given, wanted)
    for rank, (new, prior) in enumerate(made):
        yield Fix(
            start=start,
            end=end,
            text=new,
            name="conversion",
            prior=prior / (1 + rank * 0.2),
            reason=f"a {given} becomes a {wanted}",
        )
    for new, package in (("strconv", "strconv"), ("fmt", "fmt")):
        if any(f"{new}." in row[0] for row in made) and f'"{package}"' not in spot.text:
            yield from _with_import(spot, start=start, end=end, text=made[0][0], package=package)
            break


def _described(words: str) -> str:
    """The type out of ``variable of type int64`` and ``untyped int constant``."""
    found = re.search(r"of (?:\w{1,20} )?type ([\w.*\[\]]{1,100})", words)
    return found[1] if found is not None else re.sub(r" (?:constant|value).*", "", words)


def _made(text: str, given: str, wanted: str) -> list[tuple[str, float]]:  # noqa: C901, PLR0911 -- one row for each pair of types
    if _NUMBERS.fullmatch(wanted) and _NUMBERS.fullmatch(given):
        return [(f"{wanted}({text})", 0.92)]
    if wanted == f"*{given}":
        return [(f"&{text}", 0.9)]
    if given == f"*{wanted}":
        return [(f"*{text}", 0.9)]
    if wanted == "string" and given == "error":
        return [(f"{text}.Error()", 0.92)]
    if wanted == "string" and _NUMBERS.fullmatch(given):
        if given in {"rune", "byte", "int32"}:
            return [(f"string({text})", 0.85)]
        return [
            (f"strconv.Itoa({text})" if given in {"int", "untyped int"} else f"fmt.Sprint({text})", 0.8),
            (f'"{text}"', 0.4 if text.isdigit() else 0.01),
        ]
    if wanted in {"[]byte", "[]rune"} and given == "string":
        return [(f"{wanted}({text})", 0.92)]
    if wanted == "string" and given in {"[]byte", "[]rune"}:
        return [(f"string({text})", 0.92)]
    if _NUMBERS.fullmatch(wanted) and given in {"untyped string", "string"} and re.fullmatch(r"\"-?[\d.]+\"", text):
        return [(text.strip('"'), 0.85)]
    if wanted == f"[]{given}":
        return [(f"{wanted}{{{text}}}", 0.6), (f"{text}...", 0.2)]
    return []


def _with_import(spot: Spot, *, start: int, end: int, text: str, package: str) -> Iterator[Fix]:
    """A conversion and the import that it needs, as one edit of the range between them."""
    for brought in go_import(spot, package):
        between = spot.text[brought.end : start]
        yield Fix(
            start=brought.start,
            end=end,
            text=brought.text + between + text,
            name="conversion",
            prior=0.9,
            reason=f"converted by {package}, which is imported for it",
        )


def mismatched(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Both sides of a sign are of other types: one becomes the other, the wider one rather."""
    left, right = said[1].strip(), said[3].strip()
    kinds = said[4].strip(), said[5].strip()
    whole = f"{left} {said[2]} {right}"
    at = spot.text.find(whole, spot.start, spot.start + len(spot.code))
    tight = f"{left}{said[2]}{right}"
    if at < 0:
        at, whole = spot.text.find(tight, spot.start, spot.start + len(spot.code)), tight
    if at < 0:
        return
    ranks = [int("float" in kind) * 2 + int("64" in kind) for kind in kinds]
    order = (0, 1) if ranks[1] > ranks[0] else (1, 0)
    spans = ((at, at + len(left)), (at + len(whole) - len(right), at + len(whole)))
    for rank, side in enumerate(order):
        text, given, wanted = (left, right)[side], kinds[side], kinds[1 - side].removeprefix("untyped ")
        for new, prior in _made(text, given, wanted):
            if "strconv." in new and '"strconv"' not in spot.text:
                yield from _with_import(spot, start=spans[side][0], end=spans[side][1], text=new, package="strconv")
            yield Fix(
                start=spans[side][0],
                end=spans[side][1],
                text=new,
                name="conversion",
                prior=prior / (1 + 0.6 * rank),
                reason=f"a {given} becomes a {wanted}",
            )


def no_return(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Before the brace that ends the function."""
    head = [
        one
        for one in re.finditer(
            r"^func [^\n{]{0,400}?\)\s{0,4}(\([^()\n]{0,200}\)|[\w.*\[\]]{1,100})?\s{0,4}\{", spot.text, re.MULTILINE
        )
        if one.start() < spot.offset
    ]
    kinds = head[-1][1].strip("()").split(",") if head and head[-1][1] else []
    body = spot.text[head[-1].end() : spot.offset] if head else ""
    if not kinds:
        return
    zeros = [_zero(kind.strip().rpartition(" ")[2] if " " in kind.strip() else kind.strip()) for kind in kinds]
    names = [
        name for name in re.findall(r"^\t(?:var )?(\w+)(?: :=| \w+$| \w+ =)", body, re.MULTILINE) if name != "return"
    ]
    results = [f"{name}{''.join(', ' + zero for zero in zeros[1:])}" for name in names[:2]]
    plain = ", ".join(zeros)
    opposite = "true" if plain == "false" and "return false" in body and "return true" not in body else plain
    close = spot.offset if spot.text[spot.offset : spot.offset + 1] == "}" else spot.text.rfind("}", 0, spot.offset + 1)
    close = spot.offset if close < 0 else close
    for rank, result in enumerate(dict.fromkeys([*results, opposite, plain])):
        before = "" if spot.text[close - 1 : close] == "\n" else "\n"
        yield put(
            close,
            f"{before}\treturn {result}\n",
            name="missing-return",
            prior=0.8 / (1 + rank),
            reason="the function gives nothing back here",
        )


def _zero(kind: str) -> str:
    if kind in _ZEROS:
        return _ZEROS[kind]
    return (
        "0"
        if _NUMBERS.fullmatch(kind)
        else "nil"
        if kind.startswith(("[]", "map", "*", "func", "chan"))
        else f"{kind}{{}}"
    )


def two_values(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A call that gives an error too: its error is dropped, or looked at and handed on."""
    given, wanted = int(said[1]), int(said[2])
    found = re.match(r"\s*(?:var )?([\w, ]+?)\s*(:?=)", spot.code)
    if found is None or wanted != given + 1:
        return
    at = spot.start + found.end(1)
    head = [
        one
        for one in re.finditer(
            r"^func [^\n]{0,400}?\)\s{0,4}(\([^()\n]{0,200}\)|[\w.*\[\]]{1,100})?\s{0,4}\{", spot.text, re.MULTILINE
        )
        if one.start() < spot.offset
    ]
    kinds = head[-1][1].strip("()").split(",") if head and head[-1][1] else []
    fails = bool(kinds) and kinds[-1].strip().endswith("error")
    if fails:
        zeros = ", ".join([*(_zero(kind.strip().rpartition(" ")[2]) for kind in kinds[:-1]), "err"])
        end = spot.start + len(spot.code)
        rest = spot.text[at:end]
        text = f", err{rest}\n{spot.indent}if err != nil {{\n{spot.indent}\treturn {zeros}\n{spot.indent}}}"
        yield Fix(start=at, end=end, text=text, name="error-check", prior=0.85, reason="the error is handed on")
    yield put(
        at,
        ", _",
        name="error-dropped",
        prior=0.6 if fails else 0.85,
        reason="the call gives an error too, which is dropped",
    )


def results(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Values of a ``return`` that are too few or too many."""
    found = re.match(r"(\s*(?:.*[{;])?\s*return)\s*(.*?)(\s*\}?\s*)$", spot.code)
    wanted = re.search(r"want \(([^\n]*)\)", spot.problem.message)
    if found is None or wanted is None:
        return
    kinds = [kind.strip() for kind in wanted[1].split(",") if kind.strip()]
    values = [value.strip() for value in re.split(r",(?![^(\[{]*[)\]}])", found[2]) if value.strip()]
    start, end = spot.start + found.start(2), spot.start + found.end(2)
    if said[0].startswith("not enough") and len(values) < len(kinds):
        more = [_zero(kind) for kind in kinds[len(values) :]]
        space = "" if values or found[1].endswith(" ") or found[2] else " "
        yield Fix(
            start=start,
            end=end,
            text=space + ", ".join([*values, *more]),
            name="return",
            prior=0.85,
            reason="a value is missing",
        )
        if kinds[-1] == "error" and values and values[-1] in {"err", "errors.New"}:
            zeros = [_zero(kind) for kind in kinds[:-1]]
            yield Fix(
                start=start,
                end=end,
                text=", ".join([*zeros, values[-1]]),
                name="return",
                prior=0.7,
                reason="the error comes last",
            )
    elif len(values) > len(kinds):
        kept = [value for value in values if value != "nil"] if len(kinds) == 1 else values[: len(kinds)]
        for rank, text in enumerate(dict.fromkeys([", ".join(values[: len(kinds)]), ", ".join(kept[: len(kinds)])])):
            yield Fix(start=start, end=end, text=text, name="return", prior=0.7 / (1 + rank), reason="a value too many")
    elif len(values) == 1 and len(kinds) == 1:
        yield from _split_result(spot, value=values[0])


def _split_result(spot: Spot, *, value: str) -> Iterator[Fix]:
    """``return f()`` where ``f`` gives an error too."""
    at = spot.code.index("return")
    start, end = spot.start + at, spot.start + at + len("return ") + len(value)
    yield Fix(
        start=start,
        end=end,
        text=f"value, _ := {value}\n{spot.indent or chr(9)}return value",
        name="error-dropped",
        prior=0.8,
        reason="the call gives an error too, which is dropped",
    )


def not_used(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A value that is calculated for nothing."""
    append = re.match(r"append\((\w+(?:\.\w+)*),", said[1])
    if append is not None:
        yield put(spot.offset, f"{append[1]} = ", name="assignment", prior=0.93, reason="append gives the new slice")
    compared = re.match(r"([\w.\[\]]+) == (.+)", said[1])
    if compared is not None:
        at = spot.code.find("==")
        yield Fix(
            start=spot.start + at,
            end=spot.start + at + 2,
            text="=",
            name="assignment",
            prior=0.85,
            reason="an assignment, not a question",
        )


def condition(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A value stands where a question is asked."""
    start, end = spot.expression()
    text = spot.text[start:end].strip()
    end = start + len(text)
    for zero, prior in (("0", 0.6), ("nil", 0.4), ('""', 0.4)):
        yield put(end, f" != {zero}", name="comparison", prior=prior, reason="a condition is true or false")


def receiver(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A value where only its pointer has the method."""
    start, end = spot.expression()
    text = spot.text[start:end]
    if said[1]:
        yield Fix(
            start=start, end=end, text=f"&{text}", name="pointer", prior=0.85, reason="only its pointer has the method"
        )
