"""All modules of a project, and what a dotted name leads to."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from windtunnel.metrics.discrepancies.known import Known
from windtunnel.metrics.discrepancies.modules import Class, Import, Module, dotted, read_module

_ROOTS = ("src/", "lib/", "python/")
_ASIDE = re.compile(r"(tests?|testing|docs?|examples?|benchmarks?|scripts?|tools|ci)/"
                    r"|(conftest|setup|noxfile|tasks)\.py$|(.*/)?(tests?|testdata|conftest\.py|_?vendor(ed)?"
                    r"|_?third_?party|patched|extern|templates?)(/|$)")
"""What is in a project, and is not what it offers."""
_COMPILED = re.compile(r"\.(pyx|pxd|so|pyd|c|cpp|rs)$")
_MOST_HOPS = 12
_MOST_STEPS = 2000
_PLAIN_BASES = frozenset({"object", "Protocol", "ABC", "abc.ABC", "typing.Protocol", "Generic", "typing.Generic"})


class Unknown:
    """Whether it is there cannot be said."""


class Missing:
    """It is not there."""


UNKNOWN, MISSING = Unknown(), Missing()


@dataclass(slots=True, kw_only=True)
class Project:
    """Modules by dotted name."""

    modules: dict[str, Module] = field(default_factory=dict)
    opaque: set[str] = field(default_factory=set)
    """Names of modules that are there, but not in Python that can be read."""
    own: set[str] = field(default_factory=set)
    """Top-level names that are this project's, and nobody else's."""
    folders: set[str] = field(default_factory=set)
    """Names of whatever has modules in it."""
    known: dict[str, object] = field(default_factory=dict)
    """What was found before."""
    steps: int = 0
    """Of the search under way: those it may still take."""

    def find(self, name: str) -> object:
        """A ``Module``, a ``Class``, a node, or whether it is missing or unknown."""
        if name not in self.known:
            self.steps = _MOST_STEPS
            self.known[name] = self._find(name, _MOST_HOPS)
        return self.known[name]

    def _find(self, name: str, hops: int) -> object:
        parts = name.split(".")
        self.steps -= 1
        if parts[0] not in self.own or hops < 0 or self.steps < 0:
            return UNKNOWN
        for length in range(len(parts), 0, -1):
            start = ".".join(parts[:length])
            if start in self.opaque:
                return UNKNOWN
            if start in self.modules:
                return self._inside(self.modules[start], parts[length:], hops)
        return MISSING if parts[0] in self.folders and name not in self.folders else UNKNOWN

    def _inside(self, module: Module, rest: list[str], hops: int) -> object:
        if not rest:
            return module
        name, *more = rest
        if name.startswith("__") or name not in module.names:
            return UNKNOWN if name.startswith("__") else self._from_stars(module, rest, hops)
        found = module.names[name]
        if isinstance(found, Import):
            target = f"{found.module}.{found.name}" if found.name else found.module
            if target == f"{module.name}.{name}":
                return UNKNOWN
            return self._find(".".join([target, *more]), hops - 1)
        if not more:
            return UNKNOWN if found is None else found
        return self._member(found, more[0], hops) if isinstance(found, Class) and len(more) == 1 else UNKNOWN

    def _from_stars(self, module: Module, rest: list[str], hops: int) -> object:
        """What star imports bring; where two of them bring it, which one counts is not told."""
        opened, brought = module.open, []
        for star in module.stars:
            offered = _exported(self.modules.get(star))
            found = MISSING if offered is not None and rest[0] not in offered else self._find(
                ".".join([star, *rest]), hops - 1)
            opened = opened or found is UNKNOWN
            brought += [found] if found is not UNKNOWN and found is not MISSING else []
        if brought:
            return brought[0] if len({id(one) for one in brought}) == 1 and not opened else UNKNOWN
        inner = f"{module.name}.{rest[0]}"
        if inner in self.opaque or inner in self.folders:
            return UNKNOWN
        return UNKNOWN if opened else MISSING

    def member(self, owner: Class, name: str) -> object:
        """A method or field of a class or of its bases."""
        self.steps = _MOST_STEPS
        return self._member(owner, name, _MOST_HOPS)

    def _member(self, owner: Class, name: str, hops: int) -> object:
        self.steps -= 1
        if name in owner.names:
            return owner.names[name]
        if owner.open or name.startswith("__") or hops < 0 or self.steps < 0:
            return UNKNOWN
        for base in owner.node.bases:
            said = dotted(base if not isinstance(base, ast.Subscript) else base.value)
            if said in _PLAIN_BASES:
                continue
            above = self._base(owner, said)
            found = self._member(above, name, hops - 1) if above is not None else UNKNOWN
            if found is not MISSING:
                return found
        return MISSING

    def _base(self, owner: Class, said: str) -> Class | None:
        """The class that is meant where ``owner`` names its base."""
        found = self._find(f"{owner.home}.{said}", _MOST_HOPS) if said else None
        return found if isinstance(found, Class) and found is not owner else None


def _exported(module: Module | None) -> set[str] | None:
    """What a star import takes, where the module says so in a plain list."""
    said = None if module is None else module.names.get("__all__")
    listed = said.value if isinstance(said, ast.Assign | ast.AnnAssign) else None
    if not isinstance(listed, ast.List | ast.Tuple):
        return None
    return {str(one.value) for one in listed.elts if isinstance(one, ast.Constant)}


def read_project(files: Mapping[str, bytes], known: Known | None = None) -> Project:
    """From the files of a project, by relative path; ``known`` has what was read before."""
    made, known = Project(), Known() if known is None else known
    for path, content in files.items():
        name = None if _ASIDE.match(path) else _name(path, files)
        if name is not None and path.endswith((".py", ".pyi")):
            _take(made, name, path, known.of(_reader(name, path), content, name, path))
        elif name is not None and _COMPILED.search(path):
            made.opaque.add(name)
    made.folders = {start for name in made.modules for start in _starts(name)}
    made.own = {name.partition(".")[0] for name in made.modules} - sys.stdlib_module_names
    return made


def _starts(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def _reader(name: str, path: str) -> Callable[[bytes], Module | None]:
    def module(content: bytes) -> Module | None:
        return read_module(content, name=name, path=path)

    return module


def _take(project: Project, name: str, path: str, module: Module | None) -> None:
    if module is None:
        project.opaque.add(name)
        return
    project.modules[name] = replace(module, open=module.open or name in project.modules or path.endswith(".pyi"))


def _name(path: str, files: Mapping[str, bytes]) -> str | None:
    """Under which it is imported: from above its outermost package, else from ``src``, else from the root."""
    stem = _COMPILED.sub("", path).removesuffix(".pyi").removesuffix(".py").partition(".cpython")[0]
    top = path.rpartition("/")[0]
    packaged = f"{top}/__init__.py" in files
    while top and f"{top}/__init__.py" in files:
        top = top.rpartition("/")[0]
    start = next((root for root in _ROOTS if path.startswith(root)), "") if not packaged else f"{top}/" if top else ""
    name = stem.removeprefix(start).replace("/", ".").removesuffix(".__init__")
    return name if all(part.isidentifier() for part in name.split(".")) else None
