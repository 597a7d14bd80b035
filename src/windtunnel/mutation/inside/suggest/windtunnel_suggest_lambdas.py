"""The text of a lambda that needs nothing from around it."""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any, Dict, List, Optional

from windtunnel_suggest_names import UNSAFE  # type: ignore[import-not-found]  # lies beside this file when it runs

_MOST_FILES = 200
_FILES: Dict[str, List[ast.Lambda]] = {}


def lambda_text(function: types.FunctionType) -> str:
    """As it was written; nothing where several on its line differ, or it uses names of its surroundings."""
    code = function.__code__
    if code.co_name != "<lambda>" or code.co_freevars or function.__defaults__ or function.__kwdefaults__:
        return ""
    texts = {ast.unparse(node) for node in _lambdas(code.co_filename) if node.lineno <= code.co_firstlineno
             <= (node.end_lineno or node.lineno) and _needs_nothing(node) and _same(node, code)}
    return texts.pop() if len(texts) == 1 else ""


def _needs_nothing(node: ast.Lambda) -> bool:
    """All its names are its own, or builtins that harm nobody."""
    own = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    own |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    free = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - own
    below = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    return all(hasattr(builtins, name) and name not in UNSAFE for name in free) and not any(
        name.startswith("_") for name in free | below)


def _lambdas(path: str) -> List[ast.Lambda]:
    if path not in _FILES and len(_FILES) < _MOST_FILES:
        try:
            with open(path, "rb") as file:
                tree = ast.parse(file.read())
            _FILES[path] = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        except (OSError, SyntaxError, ValueError):
            _FILES[path] = []
    return _FILES.get(path, [])


def _same(node: ast.Lambda, code: types.CodeType) -> bool:
    made = _code(node)
    return made is not None and _told(made) == _told(code)


def _code(node: ast.Lambda) -> Optional[types.CodeType]:
    try:
        whole: types.CodeType = compile(ast.Expression(body=node), "<lambda>", "eval")
    except (SyntaxError, ValueError):
        return None
    return next((part for part in whole.co_consts if isinstance(part, types.CodeType)), None)


def _told(code: types.CodeType) -> List[Any]:
    constants = [_told(part) if isinstance(part, types.CodeType) else (type(part), repr(part))
                 for part in code.co_consts]
    return [code.co_code, code.co_names, code.co_varnames, constants]
