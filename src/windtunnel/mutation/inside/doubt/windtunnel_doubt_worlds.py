"""The project with some functions as another version has them, in the memory of a copy.

Live functions get the code of the other version, so that everything that refers to them sees it. What does not hold:
functions that close over other names than before, new base classes and decorators are not exchanged; such a version is
said not to fit.
"""

from __future__ import annotations

import ast
import gc
import os
import sys
import types
from typing import Any, Dict, Iterator, List, Optional, Tuple

PLAIN = (int, float, str, bytes, bool, tuple, list, dict, set, frozenset, type(None))


class World:
    """The live functions that a change touches, and what can be put into their place."""

    def __init__(self, targets: List[Dict[str, Any]]) -> None:
        """``targets``: path, name, line, and the classes around it."""
        self.targets = targets
        root = os.path.realpath(os.getcwd())
        places = {(os.path.join(root, one["path"]), one["name"], one["line"]): at for at, one in enumerate(targets)}
        self.live: Dict[int, List[types.FunctionType]] = {}
        real: Dict[str, str] = {}
        for thing in gc.get_objects():
            if type(thing) is types.FunctionType:
                file = thing.__code__.co_filename
                path = real.get(file) or real.setdefault(file, os.path.realpath(file))
                at = places.get((path, thing.__code__.co_name, thing.__code__.co_firstlineno))
                if at is not None:
                    self.live.setdefault(at, []).append(thing)
        paths = {one["path"] for one in targets}
        self.modules = {path: _module(os.path.join(root, path), real) for path in paths}

    @property
    def codes(self) -> Dict[Any, int]:
        """The code of each function, with its number."""
        return {function.__code__: at for at, functions in self.live.items() for function in functions}

    def put(self, target: int, text: str) -> bool:
        """Let the function be as in this text; whether it fits."""
        functions = self.live.get(target, [])
        try:
            made = built(text, self.targets[target]["classes"], functions[0].__globals__)
            for function in functions:
                exchange(function, made)
        except Exception:
            return False  # it closes over other names, or its defaults cannot be had here
        return bool(functions)

    def become(self, files: Dict[str, str]) -> bool:
        """Let whole files be as in these texts; whether they fit."""
        return all(self._become(self.modules.get(path), text) for path, text in files.items())

    def _become(self, module: Optional[types.ModuleType], text: str) -> bool:
        if module is None:
            return False
        other = types.ModuleType(module.__name__)
        other.__dict__.update({name: getattr(module, name, None) for name in ("__file__", "__package__", "__spec__")})
        try:
            exec(compile(text, str(module.__file__), "exec", dont_inherit=True), other.__dict__)
            for function, made in _pairs(vars(module), vars(other), module.__name__):
                if _code(function.__code__) != _code(made.__code__) or function.__defaults__ != made.__defaults__:
                    exchange(function, made)
        except BaseException:
            return False
        for name, value in vars(other).items():
            if name not in vars(module) or (isinstance(value, PLAIN) and not name.startswith("__")):
                setattr(module, name, value)
        return True


def exchange(function: types.FunctionType, made: types.FunctionType) -> None:
    """The code of one for that of the other, with the usual values of its parameters."""
    function.__code__ = made.__code__.replace(co_filename=function.__code__.co_filename)
    function.__defaults__, function.__kwdefaults__ = made.__defaults__, made.__kwdefaults__


def _module(path: str, real: Dict[str, str]) -> Optional[types.ModuleType]:
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and (real.get(file) or real.setdefault(file, os.path.realpath(file))) == path:
            return module
    return None


def _pairs(
    ours: Any, theirs: Any, name: str,
) -> Iterator[Tuple[types.FunctionType, types.FunctionType]]:
    """Functions of the same name in both, in classes too; decorated ones as far as they can be unwrapped."""
    for key, value in list(theirs.items()):
        own = ours.get(key)
        if isinstance(value, type) and isinstance(own, type) and value.__module__ == name:
            yield from _pairs(vars(own), vars(value), name)
            continue
        function, made = _bare(own), _bare(value)
        if function is not None and made is not None and made.__module__ == name:
            yield function, made


def _bare(value: Any) -> Optional[types.FunctionType]:
    for _ in range(5):
        if isinstance(value, types.FunctionType) and not hasattr(value, "__wrapped__"):
            return value
        value = getattr(value, "__wrapped__", None) or getattr(value, "__func__", None) or getattr(value, "fget", None)
    return None


def built(text: str, classes: List[str], around: Dict[str, Any]) -> types.FunctionType:
    """The function of this text, as it would be in these classes of a module with these names."""
    space = dict(around)
    exec(compile(wrapped(text, classes), "<other>", "exec", dont_inherit=True), space)
    made = space[(classes or [_name(text)])[0]]
    for name in classes[1:]:
        made = vars(made)[name]
    if classes:
        made = vars(made)[_name(text)]
    if not isinstance(made, types.FunctionType):
        raise TypeError(text[:80])
    return made


def _name(text: str) -> str:
    return str(ast.parse(text).body[0].name)  # type: ignore[attr-defined]  # it is a function


def wrapped(text: str, classes: List[str]) -> ast.Module:
    """The text inside classes of these names: names with two underscores and ``super`` mean the same there."""
    body: List[ast.stmt] = list(ast.parse(text).body)
    for name in reversed(classes):
        shell = ast.parse(f"class {name}: pass").body[0]
        shell.body = body  # type: ignore[attr-defined]  # a class has one
        body = [shell]
    return ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))


def fingerprint(text: str, classes: List[str]) -> Optional[Tuple[Any, ...]]:
    """The same for two texts that run the same; None for one that does not compile."""
    try:
        return _code(compile(wrapped(text, classes), "<other>", "exec", dont_inherit=True))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _code(code: types.CodeType) -> Tuple[Any, ...]:
    parts = tuple(_code(one) if isinstance(one, types.CodeType) else (type(one), repr(one)) for one in code.co_consts)
    handlers = getattr(code, "co_exceptiontable", b"")
    return (code.co_code, code.co_names, code.co_varnames, code.co_flags, handlers, parts)
