"""A function that works out the same again and again by calling itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, before
from windtunnel.speedups.source import COMPREHENSIONS, Source, changed, stored

_IMPORT = "import functools"
_TELLS = {"print", "input", "open", "setattr", "delattr", "next"}


def find(source: Source) -> Iterator[Edit]:
    """A plain function that calls itself more than once and changes nothing outside: its answers are kept."""
    for function in source.tree.body:
        if not isinstance(function, ast.FunctionDef) or function.decorator_list or not _again(source, function):
            continue
        if function.args.vararg or function.args.kwarg or _acts(function):
            continue
        yield Edit(parts=(before(source, function, "@functools.lru_cache(maxsize=None)"),), node=function,
                   confidence=0.6, imports=(_IMPORT,),
                   reason=f"{function.name} works out the same again and again: its answers are kept.")


def _again(source: Source, function: ast.FunctionDef) -> bool:
    """Whether one call of it makes several."""
    calls = [one for one in ast.walk(function) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
             and one.func.id == function.name]
    return len(calls) > 1 or any(
        source.loops(one) or isinstance(source.parents[one], COMPREHENSIONS) for one in calls)


def _acts(function: ast.FunctionDef) -> bool:
    """Whether it does something that can be seen from outside, as far as its own text tells."""
    own = stored(function) | {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    given = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    touched = changed(function)
    return bool(touched - own or touched & given - stored(function)) or any(
        isinstance(one, ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom | ast.Await)
        or (isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in _TELLS)
        for one in ast.walk(function))


RULE = Rule(
    name="memory", find=find,
    what="A plain function that calls itself more than once and changes nothing outside gets `functools.lru_cache`.",
    examples=(
        Example("def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n",
                "import functools\n@functools.lru_cache(maxsize=None)\ndef f(n):\n"
                "    return n if n < 2 else f(n - 1) + f(n - 2)\n"),
        Example("def f(n):\n    return 1 if n == 0 else n * f(n - 1)\n", None),
        Example("SEEN = []\n\n\ndef f(n):\n    SEEN.append(n)\n    return n if n < 2 else f(n - 1) + f(n - 2)\n", None),
        Example("def f(n, out):\n    out.append(n)\n    return n and f(n - 1, out) + f(n - 1, out)\n", None),
    ))
