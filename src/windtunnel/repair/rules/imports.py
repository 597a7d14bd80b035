"""Imports of what cannot be found: renamed, moved, misspelt, of another package, or in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Part, Rule, Sight, insert, nearest, start_of
from windtunnel.repair.rules.libraries import HOMES, MODULES, MOVED, OLD_MODULES
from windtunnel.repair.rules.module import FUNCTIONS, Module
from windtunnel.repair.rules.placing import definitions, dotted, name_for

_NAME = re.compile(r"cannot import name '(\w+)' from (?:partially initialized module )?'([\w.]+)'")
_MODULE = re.compile(r"No module named '([\w.]+)'")
_RELATIVE = re.compile(r"attempted relative import|beyond top-level")
_CIRCLE = re.compile(r"partially initialized module '([\w.]+)'")


def statements(sight: Sight) -> list[tuple[Module, ast.Import | ast.ImportFrom]]:
    """Imports at the places of the error, innermost first."""
    return [
        (module, node)
        for module, line in sight.places()
        if isinstance(node := module.statement(line), (ast.Import, ast.ImportFrom))
    ]


def whole(module: Module, node: ast.stmt, text: str) -> Part:
    """An import's text changed."""
    return (module.path, *module.span(node), text)


def written(node: ast.Import | ast.ImportFrom, *, home: str | None = None, names: dict[str, str] | None = None) -> str:
    """An import as text, with another home or other names; a name that is changed keeps what it is called here."""
    parts = []
    for one in node.names:
        new = (names or {}).get(one.name, one.name)
        called = one.asname or (one.name if new != one.name and isinstance(node, ast.ImportFrom) else None)
        parts.append(f"{new} as {called}" if called and called != new else new)
    if isinstance(node, ast.Import):
        return f"import {', '.join(parts)}"
    return f"from {home if home is not None else '.' * node.level + (node.module or '')} import {', '.join(parts)}"


def moved_names(sight: Sight) -> Iterator[Fix]:
    """A name that is elsewhere now, or that another file of the project defines."""
    name, home = sight.said[1], sight.said[2]
    for module, node in statements(sight)[:1]:
        if not isinstance(node, ast.ImportFrom):
            continue
        target = MOVED.get((home, name))
        homes = [(target[0], target[1], 0.94)] if target is not None and target[0] != "builtins" else []
        homes += [
            (name_for(module, other.path), name, 0.85)
            for other in definitions(sight.project, name, beside=module)
            if dotted(other.path) != home
        ]
        if name in HOMES and HOMES[name] != home:
            homes.append((HOMES[name], name, 0.75))
        for new_home, new_name, prior in homes:
            rest = [one for one in node.names if one.name != name]
            line = f"from {new_home} import {new_name}" + (f" as {name}" if new_name != name else "")
            kept = written(ast.ImportFrom(module=node.module, names=rest, level=node.level)) if rest else ""
            indent = module.indent(node)
            yield Fix(
                (whole(module, node, f"{kept}\n{indent}{line}" if kept else line),),
                prior,
                f"'{name}' is in {new_home}, not in {home}.",
            )
        if target is not None and target[0] == "builtins":
            rest = [one for one in node.names if one.name != name]
            kept = written(ast.ImportFrom(module=node.module, names=rest, level=node.level)) if rest else ""
            line = f"{name} = {target[1]}"
            yield Fix(
                (whole(module, node, f"{kept}\n{module.indent(node)}{line}" if kept else line),),
                0.85,
                f"'{name}' is the builtin {target[1]} now.",
            )


def misspelt_names(sight: Sight) -> Iterator[Fix]:
    """A name that the module has nearly so; where the import is in a test, the definition is what is misspelt."""
    name, home = sight.said[1], sight.said[2]
    files = [module for module in sight.project.modules() if dotted(module.path) == home]
    known = {one for module in files for one in top_names(module)} or {
        word for word, where in HOMES.items() if where == home
    }
    hint = re.search(r"Did you mean: '(\w+)'", sight.problem.message)
    near = nearest(name, known | ({hint[1]} if hint else set()))
    here = statements(sight)[:1]
    for word, share in near:
        for module, node in here:
            parts = [whole(module, node, written(node, names={name: word}).replace(f"{word} as {name}", word))]
            parts += [
                (module.path, *module.span(use), word)
                for use in ast.walk(module.tree)
                if isinstance(use, ast.Name) and use.id == name
            ]
            yield Fix(tuple(parts), 0.5 + 0.4 * share, f"'{name}' is misspelt: {home} has '{word}'.")
        for module in files if not here else []:
            parts = list(renamed(module, word, name))
            yield Fix(tuple(parts), 0.4 + 0.4 * share, f"'{word}' of {module.path} is imported as '{name}'.")


def top_names(module: Module) -> set[str]:
    """Names that a file defines at its top."""
    return {one.name for one in module.tree.body if isinstance(one, (*FUNCTIONS, ast.ClassDef))} | {
        name.id
        for one in module.tree.body
        for name in ast.walk(one)
        if isinstance(one, (ast.Assign, ast.AnnAssign))
        and isinstance(name, ast.Name)
        and isinstance(name.ctx, ast.Store)
    }


def renamed(module: Module, old: str, new: str) -> Iterator[Part]:
    """Every definition and use of a name in one file."""
    for node in module.parents:
        if isinstance(node, ast.Name) and node.id == old:
            yield (module.path, *module.span(node), new)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name == old:
            at = re.compile(rf"\b{old}\b").search(module.text, module.at(node.lineno, node.col_offset))
            if at is not None:
                yield (module.path, at.start(), at.end(), new)


def modules(sight: Sight) -> Iterator[Fix]:
    """A module by its new name, by its place in the project, or rightly spelt."""
    name = sight.said[1]
    last = name.rpartition(".")[2]
    own = {dotted(module.path): module for module in sight.project.modules()}
    for module, node in statements(sight)[:1]:
        if name in OLD_MODULES:
            yield from _changed(
                module,
                node,
                name,
                to=OLD_MODULES[name],
                prior=0.92,
                reason=f"'{name}' is called '{OLD_MODULES[name]}' now.",
            )
        for path, other in own.items():
            if path.rpartition(".")[2] == last and path != name:
                yield from _changed(
                    module,
                    node,
                    name,
                    to=name_for(module, other.path),
                    prior=0.88,
                    reason=f"'{name}' is at {other.path}.",
                )
        for word, share in nearest(name, {*MODULES, *own, *sight.scene.packages}):
            yield from _changed(
                module, node, name, to=word, prior=0.45 + 0.45 * share, reason=f"The module is spelt '{word}'."
            )
        root = name.partition(".")[0]
        if name != root and root in MODULES:
            for one in node.names if isinstance(node, ast.ImportFrom) else ():
                if one.name in HOMES:
                    yield from _changed(
                        module,
                        node,
                        name,
                        to=HOMES[one.name],
                        prior=0.7,
                        reason=f"'{one.name}' is in {HOMES[one.name]}.",
                    )
        if sight.scene.packages or name in MODULES:
            yield from ()


def _changed(
    module: Module, node: ast.Import | ast.ImportFrom, name: str, *, to: str, prior: float, reason: str
) -> Iterator[Fix]:
    if isinstance(node, ast.ImportFrom):
        home = node.module or ""
        new = to if home == name else (home.replace(name, to, 1) if name in home else to)
        yield Fix((whole(module, node, written(node, home=new)),), prior, reason)
        return
    if to.startswith("."):
        package, _, last = to.rpartition(".")
        line = f"from {package or '.'} import {last}"
    else:
        line = f"import {to} as {name}" if "." not in name else f"import {to}"
        line = f"import {to}" if to == name else line
    others = [one for one in node.names if one.name != name]
    if others:
        kept = ", ".join(one.name + (f" as {one.asname}" if one.asname else "") for one in others)
        line = f"import {kept}\n{module.indent(node)}{line}"
    asname = next((one.asname for one in node.names if one.name == name and one.asname), None)
    if asname is not None:
        line = re.sub(r" as \w+$", "", line) + f" as {asname}"
    yield Fix((whole(module, node, line),), prior, reason)
    if " as " in line and asname is None and not others and not to.startswith("."):
        parts = [whole(module, node, f"import {to}")]
        parts += [
            (module.path, *module.span(use), to)
            for use in ast.walk(module.tree)
            if isinstance(use, ast.Name) and use.id == name
        ]
        yield Fix(tuple(parts), prior + 0.03, reason)


def relative(sight: Sight) -> Iterator[Fix]:
    """A relative import where there is no package, made absolute."""
    for module, node in statements(sight)[:1]:
        if isinstance(node, ast.ImportFrom) and node.level:
            package = dotted(module.path).split(".")[: -node.level]
            home = ".".join([*package, *([node.module] if node.module else [])])
            if home:
                yield Fix(
                    (whole(module, node, written(node, home=home)),),
                    0.8,
                    "The file is not run as a part of a package: the import names all of the path.",
                )
            if node.module and home != node.module:
                yield Fix(
                    (whole(module, node, written(node, home=node.module)),),
                    0.6,
                    "The file is not run as a part of a package.",
                )
            if not node.module:
                yield Fix(
                    (whole(module, node, f"import {', '.join(one.name for one in node.names)}"),),
                    0.75,
                    "The file is not run as a part of a package.",
                )


def circles(sight: Sight) -> Iterator[Fix]:
    """An import that closes a circle, moved into the functions that use it."""
    told: set[tuple[str, int]] = set()
    for module, node in statements(sight):
        if (module.path, node.lineno) in told or module.function(node) is not None:
            continue
        told.add((module.path, node.lineno))
        names = {one.asname or one.name.partition(".")[0] for one in node.names}
        users = [
            function
            for function in ast.walk(module.tree)
            if isinstance(function, FUNCTIONS)
            and module.function(function) is None
            and any(isinstance(use, ast.Name) and use.id in names for use in ast.walk(function))
        ]
        inside = {use for function in users for use in ast.walk(function)}
        outside = any(
            isinstance(use, ast.Name) and use.id in names and use not in inside for use in ast.walk(module.tree)
        )
        if not users or outside:
            continue
        start, end = module.span(node)
        end += module.text[end : end + 1] == "\n"
        parts: list[Part] = [(module.path, start, end, "")]
        for function in users:
            first = start_of(function)
            parts.append(insert(module, module.line_start(first), f"{module.indent(first)}{written(node)}\n"))
        yield Fix(tuple(parts), 0.85, "Two modules import each other: this import is made when it is needed.")


RULES = (
    Rule(
        name="moved-name",
        what="A name was moved to another module, or another file of the project defines it.",
        before="from collections import Mapping",
        after="from collections.abc import Mapping",
        suggest=moved_names,
        errors=("ImportError",),
        message=_NAME,
    ),
    Rule(
        name="misspelt-import",
        what="The module has the name nearly so.",
        before="from math import squrt",
        after="from math import sqrt",
        suggest=misspelt_names,
        errors=("ImportError",),
        message=_NAME,
    ),
    Rule(
        name="module-path",
        what="A module was renamed, is misspelt, or is elsewhere in the project.",
        before="import ConfigParser",
        after="import configparser",
        suggest=modules,
        errors=("ModuleNotFoundError", "ImportError"),
        message=_MODULE,
    ),
    Rule(
        name="relative-import",
        what="A relative import in a file that is run on its own is made absolute.",
        before="from .helper import x",
        after="from helper import x",
        suggest=relative,
        errors=("ImportError",),
        message=_RELATIVE,
    ),
    Rule(
        name="circular-import",
        what="An import that closes a circle moves into the functions that use it.",
        before="from other import x\n\ndef f():\n    return x()",
        after="def f():\n    from other import x\n    return x()",
        suggest=circles,
        errors=("ImportError", "AttributeError"),
        message=_CIRCLE,
    ),
)
