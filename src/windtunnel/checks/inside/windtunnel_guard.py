"""Notices when a function that decides results was replaced.

Before code of the project is loaded, the identity and the code of those functions are remembered; they are compared
when all tests are collected, after each test (its own patches are undone by then) and at the end. What the project's
environment has patched before the project is loaded is taken as it is. What does not hold: a function replaced and put
back between two looks is not seen here, and an object that compares equal to everything replaces nothing.
"""

from __future__ import annotations

import builtins
import datetime as dt
import os
import socket
import sys
import time
import types
from builtins import bool, getattr, isinstance, set, type, vars  # noqa: A004, UP029 -- replacing them must not blind us
from typing import Any, Callable, Iterable, List, Mapping, NamedTuple, Optional  # noqa: UP035 -- for Python 3.8

SOFT_BUILTINS = frozenset(("print", "open", "input", "__import__", "exit", "quit", "help", "copyright", "credits",
                           "license", "breakpoint"))
"""Replaced by honest set-ups for as long as these last; told only when they are still replaced at the end."""
SOFT = (
    (sys, ("exit",), "runner"),
    (os, ("_exit",), "runner"),
    (time, ("time", "monotonic", "perf_counter", "sleep", "localtime", "gmtime"), "clock"),
    (dt, ("datetime", "date"), "clock"),
    (socket, ("socket", "create_connection", "getaddrinfo"), "network"),
)
LATE = (
    ("urllib.request", ("urlopen", "build_opener", "Request")),
    ("http.client", ("HTTPConnection", "HTTPSConnection")),
    ("random", ("Random", "SystemRandom")),
)
"""Of modules that are loaded only where a project needs them: told at the end when written outside their module."""
FOREIGN = ("/site-packages/", "/dist-packages/")
FUNCTIONS = (types.FunctionType, staticmethod, classmethod, property)


class Entry(NamedTuple):
    """One name as it was."""

    space: Mapping[str, Any]
    name: str
    value: object
    function: Optional[types.FunctionType]  # noqa: UP045 -- evaluated on Python 3.8
    code: Optional[types.CodeType]  # noqa: UP045
    label: str
    category: str


Entries = List[Entry]  # noqa: UP006 -- evaluated on Python 3.8


class Guard:
    """What was there at the start, and what was told so far."""

    def __init__(self, send: Callable[..., None]) -> None:
        """Remember the functions that every runner rests on."""
        self.send = send
        self.hot: Entries = []
        self.rest: Entries = []
        self.soft: Entries = []
        self.names: list[Any] = []
        self.codes: list[Any] = []
        self.told: set[str] = set()
        self.since: dict[str, str] = {}
        for name, value in vars(builtins).items():
            if callable(value) and name != "_" and not name.startswith("__l"):
                self.add(builtins, name, into=self.soft if name in SOFT_BUILTINS else self.hot)
        for module, names, category in SOFT:
            for name in names:
                self.add(module, name, into=self.soft, category=category)

    def add(self, owner: Any, name: str, *, into: Entries, category: str = "runner") -> None:  # noqa: ANN401 -- class or module
        """Remember one name of a module or class, also that it is not there."""
        space = vars(owner)
        place = owner.__module__ + "." + owner.__qualname__ if isinstance(owner, type) else owner.__name__
        function = _function(space.get(name))
        code = getattr(function, "__code__", None)
        into.append(Entry(space, name, space.get(name), function, code, place + "." + name, category))

    def add_class(self, owner: type, *, into: Entries | None = None) -> None:
        """Remember all methods of a class, also those it inherits: a new one would hide them."""
        found = [item for base in owner.__mro__[:-1] for item in vars(base).items()]
        for name in sorted({name for name, value in found if isinstance(value, FUNCTIONS)}):
            self.add(owner, name, into=self.hot if into is None else into)

    def add_module(self, module: types.ModuleType, *, hot: Iterable[str] = ()) -> None:
        """Remember all functions and classes that a module defines; those in ``hot`` are looked at after each test."""
        for name, value in list(vars(module).items()):
            ours = getattr(value, "__module__", None) == module.__name__
            if ours and isinstance(value, (types.FunctionType, type)):
                into = self.hot if name in hot else self.rest
                self.add(module, name, into=into)
                if isinstance(value, type):
                    self.add_class(value, into=into)

    def settle(self) -> None:
        """Take over what installed plugins have patched by now; what came from the project stays noticed."""
        for entries in (self.hot, self.rest, self.soft):
            for place, entry in enumerate(entries):
                current = entry.space.get(entry.name)
                if _changed(entry) and _is_installed(current):
                    function = _function(current)
                    code = getattr(function, "__code__", None)
                    entries[place] = entry._replace(value=current, function=function, code=code)

    def check(self, when: str, *, everything: bool = False) -> None:
        """Tell of each name that is not what it was, once."""
        if everything or self._hot_changed():
            self._compare(self.hot, when)
        if everything:
            self._compare(self.rest, when)
        for entry in self.soft:
            if not _changed(entry):
                self.since.pop(entry.label, None)
            elif entry.label not in self.since:
                self.since[entry.label] = when

    def finish(self, when: str) -> None:
        """The last look: now also at what was left replaced by a test that is over."""
        self.check(when, everything=True)
        for entry in self.soft:
            if entry.label in self.since:
                self._tell(entry, entry.label + " was left replaced " + self.since[entry.label])
        for name, names in LATE:
            if name in sys.modules:
                self._look_late(sys.modules[name], names)

    def _look_late(self, module: types.ModuleType, names: Iterable[str]) -> None:
        for name in names:
            value = vars(module).get(name)
            function = _function(value)
            at_home = (
                function.__code__.co_filename == getattr(module, "__file__", None)
                if function is not None
                else getattr(value, "__module__", None) == module.__name__
            )
            if not at_home and not _is_installed(value):
                label = module.__name__ + "." + name
                entry = Entry(vars(module), name, value, None, None, label, "network")
                self._tell(entry, label + " was left replaced at the end")

    def _hot_changed(self) -> bool:
        """The same comparison as below, laid out for speed: it is made after each test."""
        if not self.names:
            self.names = [(entry.space.get, entry.name, entry.value) for entry in self.hot]
            self.codes = [(entry.function, entry.code) for entry in self.hot if entry.function is not None]
        changed = [name for get, name, value in self.names if get(name) is not value]
        return bool(changed or [code for function, code in self.codes if function.__code__ is not code])

    def _compare(self, entries: Entries, when: str) -> None:
        for entry in entries:
            space, name, value, function, code, label, _ = entry
            if space.get(name) is not value or (function is not None and function.__code__ is not code):
                self._tell(entry, label + " was replaced " + when)

    def _tell(self, entry: Entry, what: str) -> None:
        if entry.label not in self.told:
            self.told.add(entry.label)
            self.send("integrity", what=what[:1000], category=entry.category)


def _changed(entry: Entry) -> bool:
    same = entry.space.get(entry.name) is entry.value
    return not same or (entry.function is not None and entry.function.__code__ is not entry.code)


def _function(value: object) -> types.FunctionType | None:
    """The plain function behind a method, class method or property; None for what is not written in Python."""
    value = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
    return value if isinstance(value, types.FunctionType) else None


def _is_installed(value: object) -> bool:
    """Whether it was written in an installed package and not in the project."""
    function = _function(value)
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    path = function.__code__.co_filename if function is not None else getattr(module, "__file__", None) or ""
    return any(part in path for part in FOREIGN)
