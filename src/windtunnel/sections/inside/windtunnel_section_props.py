"""What inputs are made of, under the name ``wt``: files in the current folder, small fakes, and any module by name."""

from __future__ import annotations

import importlib
import os
from typing import Any, Dict


def of(module: str) -> Any:
    """A module by its dotted name."""
    return importlib.import_module(module)


def file(content: Any = "a\nb\n", name: str = "file.txt") -> str:
    """The path of a new file in the current folder."""
    data = content if isinstance(content, bytes) else str(content).encode("utf-8", "surrogatepass")
    with open(name, "wb") as made:
        made.write(data)
    return os.path.abspath(name)


def folder(**files: str) -> str:
    """The path of a folder with some files; ``one_txt="a"`` is one.txt."""
    for name, content in (files or {"one_txt": "a\n"}).items():
        os.makedirs("folder", exist_ok=True)
        with open(os.path.join("folder", name.replace("_", ".", 1)), "w", encoding="utf-8") as made:
            made.write(content)
    return os.path.abspath("folder")


def stream(content: Any = "a\nb\n", mode: str = "") -> Any:
    """An open file with that content."""
    return open(file(content), mode or ("rb" if isinstance(content, bytes) else "r"))


class Fake:
    """Has the attributes it was given; any other is a fake too, and so is what a call of it returns."""

    def __init__(self, **held: Any) -> None:
        """``held`` by name."""
        self.__dict__.update(held)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = Fake()
        self.__dict__[name] = made
        return made

    def __call__(self, *given: Any, **named: Any) -> Any:
        return given[0] if given else Fake()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __iter__(self) -> Any:
        return iter((1, 2))

    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: Any) -> Any:
        if at in (0, 1):
            return at + 1
        raise IndexError(at)

    def __repr__(self) -> str:
        return "Fake()"


def fake(**held: Any) -> Fake:
    """A stand-in for an object of a kind that nobody knows how to make."""
    return Fake(**held)


def concrete(kind: Any, *given: Any, **named: Any) -> Any:
    """An object of an abstract class, whose abstract methods do nothing."""
    missing = getattr(kind, "__abstractmethods__", ())
    body: Dict[str, Any] = {name: (lambda self, *more, **other: None) for name in sorted(missing)}
    return type(kind.__name__, (kind,), body)(*given, **named)


def __getattr__(name: str) -> Any:
    """A module of the standard library."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise AttributeError(name) from None
