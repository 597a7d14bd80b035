"""What a process has loaded, for another one that is to load the same."""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import os
import re
import sys
import types
import warnings
from typing import Any, Dict, Iterable, List

_TOOLS = ("_pytest", "pluggy", "iniconfig")
_KEY = 3
"""Parts by which the interpreter knows a pattern that it has compiled: type, text and flags."""


def standard_modules(root: str) -> List[str]:
    """Those of pytest, and of the interpreter itself where it names them, in the order in which they were loaded.

    A file of the project may have the name of one of them, and is none.
    """
    known, own = {*getattr(sys, "stdlib_module_names", ()), *_TOOLS}, set(loaded_files(root))
    return [name for name, module in list(sys.modules.items()) if name.split(".", 1)[0] in known
            and name != "__main__" and file_of(module) not in own]


def loaded_files(root: str) -> List[str]:
    """Of the project: the files of its modules, product and tests."""
    files = map(file_of, list(sys.modules.values()))
    return [path for path in files if path.endswith(".py") and os.path.realpath(path).startswith(root + os.sep)]


def file_of(module: object) -> str:
    """Where it was loaded from; nothing of what is no usual module. Lazy ones are not asked, since they would load."""
    found = module.__dict__.get("__file__") if isinstance(module, types.ModuleType) else None
    return found if isinstance(found, str) else ""


def held(root: str) -> Dict[str, Any]:
    """What tests have loaded and compiled that is not the project's: what comes of it is the same in any process."""
    patterns = [(key[1], int(key[2])) for key in list(getattr(re, "_cache", ())) if len(key) == _KEY]
    return {"modules": standard_modules(root), "patterns": [
        (pattern, flags) for pattern, flags in patterns if isinstance(pattern, str) and not flags & re.DEBUG]}


def make_ready(warm: Dict[str, Any]) -> None:
    """Load and compile the same here."""
    load_standard(warm["modules"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pattern, flags in warm["patterns"]:
            with contextlib.suppress(re.error, ValueError, OverflowError, RecursionError):
                re.compile(pattern, flags)


def load_standard(names: Iterable[str]) -> None:
    """Modules of the interpreter, ahead of whoever needs them."""
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(Exception):
                importlib.import_module(name)


class Compiled:
    """Code of files, compiled once for all copies; who loads a module gets it as long as its file is as it was."""

    def __init__(self) -> None:
        """Nothing is compiled before it is asked for; loaders ask here from now on."""
        self.codes: Dict[str, Any] = {}
        usual, codes = importlib.machinery.SourceFileLoader.get_code, self.codes

        def get_code(loader: Any, name: str) -> Any:
            path = loader.get_filename(name)
            stamp, code = codes.get(path, (None, None))
            return code if stamp is not None and stamp == _stamp(path) else usual(loader, name)

        importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]  # here alone

    def add(self, paths: Iterable[str]) -> None:
        """Compile these; what does not compile is left to whoever loads it."""
        for path in paths:
            with contextlib.suppress(OSError, SyntaxError, ValueError):
                stamp = _stamp(path)
                with open(path, "rb") as file:
                    code: types.CodeType = compile(file.read(), path, "exec", dont_inherit=True)
                self.codes[path] = (stamp, code)


def _stamp(path: str) -> Any:
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns
