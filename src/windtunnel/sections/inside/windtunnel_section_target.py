"""One section as it lives at run time: what is called, what it takes, and the code that a call runs."""

from __future__ import annotations

import ast
import dis
import inspect
import types
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

Inputs = Tuple[Tuple[str, str], ...]
"""Texts by slot: ``.`` the object of a method, a parameter's name, ``*0`` … and ``**name``."""
NOTHING = inspect.Parameter.empty
_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_TREES: Dict[str, Optional[ast.Module]] = {}
_NODES: Dict[str, List[Any]] = {}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MOST_SOURCE = 1024**2


class Missing(Exception):
    """There is nothing of that name to call."""


class Target:
    """What an order names, found."""

    def __init__(self, row: Dict[str, Any], module: Any) -> None:
        """``row`` as the order has it; ``module`` is loaded."""
        self.row, self.module, self.kind = row, module, row["kind"]
        self.name = row["name"].rpartition(".")[2]
        self.owner, self.found = _walked(module, row["name"].split("."))
        if self.kind not in ("function", "class") and not isinstance(self.owner, type):
            raise Missing("its class is no class at run time")
        self.function = self._function()
        self.code = code_of(self.function)
        self.parameters = self._parameters()

    def _function(self) -> Any:
        """The function whose body runs."""
        found = self.found
        if isinstance(found, (classmethod, staticmethod)):
            found = found.__func__
        elif isinstance(found, property):
            found = found.fget
        elif self.kind == "class":
            found = maker_of(found)
        elif self.kind == "property" and hasattr(found, "func"):
            found = found.func
        if self.kind not in ("class", "property") and not callable(found):
            raise Missing("it is no function at run time but " + type(found).__name__)
        return found

    @property
    def node(self) -> Any:
        """Where the source has it; to replay a call, nobody needs it."""
        return node_of(self.code)

    @property
    def needs_object(self) -> bool:
        return self.kind in ("method", "property")

    def callable(self) -> Any:
        """Of all but methods and properties."""
        return getattr(self.owner, self.name) if isinstance(self.owner, type) else self.found

    def _parameters(self) -> List[inspect.Parameter]:
        if self.kind == "property":
            return []
        given = signature_of(self.found if self.kind == "class" else self.function)
        bound = self.kind in ("method", "class method") and given and given[0].kind in _POSITION
        given = given[1:] if bound else given
        hidden = all(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in given)
        node = self.node if hidden and given else None
        if node is not None:
            written = _written(node)
            drop = self.kind in ("method", "class method", "class")
            return written[1:] if drop and written else written
        return given

    def arrange(self, values: Dict[str, Any]) -> Tuple[List[Any], Dict[str, Any]]:
        """What goes by position and what by name."""
        by_position: List[Any] = []
        by_name: Dict[str, Any] = {}
        star = [values[slot] for slot in values if slot.startswith("*") and not slot.startswith("**")]
        gap = False
        for one in self.parameters:
            if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
                continue
            if one.name not in values:
                gap = True
            elif one.kind in _POSITION and not gap:
                by_position.append(values[one.name])
            else:
                by_name[one.name] = values[one.name]
        by_name.update({slot[2:]: value for slot, value in values.items() if slot.startswith("**")})
        return by_position + star, by_name

    def required(self) -> List[inspect.Parameter]:
        """Those that have to be given."""
        return [one for one in self.parameters
                if one.default is NOTHING and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]

    def lines(self) -> Set[int]:
        """Lines of its own that can run."""
        return set(_lines(self.code)) if self.code is not None else set()


def _walked(module: Any, parts: List[str]) -> Tuple[Any, Any]:
    owner, found = None, module
    for part in parts:
        owner = found
        try:
            found = inspect.getattr_static(found, part)
        except AttributeError:
            raise Missing("there is no such name at run time") from None
    return owner, found


def maker_of(kind: Any) -> Any:
    """The function of a class that its inputs go to."""
    for name in ("__init__", "__new__"):
        found = inspect.getattr_static(kind, name, None)
        found = found.__func__ if isinstance(found, staticmethod) else found
        if isinstance(found, types.FunctionType):
            return found
    return kind


def code_of(function: Any) -> Optional[types.CodeType]:
    """Of the function behind decorators that say what they wrap."""
    try:
        function = inspect.unwrap(function)
    except ValueError:
        return None
    while hasattr(function, "func") and not isinstance(function, types.FunctionType):
        function = function.func
    found = getattr(function, "__code__", None)
    return found if isinstance(found, types.CodeType) else None


def signature_of(function: Any) -> List[inspect.Parameter]:
    """What it takes; anything where it does not say."""
    try:
        return list(inspect.signature(function).parameters.values())
    except Exception:
        return [inspect.Parameter("given", inspect.Parameter.VAR_POSITIONAL)]


def _written(node: Any) -> List[inspect.Parameter]:
    """As the source has it, where a decorator hides it; defaults are not known, only that there is one."""
    given, kind = node.args, inspect.Parameter
    plain = [*given.posonlyargs, *given.args]
    first = len(plain) - len(given.defaults)
    made = [kind(one.arg, kind.POSITIONAL_ONLY if at < len(given.posonlyargs) else kind.POSITIONAL_OR_KEYWORD,
                 default=... if at >= first else NOTHING) for at, one in enumerate(plain)]
    made += [kind(given.vararg.arg, kind.VAR_POSITIONAL)] if given.vararg else []
    made += [kind(one.arg, kind.KEYWORD_ONLY, default=NOTHING if default is None else ...)
             for one, default in zip(given.kwonlyargs, given.kw_defaults)]
    return made + ([kind(given.kwarg.arg, kind.VAR_KEYWORD)] if given.kwarg else [])


def tree_of(path: str) -> Optional[ast.Module]:
    """A file's syntax tree; read once."""
    if path not in _TREES:
        try:
            with open(path, "rb") as file:
                _TREES[path] = ast.parse(file.read(_MOST_SOURCE))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            _TREES[path] = None
    return _TREES[path]


def node_of(code: Optional[types.CodeType]) -> Any:
    """Where the source has it; None where it does not."""
    if code is None:
        return None
    if code.co_filename not in _NODES:
        tree = tree_of(code.co_filename)
        _NODES[code.co_filename] = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)] if tree else []
    for node in _NODES[code.co_filename]:
        if getattr(node, "name", "<lambda>") == code.co_name:
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            if first <= code.co_firstlineno <= node.lineno:
                return node
    return None


def class_node(kind: Any) -> Any:
    """Where the source has a class; None where it does not."""
    maker = code_of(maker_of(kind))
    tree = tree_of(maker.co_filename) if maker is not None else None
    names = kind.__qualname__.rpartition(".")[2]
    return next((node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == names),
                None) if tree is not None else None


def _lines(code: types.CodeType) -> Iterator[int]:
    starts = [line for _, line in dis.findlinestarts(code) if line]
    yield from (line for line in starts if line != code.co_firstlineno)
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _lines(part)
