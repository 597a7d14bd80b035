"""What the rule codes that flake8 and ruff share stand for."""

from __future__ import annotations

import re
from typing import TypeAlias

from windtunnel.checks.findings import Severity

_CODE = re.compile(r"([A-Z]+)\d*$")
_Meaning: TypeAlias = tuple[str, Severity]
_BUG: _Meaning = ("bug", "warning")
_STYLE: _Meaning = ("style", "warning")
_PREFIXES: tuple[tuple[str, _Meaning], ...] = (
    ("E9", ("syntax", "error")), ("F7", ("syntax", "error")), ("F82", ("bug", "error")), ("F5", _BUG),
    ("F6", _BUG), ("F811", _BUG), ("W605", _BUG), ("PLE", ("bug", "error")), ("PLW", _BUG), ("RUF006", _BUG),
)  # fmt: skip
_FAMILIES: dict[str, _Meaning] = {
    **dict.fromkeys(("B", "ASYNC", "DTZ", "LOG", "PGH", "BLE", "G"), _BUG),
    **dict.fromkeys(("S", "DUO"), ("security", "warning")),
    **dict.fromkeys(("ANN", "PYI", "TYP"), ("type", "warning")),
}


def judged(rule: str) -> _Meaning:
    """The category and severity of a rule (``F821``); an unknown family is a matter of style."""
    if not rule or "syntax" in rule:
        return "syntax", "error"
    special = next((meaning for prefix, meaning in _PREFIXES if rule.startswith(prefix)), None)
    family = _CODE.match(rule)
    return special or _FAMILIES.get(family[1] if family else "", _STYLE)
