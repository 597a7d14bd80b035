"""Keys of the project's own configuration that stand nowhere in its code.

A file is the project's own where its name is written in the code, a table of ``pyproject.toml`` where it is
``[tool.<project>]``. A key is dead only where another one of the same table is read: else the table may hold data, and
nobody names its keys.
"""

from __future__ import annotations

import configparser
import itertools
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from windtunnel.metrics.discrepancies.finding import Discrepancy, Kind
from windtunnel.metrics.discrepancies.known import Known
from windtunnel.metrics.discrepancies.project import Project

_CODE = re.compile(r"\.(pyi?|js|ts|go|rs|java|c|h|cpp|rb|sh|j2|html)$")
_KEY = re.compile(r"[A-Za-z][\w-]*")
_TOOLS = re.compile(r"(^|/)(\.|pyproject\.toml|setup\.cfg|[a-z]*lock|tox\.ini|pytest\.ini|mypy\.ini|ruff\.toml|mkdocs"
                    r"|docker|compose|Cargo\.toml|tests?/|templates?/|examples?/|docs?/|benchmarks?/)", re.IGNORECASE)
_NAMED = re.compile(r"\.(?:toml|yaml|yml|ini|cfg)[\"']")
_MOST_NAME = 255
_MOST_BYTES = 500_000
_MOST_DEPTH = 8
_MOST_DEAD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a file of code says of configuration."""

    words: frozenset[str]
    files: frozenset[str]
    """What ends as a file of configuration does, before a quote; with all that a file's name can be long."""


def said(content: bytes) -> Said:
    """Of one file of code."""
    text = content.decode("utf-8", "replace")
    return Said(words=frozenset(word.replace("-", "_").lower() for word in _KEY.findall(text)),
                files=frozenset(text[max(0, found.end() - 1 - _MOST_NAME):found.end() - 1]
                                for found in _NAMED.finditer(text)))


def configuration_findings(
    files: Mapping[str, bytes], project: Project, known: Known | None = None,
) -> Iterator[Discrepancy]:
    """Of all files that are the project's own configuration; ``known`` has what was read before."""
    known = Known() if known is None else known
    code = [known.of(said, content) for path, content in files.items() if _CODE.search(path)]
    words = set().union(*(one.words for one in code))
    names = set().union(*(one.files for one in code))
    for path, content in files.items():
        table = _own(path, content, names, project)
        if table is not None:
            text = content.decode("utf-8", "replace").splitlines()
            yield from itertools.islice(_dead(path, table, words, text, 0), _MOST_DEAD)


def _own(path: str, content: bytes, named: Collection[str], project: Project) -> dict[str, object] | None:
    name = path.rpartition("/")[2]
    if len(content) > _MOST_BYTES:
        return None
    if path == "pyproject.toml":
        tools = _read(path, content).get("tool")
        own = [tools[one] for one in sorted(project.own) if one in tools] if isinstance(tools, dict) else []
        return own[0] if own and isinstance(own[0], dict) else None
    if _TOOLS.search(path) or not name.endswith((".toml", ".yaml", ".yml", ".ini", ".cfg")):
        return None
    return _read(path, content) if any(one.endswith(name) for one in named) else None


def _read(path: str, content: bytes) -> dict[str, object]:
    """Its tables; empty where it cannot be read."""
    text = content.decode("utf-8", "replace")
    try:
        if path.endswith(".toml"):
            return tomllib.loads(text)
        if path.endswith((".yaml", ".yml")):
            return _yaml(text)
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.read_string(text)
    except (ValueError, configparser.Error, RecursionError):
        return {}
    return {section: dict(parser[section]) for section in parser.sections()}


def _yaml(text: str) -> dict[str, object]:
    """Plain data alone; what refers to other places in the file is not read, since it may grow without end."""
    import yaml  # noqa: PLC0415 -- most projects have none

    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            return {}
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        return {}
    return found if isinstance(found, dict) else {}


def _dead(
    path: str, table: Mapping[str, object], words: set[str], text: list[str], depth: int,
) -> Iterator[Discrepancy]:
    keys = [key for key in table if isinstance(key, str) and _KEY.fullmatch(key)]
    read = {key for key in keys if key.replace("-", "_").lower() in words}
    for key in keys:
        value = table[key]
        if key not in read and read:
            line = next((number for number, one in enumerate(text, 1) if re.match(
                rf"\s*(\[.*\b)?[\"']?{re.escape(key)}\b", one)), 1)
            yield Discrepancy(kind=Kind.DEAD_CONFIGURATION, path=path, line=line, name=key,
                              message=f"nothing in the code reads {key}")
        elif isinstance(value, dict) and depth < _MOST_DEPTH:
            yield from _dead(path, value, words, text, depth + 1)
