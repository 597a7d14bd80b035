"""Names that nobody defined: misspelt, not imported, of another scope, of another version."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, nearest, replace
from windtunnel.repair.rules.libraries import ALIASES, HOMES, MODULES, OLD_NAMES
from windtunnel.repair.rules.module import BUILTINS, Module, parameters
from windtunnel.repair.rules.placing import definitions, dotted, imported, name_for

_SAID = re.compile(r"(?:free variable|global name|name) '(\w+)' (?:is not defined|referenced)")


def uses(sight: Sight, name: str) -> list[tuple[Module, ast.Name]]:
    """The name where it stands on the line; elsewhere in its function where the line does not have it."""
    for module, line in sight.places()[:1]:
        here = [node for node in module.nodes(line) if isinstance(node, ast.Name) and node.id == name]
        statement = module.statement(line)
        scope = None if statement is None else (module.function(statement) or module.tree)
        rest = (
            []
            if scope is None
            else [node for node in ast.walk(scope) if isinstance(node, ast.Name) and node.id == name]
        )
        return [(module, node) for node in dict.fromkeys((*here, *rest))]
    return []


def imports(sight: Sight) -> Iterator[Fix]:
    """An import of what has the name."""
    name = sight.said[1]
    for module, _ in sight.places()[:1]:
        for other in definitions(sight.project, name, beside=module)[:3]:
            home = name_for(module, other.path)
            yield Fix(
                (imported(module, f"from {home} import {name}"),),
                0.88,
                f"'{name}' is defined in {other.path} and not imported.",
            )
        for other in sight.project.modules():
            if dotted(other.path).rpartition(".")[2] == name and other.path != module.path:
                package = name_for(module, other.path)
                line = (
                    f"from {package[: -len(name)].rstrip('.') or '.'} import {name}"
                    if "." in package
                    else f"import {name}"
                )
                yield Fix((imported(module, line),), 0.85, f"The module '{name}' of the project is not imported.")
        if name in HOMES:
            prior = 0.93 if name not in MODULES or name in {"datetime", "pprint"} else 0.55
            prior = 0.3 if name == "datetime" and _dotted_use(sight, name) else prior
            yield Fix(
                (imported(module, f"from {HOMES[name]} import {name}"),),
                prior,
                f"'{name}' is in {HOMES[name]} and is not imported.",
            )
        if name in MODULES or name in sight.scene.packages:
            yield Fix((imported(module, f"import {name}"),), 0.92, f"The module '{name}' is used and not imported.")
        if name in ALIASES and (ALIASES[name].partition(".")[0] in {*MODULES, *sight.scene.packages}):
            yield Fix(
                (imported(module, f"import {ALIASES[name]} as {name}"),),
                0.9,
                f"'{name}' is how many import {ALIASES[name]}.",
            )


def _dotted_use(sight: Sight, name: str) -> bool:
    """Whether the name is used as a module would be: ``datetime.datetime``."""
    return any(
        isinstance(module.parents.get(node), ast.Attribute)
        and module.parents[node].attr in {"datetime", "date", "timedelta"}  # type: ignore[attr-defined]  # it is an Attribute
        for module, node in uses(sight, name)
    )


def spellings(sight: Sight) -> Iterator[Fix]:
    """A name of the scope that this one may have been meant as."""
    name = sight.said[1]
    found = uses(sight, name)
    hint = re.search(r"Did you mean: '(\w+)'", sight.problem.message)
    for module, node in found[:1]:
        scope = module.names_at(node)
        near = nearest(name, scope | BUILTINS)
        known = dict(near)
        if hint is not None and hint[1] in scope | BUILTINS:
            known[hint[1]] = max(known.get(hint[1], 0.5), 0.7)
        for word, share in sorted(known.items(), key=lambda pair: -pair[1]):
            own = 0.12 if word in scope else -0.1
            parts = tuple(replace(where, one, word) for where, one in found if where is module)
            yield Fix(
                parts,
                min(0.45 + 0.5 * share + own, 0.9) if share >= 0.5 else 0.25 + own,  # noqa: PLR2004 -- a measure that is this place's own
                f"'{name}' is misspelt: '{word}' is there.",
            )
            if len(parts) > 1:
                yield Fix(parts[:1], 0.4 * share, f"'{name}' is misspelt here: '{word}' is there.")
        if name in OLD_NAMES:
            word = OLD_NAMES[name]
            yield Fix(
                tuple(replace(where, one, word) for where, one in found), 0.92, f"'{name}' is called '{word}' here."
            )


def members(sight: Sight) -> Iterator[Fix]:
    """A member of the object that is used without ``self``."""
    name = sight.said[1]
    found = uses(sight, name)
    for module, node in found[:1]:
        function, owner = module.function(node), module.owner(node)
        if function is None or owner is None or not function.args.args:
            continue
        first = function.args.args[0].arg
        own = (
            {one.name for one in ast.walk(owner) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
            | {
                one.attr
                for one in ast.walk(owner)
                if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == first
            }
            | {
                one.id
                for part in owner.body
                for one in ast.walk(part)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and module.function(one) is None
            }
        )
        if name in own:
            yield Fix(
                tuple(
                    replace(where, one, f"{first}.{name}") for where, one in found if module.function(one) is function
                ),
                0.93,
                f"'{name}' is a member: it needs '{first}.' before it.",
            )
        elif name in {"self", "cls"}:
            continue


def missing_self(sight: Sight) -> Iterator[Fix]:
    """``self`` that is used in a method that does not take it."""
    name = sight.said[1]
    if name not in {"self", "cls"}:
        return
    for module, node in uses(sight, name)[:1]:
        function = module.function(node)
        if function is not None and module.owner(function) is not None and name not in parameters(function):
            at = module.text.index("(", module.at(function.lineno, function.col_offset)) + 1
            comma = (
                ", "
                if function.args.args or function.args.vararg or function.args.kwonlyargs or function.args.kwarg
                else ""
            )
            yield Fix(
                ((module.path, at, at, name + comma),),
                0.93,
                f"The method {function.name} uses '{name}' and does not take it.",
            )


def quoted(sight: Sight) -> Iterator[Fix]:
    """A word that may have been meant as text."""
    for module, node in uses(sight, sight.said[1])[:1]:
        parent = module.parents.get(node)
        key = isinstance(parent, ast.Subscript) and parent.slice is node
        yield Fix((replace(module, node, f'"{node.id}"'),), 0.5 if key else 0.08, f"'{node.id}' may be meant as text.")


RULES = (
    Rule(
        name="missing-import",
        what="A name of the library, of the project or of a known package is used and not imported.",
        before="json.dumps({})",
        after="import json\n\njson.dumps({})",
        suggest=imports,
        errors=("NameError",),
        message=_SAID,
    ),
    Rule(
        name="misspelt-name",
        what="A name is nearly one that the scope has.",
        before="total = 1\nprint(totl)",
        after="total = 1\nprint(total)",
        suggest=spellings,
        errors=("NameError",),
        message=_SAID,
    ),
    Rule(
        name="missing-self-prefix",
        what="A member is used as if it were a variable.",
        before="return side() ** 2",
        after="return self.side() ** 2",
        suggest=members,
        errors=("NameError",),
        message=_SAID,
    ),
    Rule(
        name="missing-self",
        what="A method uses self and does not take it.",
        before="def area():\n    return self.a",
        after="def area(self):\n    return self.a",
        suggest=missing_self,
        errors=("NameError",),
        message=_SAID,
    ),
    Rule(
        name="missing-quotes",
        what="A word stands where text is meant.",
        before="settings[port]",
        after='settings["port"]',
        suggest=quoted,
        errors=("NameError",),
        message=_SAID,
    ),
)
