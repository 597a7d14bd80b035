"""What tsc says, and what its quick fixes would do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said.imports import script_import
from windtunnel.repair.foreign.said.spot import Fix, Row, Spot, near, put, renamed, rows
from windtunnel.repair.foreign.said.tsc_values import (
    constructed,
    converted,
    fewer,
    member,
    missing_member,
    not_callable,
    parameter,
    readonly,
    unset,
)


def _meant(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """The compiler names what was meant."""
    wrong, right = said[1], said[2]
    span = spot.word(wrong)
    if right.startswith(("this.", "await")):
        span = span or spot.word()
    if span is not None:
        yield Fix(
            start=span[0],
            end=span[1],
            text=right,
            name="misspelt-name",
            prior=0.9,
            reason=f"tsc: did you mean {right}?",
        )


def _unknown(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    yield from script_import(spot, said[1])
    yield from renamed(spot, said[1], spot.words(), prior=0.5)


def _member(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    yield from member(said, spot)
    span = spot.word(said[1])
    if span is not None and said[2].startswith("Promise<"):
        yield from awaited(spot, span[0])


def awaited(spot: Spot, end: int) -> Iterator[Fix]:
    """``(await owner).member`` where the owner of what begins at ``end`` is a promise."""
    owner = re.search(r"([\w$.]+(?:\([^()\n]*\))?)\.$", spot.text[spot.start : end])
    if owner is None:
        return
    start = spot.start + owner.start(1)
    declared = re.search(
        rf"(?:const|let|var) {re.escape(owner[1])}(?:: [^=\n]{{1,80}})? = (?=(?!await |new )[\w$.]+\()",
        spot.text[:start],
    )
    if declared is not None:
        yield put(declared.end(), "await ", name="missing-await", prior=0.8, reason=f"{owner[1]} is a promise")
    called = owner[1].endswith(")") or declared is not None
    yield Fix(
        start=start,
        end=start + len(owner[1]),
        text=f"(await {owner[1]})",
        name="missing-await",
        prior=0.6 if called else 0.1,
        reason=f"{owner[1]} is a promise",
    )


def _maybe(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """What may be nothing: a chain that stops there, or a claim that it is there."""
    start, end = spot.expression()
    held = re.match(r"[\w$.]+(?:\([^()\n]*\))?(?:\[[^\]\n]*\])?", spot.text[start:end])
    subject = re.search(r"'([\w.$]+)' is possibly", spot.problem.message)
    span = (
        len(subject[1])
        if subject is not None and spot.text.startswith(subject[1], start)
        else (held.end() if held is not None else 0)
    )
    if not span:
        return
    at, follows = start + span, spot.text[start + span : start + span + 1]
    if follows == ".":
        nulled = re.match(r"\.[\w$]+(?:\([^()\n]*\))?", spot.text[at:])
        fallback = " ?? 0" if re.match(r"\.(?:length|size)\b(?! \?\?)", spot.text[at:]) else ""
        if fallback and nulled is not None:
            yield Fix(
                start=at,
                end=at + nulled.end(),
                text=f"?{nulled[0]}{fallback}",
                name="null-check",
                prior=0.6,
                reason="what has the member may be nothing",
            )
        yield put(at, "?", name="null-check", prior=0.55, reason="what has the member may be nothing")
    yield put(at, "!", name="null-check", prior=0.3, reason="it is claimed to be there")


def _converted(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    given, wanted = said[1], said[2]
    start, end = _assigned(spot)
    text = spot.text[start:end]
    made = {
        ("number", "string"): f"String({text})",
        ("string", "number"): f"Number({text})",
        ("boolean", "string"): f"String({text})",
        ("string", "boolean"): f"Boolean({text})",
        ("number", "boolean"): f"Boolean({text})",
    }.get((given, wanted))
    yield from converted(given, wanted, (start, end), spot)
    if made is not None and text and "=>" not in text:
        quoted = re.fullmatch(r"\"(-?\d+(?:\.\d+)?)\"|'(-?\d+(?:\.\d+)?)'", text)
        if wanted == "number" and quoted is not None:
            made = quoted[1] or quoted[2]
        elif wanted == "string" and re.fullmatch(r"-?\d+(?:\.\d+)?", text):
            made = f'"{text}"'
        yield Fix(start=start, end=end, text=made, name="conversion", prior=0.7, reason=f"a {given} becomes a {wanted}")
    if given.startswith(f"Promise<{wanted}"):
        yield put(start, "await ", name="missing-await", prior=0.85, reason="it is a promise")
    if given.endswith(("| undefined", "| null")):
        fallback = {"string": '""', "number": "0", "boolean": "false"}.get(wanted)
        if fallback is not None:
            yield put(
                end,
                f" ?? {fallback}",
                name="null-check",
                prior=0.6,
                reason=f"it may be nothing, where a {wanted} is wanted",
            )
        yield put(end, "!", name="null-check", prior=0.3, reason="it is claimed to be there")
    yield from _annotated(spot, given=given, wanted=wanted)


def _annotated(spot: Spot, *, given: str, wanted: str) -> Iterator[Fix]:
    """Or the annotation is what is wrong."""
    for found in re.finditer(rf": {re.escape(wanted)}(?=[ =;,){{])", spot.code):
        at = spot.start + found.start() + 2
        yield Fix(
            start=at,
            end=at + len(wanted),
            text=given,
            name="annotation",
            prior=0.25,
            reason=f"what is annotated as {wanted} is a {given}",
        )


def _assigned(spot: Spot) -> tuple[int, int]:
    """The value, where the place is what it is given to or the statement that gives it."""
    start, end = spot.expression()
    given = re.match(r"(?:return\s+|[\w$.]+(?:: [^=\n]{1,80})? = )", spot.text[start:end])
    if given is not None:
        return start + given.end(), end
    return start, end


def _typed(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    span = spot.word(said[1])
    if span is not None:
        arrow = re.match(r"\s*=>", spot.text[span[1] :]) is not None and spot.text[span[0] - 1] != "("
        whole = f"({said[1]}: any)" if arrow else f"{said[1]}: any"
        yield Fix(start=span[0], end=span[1], text=whole, name="annotation", prior=0.8, reason=f"{said[1]} has no type")


def constant(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """What was declared to stay the same is changed."""
    found = list(re.finditer(rf"\bconst (?={re.escape(said[1])}\b)", spot.text))
    if found:
        at = min(found, key=lambda one: abs(one.start() - spot.offset)).start()
        yield Fix(
            start=at, end=at + 5, text="let", name="constant-changed", prior=0.9, reason=f"{said[1]} is changed later"
        )


def asynchronous(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """The function around an ``await`` becomes one that may wait."""
    before = spot.text[: spot.offset]
    heads = list(
        re.finditer(
            r"\bfunction\b|(?:\([^()\n]{0,300}\)|\b[\w$]{1,80})(?:: [^=\n]{1,80})? =>|"
            r"^[ \t]{1,40}(?!if|for|while|switch|catch)(?:static )?[\w$]{1,80}\([^()\n]{0,300}\)(?:: [^{\n]{1,80})? \{",
            before,
            re.MULTILINE,
        )
    )
    for found in reversed(heads[-3:]):
        inside = before[found.start() :]
        if inside.count("{") <= inside.count("}") and "=>" not in found[0]:
            continue
        at = found.start() + (len(found[0]) - len(found[0].lstrip()))
        if not before[:at].endswith("async "):
            yield put(at, "async ", name="missing-async", prior=0.85, reason="only an async function may await")
            return


def _promised(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    start, end = spot.expression()
    side = re.match(r"[\w$.]+\([^()\n]*\)|[\w$.]+", spot.text[start:end])
    if side is not None:
        yield Fix(
            start=start,
            end=start + side.end(),
            text=f"(await {side[0]})",
            name="missing-await",
            prior=0.8,
            reason="it is a promise",
        )


def _initial(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = re.match(rf"([^\n]*\b{re.escape(said[1])}): ([\w\[\]<>]+);", spot.code)
    values = {"number": "0", "string": '""', "boolean": "false"}
    if found is not None:
        value = values.get(found[2]) or ("[]" if found[2].endswith("[]") else "")
        if value:
            yield put(
                spot.start + found.end() - 1,
                f" = {value}",
                name="initial",
                prior=0.75,
                reason=f"{said[1]} begins with {value}",
            )
        yield put(spot.start + found.end(1), "!", name="initial", prior=0.4, reason=f"{said[1]} is claimed to be set")


def _private(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = re.search(rf"\bprivate (?=(?:readonly )?{re.escape(said[1])}\b)", spot.text)
    if found is not None:
        yield Fix(
            start=found.start(),
            end=found.end(),
            text="",
            name="access",
            prior=0.5,
            reason=f"{said[1]} is used from outside",
        )


def _returned(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """The last expression of the function is what it gives."""
    close = _closing(spot)
    body = spot.text[spot.offset : close]
    last = re.search(r"(?:\n|\{)([ \t]*)(?![ \t]|return|if|for|while|const|let|\}|//)([^\n{}]+;)\s*$", body)
    if last is not None:
        yield put(
            spot.offset + last.start(2),
            "return ",
            name="missing-return",
            prior=0.7,
            reason="the value is not given back",
        )
    for at, name in enumerate(_kept(body)):
        indent = re.match(r"[ \t]*", spot.code)
        yield put(
            close,
            f"  return {name};\n{indent[0] if indent else ''}",
            name="missing-return",
            prior=0.5 / (1 + 0.2 * at),
            reason=f"{name} is not given back",
        )


def _kept(body: str) -> list[str]:
    """The first two variables of a body: those of its own level, the ones of the type that it gives first."""
    given = re.match(r"[^\n]*?\): ([^{\n]+?) \{|([^{\n]+?) \{", body)
    wanted = (given[1] or given[2] or "").strip() if given is not None else ""
    found = re.findall(r"^[ \t]*(?:let|const) (\w+)(?:: ([^=\n]+?))?(?= =|;)", body, re.MULTILINE)
    return [name for name, _ in sorted(found, key=lambda row: row[1].strip() != wanted)][:2]


def _closing(spot: Spot) -> int:
    """Where the block that begins on the line ends."""
    at = spot.text.find("{", spot.offset)
    depth = 0
    while 0 <= at < len(spot.text):
        depth += {"{": 1, "}": -1}.get(spot.text[at], 0)
        if depth == 0:
            return at
        at += 1
    return len(spot.text)


def _exported(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A name that a module of the project does not give away, though it has it."""
    for path in spot.scene.paths[:200]:
        stem = re.sub(r"\.(?:tsx?|jsx?)$", "", path).rpartition("/")[2]
        text = spot.scene.read(path) if stem and said[1].strip("\"'").endswith(stem) else None
        if text:
            names = re.findall(
                r"export (?:async )?(?:const|let|function|class|interface|type|enum) (\w+)", text[:200_000]
            )
            yield from renamed(spot, said[2], near(said[2], names))


ROWS: tuple[Row, ...] = rows(
    (r"Cannot find name '(\w+)'\. Did you mean (?:the instance member )?'([\w.]+)'", _meant),
    (r"Property '(\w+)' does not exist on type .{1,300}\. Did you mean '(\w+)'", _meant),
    (r"but '(\w+)' does not exist in type .{1,200}\. Did you mean to write '(\w+)'", _meant),
    (r"has no exported member (?:named )?'(\w+)'\. Did you mean '(\w+)'", _meant),
    (r"Cannot find name '(\w+)'", _unknown),
    (r"Module (.{1,200}) has no exported member '(\w+)'", _exported),
    (r"Property '(\w+)' does not exist on type '(.{1,200}?)'", _member),
    (r"is possibly '(null|undefined)'|Object is possibly", _maybe),
    (r"Type '(.{1,80}?)' is not assignable to type '(.{1,80}?)'", _converted),
    (r"Argument of type '(.{1,80}?)' is not assignable to parameter of type '(.{1,80}?)'", _converted),
    (r"Parameter '(\w+)' implicitly has an 'any' type", _typed),
    (r"Cannot assign to '(\w+)' because it is a constant", constant),
    (r"'await' expressions are only allowed", asynchronous),
    (
        r"cannot be applied to types '?.{0,80}Promise<|left-hand side of an arithmetic|Did you forget to use 'await'",
        _promised,
    ),
    (r"Property '(\w+)' has no initializer", _initial),
    (r"Expected (\d+) arguments?, but got (\d+)", fewer),
    (r"Property '(\w+)' is private", _private),
    (r"Cannot assign to '(\w+)' because it is a read-only", readonly),
    (r"Property '(\w+)' is missing in type", missing_member),
    (r"Types of parameters '(\w+)' and '\w+' are incompatible", parameter),
    (r"Value of type 'typeof (\w+)' is not callable", constructed),
    (r"This expression is not callable", not_callable),
    (r"Variable '(\w+)' is used before being assigned", unset),
    (r"must return a value|lacks ending return", _returned),
)
