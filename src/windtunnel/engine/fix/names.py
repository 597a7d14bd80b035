"""Names that nobody defines, as far as a file by itself can tell: what a wrong guess at a name looks like."""

from __future__ import annotations

import builtins
import re
import symtable
from collections.abc import Iterator

_WORD = re.compile(r"[^\W\d]\w*")
_GIVEN = frozenset({*dir(builtins), "__file__", "__name__", "__path__", "__doc__", "__spec__", "__loader__",
                    "__package__", "__builtins__", "__annotations__", "__dict__", "__class__", "__module__",
                    "__qualname__", "__debug__", "WindowsError", "reveal_type"})
_OPEN = re.compile(r"^\s*from\s+\S+\s+import\s+\*|\bglobals\s*\(|\bexec\s*\(", re.MULTILINE)


def words(text: str) -> frozenset[str]:
    """Everything in a text that could be a name."""
    return frozenset(_WORD.findall(text))


def undefined(text: str, *, path: str) -> frozenset[str]:
    """Names that are read and that no scope around them, nor Python itself, defines.

    None at all where names may come from elsewhere: a star import, ``globals()``, ``exec``.
    """
    if _OPEN.search(text):
        return frozenset()
    try:
        top = symtable.symtable(text, path, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    defined = {symbol.get_name() for symbol in top.get_symbols()
               if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()}
    scopes = list(_below(top))
    defined |= {symbol.get_name() for scope in scopes for symbol in scope.get_symbols()
                if symbol.is_declared_global() and (symbol.is_assigned() or symbol.is_imported())}
    read = {symbol.get_name() for scope in scopes for symbol in scope.get_symbols()
            if symbol.is_referenced() and symbol.is_global()}
    read |= {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    return frozenset(read - defined - _GIVEN)


def _below(scope: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in scope.get_children():
        yield child
        yield from _below(child)
