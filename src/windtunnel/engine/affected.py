"""Which tests a change can reach, from what each test ran in the unchanged project."""

from __future__ import annotations

import ast
import difflib
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping

from windtunnel.core.change import ChangeSet, FileChange

Read = Callable[[str], bytes | None]
Touched = Mapping[str, tuple[str, ...]]
_IMPORT = re.compile(
    rb"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}/[^'"\n]+)\1""")
_SUFFIXES = ("", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", "/index.js", "/index.ts")


def affected(changes: ChangeSet, *, before: Read, touched: Touched) -> tuple[str, ...]:
    """Ids of tests that ran code which the change touches; those that ran least else come first."""
    places = {place for change in changes for place in _places(change, before)}
    files = {place.rpartition(":")[0] for place in places if place.endswith(":0")}
    reached = []
    for name, code in touched.items():
        if any(place in places or place.rpartition(":")[0] in files for place in code):
            reached.append((len(code), name))
    return tuple(name for _, name in sorted(reached))


def _places(change: FileChange, before: Read) -> set[str]:
    """``path:line`` of each function that changes; line 0 stands for the whole file."""
    path, old = change.relative_path, before(change.relative_path)
    if old is None:
        return set()
    if change.operation == "delete" or not path.endswith(".py"):
        return {f"{path}:0"}
    try:
        functions = _functions(ast.parse(old))
    except (SyntaxError, ValueError):
        return {f"{path}:0"}
    lines = _changed_lines(old.splitlines(), change.data.splitlines())
    return {f"{path}:{_owner(functions, line)}" for line in lines}


def _changed_lines(old: list[bytes], new: list[bytes]) -> set[int]:
    """Numbers of old lines that change; an insertion counts for the line before it."""
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    changed: set[int] = set()
    for kind, start, end, _, _ in matcher.get_opcodes():
        if kind == "insert":
            changed.add(max(start, 1))
        elif kind != "equal":
            changed.update(range(start + 1, end + 1))
    return changed


def _functions(tree: ast.AST) -> list[tuple[int, int, int]]:
    """(first line as the interpreter counts it, first, last) of every function."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.append((first, node.lineno, node.end_lineno or node.lineno))
    return found


def _owner(functions: Iterable[tuple[int, int, int]], line: int) -> int:
    """The innermost function around a line; 0, which is the whole file, for a line outside any."""
    inside = [(last - start, first) for first, start, last in functions if start < line <= last]
    return min(inside)[1] if inside else 0


def importers(changes: ChangeSet, *, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Files that import what changes, directly or not: the fall-back where nothing was traced."""
    users: dict[str, set[str]] = {}
    for path, data in files.items():
        for used in _imports(path, data, files):
            users.setdefault(used, set()).add(path)
    pending, reached = list(changes.paths), set(changes.paths)
    while pending:
        for user in users.get(pending.pop(), ()):
            if user not in reached:
                reached.add(user)
                pending.append(user)
    return tuple(sorted(reached))


def _imports(path: str, data: bytes, files: Mapping[str, bytes]) -> set[str]:
    if path.endswith(".py"):
        return _python_imports(path, data, files)
    found = set()
    for match in _IMPORT.finditer(data):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2].decode("utf-8", "replace")))
        found |= {target + suffix for suffix in _SUFFIXES if target + suffix in files}
    return found


def _python_imports(path: str, data: bytes, files: Mapping[str, bytes]) -> set[str]:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return set()
    package = posixpath.dirname(path).split("/")
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package[: len(package) - node.level + 1], node.module or ""] if node.level
                            else [node.module or ""]).strip(".")
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    ends = {f"{name.replace('.', '/')}{suffix}" for name in names if name for suffix in (".py", "/__init__.py")}
    return {file for file in files if any(file == end or file.endswith("/" + end) for end in ends)}
