"""Names and calls in pages that the code does not have."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from windtunnel.metrics.discrepancies.finding import Discrepancy, Kind
from windtunnel.metrics.discrepancies.modules import Class, Function, Module, dotted, stored
from windtunnel.metrics.discrepancies.pages import Mention, Page
from windtunnel.metrics.discrepancies.project import MISSING, Project
from windtunnel.metrics.discrepancies.signatures import Signature, misfit, signature_of, signature_of_class

_NAME = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?P<call>\(.*\))?")
_ENDINGS = frozenset({
    "py", "pyi", "md", "rst", "txt", "toml", "yaml", "yml", "json", "ini", "cfg", "sh", "com", "org", "io", "net",
    "dev", "conf", "log", "db", "sqlite", "html", "js", "css", "csv", "xml", "lock", "exe", "so", "whl", "gz", "zip",
    "ipynb", "test", "local", "env", "pid", "sock"})
"""What the last part of a file's or host's name is, and of a symbol hardly ever."""


def page_findings(
    path: str, page: Page, *, project: Project, told: frozenset[str] = frozenset(),
) -> Iterator[Discrepancy]:
    """Of one page; names that are ``told`` are described by a page itself, for others to write."""
    for mention in page.mentions:
        yield from _mentioned(path, mention, project, told)
    reader = _Reader(path, project)
    for line, tree in page.trees:
        yield from reader.read(tree, line)


def _mentioned(path: str, mention: Mention, project: Project, told: frozenset[str]) -> Iterator[Discrepancy]:
    """Nothing where the package holds a class of its own name: ``tqdm.write`` may be of ``tqdm.tqdm``."""
    found = _NAME.fullmatch(mention.text.removeprefix("~").removeprefix("!"))
    if found is None or found["name"].rpartition(".")[2].lower() in _ENDINGS:
        return
    name = found["name"]
    first = name.partition(".")[0]
    if isinstance(project.find(f"{first}.{first}"), Class) or name.rpartition(".")[2] in told:
        return
    if project.find(name) is MISSING and (mention.role or found["call"] or _begins_in_code(name, project)):
        yield _missing(path, mention.line, name)


def _begins_in_code(name: str, project: Project) -> bool:
    """Whether more than the first part is known, so that a symbol is meant and not some other dotted thing."""
    parts = name.split(".")
    return any(isinstance(project.find(".".join(parts[:length])), Module | Class) for length in range(2, len(parts)))


def _missing(path: str, line: int, name: str) -> Discrepancy:
    return Discrepancy(kind=Kind.MISSING_SYMBOL, path=path, line=line, name=name, message=f"{name} is not in the code")


def _makings(tree: ast.Module) -> Iterator[tuple[ast.Name, ast.Call, bool]]:
    """Names with the call that each is made by, and whether what it is was given by a ``with``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            pairs: list[tuple[ast.expr | None, ast.expr]] = [(node.targets[0], node.value)]
        elif isinstance(node, ast.With):
            pairs = [(item.optional_vars, item.context_expr) for item in node.items]
        else:
            continue
        for target, value in pairs:
            if isinstance(target, ast.Name) and isinstance(value, ast.Call):
                yield target, value, isinstance(node, ast.With)


def _enters_itself(owner: Class) -> bool:
    entry = owner.names.get("__enter__")
    last = entry.body[-1] if isinstance(entry, Function) else None
    return isinstance(last, ast.Return) and isinstance(last.value, ast.Name) and last.value.id == "self"


class _Reader:
    """The Python of one page, block after block, as a reader would type it."""

    def __init__(self, path: str, project: Project) -> None:
        self.path, self.project = path, project
        self.names: dict[str, str] = {}
        """What names of the page stand for, by dotted name."""
        self.made: dict[str, Class] = {}
        """Classes of the project that variables of the page are made of."""
        self.lost: set[str] = set()

    def read(self, tree: ast.Module, line: int) -> Iterator[Discrepancy]:
        self._forget(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name in self._imported(node):
                    if self.project.find(name) is MISSING:
                        yield _missing(self.path, line + node.lineno - 1, name)
        self._remember(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield from self._attribute(node, line)
            elif isinstance(node, ast.Call):
                yield from self._call(node, line)

    def _forget(self, tree: ast.Module) -> None:
        """Names that a page binds by itself stand for nothing of the project any more."""
        for node in ast.walk(tree):
            if isinstance(node, Function | ast.ClassDef):
                self.lost.add(node.name)
            elif isinstance(node, ast.arg):
                self.lost.add(node.arg)
        again = set().union(*(stored(one) for one in tree.body)) & (self.made.keys() | self.names.keys())
        self.lost |= again

    def _imported(self, node: ast.Import | ast.ImportFrom) -> list[str]:
        if isinstance(node, ast.ImportFrom):
            if node.level or node.module is None:
                return []
            for one in node.names:
                self.names[one.asname or one.name] = f"{node.module}.{one.name}"
            return [f"{node.module}.{one.name}" for one in node.names if one.name != "*"]
        for one in node.names:
            whole = one.name if one.asname else one.name.partition(".")[0]
            self.names[one.asname or whole] = whole
        return [one.name for one in node.names]

    def _remember(self, tree: ast.Module) -> None:
        """Variables that are made once, of a class of the project."""
        stores = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
                         and isinstance(node.ctx, ast.Store | ast.Del))
        self.lost |= {name for name, times in stores.items() if times > 1 or name in self.names}
        for target, value, entered in _makings(tree):
            found = self._found(dotted(value.func))
            if isinstance(found, Class) and (not entered or _enters_itself(found)):
                self.made[target.id] = found

    def _whole(self, name: str) -> str:
        first, _, rest = name.partition(".")
        start = "" if first in self.lost else self.names.get(first, "")
        return f"{start}.{rest}" if start and rest else start

    def _found(self, name: str) -> object:
        whole = self._whole(name)
        return self.project.find(whole) if whole else None

    def _attribute(self, node: ast.Attribute, line: int) -> Iterator[Discrepancy]:
        name = dotted(node)
        first, _, rest = name.partition(".")
        owner = self.made.get(first)
        if owner is not None and first not in self.lost and "." not in rest:
            if self.project.member(owner, rest) is MISSING:
                yield _missing(self.path, line + node.lineno - 1, f"{owner.node.name}.{rest}")
        elif rest and self._found(name) is MISSING and self._found(name.rpartition(".")[0]) is not MISSING:
            yield _missing(self.path, line + node.lineno - 1, self._whole(name))

    def _call(self, node: ast.Call, line: int) -> Iterator[Discrepancy]:
        signature, name = self._signature(dotted(node.func) if not isinstance(node.func, ast.Call) else "")
        said = misfit(node, signature) if signature is not None else ""
        if said:
            yield Discrepancy(kind=Kind.CHANGED_SIGNATURE, path=self.path, line=line + node.lineno - 1, name=name,
                              message=f"{name} {said}")

    def _signature(self, name: str) -> tuple[Signature | None, str]:
        first, _, rest = name.partition(".")
        owner = self.made.get(first)
        if owner is not None and first not in self.lost and rest:
            method = self.project.member(owner, rest) if "." not in rest else None
            return (signature_of(method, bound=True), f"{owner.node.name}.{rest}") if isinstance(
                method, Function) else (None, "")
        found = self._found(name) if name else None
        if isinstance(found, Class):
            return signature_of_class(found, self.project), self._whole(name)
        holder = self._found(name.rpartition(".")[0]) if "." in name else None
        if isinstance(found, Function) and not isinstance(holder, Class):
            return signature_of(found, bound=False), self._whole(name)
        return None, ""
