"""Tests that had to follow the change: the same test, about something that has another name now."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from windtunnel.core.change import ChangeSet
from windtunnel.core.trial import TamperFinding
from windtunnel.tamper.paths import is_test
from windtunnel.tamper.script_adaptation import follows, product_names
from windtunnel.tamper.sides import Sides
from windtunnel.tamper.trees import parse, unparsed

_KEPT = frozenset(
    {
        "pytest",
        "unittest",
        "raises",
        "skip",
        "xfail",
        "skipif",
        "mark",
        "parametrize",
        "approx",
        "True",
        "None",
        *dir(builtins),
    }
)
"""Names that may not take the place of another: with them a test can be hollowed out."""
_SCRIPTS = (".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx")
_ENDING = re.compile(r"\.[cm]?[jt]sx?$")
_FILE = "file:"


class _Match:
    """Walks two trees side by side; what differs must be a name that the change took away."""

    def __init__(self, removed: frozenset[str], made: set[str]) -> None:
        self.removed, self.made = removed, made
        self.renamed: dict[str, str] = {}

    def name(self, old: str | None, new: str | None) -> bool:
        if old == new:
            return True
        if old is None or new is None or new in _KEPT or new.startswith("assert") or old in _KEPT:
            return False
        parts, others = old.split("."), new.split(".")
        if not self.removed & set(parts) or set(others) & self.made:
            return False
        return self.renamed.setdefault(old, new) == new

    def node(self, old: object, new: object) -> bool:
        if isinstance(old, list) and isinstance(new, list):
            return self._rows(old, new)
        if isinstance(old, ast.AST) and isinstance(new, ast.AST):
            return self._nodes(old, new)
        return old == new

    def _nodes(self, old: ast.AST, new: ast.AST) -> bool:
        if isinstance(old, ast.Import | ast.ImportFrom) and isinstance(new, ast.Import | ast.ImportFrom):
            return True  # what is imported shows where it is used
        if type(old) is not type(new):
            return False
        if isinstance(old, ast.Call) and isinstance(new, ast.Call):
            return self._calls(old, new)
        for key, value in ast.iter_fields(old):
            if (
                key == "name"
                and str(value).lower().startswith("test")
                and str(getattr(new, key)).lower().startswith("test")
            ):
                continue
            other = getattr(new, key, None)
            if (
                isinstance(value, str)
                and key in ("id", "attr", "arg", "name", "module")
                and not isinstance(old, ast.Constant)
            ):
                if not self.name(value, other if isinstance(other, str) else None):
                    return False
            elif key not in ("ctx", "type_comment", "kind") and not self.node(value, other):
                return False
        return True

    def _calls(self, old: ast.Call, new: ast.Call) -> bool:
        """A call may get further arguments when what it calls has changed."""
        if not self.node(old.func, new.func):
            return False
        words = {name for each in ast.walk(old.func) for name in (getattr(each, "id", ""), getattr(each, "attr", ""))}
        more = bool(words & self.removed)
        if len(new.args) < len(old.args) or len(new.keywords) < len(old.keywords):
            return False
        grown = len(new.args) > len(old.args) or len(new.keywords) > len(old.keywords)
        return (
            (more or not grown)
            and all(map(self.node, old.args, new.args))
            and all(map(self.node, old.keywords, new.keywords))
        )

    def _rows(self, old: list[object], new: list[object]) -> bool:
        """Everything old is there in order; only statements may stand between."""
        if not all(isinstance(each, ast.stmt) for each in (*old, *new)):
            return len(old) == len(new) and all(map(self.node, old, new))
        waiting = iter(new)
        for each in old:
            if isinstance(each, ast.Import | ast.ImportFrom):
                continue
            if not any(self._try(each, other) for other in waiting):
                return False
        return not any(isinstance(each, ast.Return | ast.Raise) for each in new[:-1]) or any(
            isinstance(each, ast.Return | ast.Raise) for each in old
        )

    def _try(self, old: object, new: object) -> bool:
        before = dict(self.renamed)
        if self.node(old, new):
            return True
        self.renamed = before
        return False


def _python(old: bytes, new: bytes, removed: frozenset[str]) -> bool:
    before, after = parse(old), parse(new)
    if before is None or after is None:
        return False
    made = {node.name for node in ast.walk(after) if isinstance(node, ast.FunctionDef | ast.ClassDef)} | {
        node.id for node in ast.walk(after) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return _Match(removed, made).node(before.body, after.body)


def _stem(path: str) -> str:
    """What stands for a module of scripts among the names: its file's, without the ending."""
    name = path.rpartition("/")[2]
    return f"{_FILE}{_ENDING.sub('', name)}"


def adapted(old: bytes, new: bytes, *, path: str, removed: frozenset[str]) -> tuple[TamperFinding, ...]:
    """One finding that is only shown, when the new version is the old one under other names plus additions; else none.

    ``removed`` are public names (functions, classes, methods, parameters, modules) that the change took away.
    """
    if not removed or old == new:
        return ()
    same = _python(old, new, removed) if path.endswith(".py") else follows(old, new, path=path, removed=removed)
    if not same:
        return ()
    return (
        TamperFinding(
            rule="test-adapted",
            message="the test follows names that the change took away",
            path=path,
            severity="show",
            evidence=", ".join(sorted(removed))[:200],
        ),
    )


def _public(data: bytes | None) -> Iterator[tuple[str, str]]:
    """Public names of a Python file, each with what would make it the same thing under another name."""
    tree = parse(data)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, f"{unparsed(node.args)}"
            yield from ((each.arg, node.name) for each in (*node.args.args, *node.args.kwonlyargs))
        elif isinstance(node, ast.ClassDef):
            yield node.name, "class"
        elif isinstance(node, ast.Assign):
            yield from ((target.id, "value") for target in node.targets if isinstance(target, ast.Name))


def removed_names(changes: ChangeSet, sides: Sides) -> frozenset[str]:
    """Names that product code had and has no more, or whose parameters the change made others."""
    before: dict[str, set[str]] = {}
    after: dict[str, set[str]] = {}
    for change in changes:
        path = change.relative_path
        if is_test(path):
            continue
        for read, names in ((sides.before, before), (sides.after, after)):
            _collect(path, read(path), names)
        if path.endswith(".py") and sides.after(path) is None and sides.before(path) is not None:
            before.setdefault(path.rpartition("/")[2].removesuffix(".py"), set())
        elif path.endswith(_SCRIPTS) and sides.after(path) is None and sides.before(path) is not None:
            before.setdefault(_stem(path), set())
    gone = set(before) - set(after)
    grown = {name for name, shapes in before.items() if name in after and shapes and shapes.isdisjoint(after[name])}
    return frozenset(gone | grown)


def _collect(path: str, data: bytes | None, names: dict[str, set[str]]) -> None:
    pairs: list[tuple[str, str]] = []
    if path.endswith(".py"):
        pairs = list(_public(data))
    elif path.endswith(_SCRIPTS):
        pairs = [(name, "") for name in product_names(data)]
    for name, shape in pairs:
        names.setdefault(name, set()).add(shape)
