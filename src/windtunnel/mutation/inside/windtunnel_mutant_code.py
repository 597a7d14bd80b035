"""One mutant switched on in memory: the code of live functions replaced, so that every importer sees it.

What holds: only functions are changed whose code the mutant changes, and only where nothing that runs when a file is
loaded differs; anything else is said to need a fresh process. What does not hold: code objects that something copied or
compiled anew are not found.
"""

from __future__ import annotations

import ast
import gc
import importlib.machinery
import io
import os
import tokenize
import types
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

OPTIMISED = 0x1
"""The flag of code that belongs to a function, not to a module or the body of a class."""
_OWN = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount",
        "co_posonlyargcount", "co_flags", "co_exceptiontable")
Pair = Tuple[types.CodeType, types.CodeType]


class Sources:
    """The files that mutants are of, each cut into its outermost statements, so that few lines are compiled."""

    def __init__(self, files: Dict[str, bytes]) -> None:
        """``files`` by absolute path."""
        self.files = files
        self.cuts: Dict[str, List[Tuple[int, int, int]]] = {}
        self.flags: Dict[str, int] = {}
        self.compiled: Dict[Tuple[str, int], types.CodeType] = {}
        self.encodings: Dict[str, Optional[str]] = {}

    def prepare(self, paths: Iterable[str]) -> None:
        """Cut these before copies are made, so that each copy finds them cut."""
        for path in paths:
            if path in self.files and path not in self.cuts:
                self.encodings[path] = _encoding(self.files[path])
                self.cuts[path], self.flags[path] = _cut(self.files[path], path)

    def pairs(self, mutant: Any) -> Optional[List[Pair]]:
        """What the mutant changes, as (old, new) code of functions, outermost first; None where loading changes."""
        path, start, end = mutant["path"], mutant["start"], mutant["end"]
        replacement = mutant["replacement"].encode("latin-1")
        source = self.files[path]
        self.prepare([path])
        cut = next((cut for cut in self.cuts[path] if cut[0] <= start and end <= cut[1]), None)
        if cut is None:
            return None
        before, after, line = cut
        try:
            old = self.compiled.get((path, before))
            if old is None:
                old = self.compiled[path, before] = self._compile(path, source[before:after], line)
            new = self._compile(path, source[before:start] + replacement + source[end:after], line)
        except (SyntaxError, ValueError):
            return None  # a piece that stands only in its whole file: an encoding, an import from the future
        return differing(old, new)

    def mutated(self, mutant: Any) -> bytes:
        """The whole file with the mutant in it."""
        source: bytes = self.files[mutant["path"]]
        return bytes(source[: mutant["start"]] + mutant["replacement"].encode("latin-1") + source[mutant["end"] :])

    def _compile(self, path: str, text: bytes, line: int) -> types.CodeType:
        encoding = self.encodings[path]
        tree = ast.parse(text if encoding is None else text.decode(encoding), path)
        ast.increment_lineno(tree, line - 1)
        made: types.CodeType = compile(tree, path, "exec", flags=self.flags[path], dont_inherit=True)
        return made


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

    def switch(self, path: str, pairs: List[Pair]) -> bool:
        """Put the new code in the place of the old; whether all of it was found, is sure and fits."""
        if any(not self._with(path, old) for old, _ in pairs):
            return False
        try:
            for old, new in _every(pairs):
                found = self._with(path, old)
                if len({id(function.__code__) for function in found}) > 1:
                    return False  # two that look the same, of which the mutant is in one
                for function in found:
                    function.__code__ = new.replace(co_filename=function.__code__.co_filename)
        except ValueError:
            return False  # it closes over other names than before
        return True

    def _with(self, path: str, code: types.CodeType) -> List[types.FunctionType]:
        """Those that have this code: several functions may begin on one line, and some were made anew by a tool."""
        wanted = _bytes(code)
        there = self.functions.get(_place(path, code), ())
        return [function for function in there if _bytes(function.__code__) == wanted]


def serve_mutant(sources: Sources, mutant: Any) -> None:
    """Whoever loads the file in this process from now on gets the mutant."""
    path, data, usual = mutant["path"], sources.mutated(mutant), importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: Any, name: str) -> Any:
        found = loader.get_filename(name)
        mutated = os.path.realpath(found) == path
        return compile(data, found, "exec", dont_inherit=True) if mutated else usual(loader, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]  # in a copy alone
    _rewrite_no_asserts(path)


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


def _place(path: str, code: types.CodeType) -> Tuple[str, str, int]:
    return path, code.co_name, code.co_firstlineno


def _cut(source: bytes, path: str) -> Tuple[List[Tuple[int, int, int]], int]:
    """The outermost statements, and the flags of the whole; nothing of a file that this Python does not understand."""
    try:
        tree = ast.parse(source, path)
        flags = compile(source, path, "exec", dont_inherit=True).co_flags & ~0xFF
    except (SyntaxError, ValueError):
        return [], 0
    starts = _line_offsets(source)
    return [_extent(node, starts, len(source)) for node in tree.body], flags


def _encoding(source: bytes) -> Optional[str]:
    """How a piece of it is to be read; None for as usual."""
    try:
        name = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
    except (SyntaxError, UnicodeDecodeError):
        return None
    return None if name in ("utf-8", "utf-8-sig") else name


def _line_offsets(source: bytes) -> List[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _extent(node: ast.stmt, starts: List[int], size: int) -> Tuple[int, int, int]:
    """From the first line of a statement, decorators included, to the end of its last; the number of its first."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    last = node.end_lineno or first
    return starts[first - 1], starts[last] if last < len(starts) else size, first
