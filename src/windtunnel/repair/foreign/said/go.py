"""What the Go compiler says, of all versions since 1.18."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said import go_values
from windtunnel.repair.foreign.said.arguments import missing_arguments
from windtunnel.repair.foreign.said.declared import go_constant, go_map
from windtunnel.repair.foreign.said.imports import GO, go_import
from windtunnel.repair.foreign.said.spot import Fix, Row, Spot, near, put, renamed, rows
from windtunnel.repair.foreign.said.thrown import past_the_end

_MEMBERS = {
    "strings": "ToUpper ToLower Split Join Contains HasPrefix HasSuffix Index LastIndex Replace ReplaceAll Repeat "
    "TrimSpace Trim TrimLeft TrimRight TrimPrefix TrimSuffix Fields Count Title EqualFold Builder NewReader "
    "NewReplacer Map ContainsRune ContainsAny IndexByte SplitN Compare Cut",
    "strconv": "Atoi Itoa ParseInt ParseFloat ParseBool FormatInt FormatFloat Quote FormatBool ParseUint",
    "fmt": "Println Printf Print Sprintf Sprint Sprintln Errorf Fprintf Fprintln Fprint Sscanf Stringer Scanln",
    "sort": "Ints Strings Float64s Slice SliceStable Sort Search SearchInts Reverse IntSlice Stable",
    "math": "Abs Sqrt Pow Floor Ceil Round Max Min MaxInt MinInt MaxInt64 MinInt64 MaxInt32 MinInt32 Inf Pi Mod Log "
    "Log2 Log10 Exp Sin Cos Tan Trunc NaN IsNaN IsInf Hypot MaxFloat64 Cbrt",
    "errors": "New Is As Unwrap Join",
    "os": "Open Create ReadFile WriteFile Exit Args Getenv Stdin Stdout Stderr Remove",
    "time": "Now Since Duration Second Millisecond Sleep Minute Hour Time After Parse RFC3339",
    "unicode": "IsLetter IsDigit IsSpace IsUpper IsLower ToUpper ToLower IsPunct",
    "bytes": "Buffer Equal Contains NewBuffer NewReader Compare",
    "sync": "Mutex RWMutex WaitGroup Once Map Pool",
}


def _unused_import(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """Its line goes, and with the last one its group."""
    path = said[1]
    group = re.search(rf"^import \(\s*\n[ \t]*(?:\w+ )?\"{re.escape(path)}\"[^\n]*\n\)\n\n?", spot.text, re.MULTILINE)
    line = re.search(rf"^[ \t]*(?:import )?(?:[\w.]+ )?\"{re.escape(path)}\"[^\n]*\n", spot.text, re.MULTILINE)
    found = group or line
    if found is not None:
        end = found.end() + (
            1
            if found is line and found[0].startswith("import") and spot.text[found.end() : found.end() + 1] == "\n"
            else 0
        )
        yield Fix(start=found.start(), end=end, text="", name="unused-import", prior=0.95, reason=f"{path} is not used")


def _unused_variable(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """One that was meant elsewhere; a range or call that gives it is told to drop it; else its line goes."""
    name = said[1] or said[2]
    span = spot.word(name)
    if span is None:
        return
    alone = re.fullmatch(rf"\s*{re.escape(name)}\s*:=\s*(.*)|\s*var {re.escape(name)}\b.*", spot.code)
    ranged = re.match(rf"\s*for {re.escape(name)}, (\w+) := range", spot.code)
    if alone is None or ranged is not None:
        yield Fix(
            start=span[0],
            end=span[1],
            text="_",
            name="unused-variable",
            prior=0.9 if "," in spot.code else 0.4,
            reason=f"{name} is not used",
        )
        second = re.match(rf"\s*for \w+, ({re.escape(name)}) := range", spot.code)
        if second is not None:
            at = spot.start + spot.code.index(",")
            yield Fix(
                start=at,
                end=spot.start + second.end(1),
                text="",
                name="unused-variable",
                prior=0.7,
                reason=f"{name} is not used",
            )
        return
    yield from _shadowed(spot, name)
    end = spot.starts[spot.line] if spot.line < len(spot.starts) else len(spot.text)
    yield Fix(start=spot.start, end=end, text="", name="unused-variable", prior=0.8, reason=f"{name} is not used")
    yield put(end, f"{spot.indent}_ = {name}\n", name="unused-variable", prior=0.2, reason=f"{name} is kept on purpose")


def _shadowed(spot: Spot, name: str) -> Iterator[Fix]:
    """Declared anew in an inner block where the outer one was meant."""
    outer = re.search(
        rf"^([ \t]*)(?:var {re.escape(name)}\b|(?:\w+, )?{re.escape(name)}(?:, \w+)? :=)",
        spot.text[: spot.start],
        re.MULTILINE,
    )
    colon = spot.code.find(":=")
    if outer is not None and len(outer[1]) < len(spot.indent) and colon >= 0:
        yield Fix(
            start=spot.start + colon,
            end=spot.start + colon + 2,
            text="=",
            name="shadowed",
            prior=0.9,
            reason=f"{name} is declared anew where the outer one is meant",
        )


def _unknown(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    name = said[1]
    if "." in name:
        package, _, member = name.partition(".")
        known = _MEMBERS.get(package, "").split()
        for rank, other in enumerate(near(member, known)):
            at = spot.code.find(f".{member}")
            if at >= 0:
                begin = spot.start + at + 1
                yield Fix(
                    start=begin,
                    end=begin + len(member),
                    text=other,
                    name="misspelt-name",
                    prior=0.9 / (1 + rank),
                    reason=f"{package} has no {member}; it has {other}",
                )
        return
    yield from go_import(spot, name) if re.search(rf"\b{re.escape(name)}\.", spot.code) else ()
    plain = {
        "null": "nil",
        "None": "nil",
        "True": "true",
        "False": "false",
        "str": "string",
        "double": "float64",
        "float": "float64",
        "boolean": "bool",
        "String": "string",
        "length": "len",
        "print": "fmt.Println",
    }.get(name)
    span = spot.word(name)
    if span is not None and plain is not None:
        yield Fix(
            start=span[0], end=span[1], text=plain, name="misspelt-name", prior=0.8, reason=f"here it is called {plain}"
        )
    local = [word for word in spot.words() if word != name]
    yield from renamed(spot, name, [*local, *GO])
    yield from renamed(spot, name, _project_names(spot, without=set(local)), prior=0.7)
    if span is not None and re.match(rf"\s*(?:\w+, )*{re.escape(name)}(?:, \w+)* = ", spot.code):
        at = spot.start + spot.code.index(" = ") + 1
        yield Fix(start=at, end=at + 1, text=":=", name="declaration", prior=0.7, reason=f"{name} is declared here")


def _project_names(spot: Spot, *, without: set[str]) -> list[str]:
    """Functions and types of the other files of the package."""
    folder = spot.path.rpartition("/")[0]
    found: dict[str, None] = {}
    for path in spot.scene.paths[:100]:
        if path != spot.path and path.rpartition("/")[0] == folder and path.endswith(".go"):
            text = (spot.scene.read(path) or "")[:100_000]
            found.update(dict.fromkeys(re.findall(r"^(?:func|type|var|const) (\w+)", text, re.MULTILINE)))
    return [name for name in found if name not in without]


def _member(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    name, other = said[1], said[2]
    span = spot.word(name)
    if span is None:
        return
    if other:
        yield Fix(
            start=span[0], end=span[1], text=other, name="misspelt-name", prior=0.93, reason=f"it is called {other}"
        )
        return
    owner = re.search(r"([\w.\[\]]+)\.$", spot.text[spot.start : span[0]])
    if name in {"len", "length", "size", "Len", "Length"} and owner is not None:
        call = 2 if spot.text.startswith("()", span[1]) else 0
        yield Fix(
            start=spot.start + owner.start(1),
            end=span[1] + call,
            text=f"len({owner[1]})",
            name="method",
            prior=0.92,
            reason="its length is asked by a function",
        )
    yield from renamed(spot, name, spot.words())


def _value(spot: Spot) -> tuple[int, int]:
    """What stands at the place, up to what separates it."""
    return spot.expression()


def _not_new(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    colon = spot.code.find(":=")
    if colon >= 0:
        yield Fix(
            start=spot.start + colon,
            end=spot.start + colon + 2,
            text="=",
            name="declared-twice",
            prior=0.92,
            reason="it is declared already",
        )


def _missing_method(said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """A method of an interface whose name the type has nearly."""
    name = said[1]
    declared = re.findall(r"^func \([^()\n]*\) (\w+)\(", spot.text, re.MULTILINE)
    for rank, other in enumerate(near(name, declared)):
        found = re.search(rf"^func \([^()\n]*\) ({re.escape(other)})\(", spot.text, re.MULTILINE)
        if found is not None:
            yield Fix(
                start=found.start(1),
                end=found.end(1),
                text=name,
                name="misspelt-name",
                prior=0.85 / (1 + rank),
                reason=f"the interface calls it {name}",
            )


def _assigned(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    found = re.search(r"(?<![=<>!:+\-*/])=(?!=)", spot.code)
    if found is not None:
        at = spot.start + found.start()
        yield Fix(
            start=at, end=at + 1, text="==", name="comparison", prior=0.92, reason="a question, not an assignment"
        )


def _brace(_said: re.Match[str], spot: Spot) -> Iterator[Fix]:
    """The brace stands on the next line, where Go does not look for it."""
    line = spot.code.rstrip()
    following = spot.of_line(spot.line + 1)
    if following.strip() == "{":
        start = spot.start + len(line)
        end = spot.starts[spot.line] + len(following)
        yield Fix(
            start=start, end=end, text=" {", name="syntax", prior=0.95, reason="the brace belongs on the same line"
        )


ROWS: tuple[Row, ...] = rows(
    (
        r"\"([^\"\n]{1,200})\" imported and not used|imported and not used: \"([^\"\n]{1,200})\"",
        lambda said, spot: _unused_import(re.match(r"(.*)", said[1] or said[2]) or said, spot),
    ),
    (r"^(\w+) declared (?:but|and) not used|^declared and not used: (\w+)", _unused_variable),
    (r"^undefined: ([\w.]+)", _unknown),
    (
        r"(\w+) undefined \(type .{1,200}? has no field or method \w+(?:, but does have (?:field |method )?(\w+))?",
        _member,
    ),
    (r"does not implement .{1,200} \((\w+) method has pointer receiver\)", go_values.receiver),
    (r"does not implement .{1,200} \(missing (?:method )?(\w+)", _missing_method),
    (
        r"cannot use (.{1,200}?) \(([^()\n]{1,200})\) as (?:type )?([\w.*\[\]]{1,100})",
        go_values.unfit,
    ),
    (
        (
            r"invalid operation: (.{1,120}?) ([-+*/%]|[<>=!]=|<|>) (.{1,120}?) "
            r"\(mismatched types ([\w. *\[\]]{1,60}) and ([\w. *\[\]]{1,60})\)"
        ),
        go_values.mismatched,
    ),
    (r"no new variables on left side", _not_new),
    (r"^missing return", go_values.no_return),
    (r"assignment mismatch: (\d) variables? but .{1,200} returns? (\d) values?", go_values.two_values),
    (r"(?:not enough|too many) return values", go_values.results),
    (r"^(.{1,300}?) \(.{1,200}\) is not used|^(.{1,300}) (?:evaluated but|is) not used", go_values.not_used),
    (r"non-boolean condition", go_values.condition),
    (
        r"cannot use assignment|cannot use .{1,100} as value|expected boolean expression, found (?:simple|assign)",
        _assigned,
    ),
    (r"not enough arguments in call to (?:\w+\.)*(\w+)", missing_arguments),
    (r"cannot assign to (\w+) \(.*constant", go_constant),
    (r"assignment to entry in nil map", go_map),
    (r"index out of range \[(\d+)\] with length (\d+)", past_the_end),
    (r"unexpected newline, expect(?:ing|ed) \{", _brace),
)
