"""A proposal put in place of files on disk: by switching the code of live functions, or for whoever loads them.

What holds: a function is switched only where all that runs when its file is loaded stays the same and did not call it,
and where the live function was found for sure; anything else is said to need loading. Modules that are loaded get the
new text under the same names, with its lines in tracebacks. What does not hold: a file that is read by ``open`` rather
than imported, or loaded by another process, is the one on disk; code that something copied is not found.
"""

from __future__ import annotations
import __future__

import ast
import gc
import importlib.machinery
import io
import linecache
import os
import sys
import tokenize
import types
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple

OPTIMISED = 0x1
"""The flag of code that belongs to a function, not to a module or the body of a class."""
_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_OWN = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount",
        "co_posonlyargcount", "co_flags", "co_exceptiontable")
Pair = Tuple[types.CodeType, types.CodeType]
Splice = Tuple[str, int, int, bytes]
"""A path, and what replaces its bytes from one place to another."""
_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


def applied(files: Dict[str, bytes], splices: Iterable[Splice]) -> Dict[str, bytes]:
    """The whole new bytes of each file."""
    return {path: files.get(path, b"")[:start] + new + files.get(path, b"")[end:] for path, start, end, new in splices}


class Sources:
    """The files that proposals are of, each cut into its outermost statements, so that few lines are compiled."""

    def __init__(self, files: Dict[str, bytes]) -> None:
        """``files`` by absolute path."""
        self.files = files
        self.cuts: Dict[str, List[Tuple[int, int, int]]] = {}
        self.flags: Dict[str, int] = {}
        self.imports: Dict[str, List[ast.stmt]] = {}
        """Of a whole file: calls of what is imported are compiled in a way of their own."""
        self.compiled: Dict[Tuple[str, int, int], types.CodeType] = {}

    def prepare(self, paths: Iterable[str]) -> None:
        """Cut these before copies are made, so that each copy finds them cut."""
        for path in paths:
            if path in self.files and path not in self.cuts:
                self.cuts[path], self.flags[path], self.imports[path] = _cut(self.files[path], path)

    def pairs(self, splice: Splice) -> Optional[List[Pair]]:
        """What it changes, as (old, new) code of functions, outermost first; None where loading changes."""
        path, start, end, new = splice
        if start == end and not new:
            return []
        self.prepare([path])
        touched = [cut for cut in self.cuts.get(path, ()) if cut[0] < max(end, start + 1) and start < cut[1]]
        if not touched or start < touched[0][0] or end > touched[-1][1]:
            return None
        before, after, line = touched[0][0], touched[-1][1], touched[0][2]
        source = self.files[path]
        try:
            old = self.compiled.get((path, before, after))
            if old is None:
                old = self._compile(path, source[before:after], line)
                self.compiled[path, before, after] = old
            made = self._compile(path, source[before:start] + new + source[end:after], line)
        except _REFUSED:
            return None  # a piece that stands only in its whole file, or nowhere: loading tells
        return differing(old, made)

    def _compile(self, path: str, text: bytes, line: int) -> types.CodeType:
        tree = ast.parse(text, path)
        ast.increment_lineno(tree, line - 1)
        tree.body = [*self.imports[path], *tree.body]
        made: types.CodeType = compile(tree, path, "exec", flags=self.flags[path], dont_inherit=True)
        return made


class Live:
    """All functions of the project that there are in this process, by the place of their code."""

    def __init__(self, sources: Sources, ran: Set[int]) -> None:
        """Look once, after everything was loaded; ``ran`` are numbers of code objects that loading itself called."""
        self.ran = ran
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
        found = [self._with(path, old) for old, _ in pairs]
        if any(not functions or any(id(one.__code__) in self.ran for one in functions) for functions in found):
            return False
        try:
            for old, new in _every(pairs):
                functions = self._with(path, old)
                if len({id(function.__code__) for function in functions}) > 1:
                    return False  # two that look the same, of which the change is in one
                for function in functions:
                    function.__code__ = new.replace(co_filename=function.__code__.co_filename)
        except ValueError:
            return False  # it closes over other names than before
        return True

    def _with(self, path: str, code: types.CodeType) -> List[types.FunctionType]:
        """Those that have this code: several functions may begin on one line, and some were made anew by a tool."""
        wanted = _bytes(code)
        there = self.functions.get(_place(path, code), ())
        return [function for function in there if _bytes(function.__code__) == wanted]


def serve(texts: Dict[str, bytes]) -> None:
    """Whoever loads one of these files in this process from now on gets the new text; in a copy alone."""
    loader: Any = importlib.machinery.SourceFileLoader
    code_of, data_of = loader.get_code, loader.get_data

    def get_code(self: Any, name: str) -> Any:
        path = self.get_filename(name)
        new = texts.get(os.path.realpath(path))
        return compile(new, path, "exec", dont_inherit=True) if new is not None else code_of(self, name)

    def get_data(self: Any, path: str) -> Any:
        new = texts.get(os.path.realpath(path)) if str(path).endswith(".py") else None
        return new if new is not None else data_of(self, path)

    loader.get_code, loader.get_data = get_code, get_data
    _rewrite_no_asserts(frozenset(texts))
    for path, new in texts.items():
        _remember_lines(path, new)


def _remember_lines(path: str, new: bytes) -> None:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(new).readline)
        text = new.decode(encoding)
    except _REFUSED:
        return
    # Without a time nobody compares it with the file on disk.
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def _rewrite_no_asserts(paths: Any) -> None:
    """A file that is named to pytest itself is loaded by a way of its own, which would not see the new text."""
    rewrite = sys.modules.get("_pytest.assertion.rewrite")
    hook: Any = getattr(rewrite, "AssertionRewritingHook", None)
    usual = getattr(hook, "_should_rewrite", None)
    if usual is not None:
        def wanted(self: Any, name: str, file: str, state: Any) -> Any:
            return os.path.realpath(file) not in paths and usual(self, name, file, state)

        hook._should_rewrite = wanted


def loaded_paths(root: str) -> Set[str]:
    """The files of all modules of the project that this process has."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return {os.path.realpath(file) for file in files if isinstance(file, str) and file.startswith(root)}


def differing(old: types.CodeType, new: types.CodeType) -> Optional[List[Pair]]:
    """The outermost functions that differ; None where code differs that runs when the file is loaded."""
    if old.co_flags & OPTIMISED:
        return [] if old == new and _bytes(old) == _bytes(new) else [(old, new)]
    if _own(old) != _own(new) or len(_inner(old)) != len(_inner(new)):
        return None
    found: List[Pair] = []
    for pair in zip(_inner(old), _inner(new)):
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
    return [code.co_name, constants, [getattr(code, name, None) for name in _OWN]]


def _bytes(code: types.CodeType) -> List[Any]:
    """All that matters of a function, which ``==`` alone does not tell: 1 and True, 0.0 and -0.0 are equal to it."""
    return [_own(code), [_bytes(part) for part in _inner(code)]]


def _place(path: str, code: types.CodeType) -> Tuple[str, str, int]:
    return path, code.co_name, code.co_firstlineno


def _cut(source: bytes, path: str) -> Tuple[List[Tuple[int, int, int]], int, List[ast.stmt]]:
    """The outermost statements with what follows each, the flags of the whole, and its imports.

    Nothing of a file that this Python does not understand, or that is not in UTF-8.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        if encoding != "utf-8":
            return [], 0, []
        tree = ast.parse(source, path)
        flags = compile(source, path, "exec", dont_inherit=True).co_flags & _FUTURE
    except _REFUSED:
        return [], 0, []
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    firsts = [min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) for node in tree.body]
    if len(set(firsts)) < len(firsts) or b"\x0c" in source or source.count(b"\r") or source.startswith(b"\xef\xbb\xbf"):
        return [], 0, []  # two statements on a line, or lines that are counted in more than one way
    ends = [starts[first - 1] for first in firsts[1:]] + [len(source)]
    return [(starts[first - 1], end, first) for first, end in zip(firsts, ends)], flags, list(_imports(tree.body))


def _imports(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """Those that loading runs, whatever they stand in."""
    for node in body:
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__"):
            yield node
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            yield from _imports(ast.iter_child_nodes(node))
