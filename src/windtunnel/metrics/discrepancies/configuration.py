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
from collections.abc import Iterator, Mapping

from windtunnel.metrics.discrepancies.finding import Discrepancy, Kind
from windtunnel.metrics.discrepancies.project import Project

_CODE = re.compile(r"\.(pyi?|js|ts|go|rs|java|c|h|cpp|rb|sh|j2|html)$")
_KEY = re.compile(r"[A-Za-z][\w-]*")
_TOOLS = re.compile(r"(^|/)(\.|pyproject\.toml|setup\.cfg|[a-z]*lock|tox\.ini|pytest\.ini|mypy\.ini|ruff\.toml|mkdocs"
                    r"|docker|compose|Cargo\.toml|tests?/|templates?/|examples?/|docs?/|benchmarks?/)", re.IGNORECASE)
_MOST_BYTES = 500_000
_MOST_DEPTH = 8
_MOST_DEAD = 100


def configuration_findings(files: Mapping[str, bytes], project: Project) -> Iterator[Discrepancy]:
    """Of all files that are the project's own configuration."""
    code = "\n".join(content.decode("utf-8", "replace") for path, content in files.items() if _CODE.search(path))
    words = {word.replace("-", "_").lower() for word in re.findall(r"[A-Za-z][\w-]*", code)}
    for path, content in files.items():
        table = _own(path, content, code, project)
        if table is not None:
            text = content.decode("utf-8", "replace").splitlines()
            yield from itertools.islice(_dead(path, table, words, text, 0), _MOST_DEAD)


def _own(path: str, content: bytes, code: str, project: Project) -> dict[str, object] | None:
    name = path.rpartition("/")[2]
    if len(content) > _MOST_BYTES:
        return None
    if path == "pyproject.toml":
        tools = _read(path, content).get("tool")
        own = [tools[one] for one in sorted(project.own) if one in tools] if isinstance(tools, dict) else []
        return own[0] if own and isinstance(own[0], dict) else None
    if _TOOLS.search(path) or not name.endswith((".toml", ".yaml", ".yml", ".ini", ".cfg")):
        return None
    return _read(path, content) if f'{name}"' in code or f"{name}'" in code else None


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
