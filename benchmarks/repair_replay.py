"""Calls one function of a package with recorded and generated arguments, and tells what came of each: run as a script.

Generated arguments are recorded ones with one value changed: a number, a text, a list, a flag. A process runs one tree;
two trees are compared by what their processes tell.
"""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import random
import re
import resource
import signal
import sys
from collections.abc import Callable
from types import GeneratorType
from typing import Any

_VARIANTS = 6
_CALL_SECONDS = 1.0
"""Of processor time."""
_MOST_CALLS = 80
_MOST_ITEMS = 200
_MOST_WRAPPERS = 6
_MEMORY_BYTES = 2 << 30
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def changed(value: Any, draw: random.Random) -> Any:  # noqa: ANN401, PLR0911 -- one answer for each sort of value
    """The same sort of value, another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return draw.choice([value + 1, value - 1, -value, 0, value * 3])
    if isinstance(value, str | bytes):
        return draw.choice([value[::-1], value * 2, value[1:], value[:0]])
    if isinstance(value, list | tuple):
        if value and draw.random() < 0.5:
            place = draw.randrange(len(value))
            parts = [*value[:place], changed(value[place], draw), *value[place + 1:]]
            return parts if isinstance(value, list) else tuple(parts) if type(value) is tuple else value
        return draw.choice([value[1:], value[::-1], value * 2])
    if type(value) is dict and value:
        return {key: changed(one, draw) if draw.random() < 0.5 else one for key, one in value.items()}
    return value


def variants(call: tuple[list[Any], dict[str, Any]], draw: random.Random) -> list[tuple[list[Any], dict[str, Any]]]:
    """The call as it was, then with one argument changed each."""
    given, named = call
    made = [copy.deepcopy(call)]
    for _ in range(_VARIANTS if given or named else 0):
        new_given, new_named = copy.deepcopy((given, named))
        place = draw.randrange(len(given) + len(named))
        if place < len(given):
            new_given[place] = changed(new_given[place], draw)
        else:
            name = sorted(named)[place - len(given)]
            new_named[name] = changed(new_named[name], draw)
        made.append((new_given, new_named))
    return made


def outcome(function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> str:
    signal.setitimer(signal.ITIMER_VIRTUAL, _CALL_SECONDS)
    try:
        value = function(*given, **named)
        if isinstance(value, GeneratorType):
            value = [item for item, _ in zip(value, range(_MOST_ITEMS), strict=False)]
        return _ADDRESS.sub("", f"gave {value!r} of {[_shown(one) for one in given]!r}")[:5000]
    except TimeoutError:
        return "endless"
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- what it raises is its behaviour
        return f"raised {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _shown(value: object) -> str:
    return repr(vars(value)) if hasattr(value, "__dict__") and not callable(value) else repr(value)


def found(module: str, qualified: str) -> Callable[..., Any]:
    """The plain function, without what wraps it."""
    holder: Any = importlib.import_module(module)
    for name in qualified.split("."):
        holder = vars(holder)[name] if isinstance(holder, type) else getattr(holder, name)
    for _ in range(_MOST_WRAPPERS):
        inner = next((getattr(holder, name) for name in ("__wrapped__", "__func__", "fget", "func")
                      if getattr(holder, name, None) is not None), None)
        if inner is None:
            break
        holder = inner
    plain: Callable[..., Any] = holder
    return plain


def main(asked: dict[str, Any]) -> None:
    """Tell all outcomes as one line of JSON; none where the function cannot be called from outside."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    signal.signal(signal.SIGVTALRM, _late)
    sys.path[:0] = asked["paths"]
    told: list[str] = []
    draw = random.Random(asked["function"])
    try:
        function = found(asked["module"], asked["function"])
        for recorded in asked["calls"]:
            for given, named in variants(pickle.loads(bytes.fromhex(recorded)), draw):
                if len(told) < _MOST_CALLS:
                    told.append(outcome(function, given, named))
    except Exception as error:  # noqa: BLE001 -- told, and compared like all else
        told.append(f"cannot be called: {type(error).__name__}")
    print("\n" + json.dumps(told))


def _late(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main(json.loads(sys.stdin.read()))
