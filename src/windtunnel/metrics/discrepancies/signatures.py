"""Whether a call fits a function, as far as its definition tells."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from windtunnel.metrics.discrepancies.modules import Class, Function, dotted
from windtunnel.metrics.discrepancies.project import MISSING, Project

_HARMLESS = frozenset({"staticmethod", "classmethod", "abstractmethod", "cache", "lru_cache", "contextmanager",
                       "asynccontextmanager", "final", "override", "property", "cached_property", "no_type_check"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a call may have."""

    positional: tuple[str, ...]
    """That can be given by place; those of ``by_place_only`` not by name."""
    named: frozenset[str]
    required: frozenset[str]
    any_positional: bool
    any_named: bool


def signature_of(function: Function, *, bound: bool) -> Signature | None:
    """Of a function; ``bound`` leaves the first one out. None where a decorator may have changed it."""
    decorators = {dotted(one).rpartition(".")[2] for one in function.decorator_list}
    if decorators - _HARMLESS or decorators & {"property", "cached_property"}:
        return None
    given = function.args
    placed = [one.arg for one in (*given.posonlyargs, *given.args)]
    skip = 1 if bound and "staticmethod" not in decorators else 0
    needed = placed[skip:len(placed) - len(given.defaults)] if given.defaults else placed[skip:]
    named = {one.arg for one in (*given.args, *given.kwonlyargs)} - set(placed[:skip])
    needed += [one.arg for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return Signature(positional=tuple(placed[skip:]), named=frozenset(named), required=frozenset(needed),
                     any_positional=given.vararg is not None, any_named=given.kwarg is not None)


def signature_of_class(owner: Class, project: Project) -> Signature | None:
    """Of making one of a class, where it has an ``__init__`` of its own and nothing else that has a say."""
    made = owner.names.get("__init__")
    if not isinstance(made, Function) or owner.node.decorator_list or owner.node.keywords or "__new__" in owner.names:
        return None
    if owner.node.bases and project.member(owner, "a_name_nobody_has") is not MISSING:
        return None
    return signature_of(made, bound=True)


def misfit(call: ast.Call, signature: Signature) -> str:
    """What is wrong with a call; empty where it fits, or leaves something out on purpose (``...``)."""
    given = [*call.args, *(one.value for one in call.keywords)]
    if any(isinstance(one, ast.Constant) and one.value is ... for one in given):
        return ""
    starred = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    names = [one.arg for one in call.keywords if one.arg is not None]
    unknown = [name for name in names if name not in signature.named]
    if unknown and not signature.any_named:
        return f"takes no {unknown[0]!r}"
    if len(call.args) > len(signature.positional) and not signature.any_positional and not starred:
        return f"takes at most {len(signature.positional)} by place, and gets {len(call.args)}"
    left = signature.required - set(names) - set(signature.positional[:len(call.args)])
    return f"needs {min(left)!r}" if left and not starred else ""
