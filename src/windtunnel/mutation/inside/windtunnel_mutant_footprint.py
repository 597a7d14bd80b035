"""What a fate rests on: the text of all functions that its tests run, of what runs on loading, and of the tests.

While that stays the same, so does the fate, and need not be found again. What does not hold: other files of the
project, the clock and installed packages are not in it; who keeps fates must add what else they rest on.
"""

from __future__ import annotations

import ast
import hashlib
import os
from typing import Dict, Iterable, List, Set, Tuple

from windtunnel_mutant_needs import Needs  # type: ignore[import-not-found]  # lies beside this file when it runs

Function = Tuple[int, int, str]


class Footprints:
    """Digests by test, from the lines that it runs."""

    def __init__(self, files: Dict[str, bytes], loaded: Iterable[Tuple[str, int]], needs: Needs) -> None:
        """``files`` that are watched, by absolute path, and which of their lines ran when they were loaded."""
        self.functions: Dict[str, Dict[int, str]] = {}
        """By file and line, the digest of the function there."""
        self.needs = needs
        self.digests: Dict[str, str] = {}
        base = []
        for path, source in sorted(files.items()):
            functions, rest = _parts(source)
            self.functions[path] = {
                line: digest for first, last, digest in functions for line in range(first, last + 1)}
            base.append(rest)
        base += [digest for path, line in loaded for digest in self._around(path, line)]
        self.base = _digest("\n".join(sorted(set(base))).encode())
        """Of what every test rests on: all that runs when a file is loaded."""
        self.all = _digest(b"".join(path.encode() + b"\0" + files[path] for path in sorted(files)))

    def of_test(self, name: str, lines: Iterable[Tuple[str, int]], *, whole: bool) -> str:
        """Of what one test runs, and of the files that are loaded for it; ``whole``: it may run anything, unseen."""
        found: Set[str] = {name, self.base, *([self.all] if whole else ())}
        file = os.path.join(self.needs.root, name.split("::", 1)[0])
        found.update(self._file(path) for path in self.needs.of(file) if path not in self.functions or path == file)
        for path, line in lines:
            found.update(self._around(path, line))
        return _digest("\n".join(sorted(found)).encode())

    def _around(self, path: str, line: int) -> List[str]:
        found = self.functions.get(path, {}).get(line)
        return [] if found is None else [found]

    def _file(self, path: str) -> str:
        if path not in self.digests:
            self.digests[path] = path + _digest(self.needs.content(path))
        return self.digests[path]


def joined(digests: Iterable[str]) -> str:
    """Of several tests together."""
    return _digest("\n".join(sorted(digests)).encode())


def _parts(source: bytes) -> Tuple[List[Function], str]:
    """The outermost functions and methods, and the digest of all that lies between them."""
    lines = source.splitlines(keepends=True)
    functions: List[Function] = []
    between, at = [], 0
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return [], _digest(source)
    for first, last in sorted(_extents(body, lines)):
        if first <= at:
            continue  # two on one line: the rest of it lies between
        text = b"".join(lines[first - 1 : last])
        functions.append((first, last, _digest(text)))
        between += lines[at : first - 1]
        at = last
    return functions, _digest(b"".join(between + lines[at:]))


def _extents(body: List[ast.stmt], lines: List[bytes]) -> Iterable[Tuple[int, int]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            # Decorators and defaults run when the file is loaded, so they belong to what lies between; and so does a
            # body that shares its line with them.
            first = node.body[0]
            if not lines[first.lineno - 1][: first.col_offset].strip():
                yield first.lineno, node.end_lineno or first.lineno
        elif isinstance(node, ast.ClassDef):
            yield from _extents(node.body, lines)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
