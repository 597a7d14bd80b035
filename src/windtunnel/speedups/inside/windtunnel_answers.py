"""What functions of a project answer: calls of them are recorded, and made again with many more inputs.

``python windtunnel_answers.py REPORT record PLAN COMMAND…`` runs a file of Python, or ``-m`` and a module, and keeps
the arguments of calls of the functions that the plan names. ``… REPORT answer PLAN CALLS`` calls each of them with
those and with inputs made of them, and tells of each: what came back or was raised, what became of the arguments, what
was printed, whether two calls give out the same object; and in the end the values that the module holds.
All of it happens in a sandbox: the calls are pickled, and unpickled nowhere else.
"""

from __future__ import annotations

import base64
import collections
import contextlib
import copy
import importlib
import inspect
import io
import json
import os
import pickle
import runpy
import signal
import sys
import time
from typing import Any, Dict, List, Optional

MOST_CALLS, LARGE, MOST_PICKLE, MOST_PICKLES, MOST_INPUTS = 60, 1500, 8000, 400_000, 120
MOST_ITEMS, MOST_DEPTH = 12, 3
"""Of a large argument: its first ones are an argument too."""
CALL_SECONDS, ALL_SECONDS, MOST_SLOW = 0.3, 15.0, 15
"""Of the processor; and how many calls may run out of it before no more are made."""
PATIENCE_SECONDS = 5.0
"""By the clock, for a call that waits."""
SLOW = "no answer in time"
DATA = (int, float, str, bytes, bool, tuple, list, dict, set, frozenset)


class TooSlow(BaseException):
    """A call did not come back in time; no ``except Exception`` of the project holds it up."""


def main() -> int:
    """One of the two."""
    report, mode, plan, *rest = sys.argv[1:]
    with open(plan, encoding="utf-8") as read:
        targets = json.load(read)
    told = record(targets, rest) if mode == "record" else answer(targets, rest[0])
    with open(report, "w", encoding="utf-8") as out:
        json.dump(told, out)
    return 0


def record(targets: List[Dict[str, Any]], command: List[str]) -> Dict[str, Any]:
    """The calls that a command makes."""
    recorder = Recorder(targets)
    sys.path[0] = os.getcwd()
    module = command[1] if command[0] == "-m" else ""
    sys.argv = command[1:] if module else list(command)
    sys.setprofile(recorder.see)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            if module:
                runpy.run_module(module, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(command[0], run_name="__main__")
    except BaseException:
        pass  # however it ends, the calls were made
    finally:
        sys.setprofile(None)
    root = os.getcwd()
    return {"calls": recorder.calls, "paths": [one for one in sys.path if one.startswith(root)]}


class Recorder:
    """Sees every call, and keeps those of the targets."""

    def __init__(self, targets: List[Dict[str, Any]]) -> None:
        """``targets``: path and qualified name of each."""
        self.places = {(os.path.realpath(one["path"]), one["name"].rpartition(".")[2]): at
                       for at, one in enumerate(targets)}
        self.names = [one["name"] for one in targets]
        self.calls: List[Dict[str, Any]] = []
        self.known: Dict[Any, Optional[int]] = {}
        self.counts: Dict[int, int] = {}
        self.size = 0

    def see(self, frame: Any, event: str, _: Any) -> None:
        """Called by the interpreter."""
        if event != "call":
            return
        code = frame.f_code
        at = self.known.get(code, -1)
        if at == -1:
            at = self.known[code] = self._target(code)
        if at is None or self.counts.get(at, 0) >= MOST_CALLS or self.size > MOST_PICKLES:
            return
        sys.setprofile(None)
        try:
            self._keep(at, frame)
        except BaseException:
            pass  # what cannot be pickled cannot be compared
        finally:
            sys.setprofile(self.see)

    def _target(self, code: Any) -> Optional[int]:
        at = self.places.get((os.path.realpath(code.co_filename), code.co_name))
        return at if at is None or getattr(code, "co_qualname", self.names[at]) == self.names[at] else None

    def _keep(self, at: int, frame: Any) -> None:
        code = frame.f_code
        names = list(code.co_varnames)
        plain, keyword = code.co_argcount, code.co_kwonlyargcount
        layout: Dict[str, Any] = {"plain": names[:plain], "keyword": names[plain:plain + keyword], "stars": None,
                                  "pairs": None}
        place = plain + keyword
        if code.co_flags & inspect.CO_VARARGS:
            layout["stars"], place = names[place], place + 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            layout["pairs"], place = names[place], place + 1
        given = {name: frame.f_locals[name] for name in names[:place]}
        data = pickle.dumps(given)
        if len(data) > LARGE:
            data = pickle.dumps({name: cut(value) for name, value in given.items()})
        if len(data) > MOST_PICKLE:
            return
        self.counts[at] = self.counts.get(at, 0) + 1
        self.size += len(data)
        module = frame.f_globals.get("__name__", "")
        self.calls.append({"target": at, "module": module, "layout": layout,
                           "given": base64.b64encode(data).decode()})


def cut(value: Any, depth: int = 0) -> Any:
    """The beginning of what is large, and of what is large in it."""
    if depth > MOST_DEPTH:
        return value
    if type(value) in (dict, collections.OrderedDict):
        return type(value)((key, cut(value[key], depth + 1)) for key in list(value)[:MOST_ITEMS])
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(cut(one, depth + 1) for one in list(value)[:MOST_ITEMS])
    if type(value) in (str, bytes, range):
        return value[:5 * MOST_ITEMS]
    if type(getattr(value, "__dict__", None)) is dict and not isinstance(value, type) and not callable(value):
        less = copy.copy(value)
        less.__dict__.update({name: cut(part, depth + 1) for name, part in vars(value).items()})
        return less
    return value


def answer(targets: List[Dict[str, Any]], place: str) -> Dict[str, Any]:
    """What each target answers to all inputs."""
    with open(place, encoding="utf-8") as read:
        told = json.load(read)
    sys.path[0] = os.getcwd()
    sys.path[1:1] = told["paths"]
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    signal.signal(signal.SIGALRM, late)
    signal.signal(signal.SIGPROF, late)
    until = time.process_time() + ALL_SECONDS
    answers: List[List[str]] = []
    held: Dict[str, str] = {}
    for at, target in enumerate(targets):
        calls = [one for one in told["calls"] if one["target"] == at]
        if not calls:
            continue
        module = importlib.import_module(calls[0]["module"] if calls[0]["module"] != "__main__"
                                         else os.path.splitext(os.path.basename(target["path"]))[0])
        function = found(module, target["name"])
        answers += asked(function, calls, target=at, until=until)
        held.update(holding(module))
    return {"answers": answers, "held": held}


def found(module: Any, name: str) -> Any:
    """The function of a qualified name, as a class holds it."""
    thing = module
    for part in name.split("."):
        thing = inspect.getattr_static(thing, part)
    return getattr(thing, "fget", None) or getattr(thing, "__func__", thing)


def asked(function: Any, calls: List[Dict[str, Any]], *, target: int, until: float) -> List[List[str]]:
    """Of each input: what was given, for people; kind, digest and words of the answer; the digest of the input.

    How a project shows its values may name addresses, which no two processes share.
    """
    import windtunnel_doubt_inputs as inputs  # type: ignore[import-not-found]  # lies beside this file when it runs
    import windtunnel_doubt_values as values  # type: ignore[import-not-found]  # the same

    given = [pickle.loads(base64.b64decode(one["given"])) for one in calls]
    varied = inputs.Varied([], seed=target + 1)
    made = varied.inputs(target, given, [], most=MOST_INPUTS)
    answers: List[List[str]] = []
    for one in made:
        if time.process_time() > until or sum(each[1] == "l" for each in answers) > MOST_SLOW:
            break
        key = values.digest(values.canon(one.given, ordered=True))
        shown = values.shown(one.given)[:200]
        answers.append([shown, *called(function, one.given, calls[0]["layout"], values), key])
    return answers


def called(function: Any, given: Dict[str, Any], layout: Dict[str, Any], values: Any) -> List[str]:
    """Its kind and its digest; the answer is shown too, cut."""
    try:
        first, second = copy.deepcopy(given), copy.deepcopy(given)
    except BaseException:
        return ["x", "", ""]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            bound(CALL_SECONDS, PATIENCE_SECONDS)
            one = values.drawn(call(function, first, layout))
            two = values.drawn(call(function, second, layout))
            bound(0, 0)
        shared = one is two and not isinstance(one, (int, float, str, bytes, bool, type(None), frozenset, type))
        whole = [one, two, first, shared, said.getvalue()]
        return ["v", values.digest(values.canon(whole, ordered=True)), values.shown(one)]
    except TooSlow:
        return ["l", "", SLOW]
    except (MemoryError, RecursionError):
        return ["l", "", "too deep or too large"]
    except values.TooLarge:
        return ["x", "", ""]
    except BaseException as error:
        bound(0, 0)
        name = type(error).__name__
        return ["r", values.digest(name + values_of(first, values)), name]
    finally:
        bound(0, 0)


def values_of(given: Dict[str, Any], values: Any) -> str:
    """What became of the arguments of a call that raised."""
    try:
        return str(values.canon(given, ordered=True))
    except BaseException:
        return ""


def call(function: Any, given: Dict[str, Any], layout: Dict[str, Any]) -> Any:
    """With the arguments where they belong."""
    stars = given.get(layout["stars"], ()) if layout["stars"] else ()
    pairs = given.get(layout["pairs"], {}) if layout["pairs"] else {}
    return function(*[given[name] for name in layout["plain"]], *stars,
                    **{name: given[name] for name in layout["keyword"]}, **pairs)


def holding(module: Any) -> Dict[str, str]:
    """Digests of the data that a module holds."""
    import windtunnel_doubt_values as values  # the same

    told: Dict[str, str] = {}
    for name, value in list(vars(module).items()):
        if type(value) in DATA and not name.startswith("__"):
            with contextlib.suppress(BaseException):
                told[f"{module.__name__}.{name}"] = values.digest(values.canon(value, ordered=True))
    return told


def bound(cpu_seconds: float, wall_seconds: float) -> None:
    """How long what follows may take; 0 for no limit."""
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.setitimer(signal.ITIMER_REAL, wall_seconds)


def late(*_: Any) -> None:
    """The time of a call is over."""
    raise TooSlow


if __name__ == "__main__":
    sys.exit(main())
