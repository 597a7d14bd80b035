"""Which files of the tests can explain some decisions at all: the others need not be parsed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from windtunnel.tamper.decision import Decision
from windtunnel.tamper.derivations import is_digest, parts_of
from windtunnel.tamper.paths import is_test

_RUNS = re.compile(rb"[a-z0-9]{2,}")
_NAMED = re.compile(r"^(test_.*|.*_tests?)\.py$|\.(test|spec)\.[cm]?[jt]sx?$")


def explaining(
    tests: Mapping[str, bytes], decisions: Iterable[Decision], fixed: Collection[str] | None
) -> dict[str, bytes]:
    """Files that hold something of a decision's value and, where that is known, a test that now passes."""
    words = {word for each in decisions for word in _words(each)}
    if not words:
        return {}
    wanted = None if b"" in words else re.compile(b"|".join(re.escape(word) for word in sorted(words)))
    return {
        path: data
        for path, data in tests.items()
        if is_near(path, fixed) and (wanted is None or wanted.search(data.lower()))
    }


def _words(decision: Decision) -> list[bytes]:
    """The longest plain run of a value; empty where there is none, or where the value is a length."""
    if decision.how in ("length", "pattern") or decision.worked_out or is_digest(str(decision.value)):
        return [b""]
    if isinstance(decision.value, str) and len(parts := parts_of(decision.value)) > 1:
        return [parts[0].lower().encode()]
    held = decision.value if isinstance(decision.value, tuple) else (decision.value,)
    found = []
    for each in held:
        text = each if isinstance(each, str) else each.decode("latin-1") if isinstance(each, bytes) else repr(each)
        short = b"" if len(text) > 1 else text.encode()
        found.append(max(_RUNS.findall(text.lower().encode()), key=len, default=short))
    return found


def is_near(path: str, fixed: Collection[str] | None) -> bool:
    """Whether a file holds one of these tests, or is none that holds tests."""
    if fixed is None or not is_test(path):
        return True
    name = path.rpartition("/")[2]
    if not _NAMED.search(name):
        return True
    return any(path in each or path.removesuffix(".py").replace("/", ".") in each or name in each for each in fixed)
