"""Members of JavaScript's own types, and what other languages call them."""

from __future__ import annotations

_OBJECT = "toString valueOf hasOwnProperty"
_MEMBERS = {
    "array": "length push pop shift unshift slice splice concat join reverse sort map filter forEach reduce "
    "reduceRight find findIndex findLast includes indexOf lastIndexOf some every flat flatMap fill keys values "
    "entries at",
    "string": "length charAt charCodeAt codePointAt split trim trimStart trimEnd toLowerCase toUpperCase substring "
    "slice startsWith endsWith replace replaceAll padStart padEnd repeat match matchAll includes indexOf lastIndexOf "
    "at concat search localeCompare normalize",
    "number": "toFixed toPrecision toExponential toLocaleString",
    "Map": "size get set has delete clear keys values entries forEach",
    "Set": "size add has delete clear keys values entries forEach",
    "Promise": "then catch finally",
    "Date": "getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds toISOString toLocaleDateString",
    "Math": "abs ceil floor max min pow random round sign sqrt trunc cbrt hypot log log2 log10 exp PI E",
    "Console": "log error warn info debug table",
    "JSON": "parse stringify",
}
OTHER_WORDS = {
    "append": ("push", "add"),
    "add": ("push", "set"),
    "put": ("set",),
    "contains": ("includes", "has"),
    "size": ("length",),
    "len": ("length",),
    "count": ("length", "size"),
    "length": ("size",),
    "each": ("forEach",),
    "remove": ("delete", "splice"),
    "upper": ("toUpperCase",),
    "lower": ("toLowerCase",),
    "strip": ("trim",),
    "containsKey": ("has",),
    "extend": ("push",),
    "print": ("log",),
    "println": ("log",),
    "insert": ("push",),
    "first": ("at",),
    "has": ("includes",),
    "includes": ("has",),
    "toLower": ("toLowerCase",),
    "toUpper": ("toUpperCase",),
    "isEmpty": ("length",),
    "push": ("add",),
}
VALUES = frozenset({"length", "size", "PI", "E"})
"""Members that are no functions."""


def members_of(kind: str) -> tuple[str, ...]:
    """Those of a type as the compiler writes it; none where it is a type of the project."""
    head = kind.removeprefix("readonly ").partition("<")[0]
    if kind.endswith("[]") or head in {"Array", "ReadonlyArray"} or kind.startswith("["):
        head = "array"
    elif kind[:1] in "\"'`" and kind:
        head = "string"
    elif head.lstrip("-").replace(".", "").isdigit():
        head = "number"
    known = _MEMBERS.get(head, "")
    return tuple(f"{known} {_OBJECT}".split()) if known else ()
