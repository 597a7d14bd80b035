"""What javac says of values, types, results and exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said.imports import JAVA
from windtunnel.repair.foreign.said.spot import Fix, Spot, put

_ZEROS = {
    "int": "0",
    "long": "0",
    "short": "0",
    "byte": "0",
    "double": "0.0",
    "float": "0.0f",
    "boolean": "false",
    "char": "'\\0'",
    "String": '""',
}
_METHOD = re.compile(
    r"^[ \t]{1,40}(?:(?:public|private|protected|static|final|synchronized|abstract|<[\w ,]{1,60}>)[ \t]{1,4}){0,6}"
    r"([\w<>\[\],.?]{1,100}(?: [\w<>\[\],.?]{1,60}){0,4}?)\s{1,4}(\w{1,100})\s{0,4}\(([^()]{0,400})\)\s{0,8}"
    r"(throws [\w, .]{1,200})?\s{0,8}\{",
    re.MULTILINE,
)


def _method(spot: Spot) -> re.Match[str] | None:
    """The head of the method around the place."""
    found = [
        one
        for one in _METHOD.finditer(spot.text)
        if one.start() <= spot.offset
        and one[1] not in {"new", "return", "else"}
        and one[2] not in {"if", "for", "while", "switch", "catch"}
    ]
    return found[-1] if found else None


def lossy(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A wider number where a narrower one is wanted."""
    given, wanted = said[1], said[2]
    start, end = spot.expression()
    text = spot.text[start:end]
    if wanted == "float" and re.fullmatch(r"\d+\.\d+", text):
        yield put(end, "f", name="conversion", prior=0.9, reason="a literal of type float")
        return
    if wanted == "int" and text.endswith("L"):
        yield Fix(start=end - 1, end=end, text="", name="conversion", prior=0.6, reason="a literal of type int")
    whole, begin = _whole(spot)
    simple = re.fullmatch(r"[\w.]+(?:\([^()]*\))?", whole) is not None
    cast = f"({wanted}) {whole}" if simple else f"({wanted}) ({whole})"
    yield Fix(
        start=begin,
        end=begin + len(whole),
        text=cast,
        name="conversion",
        prior=0.85,
        reason=f"a {given} becomes a {wanted}",
    )
    yield from _retyped(spot, given=given, wanted=wanted)


def _whole(spot: Spot) -> tuple[str, int]:
    """The value around the place: behind ``=``, ``return`` or a bracket of the line, since javac points into it."""
    before = spot.text[spot.start : spot.offset]
    found = re.search(r"(?:(?<![=<>!])=(?!=)|\breturn\b|[(,])\s*(?:[^=(,;]*)$", before)
    head = re.match(r"(?:=|return|[(,])\s*", found[0]) if found is not None else None
    begin = spot.start + found.start() + head.end() if found is not None and head is not None else spot.offset
    _, end = spot.expression()
    return spot.text[begin:end], begin


def _retyped(spot: Spot, *, given: str, wanted: str) -> Iterator[Fix]:
    """Or the declaration is what is wrong."""
    found = re.match(rf"\s*(?:final )?({re.escape(wanted)}) \w+ =", spot.code)
    if found is not None and "<" not in given:
        yield Fix(
            start=spot.start + found.start(1),
            end=spot.start + found.end(1),
            text=given,
            name="annotation",
            prior=0.3,
            reason=f"what is declared as {wanted} is a {given}",
        )


def incompatible(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A value of one type where another is wanted."""
    given, wanted = said[1], said[2]
    whole, begin = _whole(spot)
    end = begin + len(whole)
    made = {
        ("String", "int"): f"Integer.parseInt({whole})",
        ("String", "Integer"): f"Integer.parseInt({whole})",
        ("String", "double"): f"Double.parseDouble({whole})",
        ("String", "long"): f"Long.parseLong({whole})",
        ("int", "String"): f"String.valueOf({whole})",
        ("double", "String"): f"String.valueOf({whole})",
        ("long", "String"): f"String.valueOf({whole})",
        ("char", "String"): f"String.valueOf({whole})",
        ("boolean", "String"): f"String.valueOf({whole})",
        ("Integer", "String"): f"String.valueOf({whole})",
        ("String", "char"): f"{whole}.charAt(0)",
        ("int", "boolean"): f"{whole} != 0",
        ("StringBuilder", "String"): f"{whole}.toString()",
        ("int", "Long"): f"(long) {whole}",
        ("int", "Double"): f"(double) {whole}",
        ("Object", wanted): f"({wanted}) {whole}",
        ("char[]", "String"): f"new String({whole})",
        ("String", "char[]"): f"{whole}.toCharArray()",
    }.get((given, wanted))
    quoted = re.fullmatch(r"\"(.|\\.)\"", whole)
    if wanted == "char" and quoted is not None:
        made = f"'{quoted[1]}'"
    elif wanted in {"int", "long", "double"} and re.fullmatch(r"\"-?\d+\"", whole):
        made = whole.strip('"')
    elif wanted == "boolean" and " = " in spot.code and re.search(r"\((\w+) = ", spot.code):
        at = spot.start + spot.code.index(" = ") + 1
        yield Fix(start=at, end=at + 1, text="==", name="comparison", prior=0.9, reason="a question, not an assignment")
    if made is not None:
        yield Fix(
            start=begin, end=end, text=made, name="conversion", prior=0.85, reason=f"a {given} becomes a {wanted}"
        )
    elif wanted[:1].isupper() and given[:1].isupper():
        yield Fix(
            start=begin, end=end, text=f"({wanted}) {whole}", name="conversion", prior=0.4, reason=f"it is a {wanted}"
        )
    yield from _retyped(spot, given=given, wanted=wanted)
    method = _method(spot)
    if method is not None and "return" in spot.code and method[1] == wanted:
        yield Fix(
            start=method.start(1),
            end=method.end(1),
            text=given,
            name="annotation",
            prior=0.25,
            reason=f"the method gives a {given}",
        )


def nothing_wanted(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A method that is declared to give nothing gives something."""
    method = _method(spot)
    kinds = {name: kind for kind, name in re.findall(r"\b([\w<>\[\]]+) (\w+)(?= ?[=,;)])", spot.text)}
    value = re.search(r"return (\w+);", spot.code)
    if method is not None and method[1] == "void":
        kind = kinds.get(value[1], "int") if value is not None else "int"
        yield Fix(
            start=method.start(1),
            end=method.end(1),
            text=kind,
            name="annotation",
            prior=0.7,
            reason=f"the method gives a {kind}",
        )


def thrown(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Declared by the method; or caught there and thrown on unchecked."""
    method, name = _method(spot), said[1].rpartition(".")[2]
    if method is None:
        return
    package = JAVA.get(name, "")
    known = not package or f"import {package}.{name};" in spot.text or f"import {package}.*;" in spot.text
    full = name if known else f"{package}.{name}"
    if method[4]:
        yield put(method.end(4), f", {full}", name="unreported-exception", prior=0.8, reason=f"{name} is thrown on")
    else:
        at = method.start() + method[0].rindex(")") + 1
        yield put(at, f" throws {full}", name="unreported-exception", prior=0.8, reason=f"{name} is thrown on")
    step = "    "
    code = spot.code.strip()
    text = (
        f"try {{\n{spot.indent}{step}{code}\n{spot.indent}}} catch ({full} exception) {{\n"
        f"{spot.indent}{step}throw new RuntimeException(exception);\n{spot.indent}}}"
    )
    if code.endswith(";"):
        start = spot.start + len(spot.indent)
        yield Fix(
            start=start,
            end=start + len(spot.code.strip()),
            text=text,
            name="unreported-exception",
            prior=0.5,
            reason=f"{name} is caught and thrown on unchecked",
        )


def no_return(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Before the brace that ends the method: a variable of its type, else its zero."""
    method = _method(spot)
    if method is None:
        return
    close = spot.text.rfind("}", 0, spot.offset + 1)
    close = spot.offset if close < 0 else close
    body = spot.text[method.end() : close]
    names = re.findall(rf"\b{re.escape(method[1])} (\w+) ?[=;]", body)
    zero = _ZEROS.get(method[1], "null")
    opposite = "true" if method[1] == "boolean" and "return false;" in body and "return true;" not in body else zero
    last = [
        name for name in dict.fromkeys(names) if re.search(rf"^\s+{re.escape(method[1])} {name}\b", body, re.MULTILINE)
    ]
    indent = spot.text[spot.text.rfind("\n", 0, close) + 1 : close]
    indent = indent if not indent.strip() else ""
    for at, value in enumerate(dict.fromkeys([*last[:2], opposite, zero])):
        line = f"    return {value};\n{indent}" if indent or spot.text[close - 1] == "\n" else f"return {value}; "
        yield put(close, line, name="missing-return", prior=0.8 / (1 + at), reason="the method gives nothing back here")


def unset(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A variable that is read before it has a value."""
    found = re.search(rf"\b([\w<>\[\]]+) {re.escape(said[1])};", spot.text[: spot.offset])
    if found is not None:
        value = _ZEROS.get(found[1], "null")
        yield put(found.end() - 1, f" = {value}", name="initial", prior=0.8, reason=f"{said[1]} has no value at first")
