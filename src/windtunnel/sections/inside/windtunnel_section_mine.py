"""Calls that somebody wrote already, in docstrings, documents, tests and code, as texts that stand alone."""

from __future__ import annotations

import ast
import builtins
import doctest
import os
import re
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple

from windtunnel_section_target import Target, tree_of  # type: ignore[import-not-found]  # lies beside this file when it runs

MOST_FILES, MOST_BYTES, MOST_CALLS, MOST_TEXT, MOST_DEEP = 400, 6 * 1024**2, 60, 600, 6
UNSAFE = frozenset({"eval", "exec", "compile", "open", "input", "breakpoint", "exit", "quit", "help", "print"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_INLINE = 4000
_WORDS = re.compile(r"[A-Za-z_][A-Za-z_0-9.]*\(")
Known = Dict[str, ast.expr]


class Unknown(Exception):
    """A name that stands for something nobody knows."""


class Self(ast.NodeTransformer):
    """Rewrites an expression so that it needs builtins and ``wt`` alone."""

    def __init__(self, known: Known, modules: Dict[str, str]) -> None:
        """``known`` are expressions by the name they were given, ``modules`` imported things as ``module:name``."""
        self.known, self.modules = known, modules
        self.own: List[str] = []
        self.deep = 0

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        names = [one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)]
        self.own += names
        made = self.generic_visit(node)
        del self.own[len(self.own) - len(names) :]
        return made

    def _comprehended(self, node: Any) -> Any:
        names = [one.id for part in node.generators for one in ast.walk(part.target) if isinstance(one, ast.Name)]
        self.own += names
        made = self.generic_visit(node)
        del self.own[len(self.own) - len(names) :]
        return made

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehended  # noqa: N815 -- of the base

    def visit_Name(self, node: ast.Name) -> Any:
        name = node.id
        if name in self.own:
            return node
        if name in self.known and self.deep < MOST_DEEP:
            self.deep += 1
            made = self.visit(copied(self.known[name]))
            self.deep -= 1
            return made
        if name in self.modules:
            return ast.parse(_reached(self.modules[name]), mode="eval").body
        if hasattr(builtins, name) and name not in UNSAFE and not name.startswith("_"):
            return node
        raise Unknown(name)

    def _refused(self, node: Any) -> Any:
        raise Unknown(type(node).__name__)

    visit_Await = visit_Yield = visit_YieldFrom = visit_NamedExpr = _refused  # noqa: N815 -- of the base


def copied(node: ast.expr) -> ast.expr:
    """Another tree of the same text."""
    return ast.parse(ast.unparse(node), mode="eval").body


def _reached(place: str) -> str:
    module, _, name = place.partition(":")
    return "wt.of(" + repr(module) + ")" + ("." + name if name else "")


class Place:
    """One text of Python with the calls in it, and what its names stand for."""

    def __init__(self, tree: ast.AST, package: str = "", known: Optional[Dict[str, str]] = None) -> None:
        """``package`` is where relative imports begin."""
        self.modules: Dict[str, str] = dict(known or {})
        self.top: Known = {}
        self.calls: List[Tuple[ast.Call, Known]] = []
        self.package = package
        self._look(tree, self.top)

    def _look(self, node: ast.AST, names: Known) -> None:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, (*_FUNCTIONS, ast.ClassDef)):
                self._look(part, {**names, **_parametrized(part)})
            else:
                self._name(part, names)
                self._look(part, names)
            if isinstance(part, ast.Call) and len(self.calls) < 50 * MOST_CALLS:
                self.calls.append((part, dict(names)))

    def _name(self, node: ast.AST, names: Known) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.modules[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            module = self._module(node)
            self.modules.update({alias.asname or alias.name: module + ":" + alias.name for alias in node.names
                                 if alias.name != "*"})
            for alias in node.names:
                if alias.name == "*":
                    self.modules.update({name: module + ":" + name for name in _public(module)})
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            names.pop(node.targets[0].id, None)
            if not any(isinstance(one, ast.Name) and one.id == node.targets[0].id for one in ast.walk(node.value)):
                names[node.targets[0].id] = node.value
        elif (isinstance(node, ast.For) and isinstance(node.target, ast.Name)
              and isinstance(node.iter, (ast.List, ast.Tuple)) and node.iter.elts):
            names[node.target.id] = node.iter.elts[0]

    def _module(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        base = self.package.split(".")
        return ".".join([*base[: len(base) - node.level + 1], *([node.module] if node.module else [])])


def _public(module: str) -> List[str]:
    found = sys.modules.get(module)
    return [name for name in vars(found) if not name.startswith("_")] if found is not None else []


def _parametrized(node: Any) -> Known:
    """The first values that a decorator of pytest gives to a test's parameters."""
    found: Known = {}
    for one in node.decorator_list:
        if not (isinstance(one, ast.Call) and _last(one.func) == "parametrize" and len(one.args) > 1):
            continue
        names, rows = one.args[0], one.args[1]
        if isinstance(names, ast.Constant) and isinstance(names.value, str):
            words = [word.strip() for word in names.value.split(",")]
        else:
            words = [str(getattr(word, "value", "")) for word in getattr(names, "elts", [])]
        row = rows.elts[0] if isinstance(rows, (ast.List, ast.Tuple)) and rows.elts else None
        if row is not None and len(words) == 1:
            found[words[0]] = row
        elif isinstance(row, (ast.List, ast.Tuple)) and len(row.elts) == len(words):
            found.update(dict(zip(words, row.elts)))
    return found


class Index:
    """All calls in a project's files, by the last name of what is called."""

    def __init__(self, root: str) -> None:
        """Reads every file once, in bounds."""
        self.calls: Dict[str, List[Tuple[ast.Call, Known, Dict[str, str]]]] = {}
        self.documents: List[str] = []
        size = 0
        for count, path in enumerate(_files(root)):
            size += os.path.getsize(path)
            if size > MOST_BYTES or count > MOST_FILES:
                break
            if path.endswith(".py"):
                self._take(path, root)
            else:
                with open(path, encoding="utf-8", errors="replace") as file:
                    self.documents.append(file.read(MOST_BYTES))

    def _take(self, path: str, root: str) -> None:
        tree = tree_of(path)
        if tree is None:
            return
        module = os.path.relpath(path, root)[:-3].replace(os.sep, ".")
        module = module[4:] if module.startswith("src.") else module
        package = module.rpartition(".")[0] if not module.endswith("__init__") else module[: -len(".__init__")]
        place = Place(tree, package)
        own = sys.modules.get(module.replace(".__init__", ""))
        modules = {name: module.replace(".__init__", "") + ":" + name for name in vars(own)} if own is not None else {}
        modules.update(place.modules)
        for call, names in place.calls:
            some = self.calls.setdefault(_last(call.func), [])
            if len(some) < MOST_CALLS:
                some.append((call, names, modules))


def _files(root: str) -> Iterator[str]:
    """Tests first, then documents, then the rest; nothing of environments."""
    found: List[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in (
            "node_modules", "__pycache__", "site-packages") and not os.path.exists(os.path.join(
                folder, one, "pyvenv.cfg")))
        found += [os.path.join(folder, name) for name in sorted(names)
                  if name.endswith((".py", ".md", ".rst")) and os.path.isfile(os.path.join(folder, name))]
        if len(found) > 4 * MOST_FILES:
            break
    yield from sorted(found, key=lambda path: ("test" not in os.path.basename(path), path.endswith(".py"), path))


class Miner:
    """Of one section."""

    def __init__(self, target: Target, index: Index) -> None:
        """``index`` of the whole project."""
        self.target, self.index = target, index
        own = target.module.__name__
        self.around = {name: own + ":" + name for name in vars(target.module) if not name.startswith("__")}
        self.name = target.name if target.kind != "class" else target.row["name"].rpartition(".")[2]

    def calls(self) -> Iterator[Tuple[Tuple[str, str], ...]]:
        """Inputs of whole calls, docstrings first."""
        seen = set()
        for call, known, modules in self._found():
            inputs = self._inputs(call, Self(known, modules))
            if inputs is not None and inputs not in seen:
                seen.add(inputs)
                yield inputs
            if len(seen) >= MOST_CALLS:
                return

    def _found(self) -> Iterator[Tuple[ast.Call, Known, Dict[str, str]]]:
        owner = self.target.owner if isinstance(self.target.owner, type) else None
        texts = [getattr(one, "__doc__", None) for one in (self.target.function, self.target.found, owner,
                                                           self.target.module)]
        for text in [text for text in dict.fromkeys(texts) if isinstance(text, str)]:
            yield from self._told(text)
        yield from self.index.calls.get(self.name, ())
        for text in self.index.documents:
            if self.name + "(" in text:
                yield from self._told(text)

    def _told(self, text: str) -> Iterator[Tuple[ast.Call, Known, Dict[str, str]]]:
        """Of a docstring or a page: examples with prompts, and calls in the midst of words."""
        for tree in (examples(text), *inline(text, self.name)):
            place = Place(tree, known=self.around)
            for call, names in place.calls:
                if _last(call.func) == self.name:
                    yield call, names, place.modules

    def _inputs(self, call: ast.Call, rewrite: Self) -> Optional[Tuple[Tuple[str, str], ...]]:
        try:
            made = list(self._slots(call, rewrite))
        except (Unknown, RecursionError, SyntaxError, ValueError):
            return None
        return tuple(made) if all(len(text) <= MOST_TEXT for _, text in made) else None

    def _slots(self, call: ast.Call, rewrite: Self) -> Iterator[Tuple[str, str]]:
        if self.target.needs_object:
            if not isinstance(call.func, ast.Attribute):
                raise Unknown("no object")
            yield ".", self._text(call.func.value, rewrite)
        places = [one for one in self.target.parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        names = {one.name for one in self.target.parameters}
        for at, argument in enumerate(call.args):
            if isinstance(argument, ast.Starred):
                raise Unknown("unpacked")
            slot = places[at].name if at < len(places) else "*" + str(at - len(places))
            yield slot, self._text(argument, rewrite)
        for keyword in call.keywords:
            if keyword.arg is None:
                raise Unknown("unpacked")
            yield keyword.arg if keyword.arg in names else "**" + keyword.arg, self._text(keyword.value, rewrite)

    def _text(self, node: ast.expr, rewrite: Self) -> str:
        return ast.unparse(rewrite.visit(copied(node)))


def examples(text: str) -> ast.AST:
    """The code behind prompts, as one program; functions that it defines are left as they are."""
    try:
        parts = [one.source for one in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        parts = [line.strip()[4:] for line in text.splitlines() if line.strip().startswith(">>> ")]
    body: List[ast.stmt] = []
    for part in parts:
        try:
            body += ast.parse(part).body
        except (SyntaxError, ValueError):
            continue
    return ast.Module(body=body, type_ignores=[])


def inline(text: str, name: str) -> Iterator[ast.AST]:
    """Calls of that name that stand in a text without a prompt."""
    for found in list(_WORDS.finditer(text))[:_INLINE]:
        if found.group()[:-1].rpartition(".")[2] != name:
            continue
        rest = text[found.start() : found.start() + 300]
        for end in [at + 1 for at, letter in enumerate(rest) if letter == ")"][:6]:
            try:
                yield ast.Module(body=[ast.Expr(value=ast.parse(rest[:end], mode="eval").body)], type_ignores=[])
                break
            except (SyntaxError, ValueError):
                continue


def _last(node: Any) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))
