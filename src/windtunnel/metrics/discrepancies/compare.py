"""Docs, workflows and configuration against the code, without importing or running anything.

It would rather miss one than report what is right: whatever may come from where it cannot be seen is left alone.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from windtunnel.metrics.discrepancies.configuration import configuration_findings
from windtunnel.metrics.discrepancies.docstrings import docstring_findings
from windtunnel.metrics.discrepancies.finding import Discrepancy, Kind
from windtunnel.metrics.discrepancies.known import Known
from windtunnel.metrics.discrepancies.modules import Module
from windtunnel.metrics.discrepancies.options import option_findings, read_commands
from windtunnel.metrics.discrepancies.pages import is_page, read_page
from windtunnel.metrics.discrepancies.project import MISSING, Project, read_project
from windtunnel.metrics.discrepancies.symbols import page_findings
from windtunnel.metrics.steps import BARE, step
from windtunnel.metrics.workflows import Workflow

_READ = (".py", ".pyi", ".pyx", ".pxd", ".so", ".md", ".markdown", ".rst", ".toml", ".yaml", ".yml", ".ini", ".cfg",
         ".js", ".ts", ".go", ".rs", ".java", ".c", ".h", ".cpp", ".rb", ".sh", ".j2", ".html")
_ASIDE = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist", "venv", "env"})
_MOST_FILES = 20_000
_MOST_FILE = 2_000_000
_MOST_BYTES = 200_000_000
MOST_FOUND = 1000


def find_discrepancies(
    files: Mapping[str, bytes], workflows: Sequence[Workflow] = (), *, database: str = "workflows.db",
    known: Known | None = None,
) -> tuple[Discrepancy, ...]:
    """In a project's files, by relative path, and its workflows; by place, a thousand at most.

    With ``known`` from an earlier comparison, files that did not change since are not read again.
    """
    known = Known() if known is None else known
    with known.pass_over():
        return _found(files, workflows, database, known)


def _found(
    files: Mapping[str, bytes], workflows: Sequence[Workflow], database: str, known: Known,
) -> tuple[Discrepancy, ...]:
    project = read_project(files, known)
    commands = read_commands(files, project)
    found = {*configuration_findings(files, project, known), *_missing_steps(workflows, project, database)}
    pages = {path: known.of(read_page, content) for path, content in files.items() if is_page(path)}
    told: frozenset[str] = frozenset().union(*(page.told for page in pages.values()))
    for path, page in pages.items():
        found |= set(page_findings(path, page, project=project, told=told))
        found |= set(option_findings(path, page, commands)) if commands is not None else set()
    for module in project.modules.values():
        found |= {*_missing_exports(module, project), *_of_docstrings(module, files, known)}
    return tuple(sorted(found, key=lambda one: (one.path, one.line, one.kind, one.name))[:MOST_FOUND])


def _of_docstrings(module: Module, files: Mapping[str, bytes], known: Known) -> tuple[Discrepancy, ...]:
    def docstrings(_: bytes) -> tuple[Discrepancy, ...]:
        return tuple(docstring_findings(module))

    return known.of(docstrings, files[module.path], module.path)


def read_files(folder: Path) -> dict[str, bytes]:
    """What can be compared of a project's folder; links, hidden folders, environments and large files are left out."""
    found: dict[str, bytes] = {}
    total = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _ASIDE
                            and not (Path(place) / one / "pyvenv.cfg").exists())
        for path in (Path(place) / name for name in sorted(names) if name.endswith(_READ)):
            facts = path.lstat()
            if path.is_symlink() or not path.is_file() or facts.st_size > _MOST_FILE:
                continue
            total += facts.st_size
            if len(found) >= _MOST_FILES or total > _MOST_BYTES:
                return found
            try:
                found[path.relative_to(folder).as_posix()] = path.read_bytes()
            except OSError:
                continue
    return found


def _missing_steps(workflows: Sequence[Workflow], project: Project, database: str) -> Iterator[Discrepancy]:
    for workflow in workflows:
        for number, text in enumerate(workflow.steps, start=1):
            parsed = step(text)
            name = f"{parsed.module}.{parsed.function}"
            known = parsed.module != BARE or BARE in project.modules
            if parsed.kind == "call" and known and project.find(name) is MISSING:
                yield Discrepancy(kind=Kind.MISSING_STEP, path=database, line=number, name=text,
                                  message=f"step {number} of workflow {workflow.id}: {name} is not in the code")


def _missing_exports(module: Module, project: Project) -> Iterator[Discrepancy]:
    """Of an ``__all__`` that is written once, as a plain list."""
    said = module.names.get("__all__")
    if not isinstance(said, ast.Assign | ast.AnnAssign) or not isinstance(said.value, ast.List | ast.Tuple):
        return
    if module.open or module.name.partition(".")[0] not in project.own:
        return
    for one in said.value.elts:
        name = one.value if isinstance(one, ast.Constant) else None
        if isinstance(name, str) and name not in module.names and project.find(f"{module.name}.{name}") is MISSING:
            yield Discrepancy(kind=Kind.MISSING_EXPORT, path=module.path, line=one.lineno, name=name,
                              message=f"__all__ names {name!r}, which the module does not have")
