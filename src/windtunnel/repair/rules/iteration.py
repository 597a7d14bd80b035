"""Walking over what cannot be walked, unpacking what does not fit, changing what is being walked."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, last_name, replace, wrap
from windtunnel.repair.rules.module import Module

_WALKED = re.compile(
    r"'([\w.]+)' object is not iterable|argument of type '([\w.]+)' is not iterable|"
    r"cannot unpack non-iterable (\w+) object|"
    r"'([\w.]+)' object is not (?:an iterator|reversible)"
)
_UNPACKED = re.compile(r"(not enough|too many) values to unpack \(expected (?:at least )?(\d+)(?:, got (\d+))?\)")
_CHANGED = re.compile(
    r"(?:dictionary|Set|set|OrderedDict|deque) (?:changed size|keys changed|mutated) during iteration"
)
_CALLED = frozenset({"method", "function", "builtin_function_or_method"})


def walked(sight: Sight) -> list[tuple[Module, ast.expr]]:
    """What the line walks over or looks into."""
    found: list[tuple[Module, ast.expr]] = []
    for module, line in sight.places()[:1]:
        statement = module.statement(line)
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            found.append((module, statement.iter))
        for node in module.nodes(line):
            if isinstance(node, ast.comprehension):
                found.append((module, node.iter))
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
                found.append((module, node.comparators[0]))
            elif isinstance(node, ast.Starred):
                found.append((module, node.value))
            elif (
                isinstance(node, ast.Call)
                and last_name(node.func)
                in {
                    "list",
                    "sum",
                    "sorted",
                    "set",
                    "tuple",
                    "max",
                    "min",
                    "enumerate",
                    "zip",
                    "map",
                    "filter",
                    "reversed",
                    "any",
                    "all",
                    "next",
                    "extend",
                    "join",
                    "iter",
                }
                and node.args
            ):
                found += [(module, one) for one in node.args]
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Tuple, ast.List)):
            found.append((module, statement.value))
    return found


def not_iterable(sight: Sight) -> Iterator[Fix]:  # noqa: C901, PLR0912 -- one branch for each case
    """Something that has no items, made something that has."""
    kind = next((one for one in sight.said.groups() if one), "")
    for module, node in walked(sight):
        text = module.source(node)
        parent = module.parents.get(node)
        if kind in _CALLED and isinstance(node, (ast.Name, ast.Attribute)):
            yield Fix((replace(module, node, f"{text}()"),), 0.92, f"{text} is a function that is not called.")
        elif kind in {"int", "float"}:
            if isinstance(parent, (ast.For, ast.comprehension)):
                target = parent.target
                if isinstance(target, ast.Tuple):
                    yield from _pairs(module, node, target)
                else:
                    yield Fix((wrap(module, node, "range"),), 0.9, "A number is counted up to with range.")
            elif isinstance(parent, ast.Compare):
                yield Fix((wrap(module, node, "str"),), 0.5, "The digits of a number are those of its text.")
                yield Fix((replace(module, node, f"[{text}]"),), 0.45, "One value is looked for in a list of one.")
            elif isinstance(parent, ast.Call) and last_name(parent.func) == "extend":
                end = module.span(parent.func)[1]
                yield Fix(((module.path, end - len("extend"), end, "append"),), 0.92, "One item is put in with append.")
            elif isinstance(parent, ast.Call) and last_name(parent.func) == "sum":
                yield Fix((replace(module, parent, text),), 0.4, f"{text} is one number.")
            else:
                yield Fix((replace(module, node, f"[{text}]"),), 0.5, "One value is put into a list.")
            if (
                isinstance(parent, ast.Call)
                and last_name(parent.func) in {"max", "min"}
                and isinstance(parent.args[0], ast.Name)
            ):
                yield Fix((), 0.1, "")
        elif sight.project.classes(kind):
            for _, owner in sight.project.classes(kind):
                names = [
                    one.attr
                    for one in ast.walk(owner)
                    if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
                ]
                for name in dict.fromkeys(names):
                    yield Fix(
                        (replace(module, node, f"{text}.{name}"),), 0.4, f"A {kind} has no items: its '{name}' may."
                    )
        if kind == "list" and isinstance(parent, ast.Call) and last_name(parent.func) == "next":
            yield Fix((wrap(module, node, "iter"),), 0.9, "next needs an iterator.")


def _pairs(module: Module, node: ast.expr, target: ast.Tuple) -> Iterator[Fix]:
    text = module.source(node)
    if len(target.elts) == 2:  # noqa: PLR2004 -- a measure that is this place's own
        first = module.source(target.elts[0])
        counted = first in {"i", "j", "n", "index", "idx", "number", "at", "position", "line_number", "num"}
        yield Fix(
            (wrap(module, node, "enumerate"),),
            0.88 if counted else 0.45,
            "Items come with their numbers from enumerate.",
        )
        yield Fix(
            (replace(module, node, f"{text}.items()"),),
            0.85 if not counted else 0.4,
            "Keys come with their values from items().",
        )


def unpacked(sight: Sight) -> Iterator[Fix]:
    """Items that do not fit the names they are given to."""
    many, wanted = sight.said[1] == "too many", int(sight.said[2])
    for module, node in walked(sight):
        parent = module.parents.get(node)
        if isinstance(parent, (ast.For, ast.comprehension)) and isinstance(parent.target, ast.Tuple):
            if last_name(getattr(node, "func", ast.Name(id=""))) in {"enumerate", "items", "zip"}:
                continue
            yield from _pairs(module, node, parent.target)
        elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], (ast.Tuple, ast.List)):
            text, names = module.source(node), parent.targets[0].elts
            if many and isinstance(node, ast.Call) and last_name(node.func) in {"split", "rsplit"}:
                sep = module.source(node.args[0]) if node.args else "None"
                yield Fix(
                    (replace(module, node, f"{module.source(node.func)}({sep}, {wanted - 1})"),),
                    0.88,
                    "Text is split no more often than there are names.",
                )
            if many and wanted == len(names):
                yield Fix(
                    (replace(module, names[-1], f"*{module.source(names[-1])}"),),
                    0.4,
                    "The last name takes all that is left.",
                )
                yield Fix(
                    (replace(module, node, f"{text}[:{wanted}]"),), 0.45, "Only as many are taken as there are names."
                )
            if (
                not many
                and isinstance(node, ast.Call)
                and last_name(node.func) == "split"
                and wanted == 2  # noqa: PLR2004 -- a measure that is this place's own
                and node.args
            ):
                target = f"{module.source(names[0])}, _, {module.source(names[1])}"
                func = module.source(node.func).removesuffix("split") + "partition"
                yield Fix(
                    (replace(module, parent, f"{target} = {func}({module.source(node.args[0])})"),),
                    0.7,
                    "partition always gives three parts.",
                )


def changed(sight: Sight) -> Iterator[Fix]:
    """What is changed while it is walked: a copy is walked."""
    for module, line in sight.places():
        statement = module.statement(line)
        loops = (
            [statement]
            if isinstance(statement, ast.For)
            else [one for one in module.up(statement) if isinstance(one, ast.For)]
            if statement
            else []
        )
        for loop in loops:
            yield Fix(
                (wrap(module, loop.iter, "list"),), 0.95, "What is walked changes on the way: a copy of it is walked."
            )
        for node in module.nodes(line):
            if isinstance(node, ast.comprehension):
                yield Fix(
                    (wrap(module, node.iter, "list"),),
                    0.8,
                    "What is walked changes on the way: a copy of it is walked.",
                )


RULES = (
    Rule(
        name="not-iterable",
        what="What is walked over has no items.",
        before="for i in 5:",
        after="for i in range(5):",
        suggest=not_iterable,
        errors=("TypeError",),
        message=_WALKED,
    ),
    Rule(
        name="unpacked-values",
        what="Items do not fit the names they are given to.",
        before="for k, v in table:",
        after="for k, v in table.items():",
        suggest=unpacked,
        errors=("ValueError",),
        message=_UNPACKED,
    ),
    Rule(
        name="changed-while-walked",
        what="A dictionary or set changes while it is walked.",
        before="for key in d:",
        after="for key in list(d):",
        suggest=changed,
        errors=("RuntimeError",),
        message=_CHANGED,
    ),
)
