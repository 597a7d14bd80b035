"""Does the code answer alike before and after an edit? Asked with calls of the tests and the workload, and many more.

Calls of the edited functions are recorded while the tests and the workload run on the code as it was; both versions
then answer these and inputs made of them by small changes. Compared are what comes back (with the order of
dictionaries) or the type of what is raised, what became of the arguments, what was printed, whether two calls give out
the same object, and the data that the module holds afterwards. What the code as it was answers otherwise when it is
asked a second time, or not in time, says nothing. What does not hold: kinds of values that no test and no workload
gives are never asked about.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.core.tool import OWN
from windtunnel.core.trial import Check
from windtunnel.engine.improve.stand import Stand
from windtunnel.mutation.alternatives.scripts import scripts

SCRIPT = "windtunnel_answers.py"
_HELPERS = ("windtunnel_doubt_inputs.py", "windtunnel_doubt_values.py")
_PLAN, _CALLS = "windtunnel_plan.json", "windtunnel_calls.json"
_SEED = {"PYTHONHASHSEED": "1"}
_FIELDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """What a comparison of answers found."""

    compared: int
    """Inputs that both versions answered in a way that can be compared."""
    difference: str = ""
    """One input that is answered otherwise, for people; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Where answers are asked for: over the tests where pytest runs them, over the workload where it is Python's."""

    workload: Stand
    tests: Stand | None = None

    def alike(
        self, before: Mapping[str, str], after: Mapping[str, str], *, functions: Sequence[tuple[str, str]],
    ) -> Alike:
        """Both versions compared; ``functions`` are paths and qualified names."""
        plan = json.dumps([{"path": path, "name": name} for path, name in functions]).encode()
        calls, paths = self._recorded(before, plan)
        if not calls:
            return Alike(compared=0)
        given = {_PLAN: plan, _CALLS: json.dumps({"calls": calls, "paths": paths}).encode()}
        old, again, new = (self._answers(texts, given) for texts in (before, before, after))
        return compared(old, again, new)

    def _recorded(self, texts: Mapping[str, str], plan: bytes) -> tuple[list[Any], list[str]]:
        calls: list[Any] = []
        paths: dict[str, None] = {}
        for stand, command in ((self.tests, _pytest(self.tests)), (self.workload, self.workload.python)):
            if stand is None or command is None:
                continue
            told = stand.told(SCRIPT, ("record", f"{OWN}/{_PLAN}", *command), texts=texts, env=_SEED,
                              files={_PLAN: plan})
            if isinstance(told, dict) and isinstance(told.get("calls"), list) and isinstance(told.get("paths"), list):
                calls += told["calls"]
                paths |= dict.fromkeys(str(one) for one in told["paths"])
        return calls, list(paths)

    def _answers(self, texts: Mapping[str, str], given: Mapping[str, bytes]) -> dict[str, Any]:
        own = scripts()
        told = (self.tests or self.workload).told(
            SCRIPT, ("answer", f"{OWN}/{_PLAN}", f"{OWN}/{_CALLS}"), texts=texts, env=_SEED,
            files={**given, **{name: own[name] for name in _HELPERS}})
        return told if isinstance(told, dict) else {}


def compared(old: Mapping[str, Any], again: Mapping[str, Any], new: Mapping[str, Any]) -> Alike:
    """From three tellings of a hostile project: the code as it was, the same once more, the edited code."""
    rows = [_rows(told) for told in (old, again, new)]
    count = 0
    for one, twice, other in zip(*rows, strict=False):
        if one[1:3] != twice[1:3] or not one[4] == twice[4] == other[4] or one[1] in {"l", "x"}:
            continue
        count += 1
        if other[1:3] != one[1:3]:
            return Alike(compared=count, difference=f"{one[0][:120]} gave {one[3][:80]}, now {other[3][:80]}"
                         + (" (or leaves something else behind)" if one[3] == other[3] else ""))
    if count and len(rows[2]) < len(rows[0]) // 2:
        return Alike(compared=count, difference="the edited code answers fewer inputs in the same time")
    held = [_held(told) for told in (old, again, new)]
    for name in sorted(held[0].keys() & held[2].keys()):
        if held[0][name] == held[1].get(name) != held[2][name]:
            return Alike(compared=count, difference=f"{str(name)[:80]} holds something else afterwards")
    return Alike(compared=count)


def _held(told: Mapping[str, Any]) -> dict[str, str]:
    held = told.get("held")
    return {str(name): str(value) for name, value in held.items()} if isinstance(held, dict) else {}


def _rows(told: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """What was given, the kind of the answer, its digest, its words, the digest of what was given."""
    rows = told.get("answers")
    return [tuple(map(str, one)) for one in rows if isinstance(one, list) and len(one) == _FIELDS] if isinstance(
        rows, list) else []


def _pytest(stand: Stand | None) -> tuple[str, ...] | None:
    """The tests as a module of Python's, where pytest runs them."""
    check: Check | None = stand.workload if stand is not None else None
    if check is None or check.tool != "pytest":
        return None
    words = list(check.argv)
    rest = words[words.index("pytest") + 1:] if "pytest" in words else []
    return ("-m", "pytest", "-q", "-p", "no:cacheprovider", *rest)
