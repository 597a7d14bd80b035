"""Expected and actual values, where a message tells them."""

from __future__ import annotations

import re

_MOST = 300
_TABLE = tuple((re.compile(pattern, re.MULTILINE), turned) for pattern, turned in (
    # (pattern with two groups, whether the actual value comes first)
    ((r"^\s*Expected(?: value| length| substring| pattern)?: +(?:not )?(.{1,300})\n"
     r"\s*(?:Received|Actual)(?: \w+)?: +(.{1,300})"), False),
    (r"expected:? ?<(.{0,300}?)> but was:? ?<(.{0,300}?)>", False),
    (r"^\s*left: `?(.{1,300}?)`?,?\n\s*right: `?(.{1,300}?)`?$", True),
    (r"^\s*\(?left\)? *[:=] (.{1,300})\n\s*\(?right\)? *[:=] (.{1,300})", True),
    (r"expected (?:\w+ )?`([^`\n]{1,200})`,? found (?:\w+ )?`([^`\n]{1,200})`", False),
    (r"[Ee]xpected:? (.{1,200}?),? (?:but )?(?:got|was|received|actual|found):? (.{1,200}?)[.;]?$", False),
    (r"[Gg]ot:? (.{1,200}?)[,;]? (?:want|wanted|expected):? (.{1,200}?)[.;]?$", True),
    (r"[Ww]ant(?:ed)?:? (.{1,200}?)[,;]? (?:but )?got:? (.{1,200}?)[.;]?$", False),
    (r"expected: (.{1,300})\n\s*actual *: (.{1,300})", False),
    (r"^assert (.{1,200}?) == (.{1,200}?)$", True),
    (r"^AssertionError: (.{1,200}?) != (.{1,200}?)$", True), (r"^(.{1,200}?) != (.{1,200}?)(?: : .*)?$", True),
    (r"^(.{1,200}?) !== (.{1,200}?)$", True),
    (r"Type '(.{1,200}?)' is not assignable to type '(.{1,200}?)'", True),
    (r"Argument of type '(.{1,200}?)' is not assignable to parameter of type '(.{1,200}?)'", True),
    (r"incompatible types: (.{1,200}?) cannot be converted to (.{1,200}?)$", True),
    ((r"cannot use .{1,200}?\((?:\w+ )*(?:of )?type (.{1,100}?)(?: constant.{0,80}?)?\) as (?:type )?(.{1,100}?)"
     r"(?: value)? in"), True),
    (r"takes (\d+) positional arguments? but (\d+) (?:was|were) given", False),
    (r"Expected (\d+(?:-\d+)?) arguments?, but got (\d+)", False),
))


def values(message: str) -> tuple[str | None, str | None]:
    """(expected, actual); None for what is not told. By convention only, where a runner does not say which is which."""
    text = message[:2000]
    for pattern, turned in _TABLE:
        said = pattern.search(text)
        if said is not None:
            first, second = said[1].strip()[:_MOST], said[2].strip()[:_MOST]
            return (second, first) if turned else (first, second)
    return None, None
