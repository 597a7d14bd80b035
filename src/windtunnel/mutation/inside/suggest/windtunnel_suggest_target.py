"""A function that a test can call: where it is, what it takes, and how a call of it is written."""

from __future__ import annotations

import ast
import inspect
import os
import sys
import types
from typing import Any, Dict, List, Optional, Tuple

from windtunnel_suggest_names import Names  # type: ignore[import-not-found]  # lies beside this file when it runs

Inputs = Tuple[Tuple[str, str], ...]
"""Texts by slot: ``self``, the name of a parameter, ``*0`` … of those that follow, ``**name`` of further keywords."""
FORMS = {
    "__len__": "len({self})", "__getitem__": "{self}[{0}]", "__contains__": "{0} in {self}", "__eq__": "{self} == {0}",
    "__ne__": "{self} != {0}", "__lt__": "{self} < {0}", "__le__": "{self} <= {0}", "__gt__": "{self} > {0}",
    "__ge__": "{self} >= {0}", "__iter__": "iter({self})", "__next__": "next({self})", "__repr__": "repr({self})",
    "__str__": "str({self})", "__bool__": "bool({self})", "__reversed__": "reversed({self})", "__add__": "{self} + {0}",
    "__sub__": "{self} - {0}", "__mul__": "{self} * {0}", "__truediv__": "{self} / {0}",
    "__floordiv__": "{self} // {0}", "__mod__": "{self} % {0}",
    "__or__": "{self} | {0}", "__and__": "{self} & {0}", "__xor__": "{self} ^ {0}",
    "__neg__": "-{self}", "__int__": "int({self})", "__float__": "float({self})"}
"""How people write a call of these."""


class Target:
    """One function of the product."""

    def __init__(self, options: Dict[str, Any], function: types.FunctionType) -> None:
        """``options`` has the path, the qualified name and the first line; ``function`` is its live code."""
        self.path, self.qualified, self.code = options["path"], options["function"], function.__code__
        self.function = function
        self.name = str(self.qualified.rpartition(".")[2])
        code = self.code
        self.names = list(code.co_varnames[: code.co_argcount])
        self.only_position = set(code.co_varnames[: code.co_posonlyargcount])
        end = code.co_argcount + code.co_kwonlyargcount
        self.keywords = list(code.co_varnames[code.co_argcount : end])
        self.rest = code.co_varnames[end] if code.co_flags & inspect.CO_VARARGS else ""
        end += bool(self.rest)
        self.further = code.co_varnames[end] if code.co_flags & inspect.CO_VARKEYWORDS else ""
        given = function.__defaults__ or ()
        self.defaults: Dict[str, Any] = dict(zip(self.names[len(self.names) - len(given) :], given))
        self.defaults.update(function.__kwdefaults__ or {})
        self.kind, self.owner, self.attribute = "", None, None
        self._find()
        self.bound = self.names[0] if self.kind in ("method", "property", "class", "classmethod") and self.names else ""

    def _find(self) -> None:
        """The module's own way to it."""
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            known = isinstance(file, str) and getattr(module, "__name__", "") != "__main__"
            if known and os.path.realpath(str(file)) == self.path:
                self._look(module)
            if self.kind:
                return

    def _look(self, module: Any) -> None:
        owner: Any = None
        found: Any = module
        for part in self.qualified.split("."):
            owner, found = found, vars(found).get(part) if hasattr(found, "__dict__") else None
            if found is None:
                return
        self.owner, self.attribute = owner, found
        if not isinstance(owner, type):
            self.kind = "function" if callable(found) else ""
        elif self.name in ("__init__", "__new__"):
            self.kind = "class"
        elif isinstance(found, property):
            self.kind = "property" if found.fget is not None and found.fget.__code__ is self.code else ""
        else:
            kinds = {classmethod: "classmethod", staticmethod: "static"}
            self.kind = kinds.get(type(found), "method" if callable(found) else "")

    def parameters(self) -> List[str]:
        """What a caller gives by name or position."""
        return [name for name in [*self.names, *self.keywords] if name != self.bound]

    def callee(self, names: Names) -> str:
        """What stands before the parentheses, or before the dot; empty for methods, and where it has no name."""
        if self.kind in ("method", "property"):
            return ""
        if self.kind == "function":
            return str(names.of(self.attribute)) or self._reached(names)
        owner = str(names.of(self.owner))
        return owner + "." + str(self.name) if owner and self.kind in ("classmethod", "static") else owner

    def _reached(self, names: Names) -> str:
        """By its module, where what a decorator made of it does not know its own name."""
        module = getattr(self.owner, "__name__", "")
        if self.name in names.own or not module:
            return ""
        names.imports[self.name] = (module, self.name)
        names.space[self.name] = self.attribute
        return self.name

    def arranged(self, inputs: Inputs) -> Optional[Tuple[List[str], List[Tuple[str, str]]]]:
        """What goes by position and what by name; None where that cannot be."""
        given = dict(inputs)
        star = [text for slot, text in inputs if slot.startswith("*") and not slot.startswith("**")]
        by_position: List[str] = []
        by_name: List[Tuple[str, str]] = []
        gap = False
        for name in self.names:
            if name == self.bound:
                continue
            if name not in given:
                if name not in self.defaults or star:
                    return None
                gap = True
            elif not gap and (name not in self.defaults or name in self.only_position or star):
                by_position.append(given[name])
            elif name in self.only_position:
                return None
            else:
                gap = True
                by_name.append((name, given[name]))
        by_name += [(name, given[name]) for name in self.keywords if name in given]
        if any(name not in given and name not in self.defaults for name in self.keywords):
            return None
        by_name += [(slot[2:], text) for slot, text in inputs if slot.startswith("**")]
        return by_position + star, by_name

    def call(self, inputs: Inputs, callee: str) -> str:
        """The text of a call; empty where it cannot be written."""
        arranged = self.arranged(inputs)
        itself = _primary(dict(inputs).get("self", ""))
        if arranged is None or (not itself and self.kind in ("method", "property")):
            return ""
        parts = [*arranged[0], *(name + "=" + text for name, text in arranged[1])]
        if self.kind == "property":
            return f"{itself}.{self.name}"
        form = FORMS.get(self.name, "") if self.kind == "method" and not arranged[1] else ""
        if form and len(arranged[0]) == form.count("{0}"):
            return form.format(*(_operand(part) for part in arranged[0]), self=itself)
        if self.kind == "method":
            return (itself if self.name == "__call__" else itself + "." + self.name) + "(" + ", ".join(parts) + ")"
        return callee + "(" + ", ".join(parts) + ")" if callee else ""


def _primary(text: str) -> str:
    """As it can stand before a dot."""
    closed = (ast.Call, ast.Name, ast.Attribute, ast.List, ast.Dict)
    return text if not text or isinstance(ast.parse(text, mode="eval").body, closed) else "(" + text + ")"


def _operand(text: str) -> str:
    closed = (ast.Call, ast.Name, ast.Attribute, ast.List, ast.Dict, ast.Constant, ast.Tuple, ast.Set)
    return text if isinstance(ast.parse(text, mode="eval").body, closed) else "(" + text + ")"


def roots(text: str) -> List[str]:
    """The names that a text begins its words with."""
    return [node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)]
