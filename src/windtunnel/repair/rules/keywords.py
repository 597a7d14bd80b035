"""Arguments by name: misspelt, not taken, given twice; classes whose __init__ nobody finds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.arguments import add_first, add_last, functions
from windtunnel.repair.rules.base import Fix, Part, Rule, Sight, insert, nearest, replace
from windtunnel.repair.rules.module import FUNCTIONS, Module, every_parameter
from windtunnel.repair.rules.placing import imported

_TWICE = re.compile(r"(?:(\w+)\.)?(\w+)\(\) got multiple values for argument '(\w+)'")
_NONE = re.compile(r"(\w+)\(\) takes no arguments")
_UNKNOWN = re.compile(r"(?:(\w+)\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'")


def unknown_keyword(sight: Sight) -> Iterator[Fix]:
    """A keyword that is misspelt at the call or at the function, or that nobody takes."""
    owner, name, word = sight.said[1], sight.said[2], sight.said[3]
    found = functions(sight, owner, name) or [
        (module, one)
        for module, node in sight.project.classes(name)
        for one in node.body
        if isinstance(one, FUNCTIONS) and one.name == "__init__"
    ]
    known = {one.arg for _, function in found for one in every_parameter(function.args)} | {
        one.target.id
        for module, node in sight.project.classes(owner or name)
        for one in node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    }
    here = [
        (module, call, keyword)
        for module, call in _with_keyword(sight, word)
        for keyword in call.keywords
        if keyword.arg == word
    ]
    for module, call, keyword in here:
        start = module.span(keyword)[0]
        near = nearest(word, known)
        taken = {one.arg for one in call.keywords}
        free = [one for one in known if one not in taken and one not in {"self", "cls"}]
        for other, share in near:
            yield Fix(
                ((module.path, start, start + len(word), other),),
                0.55 + 0.4 * share,
                f"The argument is called '{other}'.",
            )
        if not near and len(free) == 1:
            yield Fix(((module.path, start, start + len(word), free[0]),), 0.5, f"The argument is called '{free[0]}'.")
        yield Fix((_dropped(module, call, keyword),), 0.4 if not near else 0.12, f"{name} does not take '{word}'.")
    for module, function in found[:2]:
        used = any(isinstance(one, ast.Name) and one.id == word for one in ast.walk(function))
        yield Fix(
            (add_last(module, function, word if used else f"{word}=None"),),
            0.8 if used else (0.2 if here else 0.4),
            f"{function.name} is called with '{word}'.",
        )
        for other, share in nearest(word, [one.arg for one in every_parameter(function.args)]):
            parts = [
                (module.path, module.span(one)[0], module.span(one)[0] + len(other), word)
                for one in every_parameter(function.args)
                if one.arg == other
            ]
            parts += [
                replace(module, one, word)
                for one in ast.walk(function)
                if isinstance(one, ast.Name) and one.id == other
            ]
            yield Fix(
                tuple(parts), (0.25 if here else 0.82) * (0.5 + 0.5 * share), f"Callers know '{other}' as '{word}'."
            )


def _with_keyword(sight: Sight, word: str) -> list[tuple[Module, ast.Call]]:
    return [
        (module, node)
        for module, line in sight.places()[:2]
        for node in module.nodes(line)
        if isinstance(node, ast.Call) and any(one.arg == word for one in node.keywords)
    ]


def _dropped(module: Module, call: ast.Call, keyword: ast.keyword) -> Part:
    start, end = module.span(keyword)
    others = [one for one in (*call.args, *call.keywords) if one is not keyword and module.span(one)[0] < start]
    if others:
        start = max(module.span(one)[1] for one in others)
    elif module.text[end : end + 1] == ",":
        end += 1 + (module.text[end + 1 : end + 2] == " ")
    return (module.path, start, end, "")


def no_arguments(sight: Sight) -> Iterator[Fix]:
    """A class whose __init__ is misspelt or missing."""
    for module, owner in sight.project.classes(sight.said[1]):
        for function in owner.body:
            if isinstance(function, FUNCTIONS) and function.name.strip("_").lower() in {
                "init",
                "int",
                "inti",
                "ini",
                "initialize",
                "constructor",
            }:
                found = re.compile(rf"\b{function.name}\b").search(
                    module.text, module.at(function.lineno, function.col_offset)
                )
                if found is not None:
                    yield Fix(
                        ((module.path, found.start(), found.end(), "__init__"),),
                        0.95,
                        f"'{function.name}' is misspelt: it is called __init__.",
                    )
        fields = [one for one in owner.body if isinstance(one, ast.AnnAssign)]
        if fields and not owner.decorator_list:
            yield Fix(
                (
                    insert(module, module.line_start(owner), f"{module.indent(owner)}@dataclass\n"),
                    imported(module, "from dataclasses import dataclass"),
                ),
                0.9,
                f"{owner.name} has fields and is no dataclass.",
            )


def given_twice(sight: Sight) -> Iterator[Fix]:
    """A method without ``self``, or an argument given by place and by name."""
    word = sight.said[3]
    for module, function in functions(sight, sight.said[1], sight.said[2])[:2]:
        if isinstance(module.parents.get(function), ast.ClassDef) and (
            not function.args.args or function.args.args[0].arg not in {"self", "cls"}
        ):
            yield Fix((add_first(module, function, "self"),), 0.9, f"The method {function.name} does not take 'self'.")
    for module, call in _with_keyword(sight, word):
        keyword = next(one for one in call.keywords if one.arg == word)
        yield Fix((_dropped(module, call, keyword),), 0.5, f"'{word}' is given twice.")


RULES = (
    Rule(
        name="unknown-keyword",
        what="A keyword argument is misspelt or not taken.",
        before="draw(heigth=3)",
        after="draw(height=3)",
        suggest=unknown_keyword,
        errors=("TypeError",),
        message=_UNKNOWN,
    ),
    Rule(
        name="misspelt-init",
        what="A class takes no arguments since its __init__ is misspelt.",
        before="def _init_(self, a):",
        after="def __init__(self, a):",
        suggest=no_arguments,
        errors=("TypeError",),
        message=_NONE,
    ),
    Rule(
        name="argument-twice",
        what="An argument is given by place and by name.",
        before="area(2, width=2)",
        after="area(2)",
        suggest=given_twice,
        errors=("TypeError",),
        message=_TWICE,
    ),
)
