"""Where imports go in a file, and how modules of a project name each other."""

from __future__ import annotations

import ast

from windtunnel.repair.rules.base import Part, Project, insert
from windtunnel.repair.rules.module import Module


def imported(module: Module, line: str) -> Part:
    """An import put after the others, or at the top, below what must stand first."""
    last: ast.stmt | None = None
    for number, statement in enumerate(module.tree.body):
        docstring = number == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not docstring and not isinstance(statement, (ast.Import, ast.ImportFrom)):
            break
        last = statement
    if last is None:
        return insert(module, _after_comments(module), f"{line}\n" + ("\n" if module.tree.body else ""))
    at = module.starts[min(last.end_lineno or 1, len(module.lines))]
    lead = "" if isinstance(last, (ast.Import, ast.ImportFrom)) else "\n"
    if at > len(module.text):
        return insert(module, len(module.text), f"\n{lead}{line}")
    tail = "\n" if lead and module.lines[last.end_lineno or 1].strip() else ""
    return insert(module, at, f"{lead}{line}\n{tail}")


def _after_comments(module: Module) -> int:
    """Below a line for the shell and comments that start a file."""
    number = 0
    while number < len(module.lines) and module.lines[number].startswith("#"):
        number += 1
    return module.starts[number] if number < len(module.lines) else 0


def dotted(path: str) -> str:
    """A file's name as a module."""
    parts = path.removesuffix(".pyi").removesuffix(".py").split("/")
    if parts and parts[-1] == "__init__":
        parts.pop()
    if parts and parts[0] in {"src", "lib"}:
        parts = parts[1:]
    return ".".join(parts)


def name_for(user: Module, path: str) -> str:
    """How a file would import another of its project: relative where the two share a package that does so."""
    own, other = dotted(user.path), dotted(path)
    package = own.rpartition(".")[0] if not user.path.endswith("__init__.py") else own
    relative = any(isinstance(one, ast.ImportFrom) and one.level for one in ast.walk(user.tree))
    if relative and package and other.startswith(f"{package}."):
        return "." + other.removeprefix(f"{package}.")
    return other


def definitions(project: Project, name: str, *, beside: Module) -> list[Module]:
    """Other files of the project that define a name at their top."""
    found = []
    for module in project.modules():
        if module.path == beside.path:
            continue
        for statement in module.tree.body:
            names = (
                {statement.name}
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
                else {
                    one.id
                    for target in getattr(statement, "targets", [getattr(statement, "target", None)])
                    if target is not None
                    for one in ast.walk(target)
                    if isinstance(one, ast.Name)
                }
            )
            if name in names:
                found.append(module)
                break
    return found
