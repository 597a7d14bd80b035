"""What JavaScript says when it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said.imports import NODE, NODE_MODULES, relative, script_import
from windtunnel.repair.foreign.said.members import OTHER_WORDS
from windtunnel.repair.foreign.said.spot import Fix, Row, Spot, near, put, renamed, rows
from windtunnel.repair.foreign.said.tsc import asynchronous, awaited, constant

_METHOD_WORDS = (
    "push pop shift unshift slice splice concat join reverse sort map filter forEach reduce reduceRight find findIndex "
    "includes indexOf lastIndexOf some every flat flatMap fill keys values entries at charAt charCodeAt split trim "
    "trimStart trimEnd toLowerCase toUpperCase substring startsWith endsWith replace replaceAll padStart padEnd repeat "
    "match matchAll toString toFixed hasOwnProperty set get has delete add clear then catch finally parse stringify "
    "floor ceil round max min abs sqrt pow random from isArray assign freeze log error warn test exec call apply bind "
    "length getTime getFullYear isInteger"
)
_METHODS = tuple(_METHOD_WORDS.split())


def _unknown(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A module that was not loaded, a name that was misspelt, a member that lacks its owner."""
    name = said[1]
    yield from script_import(spot, name)
    globals_ = [
        "console",
        "Math",
        "JSON",
        "Object",
        "Array",
        "Number",
        "String",
        "Promise",
        "parseInt",
        "parseFloat",
        "module",
        "require",
        "exports",
        "process",
        "undefined",
        "Infinity",
        "Map",
        "Set",
        "Date",
        "Error",
    ]
    yield from renamed(spot, name, [word for word in spot.words() if word != name] + globals_)
    span = spot.word(name)
    if span is not None and re.search(rf"\bthis\.{re.escape(name)}\b|^\s+{re.escape(name)}\(", spot.text, re.MULTILINE):
        yield put(span[0], "this.", name="missing-this", prior=0.7, reason=f"{name} is a member of the object")
    plain = {
        "True": "true",
        "False": "false",
        "None": "null",
        "nil": "null",
        "NULL": "null",
        "self": "this",
        "print": "console.log",
    }.get(name)
    if span is not None and plain is not None:
        yield Fix(
            start=span[0], end=span[1], text=plain, name="misspelt-name", prior=0.9, reason=f"here it is called {plain}"
        )
    yield from _declared(spot, name)


def _declared(spot: Spot, name: str) -> Iterator[Fix]:
    """A first assignment without a declaration."""
    if re.match(rf"\s*{re.escape(name)} = ", spot.code):
        yield put(
            spot.start + len(spot.indent), "let ", name="declaration", prior=0.5, reason=f"{name} is not declared"
        )


def _no_function(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    whole = said[1]
    owner, _, name = whole.rpartition(".")
    span = spot.word(name)
    if span is None:
        return
    if not owner:
        yield from _taken_apart(said, spot)
    for at, other in enumerate(OTHER_WORDS.get(name, ())):
        called = re.match(r"\(\)", spot.text[span[1] :])
        if other == "length" and called is not None:
            yield Fix(
                start=span[0],
                end=span[1] + 2,
                text="length",
                name="method",
                prior=0.85,
                reason="here it is called length",
            )
        elif other.isalpha() and other != "length":
            yield Fix(
                start=span[0],
                end=span[1],
                text=other,
                name="method",
                prior=0.75 / (1 + at),
                reason=f"here it is called {other}",
            )
    others = [*near(name, _METHODS), *(word for word in spot.words() if word != name)]
    yield from renamed(spot, name, others)
    if re.match(r"\(\)", spot.text[span[1] :]):
        yield Fix(
            start=span[1],
            end=span[1] + 2,
            text="",
            name="no-call",
            prior=0.4 if name != "length" else 0.9,
            reason=f"{name} is a value, no function",
        )
    if owner:
        yield from awaited(spot, span[0])
        if name in {"map", "filter", "forEach", "reduce", "join", "slice", "some", "every"}:
            start = span[0] - len(owner) - 1
            yield Fix(
                start=start,
                end=start + len(owner),
                text=f"Array.from({owner})",
                name="conversion",
                prior=0.35,
                reason=f"{owner} is no array",
            )


def _nothing(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A member of nothing is read: a chain that stops there, a name that is misspelt, a promise."""
    name = said[1]
    spans = [found.span(1) for found in re.finditer(rf"\??[.\[]['\"]?({re.escape(name)})\b", spot.code)]
    for start, end in spans[:2]:
        at = spot.start + start
        owner = re.search(r"([\w$]+)(?:\([^()\n]*\)|\[[^\[\]\n]*\])?\.$", spot.text[spot.start : at])
        if owner is not None:
            words = [word for word in spot.words() if word != owner[1]]
            begin = spot.start + owner.start(1)
            for rank, other in enumerate(near(owner[1], words, most=2)):
                if spot.text[begin - 1] == ".":
                    yield Fix(
                        start=begin,
                        end=begin + len(owner[1]),
                        text=other,
                        name="misspelt-name",
                        prior=0.5 / (1 + rank),
                        reason=f"{owner[1]} is not there; {other} may be",
                    )
        if spot.text[at - 1] == ".":
            fallback = " ?? 0" if name in {"length", "size"} else ""
            yield Fix(
                start=at - 1,
                end=spot.start + end,
                text=f"?.{name}{fallback}",
                name="null-check",
                prior=0.5,
                reason="what has the member may be nothing",
            )
            if fallback:
                yield put(at - 1, "?", name="null-check", prior=0.3, reason="what has the member may be nothing")
        yield from awaited(spot, at)
    yield from _one_less(spot)
    yield from _guarded(spot)


def _one_less(spot: Spot) -> Iterator[Fix]:
    """A loop that goes one too far reads behind the end."""
    for line in range(spot.line, max(0, spot.line - 12), -1):
        found = re.search(r"<= (?=[\w.$]+\.length\b)", spot.of_line(line))
        if found is not None and "for" in spot.of_line(line):
            at = spot.starts[line - 1] + found.start()
            yield Fix(
                start=at, end=at + 2, text="<", name="boundary", prior=0.85, reason="the loop reads behind the end"
            )


def _guarded(spot: Spot) -> Iterator[Fix]:
    owner = re.search(r"([A-Za-z_$][\w$]*)(?:\.[\w$]+)*(?:\[[^\[\]\n]*\])?\.$", spot.text[spot.start : spot.offset])
    if owner is not None and owner[1] not in {"this", "Math"}:
        for result in ("null", "[]", "undefined"):
            text = f"if ({owner[1]} == null) {{\n{spot.indent}  return {result};\n{spot.indent}}}\n{spot.indent}"
            yield put(
                spot.start + len(spot.indent), text, name="null-check", prior=0.2, reason=f"{owner[1]} may be nothing"
            )


def _constant_changed(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = re.search(r"([\w$]+)\s*(?:[-+*/%&|^]|\*\*|<<|>>)?=(?!=)|([\w$]+)(?:\+\+|--)|(?:\+\+|--)([\w$]+)", spot.code)
    if found is not None:
        name = re.match(r"(.*)", next(part for part in found.groups() if part))
        if name is not None:
            yield from constant(name, spot)
    for line in re.finditer(r"\bfor \((const) ", spot.text):
        if spot.line_at(line.start()) == spot.line:
            yield Fix(
                start=line.start(1),
                end=line.end(1),
                text="let",
                name="constant-changed",
                prior=0.9,
                reason="the variable of the loop changes",
            )


def _made(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    span = spot.word(said[1])
    if span is not None:
        yield put(span[0], "new ", name="missing-new", prior=0.92, reason=f"{said[1]} is a class")


def _super(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    yield put(
        spot.start + len(spot.indent),
        f"super();\n{spot.indent}",
        name="missing-super",
        prior=0.85,
        reason="what is inherited is set up first",
    )


def _declared_twice(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = re.search(rf"\b(?:let|const|var) (?={re.escape(said[1])}\b)", spot.code)
    if found is not None:
        last = list(re.finditer(rf"\b(?:let|const|var) (?={re.escape(said[1])}\b)", spot.code))[-1]
        at = spot.start + last.start()
        yield Fix(
            start=at,
            end=spot.start + last.end(),
            text="",
            name="declared-twice",
            prior=0.7,
            reason=f"{said[1]} is declared already",
        )


def _module(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A file of the project that is meant by a path that leads nowhere."""
    wanted = said[1]
    stems = {re.sub(r"\.(?:[cm]?js|ts)$", "", path).rpartition("/")[2]: path for path in spot.scene.paths}
    stem = wanted.rpartition("/")[2].removesuffix(".js")
    quoted = re.search(rf"['\"]{re.escape(wanted)}['\"]", spot.text)
    at = quoted.start() + 1 if quoted is not None else spot.text.find(wanted)
    for rank, other in enumerate(near(wanted.removeprefix("node:"), NODE_MODULES) if at >= 0 else ()):
        yield Fix(
            start=at,
            end=at + len(wanted),
            text=f"node:{other}" if wanted.startswith("node:") else other,
            name="module-path",
            prior=0.85 / (1 + rank),
            reason=f"there is no module {wanted}; {other} is one",
        )
    for rank, other in enumerate([stem] if stem in stems else near(stem, list(stems))):
        if at >= 0:
            text = relative(stems[other], spot.path)
            text += ".js" if wanted.endswith(".js") and not text.endswith(".js") else ""
            yield Fix(
                start=at,
                end=at + len(wanted),
                text=text,
                name="module-path",
                prior=0.8 / (1 + rank),
                reason=f"{wanted} is not there; {stems[other]} is",
            )


def _taken_apart(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A name that a module does not give, everywhere in the file; and all of a module taken for one of its names."""
    name, word = said[1], re.escape(said[1])
    held = re.search(rf"\{{[^{{}}\n]{{0,300}}\b{word}\b[^{{}}\n]{{0,300}}\}} (?:= require\(|from )", spot.text)
    for rank, other in enumerate(near(name, list(NODE)) if held is not None else ()):
        text = re.sub(rf"\b{word}\b", other, spot.text)
        yield Fix(
            start=0,
            end=len(spot.text),
            text=text,
            name="misspelt-name",
            prior=0.85 / (1 + rank),
            reason=f"the module has no {name}; it has {other}",
        )
    whole = re.search(rf"\b(?:const|let|var) ({word})(?= = require\()", spot.text)
    if whole is not None:
        yield Fix(
            start=whole.start(1),
            end=whole.end(1),
            text=f"{{ {name} }}",
            name="module-kind",
            prior=0.6,
            reason=f"{name} is one of the names that the module gives",
        )


def _not_iterable(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    name = said[1]
    at = spot.code.find(name)
    if at < 0:
        return
    start = spot.start + at
    yield Fix(
        start=start,
        end=start + len(name),
        text=f"Object.entries({name})" if "[" in spot.code.partition("of")[0] else f"Object.values({name})",
        name="conversion",
        prior=0.5,
        reason=f"{name} cannot be walked",
    )
    yield Fix(
        start=start,
        end=start + len(name),
        text=f"Object.keys({name})",
        name="conversion",
        prior=0.35,
        reason=f"{name} cannot be walked",
    )
    yield put(start + len(name), " ?? []", name="null-check", prior=0.25, reason=f"{name} may be nothing")
    yield put(start, "await ", name="missing-await", prior=0.3, reason=f"{name} may be a promise")


def _early(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Used before it is declared: the declaration moves up."""
    found = re.search(rf"^[ \t]*(?:const|let) {re.escape(said[1])}\b[^\n;]*;\n", spot.text[spot.start :], re.MULTILINE)
    if found is not None:
        start, end = spot.start + found.start(), spot.start + found.end()
        text = found[0] + spot.text[spot.start : start]
        yield Fix(
            start=spot.start, end=end, text=text, name="moved", prior=0.75, reason=f"{said[1]} is declared too late"
        )


def _as_module(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """``import`` in a file that is no module."""
    whole = re.match(r"import ([\w$]+|\{[^}]*\}|\* as [\w$]+) from (['\"][^'\"]+['\"]);?", spot.code)
    if whole is not None:
        what = whole[1].removeprefix("* as ").replace(" as ", ": ")
        yield Fix(
            start=spot.start,
            end=spot.start + len(spot.code),
            text=f"const {what} = require({whole[2]});",
            name="module-kind",
            prior=0.7,
            reason="the file is no module",
        )


ROWS: tuple[Row, ...] = rows(
    (r"^([\w$]+) is not defined", _unknown),
    (r"Cannot access '([\w$]+)' before initialization", _early),
    (r"^([\w$.\[\]()]+) is not a function", _no_function),
    (r"Cannot read propert(?:y|ies) (?:of (?:undefined|null) )?\(reading '([\w$]+)'\)", _nothing),
    (r"Cannot read property '([\w$]+)' of", _nothing),
    (r"Assignment to constant variable", _constant_changed),
    (r"Class constructor ([\w$]+) cannot be invoked without 'new'", _made),
    (r"Must call super constructor", _super),
    (r"Identifier '([\w$]+)' has already been declared", _declared_twice),
    (r"await is only valid in async", asynchronous),
    (r"Cannot find module '([^'\n]{1,300})'", _module),
    (r"does not provide an export named '([\w$]+)'", _taken_apart),
    (r"^([\w$.]+) is not iterable", _not_iterable),
    (r"Cannot use import statement outside a module", _as_module),
)
