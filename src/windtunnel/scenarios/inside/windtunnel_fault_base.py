"""What every fault is: options that are checked, something to begin, to measure and to undo.

Runs inside the sandbox, in the process that calls a function of the project. Valid from Python 3.8 on.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

OWN = "windtunnel_"
"""How the names of modules begin that belong to the harness; they keep the functions as they are."""


class Measured(NamedTuple):
    """What a probe saw."""

    text: str
    holds: bool


class Option(NamedTuple):
    """A number that a fault may be given."""

    usual: float
    least: float
    most: float


class Fault:
    """One thing that goes wrong; ``begin`` and ``end`` are called once each, in this order."""

    name = ""
    options: Mapping[str, Option] = {}
    approximate = False
    """Whether it is made inside this process, where code that looks can tell; may be set by ``begin``."""
    reason = ""
    """Why it could not be made, when it could not; or what a reader should know of how it was made."""

    def __init__(self, given: object) -> None:
        """``True`` means the usual options."""
        if given is not True and not isinstance(given, dict):
            raise ValueError(f"{self.name}: not true or options: {given!r:.60}")
        asked: Dict[str, Any] = {} if given is True else dict(given)
        self.take(asked)
        for key in asked:
            known = ", ".join(self.known()) or "none"
            raise ValueError(f"{self.name}: no such option: {key!r:.60} (there are: {known})")

    def known(self) -> List[str]:
        """The names of its options."""
        return sorted(self.options)

    def take(self, asked: Dict[str, Any]) -> None:
        """Take out what is known, checked."""
        self.values = {key: _number(self.name, key, asked.pop(key, option.usual), option)
                       for key, option in self.options.items()}

    def requested(self) -> str:
        """The options as people read them."""
        return ", ".join(f"{key} {value:g}" for key, value in sorted(self.values.items())) or "yes"

    def begin(self) -> None:
        """Make it; an ``OSError`` means that this machine does not allow it."""
        raise NotImplementedError

    def end(self) -> None:
        """Undo it; also after a ``begin`` that failed half-way."""
        raise NotImplementedError

    def probe(self) -> Measured:
        """Look whether it holds now."""
        raise NotImplementedError


def _number(fault: str, key: str, value: object, option: Option) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not option.least <= value <= option.most:
        raise ValueError(f"{fault}: {key} is not a number from {option.least:g} to {option.most:g}: {value!r:.60}")
    return value


class Own:
    """A descriptor of ours, which the program may close, so that its number is somebody else's."""

    def __init__(self, number: int) -> None:
        """Remember what it is."""
        self.number, self.kind = number, _identity(number)

    def close(self) -> bool:
        """Whether it was still ours."""
        ours = self.is_ours()
        if ours:
            os.close(self.number)
        return ours

    def is_ours(self) -> bool:
        """Whether the number still means the same."""
        return self.kind is not None and _identity(self.number) == self.kind


def _identity(number: int) -> Optional[Tuple[int, int]]:
    try:
        found = os.fstat(number)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Patches:
    """Names of modules that stand for something else until they are undone."""

    def __init__(self) -> None:
        """None yet."""
        self.done: List[Tuple[Any, str, Any, Any]] = []

    def put(self, owner: Any, name: str, new: Any) -> None:
        """Let one name stand for something else; nothing where the name is not there."""
        old = getattr(owner, name, None)
        if old is not None:
            setattr(owner, name, new)
            self.done.append((owner, name, old, new))

    def spread(self, *, library: bool) -> None:
        """The same for what others took by ``from time import time``; with ``library`` also Python's own modules."""
        found = {id(old): new for _, _, old, new in self.done}
        for module in list(sys.modules.values()):
            if isinstance(module, ModuleType) and _reached(module.__name__, library=library):
                for name, value in list(vars(module).items()):
                    new = found.get(id(value))
                    if new is not None and new is not value:
                        self.put(module, name, new)

    def undo(self) -> None:
        """As it was, but for what the program has replaced since."""
        while self.done:
            owner, name, old, new = self.done.pop()
            if getattr(owner, name, None) is new:
                setattr(owner, name, old)


_LOADERS = frozenset(("_io", "io", "posix", "os", "time", "builtins", "importlib", "zipimport", "zipfile", "linecache",
                      "tokenize", "traceback", "runpy", "pkgutil", "site", "_frozen_importlib",
                      "_frozen_importlib_external", "_pyio"))
"""Those that load modules and show errors read as ever, and those where the names come from are patched by name."""


def _reached(name: str, *, library: bool) -> bool:
    top = name.partition(".")[0]
    if top in _LOADERS or top.startswith(OWN):
        return False
    return library or not _is_library(top)


def _is_library(top: str) -> bool:
    names = getattr(sys, "stdlib_module_names", None)
    if names is not None:
        return top in names
    path = getattr(sys.modules.get(top), "__file__", None)
    return path is None or (path.startswith(sys.base_prefix) and "-packages" not in path)
