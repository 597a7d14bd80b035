"""Calls that do not fit what is called: too many, too few, misnamed; mended on either side."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Part, Rule, Sight, insert, last_name, nearest, replace
from windtunnel.repair.rules.module import Function, Module, every_parameter

_MANY = re.compile(
    r"(?:(\w+)\.)?(\w+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were|positional)"
)
_FEW = re.compile(r"(?:(\w+)\.)?(\w+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (.+)")


def functions(sight: Sight, owner: str | None, name: str) -> list[tuple[Module, Function]]:
    """The functions that the message may mean; a method's name alone may be that of its class."""
    found = sight.project.functions(name)
    own = [
        (module, node)
        for module, node in found
        if owner is None or owner == "<locals>" or ((holder := module.owner(node)) is not None and holder.name == owner)
    ]
    return own or found


def calls(sight: Sight, owner: str | None, name: str) -> list[tuple[Module, ast.Call]]:
    """Calls of it on the lines of the error that may be changed."""
    wanted = {name} if name != "__init__" else {owner or "", "__init__"}
    found = []
    for module, line in sight.places()[:3]:
        found += [
            (module, node)
            for node in module.nodes(line)
            if isinstance(node, ast.Call) and last_name(node.func) in wanted
        ]
    if not found and name == "__init__":
        found = [
            (module, node)
            for module, line in sight.places()[:1]
            for node in module.nodes(line)
            if isinstance(node, ast.Call) and last_name(node.func) in {"__init__", *(one for one in [owner] if one)}
        ]
    return found


def opening(module: Module, function: Function) -> int:
    """The character after the parenthesis that opens a function's parameters."""
    start = module.at(function.lineno, function.col_offset)
    found = re.compile(rf"\b{function.name}\s*(?:\[[^\]]*\])?\s*\(").search(module.text, start)
    return found.end() if found else start


def add_first(module: Module, function: Function, name: str) -> Part:
    """A first parameter."""
    comma = ", " if every_parameter(function.args) else ""
    return insert(module, opening(module, function), f"{name}{comma}")


def add_last(module: Module, function: Function, text: str) -> Part:
    """A parameter after the positional ones."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    if not plain:
        return add_first(module, function, text)
    last: ast.AST = arguments.defaults[-1] if arguments.defaults else plain[-1]
    return insert(module, module.span(last)[1], f", {text}")


def self_missing(sight: Sight) -> Iterator[Fix]:
    """A method that does not take its object."""
    taken, given = int(sight.said[3]), int(sight.said[4])
    for module, function in functions(sight, sight.said[1], sight.said[2]):
        first = function.args.args[0].arg if function.args.args else ""
        holder = module.parents.get(function)
        marks = {last_name(one) for one in function.decorator_list}
        if (
            not isinstance(holder, ast.ClassDef)
            or first in {"self", "cls"}
            or given != taken + 1
            or "staticmethod" in marks
        ):
            continue
        name = "cls" if "classmethod" in marks else "self"
        uses = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
        yield Fix((add_first(module, function, name),), 0.95, f"The method {function.name} does not take '{name}'.")
        if "self" not in uses:
            indent = module.indent(function)
            yield Fix(
                (insert(module, module.line_start(function), f"{indent}@staticmethod\n"),),
                0.4,
                f"{function.name} does not use its object.",
            )


def too_many(sight: Sight) -> Iterator[Fix]:
    """Arguments taken away at the call, or a parameter added."""
    taken, given = int(sight.said[3]), int(sight.said[4])
    here = calls(sight, sight.said[1], sight.said[2])
    for module, call in here:
        extra = call.args[-(given - taken) :]
        if len(call.args) > given - taken or (extra and len(call.args) == len(extra)):
            start = (
                module.span(call.args[-len(extra) - 1])[1] if len(call.args) > len(extra) else module.span(extra[0])[0]
            )
            yield Fix(
                ((module.path, start, module.span(extra[-1])[1], ""),), 0.6, f"{sight.said[2]} takes fewer arguments."
            )
    for where, function in functions(sight, sight.said[1], sight.said[2])[:2]:
        names = _new_names(sight, sight.said[2], given - taken)
        used = [
            name for name in names if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(function))
        ]
        prior = 0.9 if used else (0.35 if here else 0.45)
        yield Fix(
            (add_last(where, function, ", ".join(f"{name}=None" if not used else name for name in names)),),
            prior,
            f"{function.name} is given more than it takes.",
        )
        yield Fix((add_last(where, function, "*args"),), 0.15, f"{function.name} is given more than it takes.")


def _new_names(sight: Sight, name: str, count: int) -> list[str]:
    """Names for parameters, by what the call gives."""
    test = sight.test()
    nodes = [] if test is None else test[0].nodes(test[1])
    for module, line in sight.places()[:2]:
        nodes += module.nodes(line)
    for node in nodes:
        if isinstance(node, ast.Call) and last_name(node.func) == name:
            words = [
                one.id if isinstance(one, ast.Name) else f"argument{at}"
                for at, one in enumerate(node.args[-count:], start=1)
            ]
            return (
                list(dict.fromkeys(words))
                if len(set(words)) == count
                else [f"argument{at}" for at in range(1, count + 1)]
            )
    return [f"argument{at}" for at in range(1, count + 1)]


def too_few(sight: Sight) -> Iterator[Fix]:
    """Arguments that the call lacks: of the same name where there is one; or a default."""
    owner, name = sight.said[1], sight.said[2]
    lacking = re.findall(r"'(\w+)'", sight.said[3])
    here = calls(sight, owner, name)
    for module, call in here:
        if lacking == ["self"]:
            if isinstance(call.func, ast.Attribute):
                value = module.source(call.func.value)
                yield Fix(
                    (replace(module, call.func.value, f"{value}()"),),
                    0.92,
                    f"{name} is called on the class: an object is made first.",
                )
            continue
        scope = module.names_at(call)
        members = _members(module, call)
        given = [one if one in scope else (f"self.{one}" if one in members else "") for one in lacking]
        if all(given):
            yield Fix(
                (
                    added(
                        module,
                        call,
                        [
                            f"{one}={value}" if call.keywords else value
                            for one, value in zip(lacking, given, strict=True)
                        ],
                    ),
                ),
                0.9,
                f"{name} needs {', '.join(lacking)}.",
            )
        elif len(lacking) == 1:
            near = [word for word, _ in nearest(lacking[0], scope)]
            own = [one.id for one in call.args if isinstance(one, ast.Name)]
            function = module.function(call)
            params = (
                [] if function is None else [one.arg for one in function.args.args if one.arg not in {"self", "cls"}]
            )
            unused = [one for one in params if one not in own]
            for at, word in enumerate(dict.fromkeys([*near, *unused, *own, "None"])):
                yield Fix(
                    (added(module, call, [f"{lacking[0]}={word}" if call.keywords else word]),),
                    max(0.62 - 0.12 * at, 0.05),
                    f"{name} needs '{lacking[0]}'.",
                )
    for where, function in functions(sight, owner, name)[:2]:
        yield from _defaults(where, function, lacking, called=bool(here))


def _members(module: Module, node: ast.AST) -> set[str]:
    owner = module.owner(node)
    return (
        set()
        if owner is None
        else {one.attr for one in ast.walk(owner) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)}
    )


def added(module: Module, call: ast.Call, texts: list[str]) -> Part:
    """Arguments after those that a call has."""
    last = max(
        [*call.args, *(one.value for one in call.keywords)],
        key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0),
        default=None,
    )
    positional = [text for text in texts if "=" not in text]
    if call.keywords and positional:
        return insert(
            module,
            module.span(call.args[-1])[1] if call.args else module.text.index("(", module.span(call.func)[1]) + 1,
            ", ".join(["", *positional]) if call.args else ", ".join([*positional, ""]),
        )
    if last is None:
        return insert(module, module.span(call)[1] - 1, ", ".join(texts))
    return insert(module, module.span(last)[1], "".join(f", {text}" for text in texts))


def _defaults(module: Module, function: Function, lacking: list[str], *, called: bool) -> Iterator[Fix]:
    """A default for parameters that callers leave out: those after them need one too."""
    plain = [*function.args.posonlyargs, *function.args.args]
    bare = plain[: len(plain) - len(function.args.defaults)]
    if any(one.arg == lacking[0] for one in bare if lacking):
        start = next(at for at, one in enumerate(bare) if one.arg == lacking[0])
        body = ast.unparse(function)
        for at, value in enumerate(_likely(lacking[0], body)):
            parts = tuple(
                insert(module, module.span(one)[1], f"={value}" if one.annotation is None else f" = {value}")
                for one in bare[start:]
            )
            yield Fix(
                parts,
                max((0.25 if called else 0.55) - 0.15 * at, 0.04),
                f"{function.name} is called without '{lacking[0]}'.",
            )


def _likely(name: str, body: str) -> list[str]:
    """Values that a parameter may have where nobody gives one, by how it is used."""
    if re.search(rf"{name} is None|not {name}\b|if {name}:", body):
        return ["None", "False", "0"]
    if re.search(rf"\* {name}\b|\b{name} \*|// {name}|/ {name}", body):
        return ["1", "2", "None"]
    if re.search(rf"[-+] {name}\b|\b{name} [-+]|\b{name} [<>]=? |[<>]=? {name}\b", body):
        return ["0", "1", "None", "''"]
    if re.search(rf"\bin {name}\b|len\({name}\)|{name}\[", body):
        return ["()", "None", "''"]
    return ["None", "''", "0"]


RULES = (
    Rule(
        name="method-without-self",
        what="A method does not take its object.",
        before="def greet(name):",
        after="def greet(self, name):",
        suggest=self_missing,
        errors=("TypeError",),
        message=_MANY,
    ),
    Rule(
        name="too-many-arguments",
        what="A call gives more than is taken.",
        before="area(2, 2)",
        after="area(2)",
        suggest=too_many,
        errors=("TypeError",),
        message=_MANY,
    ),
    Rule(
        name="too-few-arguments",
        what="A call gives less than is needed.",
        before="add(a)",
        after="add(a, b)",
        suggest=too_few,
        errors=("TypeError",),
        message=_FEW,
    ),
)
