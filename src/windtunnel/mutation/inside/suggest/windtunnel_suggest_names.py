"""What one test file calls things, and what it would have to import to call others."""

from __future__ import annotations

import builtins
import os
import sys
import types
from typing import Any, Dict, List, Optional, Tuple

STANDARD = {
    "asyncio": "run", "collections": "Counter OrderedDict defaultdict deque",
    "datetime": "date datetime time timedelta timezone timezone.utc", "decimal": "Decimal", "fractions": "Fraction",
    "functools": "partial reduce", "io": "BytesIO StringIO",
    "ipaddress": "IPv4Address IPv4Network IPv6Address IPv6Network ip_address ip_network",
    "itertools": "accumulate chain combinations count cycle islice permutations product repeat starmap zip_longest",
    "math": "ceil cos exp floor gcd inf log pi prod sin sqrt", "operator":
    "add and_ contains eq floordiv ge getitem gt itemgetter le lt mod mul ne neg not_ or_ pow sub truediv xor",
    "pathlib": "Path PosixPath PurePath PurePosixPath PureWindowsPath", "re": "compile escape",
    "statistics": "mean median",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace", "uuid": "UUID"}
"""What of the standard library may stand in a suggestion; the other side has the same table."""
ALLOWED = frozenset(module + "." + name for module, names in STANDARD.items() for name in names.split())
ALIASES = {"_operator": "operator", "_collections": "collections", "_functools": "functools", "_io": "io",
           "_decimal": "decimal", "pathlib._local": "pathlib", "_struct": "struct"}
UNSAFE = frozenset({"eval", "exec", "compile", "open", "input", "breakpoint", "exit", "quit", "globals", "locals",
                    "vars", "getattr", "setattr", "delattr", "help", "print",
                    "memoryview", "copyright", "credits", "license"})
_LOCAL = "<locals>"


class Names:
    """Of one test file, or of a new one."""

    def __init__(self, module: Optional[types.ModuleType]) -> None:
        """``module`` is the test file as it was loaded."""
        self.space: Dict[str, Any] = dict(vars(module)) if module is not None else {}
        """Where texts are evaluated."""
        self.own = {name: value for name, value in self.space.items()
                    if name.isidentifier() and not name.startswith("__")}
        self.imports: Dict[str, Tuple[str, str]] = {}
        """By the name that it gives: the module, and what of it, nothing for itself."""
        self.known: Dict[int, Tuple[Any, str]] = {}

    def of(self, thing: Any) -> str:
        """A name for it; empty where it has none."""
        found = self.known.get(id(thing))
        if found is None:
            found = self.known[id(thing)] = (thing, self._here(thing) or self._elsewhere(thing))
        return found[1]

    def _here(self, thing: Any) -> str:
        """As the file has it: a builtin, a name of its own, or below a module that it has imported."""
        name = getattr(thing, "__name__", None)
        if not isinstance(name, str) or not name.isidentifier():
            return ""
        if name not in self.own and getattr(builtins, name, None) is thing:
            return "" if name in UNSAFE or name.startswith("_") else name
        if not usable(thing):
            return ""
        own = [other for other, value in self.own.items() if value is thing]
        below = [other + "." + name for other, value in self.own.items()
                 if isinstance(value, types.ModuleType) and vars(value).get(name) is thing]
        return min(own or below, key=lambda text: (text.rpartition(".")[2] != name, len(text)), default="")

    def _elsewhere(self, thing: Any) -> str:
        """By an import that the file has not yet."""
        module, name = _origin(thing)
        if not module or module == "builtins" or not usable(thing):
            return ""
        first = name.split(".")[0]
        if module in STANDARD:
            first = module
            given = (module, "")
        else:
            given = (module, first)
        if self.imports.get(first) != given:
            if first in self.space or hasattr(builtins, first):
                return ""  # the file calls something else so
            self.imports[first] = given
            self.space[first] = sys.modules[module] if not given[1] else getattr(sys.modules[module], first)
        return name if given[1] else module + "." + name

    def adopt(self, imports: Dict[str, Any]) -> None:
        """Imports that were found before, in another copy of this process."""
        for first, (module, name) in imports.items():
            self.imports[first] = (module, name)
            self.space[first] = getattr(sys.modules[module], name) if name else sys.modules[module]

    def imported(self, roots: List[str]) -> List[List[str]]:
        """The imports that give these names."""
        return [[*self.imports[name]] for name in sorted(set(roots)) if name in self.imports]


def usable(thing: Any) -> bool:
    """Whether it is the project's own, or one of those of the standard library that a test may have."""
    module = str(getattr(thing, "__module__", None) or getattr(thing, "__name__", ""))
    module = ALIASES.get(module, module)
    if module in STANDARD:
        return isinstance(thing, types.ModuleType) or module + "." + str(getattr(thing, "__qualname__", "")) in ALLOWED
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and file.startswith(os.getcwd() + os.sep) and "/site-packages/" not in file


def _origin(thing: Any) -> Tuple[str, str]:
    """The module that has it and its name there; nothing for what cannot be reached so."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", getattr(thing, "__name__", None))
    if not isinstance(module, str) or not isinstance(name, str) or _LOCAL in name or name.startswith("__"):
        return "", ""
    module = ALIASES.get(module, module)
    found: Any = sys.modules.get(module)
    if found is None or module == "__main__" or not name.replace(".", "").isidentifier():
        return "", ""
    for part in name.split("."):
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    return (module, name) if found is thing else ("", "")
