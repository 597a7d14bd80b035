"""Answers that were plain values and now compare by a rule of their own, laxer than that of plain values.

A class may compare as it likes. What must not happen is that a function which gave plain texts or numbers gives such
objects instead: every old test that compares its answers with plain values then asks less than it did.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from windtunnel.tamper.posing import checks, is_error
from windtunnel.tamper.rule import Site, site
from windtunnel.tamper.trees import Source

Lookup = Callable[[str], tuple[Source | None, Source | None]]
"""Both sides of a file, the old one first."""

_PLAIN = {"str", "int", "float", "bytes", "list", "dict", "tuple", "set", "frozenset", "Decimal", "UserString"}
_SAME = {"list", "tuple", "dict"}
"""Conversions that keep everything."""
_KINDS = {"isinstance", "issubclass", "type", "hasattr", "callable", "id"}
_NUMBERS = {"int", "float", "Decimal", "Fraction"}
_COARSE = {"round", "int", "min", "max"}
LAX = "compares-laxly"


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | ast.Lambda | None:
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == name:
            return each
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Lambda) and name in _targets(each):
            return each.value
    return None


def _blurred(node: ast.ClassDef) -> bool:
    """Whether a number is coarse about how far it is from others, as tests that allow for rounding ask."""
    if not {getattr(base, "id", "") or getattr(base, "attr", "") for base in node.bases} & _NUMBERS:
        return False
    bodies = [_method(node, name) for name in ("__sub__", "__rsub__", "__abs__")]
    calls = [each for body in bodies if body for each in ast.walk(body) if isinstance(each, ast.Call)]
    return any(getattr(each.func, "id", "") in _COARSE for each in calls)


def _worked_on(body: ast.FunctionDef | ast.Lambda, other: str) -> bool:
    """Whether what it is compared with is changed before it is compared, or is only near enough."""
    asked = {id(each) for call in ast.walk(body) if _kind(call) for each in ast.walk(call)}
    for node in ast.walk(body):
        if id(node) in asked:
            continue
        if isinstance(node, ast.Call):
            changed = [*node.args, node.func.value] if isinstance(node.func, ast.Attribute) else node.args
            plain = _super(node) or getattr(node.func, "id", "") in _SAME
            if plain or not any(getattr(each, "id", "") == other for each in changed):
                continue
            return True
        if isinstance(node, ast.BinOp) and other in (getattr(each, "id", "") for each in (node.left, node.right)):
            return True
        near = isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.Eq | ast.Is | ast.NotEq | ast.IsNot)
        if near and any(getattr(each, "id", "") == other for each in ast.iter_child_nodes(node)):
            return True
    return False


def _kind(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in _KINDS


def _super(node: ast.Call) -> bool:
    """Whether it hands the question on to the plain comparison."""
    return isinstance(node.func, ast.Attribute) and node.func.attr in ("__eq__", "__ne__")


def _own_only(body: ast.FunctionDef | ast.Lambda, *, own: str, other: str) -> bool:
    """Whether it turns away at once what is not of its own class."""
    for node in ast.walk(body):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance" and len(node.args) > 1:
            words = {getattr(each, "id", "") or getattr(each, "attr", "") for each in ast.walk(node.args[1])}
            if getattr(node.args[0], "id", "") == other and words <= {own, "self", "type", "__class__", "cls"}:
                return True
    return False


def lax(source: Source | None) -> dict[str, ast.ClassDef]:
    """Classes that agree with plain values which are not the same."""
    found = {}
    for node in source.of(ast.ClassDef) if source else ():
        body = _method(node, "__eq__")
        names = [each.arg for each in body.args.args] if body else []
        if _blurred(node):
            found[node.name] = node
        if body is None or len(names) < 2:  # noqa: PLR2004 -- itself and the other
            continue
        if not _own_only(body, own=node.name, other=names[1]) and _worked_on(body, names[1]):
            found[node.name] = node
    return found


def _returned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Classes that a function makes its answers of."""
    answers = [each.value for each in ast.walk(function) if isinstance(each, ast.Return | ast.Yield) and each.value]
    names = {each.id for answer in answers for each in ast.walk(answer) if isinstance(each, ast.Name)}
    given = [each for each in ast.walk(function) if isinstance(each, ast.Assign) and _targets(each) & names]
    calls = [each for part in (*answers, *(made.value for made in given)) for each in ast.walk(part)]
    return {
        each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
        for each in calls
        if isinstance(each, ast.Call)
    }


def _targets(node: ast.Assign) -> set[str]:
    return {target.id for target in node.targets if isinstance(target, ast.Name)}


def _functions(source: Source | None) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    return {each.name: each for each in source.functions} if source else {}


def laxer_answers(paths: Iterable[str], sides: Lookup) -> Iterator[tuple[str, Site]]:
    """Functions, and classes that were plain values, whose answers compare more laxly; each with its file."""
    both = {path: sides(path) for path in paths}
    old = {name for before, _ in both.values() for name in lax(before)}
    new = {name: node for _, after in both.values() for name, node in lax(after).items() if name not in old}
    for path, (before, after) in both.items() if new else ():
        functions = _functions(after)
        for name, earlier in _functions(before).items():
            later = _returned(functions[name]) if name in functions else set()
            for made in sorted((later - _returned(earlier)) & set(new)):
                message = f"answers of {name} become {made}, which agrees with values that are not the same"
                yield path, site(LAX, functions[name], message=message, key=f"{name} {made}")
        for node in before.of(ast.ClassDef) if before else ():
            plain = {getattr(base, "id", "") or getattr(base, "attr", "") for base in node.bases} & _PLAIN
            if node.name in new and plain:
                message = f"{node.name} now agrees with values that are not the same"
                yield path, site(LAX, new[node.name], message=message, key=f"class {node.name}")


def broadened(paths: Iterable[str], sides: Lookup) -> Iterator[tuple[str, Site]]:
    """Errors that were classes of their own and now take in others: as another name, or by a metaclass elsewhere."""
    both = {path: sides(path) for path in paths}
    checking = {node.name for _, after in both.values() if after for node in after.of(ast.ClassDef) if checks(node)}
    for path, (before, after) in both.items():
        classes = {node.name for node in before.of(ast.ClassDef) if is_error(before, node)} if before else set()
        for made in after.of(ast.Assign) if after else ():
            if _targets(made) & classes and _broad(made.value):
                message = f"{', '.join(sorted(_targets(made)))} is now a name for every error"
                yield path, site("equal-to-everything", made, message=message)
        for node in after.of(ast.ClassDef) if after else ():
            words = {getattr(word.value, "id", "") or getattr(word.value, "attr", "") for word in node.keywords}
            own = {each.name for each in after.of(ast.ClassDef)} if after else set()
            if after and words & checking - own and is_error(after, node):
                message = f"{node.name} says of other errors that they are its own"
                yield path, site("equal-to-everything", node, message=message, key=f"metaclass {node.name}")


def _broad(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple) or getattr(node, "id", "") in ("Exception", "BaseException")
