"""Recorded answers: editing one is editing what a test expects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.core.trial import TamperFinding

_SNAP = re.compile(r"^exports\[`((?:[^`\\]|\\.)*)`\] = `((?:[^`\\]|\\.)*)`;", re.MULTILINE)
_AMBR = re.compile(r"^# name: (.*)\n((?:(?!# ---|# name: ).*\n?)*)", re.MULTILINE)
_RECORDED = re.compile(
    r"(^|/)(__snapshots__|snapshots|goldens?|expected)/|\.(snap|ambr|golden|approved\.\w+)$|"
    r"(^|/)[^/]*(expected|golden|snapshot|approved)[^/]*\.(?!py$)\w+$",
    re.IGNORECASE,
)


def is_recorded(path: str) -> bool:
    """Whether a file of the tests holds answers that they compare with."""
    return bool(_RECORDED.search(path)) and not path.endswith((".py", ".js", ".ts", ".tsx", ".jsx"))


def _entries(path: str, data: bytes) -> dict[str, str]:
    text = data.decode("utf-8", "replace")
    if path.endswith(".snap"):
        return dict(_SNAP.findall(text))
    if path.endswith(".ambr"):
        return dict(_AMBR.findall(text))
    return {"the whole file": text}


def compare_recorded(path: str, old: bytes, new: bytes | None) -> Iterator[TamperFinding]:
    """Recorded answers that are gone or different; new ones are no matter."""
    before, after = _entries(path, old), _entries(path, new) if new is not None else {}
    if not before and old != new:
        before, after = {"the whole file": ""}, {}
    for name, answer in before.items():
        if after.get(name) != answer:
            word = "was edited" if name in after else "is gone"
            yield TamperFinding(
                rule="snapshot-edited", message=f"the recorded answer of {name!r} {word}", path=path, evidence=name
            )
