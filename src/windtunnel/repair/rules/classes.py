"""Classes that cannot be made: abstract methods, fields of data classes, an __init__ that gives something back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, after, insert, last_name, nearest, replace
from windtunnel.repair.rules.module import FUNCTIONS, Module
from windtunnel.repair.rules.placing import imported

_ABSTRACT = re.compile(r"Can't instantiate abstract class (\w+) .*?(?:abstract )?methods? (.+)")
_ORDER = re.compile(r"non-default argument '(\w+)' follows default argument")
_MUTABLE = re.compile(r"mutable default <class '(\w+)'> for field (\w+) is not allowed")
_INIT = re.compile(r"__init__\(\) should return None, not '(\w+)'")
_FROZEN = re.compile(r"cannot assign to field '(\w+)'")
_DEFAULTS = {"int": "0", "float": "0.0", "str": '""', "bool": "False", "bytes": 'b""'}


def abstract(sight: Sight) -> Iterator[Fix]:
    """A method that the base asks for: misspelt, or not there."""
    names = re.findall(r"\w+", sight.said[2].replace("'", " "))
    for module, owner in sight.project.classes(sight.said[1]):
        own = {one.name: one for one in owner.body if isinstance(one, FUNCTIONS)}
        family = [
            one
            for where, node in sight.project.family(owner.name)[1:]
            for one in node.body
            if isinstance(one, FUNCTIONS)
        ]
        asked = {one.name for one in family}
        parts, share = [], 1.0
        for name in names:
            near = nearest(name, [word for word in own if word not in asked])
            free = [word for word in own if word not in asked and not word.startswith("__")]
            if not near and len(free) == 1 and len(names) == 1:
                near = [(free[0], 0.3)]
            if near:
                function = own[near[0][0]]
                found = re.compile(rf"\b{function.name}\b").search(
                    module.text, module.at(function.lineno, function.col_offset)
                )
                share = min(share, near[0][1])
                if found is not None:
                    parts.append((module.path, found.start(), found.end(), name))
        if parts and len(parts) == len(names):
            yield Fix(
                tuple(parts),
                0.5 + 0.42 * share,
                f"{owner.name} has the method that its base asks for under another name.",
            )
        yield from _stubs(module, owner, names, family)


def _stubs(
    module: Module, owner: ast.ClassDef, names: list[str], family: list[ast.FunctionDef | ast.AsyncFunctionDef]
) -> Iterator[Fix]:
    """Methods that are there and say that they are not done; not a fix that anybody should rely on."""
    lines: list[str] = []
    for name in names:
        asked = next((one for one in family if one.name == name), None)
        arguments = ast.unparse(asked.args) if asked is not None else "self"
        lines += ["", f"def {name}({arguments}):", "    return None"]
    last = owner.body[-1]
    if isinstance(last, ast.Pass):
        indent = module.indent(last)
        yield Fix(
            (
                replace(
                    module, last, "\n".join(line if at == 0 else f"{indent}{line}" for at, line in enumerate(lines[1:]))
                ),
            ),
            0.25,
            f"{owner.name} lacks what its base asks for.",
        )
    else:
        yield Fix((after(module, last, lines),), 0.25, f"{owner.name} lacks what its base asks for.")


def field_order(sight: Sight) -> Iterator[Fix]:
    """A field without a default after one that has one."""
    name = sight.said[1]
    for module in sight.project.modules():
        for owner in (node for node in module.parents if isinstance(node, ast.ClassDef)):
            fields = [one for one in owner.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
            at = next(
                (
                    number
                    for number, one in enumerate(fields)
                    if isinstance(one.target, ast.Name) and one.target.id == name and one.value is None
                ),
                None,
            )
            if at is None:
                continue
            first = next((number for number, one in enumerate(fields[:at]) if one.value is not None), None)
            bare = [one for one in fields[at:] if one.value is None]
            parts = tuple(insert(module, module.span(one)[1], f" = {_value(one.annotation)}") for one in bare)
            needs = any("field(" in part[3] for part in parts)
            yield Fix(
                (*parts, *([imported(module, "from dataclasses import field")] if needs else [])),
                0.62,
                f"'{name}' follows a field with a default: it gets one.",
            )
            if first is not None:
                order = [
                    *[one for one in fields if one.value is None],
                    *[one for one in fields if one.value is not None],
                ]
                moved = tuple(
                    replace(module, old, module.source(new))
                    for old, new in zip(fields, order, strict=True)
                    if old is not new
                )
                yield Fix(moved, 0.6, "Fields with defaults come last.")


def _value(annotation: ast.AST) -> str:
    name = last_name(annotation.value if isinstance(annotation, ast.Subscript) else annotation)
    if name.lower() in {"list", "dict", "set"}:
        return f"field(default_factory={name.lower()})"
    return _DEFAULTS.get(name, "None")


def mutable_fields(sight: Sight) -> Iterator[Fix]:
    """A list, dictionary or set that all objects would share."""
    kind, name = sight.said[1], sight.said[2]
    for module in sight.project.modules():
        for node in module.parents:
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id == name
                and node.value is not None
                and isinstance(module.parents.get(node), ast.ClassDef)
            ):
                empty = isinstance(node.value, (ast.List, ast.Dict)) and not ast.unparse(node.value).strip("[]{}")
                made = kind if empty or isinstance(node.value, ast.Call) else f"lambda: {module.source(node.value)}"
                known = any(
                    isinstance(one, ast.ImportFrom)
                    and one.module == "dataclasses"
                    and any(part.name == "field" for part in one.names)
                    for one in ast.walk(module.tree)
                )
                parts = [replace(module, node.value, f"field(default_factory={made})")]
                if not known:
                    parts.append(_field_import(module))
                yield Fix(tuple(parts), 0.96, f"'{name}' would be shared by all objects: each gets its own.")


def _field_import(module: Module) -> tuple[str, int, int, str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
            end = module.span(node.names[-1])[1]
            return (module.path, end, end, ", field")
    return imported(module, "from dataclasses import field")


def init_returns(sight: Sight) -> Iterator[Fix]:
    """An __init__ that gives something back."""
    for module in sight.project.modules():
        for function in (node for node in module.parents if isinstance(node, FUNCTIONS) and node.name == "__init__"):
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    start = module.line_start(node)
                    end = module.starts[min(node.end_lineno or 1, len(module.lines))]
                    alone = len(function.body) == 1
                    yield Fix(
                        (
                            (
                                module.path,
                                start,
                                min(end, len(module.text)),
                                f"{module.indent(node)}pass\n" if alone else "",
                            ),
                        ),
                        0.85,
                        "__init__ gives nothing back.",
                    )


def frozen(sight: Sight) -> Iterator[Fix]:
    """A field of a frozen data class that is changed."""
    for module, line in sight.places()[:1]:
        statement = module.statement(line)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
            target = statement.targets[0]
            owner = module.source(target.value)
            yield Fix(
                (
                    replace(
                        module,
                        statement,
                        f'object.__setattr__({owner}, "{target.attr}", {module.source(statement.value)})',
                    ),
                ),
                0.5 if owner == "self" else 0.2,
                "A frozen class is changed while it is made.",
            )
            if isinstance(target.value, ast.Name) and owner != "self":
                yield Fix(
                    (
                        replace(
                            module,
                            statement,
                            f"{owner} = replace({owner}, {target.attr}={module.source(statement.value)})",
                        ),
                        imported(module, "from dataclasses import replace"),
                    ),
                    0.6,
                    "A frozen object is not changed: another is made.",
                )
    for module in sight.project.modules():
        for node in module.parents:
            if (
                isinstance(node, ast.keyword)
                and node.arg == "frozen"
                and isinstance(node.value, ast.Constant)
                and node.value.value is True
            ):
                yield Fix((replace(module, node.value, "False"),), 0.4, "The class is changed and must not be frozen.")


RULES = (
    Rule(
        name="abstract-method",
        what="A class lacks a method that its base asks for, or has it misspelt.",
        before="class Square(Shape):\n    def aera(self): …",
        after="class Square(Shape):\n    def area(self): …",
        suggest=abstract,
        errors=("TypeError",),
        message=_ABSTRACT,
    ),
    Rule(
        name="field-order",
        what="A field without a default follows one that has one.",
        before="price: int = 0\nname: str",
        after='price: int = 0\nname: str = ""',
        suggest=field_order,
        errors=("TypeError",),
        message=_ORDER,
    ),
    Rule(
        name="mutable-field",
        what="A list as a default of a data class.",
        before="items: list = []",
        after="items: list = field(default_factory=list)",
        suggest=mutable_fields,
        errors=("ValueError",),
        message=_MUTABLE,
    ),
    Rule(
        name="init-returns",
        what="An __init__ gives something back.",
        before="def __init__(self):\n    return self",
        after="def __init__(self):\n    pass",
        suggest=init_returns,
        errors=("TypeError",),
        message=_INIT,
    ),
    Rule(
        name="frozen-field",
        what="A field of a frozen data class is changed.",
        before="point.x = 1",
        after="point = replace(point, x=1)",
        suggest=frozen,
        errors=("FrozenInstanceError",),
        message=_FROZEN,
    ),
)
