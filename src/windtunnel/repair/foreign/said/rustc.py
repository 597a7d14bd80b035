"""rustc's own suggestions, as it draws them, and a few that it does not draw."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from windtunnel.repair.foreign.said.arguments import missing_arguments
from windtunnel.repair.foreign.said.declared import rust_mutable, rust_private, rust_private_field
from windtunnel.repair.foreign.said.imports import rust_use
from windtunnel.repair.foreign.said.spot import Fix, Row, Spot, near, put, renamed, rows
from windtunnel.repair.foreign.said.thrown import unclosed

_HELP = re.compile(r"help: (.{1,400})")
_DRAWN = re.compile(r"\s*(\d{1,7}) ([|+~-]) ?(.*)")
_MARKS = re.compile(r"\s*\| *[+~\- ]*[+~][+~\- ]*")
_INLINE = re.compile(r"help: .{1,200}?: `([^`]{1,200})`")
_REMOVED = re.compile(r"([-^]+) help: remove (?:this|the|extra|these)")
_CAST = re.compile(r"you can convert an? `(?P<given>\w+)` to an? `(?P<wanted>\w+)`")
_COMMON = (
    "len push pop insert remove get contains is_empty iter map filter collect clone to_string unwrap chars "
    "split trim sum max min sort push_str as_str abs pow keys values extend first last rev join"
)
_DOUBTED = ("todo!()", "/* ", "unimplemented!", "try_into().unwrap()", "...")


@dataclass(slots=True)
class _Drawn:
    """One suggestion while it is read: by line of the file, what it becomes; and what is put before a line."""

    words: str
    changed: dict[int, str] = field(default_factory=dict)
    gone: dict[int, str] = field(default_factory=dict)
    added: list[tuple[int, str]] = field(default_factory=list)
    plain: list[tuple[int, str]] = field(default_factory=list)
    placed: str = ""


def suggested(spot: Spot) -> Iterator[Fix]:
    """Each suggestion as one edit of whole lines; those with holes in them later."""
    for at, one in enumerate(_drawings(spot.problem.help)):
        if one.placed and one.placed not in {spot.path, ""}:
            continue
        fix = _fix(one, spot, rank=at)
        if fix is not None:
            yield fix
        cast = _CAST.match(one.words)
        if cast is not None:
            yield from _converted(cast, spot)
    yield from _inline(spot)


def _drawings(text: str) -> list[_Drawn]:
    found: list[_Drawn] = []
    lines = text.splitlines()
    shift = 0
    for at, line in enumerate(lines):
        said = _HELP.match(line)
        if said is not None:
            found.append(_Drawn(words=said[1]))
            shift = 0
            continue
        drawn = _DRAWN.fullmatch(line)
        if not found or drawn is None:
            if line.lstrip().startswith(("note:", "= ")):
                shift = 0
            continue
        number, sign, code, last = int(drawn[1]), drawn[2], drawn[3], found[-1]
        if sign == "-":
            last.gone[number] = code
        elif sign == "~":
            last.changed[number - shift] = code
        elif sign == "+" and number in last.gone:
            last.changed[number] = code
            del last.gone[number]
        elif sign == "+":
            last.added.append((number - shift, code))
            shift += 1
        elif at + 1 < len(lines) and _MARKS.fullmatch(lines[at + 1]):
            last.changed[number - shift] = code
        else:
            last.plain.append((number - shift, code))
    return found


def _fix(one: _Drawn, spot: Spot, *, rank: int) -> Fix | None:
    """All its lines as one replaced range of the file; None where it does not fit the file."""
    touched = [*one.changed, *one.gone, *(line for line, _ in one.added)]
    if not touched or min(touched) < 1 or max(touched) > len(spot.starts) + 1:
        return None
    first, last = min(touched), max(touched)
    new: list[str] = []
    for line in range(first, last + 1):
        new += [code for at, code in one.added if at == line]
        if line in one.gone or line > len(spot.starts):
            continue
        is_only_added = line not in one.changed and line == last
        if is_only_added:
            break
        new.append(_spaced(one.changed[line], spot.of_line(line)) if line in one.changed else spot.of_line(line))
    kept_last = last not in one.changed and last not in one.gone
    start = spot.starts[first - 1] if first <= len(spot.starts) else len(spot.text)
    end = (
        start
        if first > len(spot.starts)
        else (spot.starts[last - 1] if kept_last else spot.starts[last - 1] + len(spot.of_line(last)))
    )
    text = "\n".join(new) + ("\n" if kept_last and new else "")
    doubted = any(word in text for word in _DOUBTED)
    prior = (0.35 if doubted else 0.88) / (1 + 0.4 * rank)
    return Fix(start=start, end=end, text=text, name="compiler-suggestion", prior=prior, reason=f"rustc: {one.words}")


def _spaced(code: str, old: str) -> str:
    """As drawn, with the tabs of the file, which are drawn as blanks."""
    tabs = old[: len(old) - len(old.lstrip())]
    return tabs + code.lstrip() if "\t" in tabs else code


def _inline(spot: Spot) -> Iterator[Fix]:
    """Suggestions that are drawn beside the code."""
    said = _INLINE.search(spot.problem.help)
    name = re.search(r"`([A-Za-z_]\w*)`", spot.problem.message)
    if said is not None and name is not None:
        span = spot.word(name[1])
        if span is not None and re.fullmatch(r"\w+!?", said[1]):
            yield Fix(
                start=span[0],
                end=span[1],
                text=said[1].rstrip("!"),
                name="compiler-suggestion",
                prior=0.85,
                reason=f"rustc: {said[0].removeprefix('help: ')}",
            )
    yield from _removals(spot)


def _removals(spot: Spot) -> Iterator[Fix]:
    lines = spot.problem.help.splitlines()
    for at, line in enumerate(lines):
        mark = _REMOVED.search(line)
        bar, drawn = line.find("|"), _DRAWN.fullmatch(lines[at - 1]) if at else None
        if mark is None or drawn is None or bar < 0:
            continue
        number, column = int(drawn[1]), mark.start(1) - bar - 2
        if 0 < number <= len(spot.starts) and 0 <= column < len(spot.of_line(number)):
            start = spot.starts[number - 1] + column
            yield Fix(
                start=start,
                end=start + len(mark[1]),
                text="",
                name="compiler-suggestion",
                prior=0.85,
                reason="rustc: remove this",
            )


def _unknown(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    yield from rust_use(spot, said[1])
    yield from renamed(spot, said[1], [word for word in spot.words() if spot.text.count(word) > 0])


def _indexed(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    start, end = spot.expression()
    text = spot.text[start:end]
    plain = text if re.fullmatch(r"\w+", text) else f"({text})"
    yield Fix(
        start=start, end=end, text=f"{plain} as usize", name="conversion", prior=0.85, reason="an index is a usize"
    )


def _converted(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    named = said.groupdict()
    wanted, given = (named["wanted"], named["given"]) if named else (said[1], said[2])
    start, end = spot.expression()
    text = spot.text[start:end]
    plain = text if re.fullmatch(r"[\w.()]+", text) else f"({text})"
    numbers = r"[iu](?:8|16|32|64|128|size)|f(?:32|64)"
    if re.fullmatch(numbers, wanted) and re.fullmatch(numbers, given.lstrip("&")):
        star = "*" if given.startswith("&") and " " not in plain else ""
        yield Fix(
            start=start,
            end=end,
            text=f"{star}{plain} as {wanted}",
            name="conversion",
            prior=0.9,
            reason=f"a {given} becomes a {wanted}",
        )
    elif wanted == "String" and given in {"&str", "&'static str"}:
        yield Fix(
            start=start, end=end, text=f"{plain}.to_string()", name="conversion", prior=0.8, reason="an owned text"
        )


def _calculated(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """``cannot add f64 to i32``: the other side is converted."""
    found = re.match(r"\s*[-+*/%]=?\s*", spot.text[spot.offset :])
    at = spot.offset + (found.end() if found is not None else 0)
    operand = re.match(r"[\w.]+(?:\([^()\n]*\))?", spot.text[at:])
    before = re.search(r"([\w.]+(?:\([^()\n]*\))?)\s*$", spot.text[spot.start : spot.offset])
    wanted, given = said[2], said[1]
    if operand is not None and re.fullmatch(r"[iuf]\w+", wanted):
        yield put(
            at + operand.end(), f" as {wanted}", name="conversion", prior=0.7, reason=f"a {given} becomes a {wanted}"
        )
    if before is not None and re.fullmatch(r"[iuf]\w+", given):
        start, end = spot.start + before.start(1), spot.start + before.end(1)
        prior = 0.75 if given.startswith("f") else 0.5
        yield Fix(
            start=start,
            end=end,
            text=f"({before[1]} as {given})" if spot.text[end : end + 1] == "<" else f"{before[1]} as {given}",
            name="conversion",
            prior=prior,
            reason=f"a {wanted} becomes a {given}",
        )


def _mutable(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = list(
        re.finditer(rf"\blet {said[1]}\b|(?<=[(,] ){said[1]}(?=:)|(?<=\(){said[1]}(?=:)", spot.text[: spot.offset])
    )
    if found:
        at = found[-1].start() + (4 if found[-1][0].startswith("let ") else 0)
        yield put(at, "mut ", name="mutable", prior=0.85, reason=f"{said[1]} is changed, so it must be mutable")


def _member(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    common = _COMMON.split()
    yield from renamed(spot, said[1], [*near(said[1], common), *spot.words()])


ROWS: tuple[Row, ...] = rows(
    (r"cannot find (?:value|type|function|struct[^`]*|trait|macro)[^`]* `(\w+)`", _unknown),
    (r"use of undeclared type `(\w+)`", _unknown),
    (r"cannot be indexed by `i?u?\w+`", _indexed),
    (r"expected `(&?\w+)`, found `(&?\w+)`", _converted),
    (r"cannot (?:add|subtract|multiply|divide) `(\w+)` (?:to|from|by) `(\w+)`", _calculated),
    (r"cannot (?:multiply|divide) `(\w+)` by `(\w+)`", _calculated),
    (r"(?:cannot borrow|cannot assign (?:to|twice to) (?:immutable )?(?:variable|argument)?) ?`\*?(\w+)`", _mutable),
    (r"no (?:method|field)(?: named)? `(\w+)`", _member),
    (r"this (?:function|method) takes \d+ arguments? but \d+", missing_arguments),
    (r"(?:function|struct|enum|constant|static|module|type alias|trait|associated function|method) `(\w+)` is private",
     rust_private),
    (r"field `(\w+)` of .{1,100} is private", rust_private_field),
    (r"types differ in mutability", rust_mutable),
    (r"(?:mismatched closing|unclosed) delimiter", unclosed),
)
