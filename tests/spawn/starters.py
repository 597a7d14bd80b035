"""Finds what can start a process in Python source, by its syntax alone: a lint for honest authors, not a wall."""

import ast
import re

MODULES = re.compile(r"(subprocess|_posixsubprocess|multiprocessing|pty)(\..*)?")
CALLS = re.compile(r"os\.(fork|forkpty|exec.*|spawn.*|posix_spawnp?|system|popen)|asyncio\.create_subprocess_.*")


def starters(source):
    """Each import or call by which the source could start a process, as ``line: what``."""
    found = []
    for node in ast.walk(ast.parse(source)):
        names = sorted({name for name in imported(node) if MODULES.fullmatch(name) or CALLS.fullmatch(name)})
        reached = reached_for(node)
        found += [f"{node.lineno}: {name}" for name in (*names, *([reached] if CALLS.fullmatch(reached) else []))]
    return found


def imported(node):
    """Dotted names that an import brings in; a module that another hands on counts as itself."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        names = [alias.name for alias in node.names]
        return [node.module or "", *names, *(f"{node.module}.{name}" for name in names)]
    return []


def reached_for(node):
    """``os.fork`` and its like."""
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return f"{node.value.id}.{node.attr}" if plain else ""
