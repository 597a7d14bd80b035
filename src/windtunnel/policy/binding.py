"""The compiled module that reads and runs conditions (``common-expression-language``, written in Rust)."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import threading
from types import ModuleType
from typing import Any

from windtunnel.core.errors import UsageError

_NAME = "cel.cel"
_LOADING = threading.Lock()


def binding() -> Any:  # noqa: ANN401 -- a module that is loaded by its place
    """The compiled module alone: its package would load a command line and a terminal library with it, for 0.3 s."""
    module = sys.modules.get(_NAME)
    if module is None:
        with _LOADING:
            module = sys.modules.get(_NAME) or _load()
    return module


def _load() -> ModuleType:
    package = importlib.util.find_spec("cel")
    found = package and importlib.machinery.PathFinder.find_spec(_NAME, package.submodule_search_locations)
    if not found or not found.loader:
        raise UsageError("policy: conditions need a package that is not installed: "
                         "pip install 'windtunnel[policy]'", field="policy")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    # Whoever imports the package later must get this one, since its logger can be set up only once.
    sys.modules[_NAME] = module
    return module
