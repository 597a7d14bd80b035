"""Real calls of some functions while tests run, written down before the function can change what it was given."""

from __future__ import annotations

import sys
import threading
import types
from typing import Any, Dict, FrozenSet, List, Set, Tuple

from windtunnel_suggest_target import Inputs, Target  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_suggest_writer import Writer  # type: ignore[import-not-found]  # the same

MOST_SEEN, MOST_KEPT, MOST_MADE, MOST_DEEP = 300, 60, 3000, 200
"""Calls of a function that are looked at and kept, objects whose making is remembered, and callers looked at."""


class Calls:
    """Of one function, in the words of the test file that a suggestion for it would go to."""

    def __init__(self, target: Target, writer: Writer, files: FrozenSet[str] = frozenset()) -> None:
        """``files`` are those of the product, as their code names them."""
        self.target, self.writer, self.files = target, writer, files
        self.kept: Dict[Inputs, int] = {}
        self.entries: Dict[types.CodeType, int] = {}
        """Functions of the product by which tests came to calls that cannot be written down."""
        self.seen = 0
        self.start = None

    def take(self, frame: types.FrameType) -> None:
        """One call, if it is a new one that can be written down; not the resumption of a generator."""
        if self.start is None:
            self.start = frame.f_lasti  # type: ignore[assignment]  # the first event of any code is its beginning
        if frame.f_lasti != self.start or self.seen >= MOST_SEEN or len(self.kept) >= MOST_KEPT:
            return
        self.seen += 1
        inputs = inputs_of(self.target, self.writer, frame.f_locals)
        if inputs is not None:
            self.kept[inputs] = self.kept.get(inputs, 0) + 1
        else:
            entry = outermost(frame, self.files)
            self.entries[entry] = self.entries.get(entry, 0) + 1

    def told(self) -> Dict[str, Any]:
        """All of them, and what stood in the way of others."""
        return {"inputs": list(self.kept), "seen": self.seen, "refused": sorted(self.writer.refused)[:5],
                "imports": self.writer.names.imports}


def outermost(frame: types.FrameType, files: FrozenSet[str]) -> types.CodeType:
    """The code of the product that was entered first on the way to a call; its own where there is none."""
    found, above, deep = frame.f_code, frame.f_back, 0
    while above is not None and deep < MOST_DEEP:
        if above.f_code.co_filename in files:
            found = above.f_code
        above, deep = above.f_back, deep + 1
    return found


def inputs_of(target: Target, writer: Writer, local: Dict[str, Any]) -> Any:
    """What a call was given, in texts; None where something cannot be written down."""
    star = list(local.get(target.rest, ())) if target.rest else []
    found: List[Tuple[str, str]] = []
    if target.kind in ("method", "property"):
        found.append(("self", writer.text(local[target.bound])))
    elif target.kind in ("class", "classmethod") and not _of_owner(target, local[target.bound]):
        return None
    for name in target.parameters():
        text = writer.text(local[name])
        if name in target.defaults and not star and text and text == writer.text(target.defaults[name]):
            continue
        found.append((name, text))
    found += [("*" + str(at), writer.text(value)) for at, value in enumerate(star)]
    more = local.get(target.further, {}) if target.further else {}
    found += [("**" + str(name), writer.text(value)) for name, value in more.items()]
    return tuple(found) if all(text for _, text in found) else None


def _of_owner(target: Target, bound: Any) -> bool:
    return bound is target.owner or type(bound) is target.owner


class Making:
    """How objects of the product's own classes were made."""

    def __init__(self, targets: Dict[types.CodeType, Target], writers: List[Writer]) -> None:
        """``targets`` are the ``__init__`` of classes, by their code."""
        self.targets, self.writers = targets, writers
        self.held = 0

    def take(self, frame: types.FrameType, code: types.CodeType) -> None:
        target = self.targets[code]
        made = frame.f_locals.get(target.bound)
        if self.held >= MOST_MADE or getattr(getattr(type(made), "__init__", None), "__code__", None) is not code:
            return
        self.held += 1
        for writer in self.writers:
            inputs = inputs_of(target, writer, frame.f_locals)
            text = target.call(inputs, writer.names.of(type(made))) if inputs is not None else ""
            writer.made[id(made)] = (made, text)


class Recorder:
    """Listens to the interpreter from ``start`` to ``stop``."""

    def __init__(self, calls: List[Calls], making: Making) -> None:
        """``calls`` of each function that is asked about."""
        self.making = making
        self.by_code: Dict[types.CodeType, List[Calls]] = {}
        for one in calls:
            self.by_code.setdefault(one.target.code, []).append(one)
        self.codes: Set[types.CodeType] = {*self.by_code, *making.targets}
        self.busy = False

    def start(self) -> None:
        threading.setprofile(self.hear)
        sys.setprofile(self.hear)

    def stop(self) -> None:
        threading.setprofile(None)
        sys.setprofile(None)

    def hear(self, frame: types.FrameType, event: str, argument: Any) -> None:
        """Whatever goes wrong here, the program goes on as it would without us."""
        if event != "call" or frame.f_code not in self.codes or self.busy:
            return
        self.busy = True
        try:
            if frame.f_code in self.making.targets:
                self.making.take(frame, frame.f_code)
            for one in self.by_code.get(frame.f_code, ()):
                one.take(frame)
        except Exception:
            pass
        finally:
            self.busy = False
