"""What a search found, in texts from which the other side makes a test, and why it found nothing."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

from windtunnel_suggest_attempt import RAISED, Attempt, Told  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_suggest_search import Check, Search  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_target import roots  # type: ignore[import-not-found]  # the same

EXTRA = {"run": "asyncio", "few": "itertools"}
"""What a test needs besides, for what it does with the answer."""
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def suggestion_of(attempt: Attempt, check: Check, told: Told, kills: List[int]) -> Dict[str, Any]:
    """One check as texts."""
    target, names = attempt.target, attempt.writer.names
    given, inputs = _given(attempt, check)
    call, shape = target.call(inputs, attempt.callee), told["shape"]
    plain = all(not slot.startswith("*") and slot != "self" for slot, _ in check.inputs) and not given
    named = target.call(tuple((slot, slot) for slot, _ in check.inputs), attempt.callee) if plain else ""
    used = [call, told.get("raises", "None"), check.expected, *(text for _, text in given)]
    imports = names.imported([name for text in used for name in roots(text)])
    imports += [[EXTRA[shape], ""]] if shape in EXTRA and [EXTRA[shape], ""] not in imports else []
    shape = "raised" if shape in RAISED else shape
    arguments = [list(pair) for pair in check.inputs] if plain else []
    return {"call": call, "given": given, "named": named, "arguments": arguments, "shape": shape, "imports": imports,
            "aspect": _aspect(check.aspect, given), "expected": check.expected, "raises": told.get("raises", ""),
            "kills": kills}


def _given(attempt: Attempt, check: Check) -> Tuple[List[List[str]], Any]:
    """Inputs that get a name before the call, because the test looks at them after it."""
    if not check.aspect.startswith("after "):
        return [], check.inputs
    slot = check.aspect[len("after ") :].split(".")[0]
    text = dict(check.inputs)[slot]
    name = _name(attempt, slot, text)
    return [[name, text]], tuple((one, name if one == slot else other) for one, other in check.inputs)


def _name(attempt: Attempt, slot: str, text: str) -> str:
    """A word for it that means nothing else in the file."""
    kind = text.partition("(")[0].rpartition(".")[2]
    word = _WORD.sub("_", kind).lower() if slot == "self" else slot.lstrip("*")
    word = word if word.isidentifier() and len(word) > 1 and not word.isdigit() else "thing"
    while word in attempt.writer.names.space:
        word += "_"
    return word


def _aspect(aspect: str, given: List[List[str]]) -> str:
    """As it is told outside: an input by the name that it got."""
    if not given:
        return aspect
    _, dot, attribute = aspect.partition(".")
    return "after " + given[0][0] + dot + attribute


def reasons(search: Search, given: Dict[str, Any]) -> Dict[str, str]:
    """Why no input was found, for each mutant that none was found for."""
    return {str(number): _reason(search, number, given) for number, checks in search.shown.items() if not checks}


def _reason(search: Search, number: int, given: Dict[str, Any]) -> str:
    refused = ", ".join([*given.get("refused", ()), *sorted(search.attempt.writer.refused)][:3])
    if not given["seen"] and given["late"]:
        return "no test called it in the time there was"
    if not given["inputs"]:
        return ("called only with what cannot be written down" + (f" ({refused})" if refused else "") if given["seen"]
                else "no test calls it")
    tries = search.tries[number]
    if tries:
        return f"no input found that tells them apart in {_tries(tries)}: perhaps equivalent"
    if search.chance and not any(search.seen.values()):
        return "what it does depends on time or chance"
    if search.dumb and not any(seen is not None and seen.told for seen in search.seen.values()):
        return "what it returns cannot be written down" + (f" ({refused})" if refused else "")
    return f"no input found that runs it in {_tries(len(search.seen))}"


def _tries(number: int) -> str:
    return f"{number} tries" if number != 1 else "1 try"
