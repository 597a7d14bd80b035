"""Where a database is, with what is secret of it: said only to the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from urllib.parse import SplitResult

SCHEMES = ("postgresql", "postgres")
_MOST_TEXT = 2048


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """``postgresql://user:password@host:port/database?option=value``, checked at birth.

    As text, in a message or a traceback it has neither user nor password nor options.
    """

    secret: str = field(repr=False)
    """The whole of it."""

    def __post_init__(self) -> None:
        """Refuse what is none, without repeating it."""
        text = self.secret
        whole = isinstance(text, str) and len(text) <= _MOST_TEXT and text.isascii() and text.isprintable()
        try:
            parts = _parts(text if whole else "")
            right = parts.scheme in SCHEMES and text.startswith(f"{parts.scheme}://") and (parts.port or 1) > 0
        except ValueError:
            right = False
        if not right:
            raise UsageError("not the address of a database (try postgresql://user@host/database)")

    def __str__(self) -> str:
        """As it may be told to anybody."""
        parts = _parts(self.secret)
        port = f":{parts.port}" if parts.port else ""
        return f"postgresql://{parts.hostname or ''}{port}{parts.path}"

    def masked(self, text: str) -> str:
        """A text of others with nothing secret of this address in it."""
        from urllib.parse import parse_qsl, unquote  # noqa: PLC0415 -- few have a server

        parts = _parts(self.secret)
        found = [parts.password or "", *(value for name, value in parse_qsl(parts.query) if "password" in name)]
        for secret in sorted({form for one in found for form in (one, unquote(one)) if form}, key=len, reverse=True):
            text = text.replace(secret, "***")
        return text


def _parts(text: str) -> SplitResult:
    from urllib.parse import urlsplit  # noqa: PLC0415 -- few have a server

    return urlsplit(text)
