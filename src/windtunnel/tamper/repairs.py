"""Errors that are caught on their way and given what a test wants to see, instead of being right where they come up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from windtunnel.tamper.answers import Reader
from windtunnel.tamper.literals import TRIVIAL, Unit, value
from windtunnel.tamper.rule import Site
from windtunnel.tamper.samples import Sample
from windtunnel.tamper.trees import unparsed

_LEAST_WORD = 3


def _last(node: ast.AST | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _handlers(reader: Reader) -> list[ast.ExceptHandler]:
    return [each for each in reader.nodes if isinstance(each, ast.ExceptHandler)]


def _raised(handler: ast.ExceptHandler) -> Iterator[tuple[ast.Raise, str, list[str]]]:
    """Errors that a handler makes of nothing but constants."""
    for node in (each for part in handler.body for each in ast.walk(part)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            given = [value(each) for each in (*node.exc.args, *(word.value for word in node.exc.keywords))]
            if given and None not in given:
                yield node, _last(node.exc.func), [str(each) for each in given]


def _caught(handler: ast.ExceptHandler) -> set[str]:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {_last(each) for each in kinds}


def _asked(name: str, given: Sequence[str], samples: Sequence[Sample]) -> str:
    """A word of the error that a test put into its input, where no constant can have it from."""
    words = [text[1:-1] for text in given if re.match(r"^'\w+'$", text) and len(text) > _LEAST_WORD + 1]
    for sample in (each for each in samples if each.raises == name):
        given_to = (*sample.given, *(held for _, held in sample.named))
        inputs = " ".join(each for each in given_to if isinstance(each, str))
        found = next((word for word in words if re.search(rf"\b{word}\b", inputs)), "")
        if found:
            return found
    return ""


def _wanted(name: str, given: Sequence[str], known: Sequence[Unit]) -> str:
    """A number or text of the error that a test expects of it."""
    telling = [text for text in given if text not in TRIVIAL]
    units = [unit for unit in known if f"name:{name}" in unit]
    return next((text for text in telling if any(text in unit for unit in units)), "")


def repaired(
    new: Reader, old: Reader | None, *, known: Sequence[Unit], samples: Sequence[Sample]
) -> Iterator[Site]:
    """Handlers, new in this function, that raise what a test expects whatever happened."""
    had = {unparsed(each) for each in _handlers(old)} if old is not None else set()
    for handler in (each for each in _handlers(new) if unparsed(each) not in had):
        for node, name, given in _raised(handler):
            word = _asked(name, given, samples) or (_wanted(name, given, known) if name in _caught(handler) else "")
            if word:
                yield Site(
                    rule="special-case",
                    message=f"{new.function.name} makes {name} with {word} of any error, as only a test wants it",
                    key=f"repaired {new.function.name} {unparsed(node)}",
                    subject=new.function.name,
                    line=node.lineno,
                    evidence=unparsed(node),
                )
