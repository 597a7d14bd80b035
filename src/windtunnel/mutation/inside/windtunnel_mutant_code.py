"""One mutant switched on in memory: the code of live functions replaced, so that every importer sees it.

What holds: only functions are changed whose code the mutant changes, and only where nothing that runs when a file is
loaded differs; anything else is said to need a fresh process. What does not hold: code objects that something copied or
compiled anew are not found.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.machinery
import io
import linecache
import os
import tokenize
import types
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple

from windtunnel_mutant_cuts import Cuts  # type: ignore[import-not-found]  # lies beside this file when it runs

OPTIMISED = 0x1
"""The flag of code that belongs to a function, not to a module or the body of a class."""
_OWN = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount",
        "co_posonlyargcount", "co_flags", "co_exceptiontable")
_ENTRY = 4
"""Parts of what is remembered of a file's lines; fewer where they are not read yet."""
Pair = Tuple[types.CodeType, types.CodeType]
Switch = Tuple[types.FunctionType, types.CodeType]
Place = Tuple[str, str, int]
"""A file, a name, and the number of a line."""


class Sources:
    """The files that mutants are of, each cut into functions and statements, so that few lines are compiled."""

    def __init__(self, files: Dict[str, bytes]) -> None:
        """``files`` by absolute path."""
        self.files = files
        self.cuts: Dict[str, Cuts] = {}
        self.compiled: Dict[Tuple[str, int], types.CodeType] = {}

    def prepare(self, paths: Iterable[str]) -> None:
        """Cut these before copies are made, so that each copy finds them cut."""
        for path in paths:
            if path in self.files and path not in self.cuts:
                self.cuts[path] = Cuts(self.files[path], path)

    def pairs(self, mutant: Any) -> Optional[List[Pair]]:
        """What the mutant changes, as (old, new) code of functions, outermost first; None where loading changes."""
        path, start, end = mutant["path"], mutant["start"], mutant["end"]
        source = self.files[path]
        self.prepare([path])
        cuts = self.cuts[path]
        piece = cuts.around(start, end)
        if piece is None:
            return None
        try:
            old = self.compiled.get((path, piece.start))
            if old is None:
                old = self.compiled[path, piece.start] = cuts.compiled(piece, source[piece.start : piece.end])
            new = cuts.compiled(piece, source[piece.start : start] + mutant["replacement"].encode("latin-1")
                                + source[end : piece.end])
        except (SyntaxError, ValueError):
            return None  # a piece that stands only in its whole file: an encoding, an import from the future
        return differing(old, new)

    def mutated(self, mutant: Any) -> bytes:
        """The whole file with the mutant in it."""
        source: bytes = self.files[mutant["path"]]
        return bytes(source[: mutant["start"]] + mutant["replacement"].encode("latin-1") + source[mutant["end"] :])


class Live:
    """All functions of those files that there are in this process, by the place of their code."""

    def __init__(self, sources: Sources) -> None:
        """Look once, after everything was loaded."""
        self.functions: Dict[Tuple[str, str, int], List[types.FunctionType]] = {}
        names: Dict[str, str] = {}
        for thing in gc.get_objects():
            if type(thing) is types.FunctionType:
                name = thing.__code__.co_filename
                path = names.get(name) or names.setdefault(name, os.path.realpath(name))
                if path in sources.files:
                    self.functions.setdefault(_place(path, thing.__code__), []).append(thing)

    def planned(self, path: str, pairs: List[Pair]) -> Optional[List[Switch]]:
        """Which functions are to have which new code; None where not all was found and is sure. Changes nothing."""
        if any(not self._with(path, old) for old, _ in pairs):
            return None
        plan: List[Switch] = []
        for old, new in _every(pairs):
            found = self._with(path, old)
            if len({id(function.__code__) for function in found}) > 1:
                return None  # two that look the same, of which the mutant is in one
            plan += [(function, new.replace(co_filename=function.__code__.co_filename)) for function in found]
        return plan

    def switch(self, path: str, pairs: List[Pair]) -> bool:
        """Put the new code in the place of the old; whether all of it was found, is sure and fits."""
        plan = self.planned(path, pairs)
        return plan is not None and switch(plan)

    def _with(self, path: str, code: types.CodeType) -> List[types.FunctionType]:
        """Those that have this code: several functions may begin on one line, and some were made anew by a tool."""
        wanted = _bytes(code)
        there = self.functions.get(_place(path, code), ())
        return [function for function in there if _bytes(function.__code__) == wanted]


def switch(plan: List[Switch]) -> bool:
    """Put the new code in the place of the old; whether it fits."""
    try:
        for function, new in plan:
            function.__code__ = new
    except ValueError:
        return False  # it closes over other names than before
    return True


def serve_mutant(sources: Sources, mutant: Any) -> None:
    """Whoever loads the file in this process from now on gets the mutant."""
    path, data, usual = mutant["path"], sources.mutated(mutant), importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: Any, name: str) -> Any:
        found = loader.get_filename(name)
        mutated = os.path.realpath(found) == path
        return compile(data, found, "exec", dont_inherit=True) if mutated else usual(loader, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]  # in a copy alone
    _rewrite_no_asserts(path)
    _show_lines(path, data)


def _show_lines(path: str, data: bytes) -> None:
    """Whoever asks the interpreter for the text of a function gets the mutant's too."""
    usual = linecache.updatecache
    for name in [name for name in linecache.cache if os.path.realpath(name) == path]:
        del linecache.cache[name]

    def updatecache(filename: str, module_globals: Any = None) -> List[str]:
        lines = usual(filename, module_globals)
        entry: Any = linecache.cache.get(filename)
        if os.path.realpath(filename) != path or entry is None or len(entry) != _ENTRY:
            return lines
        with contextlib.suppress(SyntaxError, UnicodeDecodeError):
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            lines = io.StringIO(data.decode(encoding)).readlines()
        # With the size and time of the file itself, so that it is not read again.
        linecache.cache[filename] = (entry[0], entry[1], lines, entry[3])
        return lines

    linecache.updatecache = updatecache


def _rewrite_no_asserts(path: str) -> None:
    """A file that is named to pytest itself is loaded by a way of its own, which would not see the mutant."""
    try:
        from _pytest.assertion.rewrite import AssertionRewritingHook as Hook
    except ImportError:
        return
    usual = getattr(Hook, "_should_rewrite", None)
    if usual is not None:
        def wanted(hook: Any, name: str, file: str, state: Any) -> Any:
            return os.path.realpath(file) != path and usual(hook, name, file, state)

        Hook._should_rewrite = wanted  # type: ignore[assignment, method-assign]  # in a copy alone


def differing(old: types.CodeType, new: types.CodeType) -> Optional[List[Pair]]:
    """The outermost functions that differ; None where code differs that runs when the file is loaded."""
    if old.co_flags & OPTIMISED:
        return [] if old == new and _bytes(old) == _bytes(new) else [(old, new)]
    inner = list(zip(_inner(old), _inner(new)))
    if _own(old) != _own(new) or len(_inner(old)) != len(_inner(new)):
        return None
    found: List[Pair] = []
    for pair in inner:
        part = differing(*pair)
        if part is None:
            return None
        found += part
    return found


def run_in(pairs: List[Pair], codes: Set[Place], path: str) -> bool:
    """Whether anything that the mutant changes ran, where ``codes`` are all that did; or is seen without running."""
    for old, new in pairs:
        inner = list(zip(_inner(old), _inner(new)))
        if _own(old) == _own(new) and len(_inner(old)) == len(_inner(new)):
            if run_in([pair for pair in inner if _bytes(pair[0]) != _bytes(pair[1])], codes, path):
                return True
        elif _place(path, old) in codes or _head(old) != _head(new):
            return True
    return False


def _head(code: types.CodeType) -> List[Any]:
    """What can be known of a function without calling it."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x4) + bool(code.co_flags & 0x8)
    return [code.co_argcount, code.co_kwonlyargcount, code.co_flags, code.co_varnames[:count], code.co_consts[:1]]


def _every(pairs: List[Pair]) -> Iterator[Pair]:
    """Each with the functions inside it, which may live on their own."""
    for old, new in pairs:
        yield old, new
        if len(_inner(old)) == len(_inner(new)):
            yield from _every(list(zip(_inner(old), _inner(new))))


def _inner(code: types.CodeType) -> List[types.CodeType]:
    return [value for value in code.co_consts if isinstance(value, types.CodeType)]


def _own(code: types.CodeType) -> List[Any]:
    constants = [(type(value), repr(value)) for value in code.co_consts if not isinstance(value, types.CodeType)]
    return [constants, [getattr(code, name, None) for name in _OWN]]


def _bytes(code: types.CodeType) -> List[Any]:
    """All that matters of a function, which ``==`` alone does not tell: 1 and True, 0.0 and -0.0 are equal to it."""
    return [_own(code), [_bytes(part) for part in _inner(code)]]


def _place(path: str, code: types.CodeType) -> Place:
    return path, code.co_name, code.co_firstlineno
