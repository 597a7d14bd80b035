"""Which files may be loaded for a file of tests: those whose names stand in it, in those, and so on.

More than are really loaded, never fewer, as long as a module's name stands somewhere in the text that loads it.
"""

from __future__ import annotations

import os
import re
from typing import Dict, FrozenSet, Iterable, List, Set

_WORD = re.compile(rb"[A-Za-z_]\w*")
_PACKAGE = "__init__.py"


class Needs:
    """Of the files of one project, by absolute path."""

    def __init__(self, root: str, files: Iterable[str]) -> None:
        """``files`` of the product and of tests."""
        self.root = root
        self.named: Dict[bytes, List[str]] = {}
        for path in files:
            self.named.setdefault(_name(path), []).append(path)
        self.contents: Dict[str, bytes] = {}
        self.found: Dict[str, FrozenSet[str]] = {}

    def of(self, file: str) -> FrozenSet[str]:
        """The file itself, those that it may load, and what configures or holds them."""
        if file not in self.found:
            found: Set[str] = set()
            waiting = [file]
            while waiting:
                path = waiting.pop()
                if path not in found:
                    found.add(path)
                    waiting += self._beside(path)
            self.found[file] = frozenset(found)
        return self.found[file]

    def content(self, path: str) -> bytes:
        """Of the file as it was when first asked for; nothing where there is none."""
        if path not in self.contents:
            try:
                with open(path, "rb") as file:
                    self.contents[path] = file.read()
            except OSError:
                self.contents[path] = b""
        return self.contents[path]

    def _beside(self, path: str) -> Iterable[str]:
        for word in set(_WORD.findall(self.content(path))):
            yield from self.named.get(word, ())
        folder = os.path.dirname(path)
        while folder.startswith(self.root):
            for name in ("conftest.py", _PACKAGE):
                if os.path.exists(os.path.join(folder, name)):
                    yield os.path.join(folder, name)
            folder = os.path.dirname(folder)


def _name(path: str) -> bytes:
    """The word by which it is imported."""
    if os.path.basename(path) == _PACKAGE:
        path = os.path.dirname(path)
    return os.path.splitext(os.path.basename(path))[0].encode()
