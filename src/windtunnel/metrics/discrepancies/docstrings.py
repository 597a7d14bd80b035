"""Parameters that a docstring tells of and the function has not: in the styles of Google, NumPy and Sphinx."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.metrics.discrepancies.finding import Discrepancy, Kind
from windtunnel.metrics.discrepancies.modules import Class, Function, Module
from windtunnel.metrics.discrepancies.signatures import Signature, signature_of

_SPHINX = re.compile(r"^ *:(?:param|parameter|arg|argument|key|keyword) ([^:\n]+):", re.MULTILINE)
_WORD = re.compile(r"\*{0,2}[A-Za-z_]\w*")
_GOOGLE = re.compile(r"^( *)(?:Args|Arguments|Parameters|Keyword Args|Keyword Arguments):[ ]*$")
_ENTRY = re.compile(r"(\*{0,2}[a-z_]\w*)(?: ?\([^)]*\))?: \S|(\*{0,2}[a-z_]\w*)(?: ?\([^)]*\))?:$")
_NUMPY = re.compile(r"^( *)(?:Parameters|Other Parameters)\s*$")
_NUMPY_ENTRY = re.compile(r"(\*{0,2}[A-Za-z_]\w*(?:, ?\*{0,2}[A-Za-z_]\w*)*)(?: *:[ ]*\S.*)?")
_NO_NAMES = frozenset({"note", "notes", "returns", "return", "raises", "yields", "example", "examples", "default",
                       "defaults", "warning", "see", "todo", "none", "e.g"})


def docstring_findings(module: Module) -> Iterator[Discrepancy]:
    """Of one module: its functions, its methods, and its classes by their ``__init__``."""
    for node in module.functions:
        yield from _told(module, node, node)
    for owner in module.names.values():
        made = owner.names.get("__init__") if isinstance(owner, Class) else None
        if isinstance(owner, Class) and isinstance(made, Function) and not owner.node.bases:
            yield from _told(module, owner.node, made)


def _told(module: Module, node: Function | ast.ClassDef, function: Function) -> Iterator[Discrepancy]:
    text = ast.get_docstring(node, clean=True)
    signature = signature_of(function, bound=False) if text else None
    if not text or signature is None or _takes_anything(signature):
        return
    known = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    for name in dict.fromkeys(_names(text)):
        if name not in known:
            yield Discrepancy(
                kind=Kind.UNKNOWN_PARAMETER, path=module.path, line=node.lineno, name=f"{node.name}.{name}",
                message=f"the docstring of {node.name} tells of {name!r}, which it does not take")


def _takes_anything(signature: Signature) -> bool:
    return signature.any_named or signature.any_positional


def _names(text: str) -> Iterator[str]:
    for said in _SPHINX.findall(text):
        last = said.split()[-1:] or [""]
        if _WORD.fullmatch(last[0]):
            yield last[0].lstrip("*")
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if google := _GOOGLE.match(line):
            yield from _google(lines[number + 1:], len(google[1]))
        elif (numpy := _NUMPY.match(line)) and number + 1 < len(lines) and re.fullmatch(r"\s*-{3,}", lines[number + 1]):
            yield from _numpy(lines[number + 2:], len(numpy[1]))


def _google(lines: list[str], indent: int) -> Iterator[str]:
    """Entries on the first indentation of the section; anything that is not indented ends it."""
    first = None
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth <= indent:
            return
        first = depth if first is None and line.strip() else first
        found = _ENTRY.match(line.strip()) if line.strip() and depth == first else None
        name = (found[1] or found[2]).lstrip("*") if found else ""
        if name and name not in _NO_NAMES:
            yield name


def _numpy(lines: list[str], indent: int) -> Iterator[str]:
    """Entries that stand as far left as the heading, up to the next heading; prose among them ends it."""
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if re.fullmatch(r"\s*-{3,}", following):
            return
        if not line.strip() or len(line) - len(line.lstrip()) > indent:
            continue
        found = _NUMPY_ENTRY.fullmatch(line.strip())
        if found is None:
            return
        names = [name.strip().lstrip("*") for name in found[1].split(",")]
        yield from (name for name in names if name.lower() not in _NO_NAMES)
