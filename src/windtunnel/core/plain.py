"""Core values as plain JSON."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime

from windtunnel.core.result import ExecutionResult


def plain(value: object) -> object:
    """For ``json.dumps(default=)``: a data class becomes its fields, a time its ISO form, anything else its text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def plain_result(result: ExecutionResult) -> dict[str, object]:
    """A result with its derived fields; output as text, and as base64 too where the text would lose bytes."""
    told: dict[str, object] = {
        name: getattr(result, name) for name in (
            "id", "success", "exit_code", "reason", "stdout", "stderr", "execution_time", "timeout", "error_message",
            "language", "timestamp", "level", "warm", "limits", "usage", "effects", "stages", "enforced",
            "stdout_dropped", "stderr_dropped", "profile")}
    for name, data in (("stdout", result.stdout_bytes), ("stderr", result.stderr_bytes)):
        if str(told[name]).encode("utf-8", "replace") != data:
            told[f"{name}_base64"] = base64.b64encode(data).decode()
    return told
