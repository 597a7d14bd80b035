"""Members of the project's own classes: misspelt, never set, or without a setter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.attributes import OBJECT, TYPES, renamed_attribute, uses
from windtunnel.repair.rules.base import Fix, Rule, Sight, before, last_name, nearest, replace, start_of
from windtunnel.repair.rules.module import FUNCTIONS, Function, Module
from windtunnel.repair.rules.placing import imported

_SETTER = re.compile(r"(?:property '(\w+)' of '(\w+)' object has no setter|can't set attribute '?(\w*)'?)")
_MEMBER = re.compile(r"^()([A-Z_][A-Z0-9_]*)$")
_TYPE = re.compile(r"type object '([\w.]+)' has no attribute '(\w+)'")


def _members(sight: Sight, owner: str) -> tuple[set[str], list[tuple[Module, ast.ClassDef]]]:
    """Names that the objects of a class of the project have."""
    family = sight.project.family(owner)
    names: set[str] = set()
    for _, node in family:
        for one in node.body:
            if isinstance(one, FUNCTIONS):
                names.add(one.name)
            names |= {
                part.id
                for part in ast.walk(one)
                if isinstance(one, (ast.Assign, ast.AnnAssign))
                and isinstance(part, ast.Name)
                and isinstance(part.ctx, ast.Store)
            }
        names |= {
            part.attr
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute)
            and isinstance(part.ctx, ast.Store)
            and isinstance(part.value, ast.Name)
            and part.value.id in {"self", "cls"}
        }
    return names, family


def own_members(sight: Sight) -> Iterator[Fix]:
    """A member of a class of the project: misspelt where it is used, where it is set, or never set."""
    kind, name = sight.said[1].rpartition(".")[2], sight.said[2]
    names, family = _members(sight, kind)
    if not family:
        return
    here = uses(sight, name)
    hint = re.search(r"Did you mean: '(\w+)'", sight.problem.message)
    near = dict(nearest(name, names))
    if hint is not None:
        near.setdefault(hint[1], 0.6)
    for word, share in near.items():
        for module, node in here:
            yield Fix(
                (renamed_attribute(module, node, word),),
                0.5 + 0.42 * share,
                f"'{name}' is misspelt: {kind} has '{word}'.",
            )
        defined = list(_definitions(family, word, name))
        if defined:
            asked = 0.78 if not here else 0.3
            yield Fix(tuple(defined), asked * (0.55 + 0.5 * share), f"'{word}' of {kind} is asked for as '{name}'.")
    yield from _never_set(sight, family, name)
    for module, node in here:
        if any(
            isinstance(one, FUNCTIONS) and one.name == name
            for other in sight.project.modules()
            for one in other.tree.body
        ):
            yield Fix((replace(module, node, name),), 0.35, f"'{name}' is a function, not a member.")


def _definitions(family: list[tuple[Module, ast.ClassDef]], old: str, new: str) -> Iterator[tuple[str, int, int, str]]:
    for module, owner in family:
        for node in ast.walk(owner):
            if isinstance(node, FUNCTIONS) and node.name == old and module.parents.get(node) is owner:
                found = re.compile(rf"\b{old}\b").search(module.text, module.at(node.lineno, node.col_offset))
                if found is not None:
                    yield (module.path, found.start(), found.end(), new)
            elif (
                isinstance(node, ast.Attribute)
                and node.attr == old
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
            ):
                yield renamed_attribute(module, node, new)


def _never_set(sight: Sight, family: list[tuple[Module, ast.ClassDef]], name: str) -> Iterator[Fix]:
    """``super().__init__()`` that was not called, or a first value for the member."""
    module, owner = family[0]
    first = next((one for one in owner.body if isinstance(one, FUNCTIONS) and one.name == "__init__"), None)
    base = next(
        (
            (where, one)
            for where, node in family[1:]
            for one in node.body
            if isinstance(one, FUNCTIONS) and one.name == "__init__"
        ),
        None,
    )
    if (
        first is not None
        and base is not None
        and not any(isinstance(one, ast.Attribute) and one.attr == "__init__" for one in ast.walk(first))
    ):
        wanted = [one.arg for one in base[1].args.args[1 : len(base[1].args.args) - len(base[1].args.defaults)]]
        own = {one.arg for one in first.args.args}
        call = f"super().__init__({', '.join(one if one in own else f'{one}=None' for one in wanted)})"
        yield Fix(
            (before(module, start_of(first), [call]),),
            0.92 if all(one in own for one in wanted) else 0.5,
            f"{owner.name} does not call the __init__ of its base, which sets '{name}'.",
        )
    value = _first_value(sight, name)
    if first is not None:
        line = f"self.{name} = {name if name in {one.arg for one in first.args.args} else value}"
        prior = 0.8 if name in {one.arg for one in first.args.args} else 0.45
        last = first.body[-1]
        start = start_of(first)
        if isinstance(start, ast.Pass):
            yield Fix((replace(module, start, line),), prior, f"{owner.name} never sets '{name}'.")
        elif not isinstance(last, ast.Return):
            yield Fix((before(module, start, [line]),), prior, f"{owner.name} never sets '{name}'.")
    elif base is None:
        yield Fix((before(module, owner.body[0], [f"{name} = {value}"]),), 0.2, f"{owner.name} never sets '{name}'.")


def _first_value(sight: Sight, name: str) -> str:
    """What a member may start as, by how it is used."""
    for module in sight.project.modules():
        for node in module.parents:
            if isinstance(node, ast.Attribute) and node.attr == name:
                parent = module.parents.get(node)
                if isinstance(parent, ast.Attribute) and parent.attr in {"append", "extend", "insert"}:
                    return "[]"
                if isinstance(parent, ast.Attribute) and parent.attr in {"add", "discard"}:
                    return "set()"
                if isinstance(parent, ast.AugAssign):
                    return "0"
                if isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store):
                    return "{}"
    return "None"


def type_members(sight: Sight) -> Iterator[Fix]:
    """A name that a class does not have."""
    kind, name = sight.said[1].rpartition(".")[2], sight.said[2]
    kind = kind or next((last_name(node.value) for _, node in uses(sight, name)), "")
    names, family = _members(sight, kind)
    for module, node in uses(sight, name):
        for word, share in nearest(name, names if family else dir(TYPES.get(kind, object))):
            yield Fix(
                (renamed_attribute(module, node, word),),
                0.5 + 0.4 * share,
                f"'{name}' is misspelt: {kind} has '{word}'.",
            )
        if kind in {"datetime", "date"} and name in {"datetime", "date", "timedelta", "timezone"}:
            if name == "datetime":
                yield Fix(
                    (replace(module, node, module.source(node.value)),),
                    0.9,
                    "datetime is the class here, not the module.",
                )
            else:
                yield Fix(
                    (replace(module, node, name), imported(module, f"from datetime import {name}")),
                    0.9,
                    "datetime is the class here, not the module.",
                )
        if not names or name not in names:
            yield from _never_set(sight, family, name) if family else ()


def setters(sight: Sight) -> Iterator[Fix]:
    """A property without a setter, whose own class gives it a value: kept under another name."""
    name = sight.said[1] or sight.said[3]
    for module, node in uses(sight, name):
        owner = module.owner(node)
        getter: Function | None = next(
            (one for one in ast.walk(owner or ast.Module([], [])) if isinstance(one, FUNCTIONS) and one.name == name),
            None,
        )
        if owner is None or getter is None:
            continue
        parts = [
            renamed_attribute(module, one, f"_{name}")
            for one in ast.walk(owner)
            if isinstance(one, ast.Attribute)
            and one.attr == name
            and isinstance(one.value, ast.Name)
            and one.value.id == "self"
            and (isinstance(one.ctx, ast.Store) or module.function(one) is getter)
        ]
        yield Fix(tuple(parts), 0.85, f"'{name}' is a property: its value is kept as '_{name}'.")
    if not uses(sight, name):
        return


RULES = (
    Rule(
        name="misspelt-attribute",
        what="A member of a class of the project is misspelt or never set.",
        before="return self.widht",
        after="return self.width",
        suggest=own_members,
        errors=("AttributeError",),
        message=OBJECT,
    ),
    Rule(
        name="class-attribute",
        what="A class does not have the name.",
        before="from datetime import datetime\ndatetime.datetime.now()",
        after="from datetime import datetime\ndatetime.now()",
        suggest=type_members,
        errors=("AttributeError",),
        message=_TYPE,
    ),
    Rule(
        name="class-attribute",
        what="An enumeration does not have the member.",
        before="Colour.GREN",
        after="Colour.GREEN",
        suggest=type_members,
        errors=("AttributeError",),
        message=_MEMBER,
    ),
    Rule(
        name="property-without-setter",
        what="A class gives its own property a value: it is kept under another name.",
        before="self.area = 1",
        after="self._area = 1",
        suggest=setters,
        errors=("AttributeError",),
        message=_SETTER,
    ),
)
