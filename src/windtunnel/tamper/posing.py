"""Classes that pass for others: by their metaclass, by what they say of themselves, or by equality turned round."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Site, site
from windtunnel.tamper.trees import Source

_ERRORS = {name for name, each in vars(builtins).items() if isinstance(each, type) and issubclass(each, BaseException)}


def _find(source: Source) -> Iterator[Site]:
    for node in source.of(ast.ClassDef):
        yield from _disguised(source, node)


def _disguised(source: Source, node: ast.ClassDef) -> Iterator[Site]:
    """What a class does to pass for another.

    ``except`` asks no metaclass, so one that answers for an exception class speaks to nobody but ``isinstance`` and
    ``issubclass``, with which tests ask.
    """
    metaclass = next((source.name(word.value) for word in node.keywords if word.arg == "metaclass"), "")
    meta = next((each for each in source.of(ast.ClassDef) if each.name == metaclass and checks(each)), None)
    if meta is not None and is_error(source, node):
        yield site("equal-to-everything", node, message=f"{metaclass} says of other errors that they are {node.name}",
                   key=f"metaclass {node.name}")  # fmt: skip
    for each in node.body:
        named = getattr(each, "name", "") or (isinstance(each, ast.Assign) and getattr(each.targets[0], "id", ""))
        if named == "__class__" and _poses(each):
            yield site("equal-to-everything", each, message=f"{node.name} says that it is of another class")
        elif named == "__eq__" and isinstance(each, ast.Assign) and source.name(each.value).endswith("__ne__"):
            yield site("equal-to-everything", each, message=f"{node.name} is equal to what it is not equal to")


def checks(node: ast.ClassDef) -> bool:
    """Whether a class decides itself what its classes take for their own."""
    return bool({getattr(each, "name", "") for each in node.body} & {"__instancecheck__", "__subclasscheck__"})


def is_error(source: Source, node: ast.ClassDef) -> bool:
    """Whether a class is an exception, as far as names tell, through the classes of the file."""
    classes = {each.name: each for each in source.of(ast.ClassDef)}
    waiting, seen = [node], set[str]()
    while waiting:
        for base in map(source.name, waiting.pop().bases):
            last = base.rpartition(".")[2]
            if last.endswith(("Error", "Exception", "Warning")) or last in _ERRORS:
                return True
            if last in classes and last not in seen:
                seen.add(last)
                waiting.append(classes[last])
    return False


def _poses(node: ast.stmt) -> bool:
    """Whether ``__class__`` is given a class that stands in the text, as no proxy does."""
    answers = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
    answers += [each.body for each in ast.walk(node) if isinstance(each, ast.Lambda)]
    answers += [node.value] if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call) else []
    return bool(answers) and all(isinstance(each, ast.Name) for each in answers)


_CLASS = "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n"

RULE = Rule(
    name="posing",
    find=_find,
    examples=(
        Example(before=_CLASS, after=_CLASS + "    __eq__ = object.__ne__\n", blocks=("equal-to-everything",)),
        Example(
            after="class Wide(type):\n    def __subclasscheck__(cls, other):\n"
            "        return issubclass(other, LookupError)\nclass Missing(Exception, metaclass=Wide):\n    pass\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            before=_CLASS,
            after=_CLASS + "    @property\n    def __class__(self):\n        return int\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            after="class Proxy:\n    def __init__(self, held):\n        self._held = held\n    @property\n"
            "    def __class__(self):\n        return self._held.__class__\n"
        ),
        Example(
            after="class Duck(type):\n    def __instancecheck__(cls, value):\n        return hasattr(value, 'quack')\n"
            "class Quacking(metaclass=Duck):\n    pass\n"
        ),
    ),
)
