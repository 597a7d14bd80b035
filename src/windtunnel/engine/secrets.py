"""Secrets that one step of a trial is given, kept out of everything that is told of it.

Masked: the value as it is, in base64 (at any offset), in hexadecimal, percent-encoded and reversed, in output,
messages and notes, also where it came out in several writes. Not masked: any other encoding a program makes up,
and parts shorter than the whole. Values shorter than six characters are refused: masking them would tear up the text.
"""

from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from windtunnel.core.errors import UsageError

MASK = "********"
_LEAST = 6
_T = TypeVar("_T")


def check_secrets(secrets: Mapping[str, str]) -> dict[str, str]:
    """Names and values that can be given and masked."""
    for name, value in secrets.items():
        if not isinstance(value, str) or len(value) < _LEAST or "\0" in value:
            raise UsageError(f"secrets: the value of {name} is shorter than {_LEAST} characters, or no text",
                             field="secrets")
    return dict(secrets)


def forms(value: str) -> set[str]:
    """The spellings of a secret that are masked."""
    data = value.encode()
    spelled = {value, value[::-1], data.hex(), data.hex().upper(), urllib.parse.quote(value, safe=""),
               json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    for shift in range(3):
        # Three neighbours in a base64 text depend on what stands before; the middle part is always the same.
        coded = base64.b64encode(b"\0" * shift + data).decode()
        start = (0, 2, 3)[shift]
        whole = coded[start:len(coded) - (0 if (len(data) + shift) % 3 == 0 else 4)] or coded.rstrip("=")
        spelled |= {whole, whole.replace("+", "-").replace("/", "_")}
    spelled |= {base64.b64encode(data).decode(), base64.b64encode(data).decode().rstrip("=")}
    return {form for form in spelled if len(form) >= _LEAST}


class Mask:
    """Replaces every spelling of every secret, longest first."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """Know them."""
        every = {form for value in secrets.values() for form in forms(value)}
        self._forms = sorted(every, key=len, reverse=True)

    def __call__(self, value: _T) -> _T:
        """The same value with its texts masked, down to the last field."""
        masked: _T = self._masked(value) if self._forms else value
        return masked

    def _masked(self, value: Any) -> Any:  # noqa: ANN401 -- any core value
        if type(value) is str:
            for form in self._forms:
                value = value.replace(form, MASK)
            return value
        if isinstance(value, tuple):
            return tuple(self._masked(part) for part in value)
        if isinstance(value, Mapping):
            return {self._masked(key): self._masked(part) for key, part in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{field.name: self._masked(getattr(value, field.name))
                                     for field in fields(value) if field.init})
        return value
