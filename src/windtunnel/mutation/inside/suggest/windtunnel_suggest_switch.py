"""A file loaded once more, with a mutant in it, into the module that is there; all that imported of it see it."""

from __future__ import annotations

import os
import sys
import types
from typing import Any, Dict, Optional

from windtunnel_suggest_names import Names  # type: ignore[import-not-found]  # lies beside this file when it runs


def module_of(path: str) -> Optional[types.ModuleType]:
    """The module that was made of a file."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and getattr(module, "__name__", "") != "__main__" and os.path.realpath(file) == path:
            return module
    return None


def load_into(module: types.ModuleType, data: bytes, names: Names) -> bool:
    """Whether it could be loaded; in a copy alone, which lives no longer than its calls."""
    before = dict(vars(module))
    try:
        exec(compile(data, str(module.__file__), "exec", dont_inherit=True), vars(module))
    except Exception:
        return False
    changed = {id(value): vars(module)[name] for name, value in before.items()
               if not name.startswith("__") and vars(module).get(name) is not value}
    for other in list(sys.modules.values()):
        held = getattr(other, "__dict__", None)
        if other is not module and isinstance(held, dict):
            _exchange(held, changed)
    _exchange(names.space, changed)
    _exchange(names.own, changed)
    names.known.clear()
    return True


def _exchange(held: Dict[str, Any], changed: Dict[int, Any]) -> None:
    for name, value in list(held.items()):
        if id(value) in changed:
            held[name] = changed[id(value)]
