"""The sections of one file, from its syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.core.section import Section, SectionKind

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOKED_AT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Call)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty", "lazy_property", "reify"})
_ABSTRACT = frozenset({"abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod"})
_TERMINAL = frozenset({"input", "raw_input", "getpass", "initscr", "wrapper", "breakpoint", "set_trace", "getch"})
_OF_TERMINAL = frozenset({"curses", "pdb", "getpass", "termios", "tty", "msvcrt"})
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__init_subclass__", "__class_getitem__", "__del__"})
_MOST_NESTED = 20
_PROTOCOL = "a protocol: there is nothing to make"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that is not Python that this interpreter reads."""

    reason: str


def parsed(data: bytes) -> ast.Module | Unreadable:
    """Its tree, or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except SyntaxError as error:
        return Unreadable(f"a syntax error in line {error.lineno or 1}: {error.msg}"[:200])
    except (ValueError, RecursionError, MemoryError) as error:
        return Unreadable(f"not text of Python: {error}"[:200])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """Where a section stands."""

    path: str
    module: str
    root: str
    prefix: str = ""
    owner: ast.ClassDef | None = None
    reason: str = ""
    """Why nothing in here can be called."""
    depth: int = 0
    exported: Collection[tuple[str, str]] = ()


def sections_of(
    tree: ast.Module, *, path: str, module: str, root: str, exported: Collection[tuple[str, str]] = (),
) -> Iterator[Section]:
    """By line; of a name that is defined more than once, such as in both branches of an ``if``, one.

    ``exported`` are names that the package gives to all although their module is private.
    """
    reason = ""
    if path.endswith("__main__.py") and not _is_guarded(tree):
        reason = "a program: to import it is to run it"
    found: dict[str, Section] = {}
    for section in _sections(tree.body, _Around(
            path=path, module=module, root=root, reason=reason, exported=exported)):
        known = found.get(section.name)
        if known is None or known.reason:
            found[section.name] = section
    yield from sorted(found.values(), key=lambda section: (section.line, section.name))


def _is_guarded(tree: ast.Module) -> bool:
    """Whether what the file does by itself stands below ``if __name__ == …``."""
    return not any(isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in tree.body)


def _sections(body: Sequence[ast.stmt], around: _Around) -> Iterator[Section]:
    for node in body:
        if isinstance(node, _FUNCTIONS):
            yield from _function(node, around)
        elif isinstance(node, ast.ClassDef):
            yield from _class(node, around)
        elif isinstance(node, ast.If) and "__name__" in _names(node.test):
            yield from _sections(node.body, _inside(around, reason="defined only where the file is run as a program"))
        elif isinstance(node, ast.If | ast.Try | ast.With):
            for part in _branches(node):
                yield from _sections(part, around)


def _branches(node: ast.If | ast.Try | ast.With) -> Iterator[list[ast.stmt]]:
    yield node.body
    if isinstance(node, ast.If | ast.Try):
        yield node.orelse
    if isinstance(node, ast.Try):
        yield from (handler.body for handler in node.handlers)


def _inside(around: _Around, *, prefix: str = "", owner: ast.ClassDef | None = None, reason: str = "") -> _Around:
    return _Around(path=around.path, module=around.module, root=around.root, prefix=prefix or around.prefix,
                   owner=owner, reason=around.reason or reason, depth=around.depth + 1, exported=around.exported)


def _class(node: ast.ClassDef, around: _Around) -> Iterator[Section]:
    if around.depth > _MOST_NESTED:
        return
    yield _section(node, around, kind=SectionKind.CLASS, reason=_why_no_class(node))
    reason = _PROTOCOL if "Protocol" in {_last(base) for base in node.bases} else ""
    yield from _sections(node.body, _inside(around, prefix=f"{around.prefix}{node.name}.", owner=node, reason=reason))


def _why_no_class(node: ast.ClassDef) -> str:
    bases = {_last(base) for base in node.bases}
    if "Protocol" in bases:
        return _PROTOCOL
    if any(_decorators(one) & _ABSTRACT for one in node.body if isinstance(one, _FUNCTIONS)):
        return "an abstract class"
    return "a kind of values alone" if "TypedDict" in bases else ""


def _function(node: _Function, around: _Around) -> Iterator[Section]:
    if around.owner is not None and node.name in _CONSTRUCTORS:
        return
    decorators = _decorators(node)
    if around.owner is not None and decorators & {"setter", "deleter", "getter"}:
        return
    parts = [one for one in ast.walk(node) if isinstance(one, _LOOKED_AT) and one is not node]
    reason = _why_not(decorators, [one for one in parts if isinstance(one, ast.Call)])
    yield _section(node, around, kind=_kind(decorators, around), reason=reason)
    inside = _inside(around, prefix=f"{around.prefix}{node.name}.<locals>.", reason="defined inside a function")
    for one in parts:
        if not isinstance(one, ast.Call):
            kind = SectionKind.CLASS if isinstance(one, ast.ClassDef) else SectionKind.FUNCTION
            yield _section(one, inside, kind=kind)


def _kind(decorators: set[str], around: _Around) -> SectionKind:
    if around.owner is None:
        return SectionKind.FUNCTION
    if decorators & _PROPERTIES:
        return SectionKind.PROPERTY
    if "classmethod" in decorators:
        return SectionKind.CLASS_METHOD
    return SectionKind.STATIC_METHOD if "staticmethod" in decorators else SectionKind.METHOD


def _why_not(decorators: set[str], calls: Sequence[ast.Call]) -> str:
    if "overload" in decorators:
        return "a stub of an overload"
    if decorators & _ABSTRACT:
        return "abstract"
    if decorators & {"fixture"}:
        return "a fixture of tests"
    asked = next((call.func for call in calls if _asks_a_person(call.func)), None)
    return f"it needs a terminal: {ast.unparse(asked)[:40]}" if asked is not None else ""


def _asks_a_person(function: ast.expr) -> bool:
    named = isinstance(function, ast.Name) and function.id != "wrapper"
    return _last(function) in _TERMINAL and (named or _first(function) in _OF_TERMINAL)


def _section(
    node: _Function | ast.ClassDef, around: _Around, *, kind: SectionKind, reason: str = "",
) -> Section:
    name = around.prefix + node.name
    words = name.split(".")
    if (around.module, words[0]) not in around.exported:
        words += [word for word in around.module.split(".") if word not in ("__init__", "__main__")]
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return Section(
        path=around.path, name=name, kind=kind, module=around.module, root=around.root, line=first,
        last=node.end_lineno or first, public=not any(word.startswith(("_", "<")) for word in words),
        reason=around.reason or reason)


def _decorators(node: _Function) -> set[str]:
    return {_last(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list}


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        return _last(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _first(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return getattr(node, "id", "")


def _names(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
