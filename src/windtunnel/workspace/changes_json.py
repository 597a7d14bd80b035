"""Changes written down as JSON."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from windtunnel.core.change import FileChange, Operation
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.workspace.paths import shown

_MOST_BYTES = 256 * MIB
_NAMES = {"path": "path", "relative_path": "path", "operation": "operation", "content": "content",
          "new_content": "content", "mode": "mode"}
_MODE = re.compile(r"(0o|0|100)?[0-7]{3}")


def read_changes_json(data: bytes) -> tuple[FileChange, ...]:
    """``[{"path", "operation", "content", "mode"}]`` or that list under ``changes``; still to be checked.

    ``relative_path`` and ``new_content`` are other names for ``path`` and ``content``. A mode is text in octal
    (``"0755"``) or a number. Unknown, doubled or mistyped keys are refused by name.
    """
    if len(data) > _MOST_BYTES:
        raise _wrong(f"{len(data)} bytes; at most {_MOST_BYTES} are read")
    try:
        told = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_constant)
    except UnicodeDecodeError as error:
        raise _wrong(f"not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise _wrong("nested too deeply") from error
    except json.JSONDecodeError as error:
        raise _wrong(f"not JSON: {error}") from error
    return tuple(_change(row, where=f"changes[{number}]") for number, row in enumerate(_rows(told)))


def _wrong(why: str) -> UsageError:
    return UsageError(f"changes: {why}", field="changes")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    doubled = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
    if doubled is not None:
        raise _wrong(f"the key {shown(doubled)} stands twice in one object")
    return dict(pairs)


def _constant(name: str) -> None:
    raise _wrong(f"{name} is not JSON")


def _rows(told: object) -> list[Any]:
    if isinstance(told, dict):
        unknown = next((key for key in told if key != "changes"), None)
        if unknown is not None:
            raise _wrong(f"unknown key {shown(unknown)} beside the list (try changes)")
        told = told.get("changes")
    if not isinstance(told, list):
        raise _wrong('a list of changes is needed, or {"changes": [...]}')
    return told


def _change(row: object, *, where: str) -> FileChange:
    if not isinstance(row, dict):
        raise _wrong(f"{where}: an object is needed, not {shown(row)}")
    told: dict[str, object] = {}
    for key, value in row.items():
        name = _NAMES.get(key)
        if name is None:
            raise _wrong(f"{where}: unknown key {shown(key)} (try path, operation, content, mode)")
        if name in told:
            raise _wrong(f"{where}: {shown(key)} is given twice, under two names")
        told[name] = value
    for name in ("path", "operation"):
        if not isinstance(told.get(name), str):
            raise _wrong(f"{where}: {name} must be text, and is {shown(told.get(name))}")
    content = told.get("content")
    if content is not None and not isinstance(content, str):
        raise _wrong(f"{where}: content must be text or null, and is {shown(content)}")
    return FileChange(str(told["path"]), cast("Operation", told["operation"]), content, _mode(told.get("mode"), where))


def _mode(told: object, where: str) -> int | None:
    if told is None or (isinstance(told, int) and not isinstance(told, bool)):
        return told
    if isinstance(told, str) and _MODE.fullmatch(told):
        return int(told[-3:], 8)
    raise _wrong(f'{where}: mode must be octal text such as "0644" or "0755", and is {shown(told)}')
