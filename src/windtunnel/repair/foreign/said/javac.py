"""What javac says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said import javac_values
from windtunnel.repair.foreign.said.arguments import missing_arguments
from windtunnel.repair.foreign.said.declared import private_member, weaker
from windtunnel.repair.foreign.said.imports import JAVA, java_import
from windtunnel.repair.foreign.said.spot import Fix, Row, Spot, near, put, renamed, rows
from windtunnel.repair.foreign.said.thrown import nothing_there, past_the_end, quoted

_METHOD_WORDS = (
    "length size isEmpty charAt substring indexOf lastIndexOf contains containsKey containsValue equals "
    "equalsIgnoreCase toUpperCase toLowerCase trim strip split replace replaceAll startsWith endsWith concat "
    "compareTo valueOf parseInt parseDouble toString hashCode add addAll remove removeIf get set put putIfAbsent "
    "getOrDefault keySet values entrySet getKey getValue sort stream map filter collect forEach reduce sum "
    "toList append insert reverse push pop peek poll offer iterator hasNext next abs max min pow sqrt floor ceil "
    "round println printf format join repeat isBlank computeIfAbsent merge clear toArray asList toCharArray "
    "isDigit isLetter orElse isPresent"
)
_METHODS = tuple(_METHOD_WORDS.split())
_KEYWORDS = ("return", "static", "public", "private", "final", "void", "while", "throw", "boolean", "double")
_EXCEPTION_PACKAGES = {"IOException": "java.io", "FileNotFoundException": "java.io"}


def _unknown(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    kind, name = said[1], said[2]
    if kind in {"class", "variable", "interface"} and name[:1].isupper():
        yield from java_import(spot, name)
        yield from renamed(
            spot,
            name,
            [
                *near(
                    name,
                    [
                        *JAVA,
                        "String",
                        "Integer",
                        "System",
                        "Math",
                        "Object",
                        "Double",
                        "StringBuilder",
                        "Boolean",
                        "Character",
                    ],
                ),
                *spot.words(),
            ],
            prior=0.8,
        )
        if name == "string":
            return
    plain = {
        "string": "String",
        "bool": "boolean",
        "Bool": "boolean",
        "integer": "int",
        "None": "null",
        "nil": "null",
        "undefined": "null",
        "True": "true",
        "False": "false",
        "self": "this",
        "let": "var",
        "const": "final var",
    }.get(name)
    span = spot.word(name)
    if plain is not None and span is not None:
        yield Fix(
            start=span[0], end=span[1], text=plain, name="misspelt-name", prior=0.9, reason=f"here it is called {plain}"
        )
    for word in near(name, _KEYWORDS, most=1) if kind == "class" and name.islower() else ():
        at = span or (0, 0)
        yield Fix(
            start=at[0], end=at[1], text=word, name="misspelt-keyword", prior=0.95, reason=f"it is written {word}"
        )
    if kind == "method":
        yield from _no_method(spot, name)
        return
    if kind == "variable":
        yield from _length(spot, name)
    others = [word for word in spot.words() if word != name and (kind == "class") == word[:1].isupper()]
    yield from renamed(spot, name, others)


def _no_method(spot: Spot, name: str) -> Iterator[Fix]:
    span = spot.word(name)
    if span is None:
        return
    owner = re.search(r"location: .*of type (.+)", spot.problem.message)
    of = owner[1] if owner is not None else ""
    if name in {"length", "size"} and of.endswith("[]"):
        yield Fix(
            start=span[0],
            end=span[1] + 2,
            text="length",
            name="method",
            prior=0.92,
            reason="an array has a field for it",
        )
    elif name in {"length", "size", "len", "count"}:
        other = "length" if of in {"String", "StringBuilder"} else "size"
        yield Fix(
            start=span[0], end=span[1], text=other, name="method", prior=0.85, reason=f"here it is called {other}"
        )
    swapped = {
        "push": "add",
        "append": "add",
        "includes": "contains",
        "has": "contains",
        "len": "length",
        "add": "put",
        "upper": "toUpperCase",
        "lower": "toLowerCase",
        "delete": "remove",
        "put": "add",
        "get": "charAt",
        "contains": "containsKey",
        "charAt": "get",
        "equal": "equals",
        "print": "println",
    }.get(name)
    if swapped is not None:
        yield Fix(
            start=span[0], end=span[1], text=swapped, name="method", prior=0.6, reason=f"here it is called {swapped}"
        )
    declared = re.findall(r"\b(\w+)\s*\([^()\n]*\)\s*(?:throws \w+\s*)?\{", spot.text)
    others = [*declared, *_METHODS] if not of else [*_METHODS, *declared]
    yield from renamed(spot, name, list(dict.fromkeys(others)))


def _length(spot: Spot, name: str) -> Iterator[Fix]:
    span = spot.word(name)
    owner = re.search(r"location: .*of type (.+)", spot.problem.message)
    if span is not None and owner is not None and name in {"length", "size"}:
        call = "length()" if owner[1] == "String" else "length" if owner[1].endswith("[]") else "size()"
        yield Fix(start=span[0], end=span[1], text=call, name="method", prior=0.9, reason=f"here it is called {call}")


def _final(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = re.search(rf"\bfinal (?=[\w<>\[\]]+ {re.escape(said[1])}\b)", spot.text)
    if found is not None:
        yield Fix(
            start=found.start(),
            end=found.end(),
            text="",
            name="constant-changed",
            prior=0.85,
            reason=f"{said[1]} is changed later",
        )


def _static(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = re.search(
        rf"^([ \t]+(?:(?:public|private|protected) )?)(?!static)(?=[\w<>\[\]]+ {re.escape(said[1])}\b)",
        spot.text,
        re.MULTILINE,
    )
    if found is not None:
        yield put(found.end(), "static ", name="static", prior=0.8, reason=f"{said[1]} is used without an object")


def _declared_twice(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = re.search(rf"\b[\w<>\[\]]+ (?={re.escape(said[1])}\b)", spot.code)
    if found is not None:
        yield Fix(
            start=spot.start + found.start(),
            end=spot.start + found.end(),
            text="",
            name="declared-twice",
            prior=0.8,
            reason=f"{said[1]} is declared already",
        )


def _unreachable(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    before = spot.line - 1
    while before > 1 and not spot.of_line(before).strip():
        before -= 1
    earlier = spot.of_line(before)
    if re.match(r"\s*(?:return|throw|break|continue)\b", earlier):
        start = spot.starts[before - 1]
        end = spot.start + len(spot.code)
        text = f"{spot.code}\n{earlier}"
        yield Fix(start=start, end=end, text=text, name="moved", prior=0.5, reason="it is done before the jump")
        if re.match(r"\s*(?:break|continue)", earlier):
            yield Fix(
                start=start,
                end=spot.start,
                text="",
                name="statement-dropped",
                prior=0.6,
                reason="the jump is too early",
            )
    start = spot.start
    end = spot.starts[spot.line] if spot.line < len(spot.starts) else len(spot.text)
    yield Fix(start=start, end=end, text="", name="statement-dropped", prior=0.45, reason="it is never reached")


def _captured(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A count in a lambda: in an array of one."""
    span = spot.word()
    if span is None:
        return
    name = spot.text[span[0] : span[1]]
    found = re.search(rf"\bint {re.escape(name)} = ([^;\n]+);", spot.text[: spot.offset])
    if found is not None:
        method_end = len(spot.text)
        tail = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", f"{name}[0]", spot.text[found.end() : method_end])
        cut = re.search(r"\n {0,4}\}", tail)
        kept = tail if cut is None else tail[: cut.start()]
        original = spot.text[found.end() : method_end]
        limit = re.search(r"\n {0,4}\}", original)
        end = found.end() + (len(original) if limit is None else limit.start())
        yield Fix(
            start=found.start(),
            end=end,
            text=f"int[] {name} = {{{found[1]}}};{kept}",
            name="captured",
            prior=0.7,
            reason=f"a lambda cannot change {name}",
        )


def _abstract(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A method of an interface that is missing, where the class has one of nearly its name."""
    name = said[1]
    declared = re.findall(r"\b(\w+)\s*\([^()\n]*\)\s*\{", spot.text)
    for rank, other in enumerate(near(name, declared)):
        found = re.search(rf"\b{re.escape(other)}(?=\s*\([^()\n]*\)\s*\{{)", spot.text)
        if found is not None:
            yield Fix(
                start=found.start(),
                end=found.end(),
                text=name,
                name="misspelt-name",
                prior=0.8 / (1 + rank),
                reason=f"the interface calls it {name}",
            )


ROWS: tuple[Row, ...] = rows(
    (r"symbol:\s+(class|variable|method|interface) (\w+)", _unknown),
    (r"possible lossy conversion from (\w+) to (\w+)", javac_values.lossy),
    (r"incompatible types: (\S+(?:<.*?>)?) cannot be converted to (\S+(?:<.*>)?)", javac_values.incompatible),
    (r"incompatible types: unexpected return value", javac_values.nothing_wanted),
    (r"unreported exception ([\w.]+)", javac_values.thrown),
    (r"missing return statement", javac_values.no_return),
    (r"variable (\w+) might not have been initialized", javac_values.unset),
    (r"cannot assign a value to final variable (\w+)", _final),
    (r"non-static (?:method|variable) (\w+)(?:\([^)]*\))? cannot be referenced", _static),
    (r"variable (\w+) is already defined", _declared_twice),
    (r"unreachable statement", _unreachable),
    (r"referenced from a(?:n inner class| lambda expression) must be final", _captured),
    (r"does not override abstract method (\w+)\(", _abstract),
    (r"(?:method|constructor) (\w+) in \w+ \w+ cannot be applied to given types", missing_arguments),
    (r"^(\w+)(?:\([^)]*\))? has private access in", private_member),
    (r"attempting to assign weaker access privileges; was (\w+)", weaker),
    (r"unclosed character literal|empty character literal", quoted),
    (r"because \"(?:(\w+)|<(?:parameter|local)(\d+)>)\" is null", nothing_there),
    (r"[Ii]ndex (\d+) out of bounds for length (\d+)", past_the_end),
)
