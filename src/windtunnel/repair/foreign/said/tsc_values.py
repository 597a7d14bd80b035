"""What tsc says of types, members and arguments that do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said.members import OTHER_WORDS, VALUES, members_of
from windtunnel.repair.foreign.said.spot import Fix, Spot, near, put, renamed

_ZEROS = {"number": "0", "string": '""', "boolean": "false"}
_SIMPLE = re.compile(r"[\w$.]+(?:\([^()\n]*\))?(?:\[[^\]\n]*\])?")
_WALKED = frozenset({"Set", "MapIterator", "SetIterator", "IterableIterator"})
_PLAIN = frozenset({"number", "string", "boolean"})


def member(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A member that the type does not have: another of its own, or of a type in the file."""
    name, kind = said[1], said[2]
    span, known = spot.word(name), members_of(kind)
    if span is None:
        return
    for other in [one for one in OTHER_WORDS.get(name, ()) if one in known]:
        called = spot.text.startswith("()", span[1])
        text = other if other not in VALUES or name != "isEmpty" else f"{other} === 0"
        yield Fix(start=span[0], end=span[1] + 2 * (called and other in VALUES), text=text, name="method", prior=0.85,
                  reason=f"here it is called {other}")
    yield from renamed(spot, name, known, prior=0.75)
    if not known:
        yield from renamed(spot, name, [word for word in spot.words() if word != name], prior=0.6)


def converted(given: str, wanted: str, span: tuple[int, int], spot: Spot) -> Iterator[Fix]:
    """Between collections, their members, their lengths and their texts; between a text and one of those allowed."""
    text = spot.text[span[0] : span[1]]
    if _SIMPLE.fullmatch(text) is not None or wanted == f"{given}[]":
        for form, prior in _forms(given, wanted):
            yield Fix(start=span[0], end=span[1], text=form.format(text), name="conversion", prior=prior,
                      reason=f"a {given} becomes a {wanted}")
    yield from _allowed(given, wanted, spot)


def _forms(given: str, wanted: str) -> Iterator[tuple[str, float]]:
    """How a value of the one type is made one of the other."""
    collection, walked = given.endswith("[]"), given.partition("<")[0] in _WALKED
    table = (
        (collection and wanted == "number", "{}.length", 0.6),
        (collection and wanted == "string", '{}.join(", ")', 0.5),
        (collection and wanted == given.removesuffix("[]"), "{}[0]", 0.5),
        (wanted == f"{given}[]", "[{}]", 0.65),
        (walked and wanted.endswith("[]"), "[...{}]", 0.65),
        (collection and wanted.startswith("Set<"), "new Set({})", 0.65),
        (given == f"() => {wanted}", "{}()", 0.75),
        (given in _PLAIN and wanted == "Date", "new Date({})", 0.6),
    )
    yield from ((form, prior) for holds, form, prior in table if holds)


def _allowed(given: str, wanted: str, spot: Spot) -> Iterator[Fix]:
    """A text that is nearly one of those that a type allows."""
    if given[:1] != '"':
        return
    declared = re.search(rf"\btype {re.escape(wanted)} =([^;]{{1,2000}});", spot.text)
    others = re.findall(r"[\"']([^\"'\n]{1,80})[\"']", declared[1] if declared is not None else wanted)
    at = spot.text.find(given[1:-1], spot.start, spot.start + len(spot.code))
    for place, other in enumerate(near(given[1:-1], others) or others[:1] if at >= 0 else ()):
        yield Fix(start=at, end=at + len(given) - 2, text=other, name="misspelt-name", prior=0.8 / (1 + place),
                  reason=f"{other} is allowed, {given[1:-1]} is not")


def parameter(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A function whose parameter is annotated with another type than it is called with."""
    found = re.search(r"Type '([^'\n]{1,80})' is not assignable to type '([^'\n]{1,80})'", spot.problem.message)
    given = re.match(rf"\(?{re.escape(said[1])}: ([\w\[\]]{{1,80}})", spot.text[spot.offset :]) or re.search(
        rf"\b{re.escape(said[1])}: ([\w\[\]]{{1,80}})", spot.code)
    if found is None or given is None:
        return
    start = spot.text.find(f"{said[1]}: {given[1]}", spot.start) + len(said[1]) + 2
    yield Fix(start=start, end=start + len(given[1]), text=found[1], name="annotation", prior=0.85,
              reason=f"{said[1]} is given a {found[1]}")


def fewer(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Arguments too many are dropped; what is missing is a name of the file that is called like the parameter."""
    wanted, given = int(said[1]), int(said[2])
    if given > wanted:
        start, end = spot.expression()
        cut = re.search(r",[^,]*$", spot.text[spot.start : start])
        first = wanted == 0 and cut is None
        if cut is not None or first:
            yield Fix(start=spot.start + cut.start() if cut is not None else start, end=end, text="", name="arguments",
                      prior=0.6, reason="an argument too many")
        return
    called = re.compile(r"(?:new )?([\w$.]+)\(([^()\n]*)\)").match(spot.text, spot.offset) or re.search(
        r"([\w$.]+)\(([^()\n]*)\)", spot.code)
    if called is None:
        return
    close = called.end() - 1 + (0 if called.string is spot.text else spot.start)
    missing = _parameters(called[1].rpartition(".")[2], spot)[given:wanted]
    texts = [_argument(name, kind, spot) for name, kind in missing]
    if len(texts) == wanted - given and all(texts):
        yield put(close, (", " if given else "") + ", ".join(texts), name="arguments", prior=0.6,
                  reason="arguments are missing")


def _parameters(name: str, spot: Spot) -> list[tuple[str, str]]:
    """Of a function or class of the file: names and types."""
    found = re.search(
        rf"\bfunction {re.escape(name)}\(([^()]{{0,400}})\)|\b{re.escape(name)} = (?:async )?\(([^()]{{0,400}})\)|"
        rf"\bclass {re.escape(name)}\b[^{{]{{0,200}}\{{.{{0,2000}}?\bconstructor\(([^()]{{0,400}})\)|"
        rf"^\s+(?:async |public |static )*{re.escape(name)}\(([^()]{{0,400}})\)(?:: [^{{\n]{{1,80}})? \{{",
        spot.text, re.DOTALL | re.MULTILINE)
    listed = next((part for part in found.groups() if part is not None), "") if found is not None else ""
    pairs = [part.partition(":") for part in listed.split(",") if part.strip()]
    return [(name.split()[-1].rstrip("?"), kind.partition("=")[0].strip()) for name, _, kind in pairs if name.split()]


def _argument(name: str, kind: str, spot: Spot) -> str:
    """A variable of the same name, or what stands for nothing in its type."""
    before = spot.text[: spot.offset]
    if re.search(rf"\b(?:const|let|var) {re.escape(name)}\b", before):
        return name
    return _ZEROS.get(kind, "[]" if kind.endswith("[]") else "")


def readonly(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """What was declared to stay the same is changed."""
    found = re.search(rf"\breadonly (?={re.escape(said[1])}\b)", spot.text)
    if found is not None:
        yield Fix(start=found.start(), end=found.end(), text="", name="access", prior=0.85,
                  reason=f"{said[1]} is changed later")


def missing_member(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A class or an object lacks a member, and has one that is nearly called so; or the value for nothing is put in."""
    wanted = said[1]
    body = _block(spot)
    names = [(found[1], body[0] + found.start(1)) for found in re.finditer(
        r"(?:^|[{,;\n])\s*(?:async |public |readonly |get )*([\w$]+)\s*(?=[(:,}])", spot.text[body[0] : body[1]])]
    for other in near(wanted, [name for name, _ in names if name != wanted]):
        at = next(place for name, place in names if name == other)
        yield Fix(start=at, end=at + len(other), text=wanted, name="misspelt-name", prior=0.85,
                  reason=f"{wanted} is wanted, and {other} is there")
    declared = re.search(rf"\b{re.escape(wanted)}: (\w+(?:\[\])?)", spot.text)
    value = _argument(wanted, declared[1], spot) if declared is not None else ""
    literal = spot.text.rfind("}", body[0], body[1] + 1)
    if value and literal > body[0] and "class " not in spot.code:
        held = wanted if value == wanted else f"{wanted}: {value}"
        start = len(spot.text[:literal].rstrip())
        comma = "" if spot.text[:start].endswith(("{", ",")) else ","
        yield Fix(start=start, end=literal, text=f"{comma} {held} ", name="initial", prior=0.5,
                  reason=f"{wanted} is missing")


def _block(spot: Spot) -> tuple[int, int]:
    """From the place to where the first bracket behind it closes."""
    at = start = spot.text.find("{", spot.offset)
    depth = 0
    while 0 <= at < len(spot.text):
        depth += {"{": 1, "}": -1}.get(spot.text[at], 0)
        if depth == 0:
            return start, at
        at += 1
    return spot.offset, len(spot.text)


def constructed(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A class is called."""
    span = spot.word(said[1])
    if span is not None:
        yield put(span[0], "new ", name="missing-new", prior=0.9, reason=f"{said[1]} is a class")


def not_callable(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A value that is called."""
    span = spot.word()
    if span is not None and spot.text.startswith("()", span[1]):
        yield Fix(start=span[1], end=span[1] + 2, text="", name="no-call", prior=0.85,
                  reason=f"{spot.text[span[0]:span[1]]} is a value, no function")


def unset(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A variable is read before it has a value."""
    found = re.search(rf"\blet {re.escape(said[1])}: ([\w\[\]]+)(?=;)", spot.text)
    value = _ZEROS.get(found[1], "[]" if found[1].endswith("[]") else "") if found is not None else ""
    if found is not None and value:
        yield put(found.end(), f" = {value}", name="initial", prior=0.75, reason=f"{said[1]} begins with {value}")
