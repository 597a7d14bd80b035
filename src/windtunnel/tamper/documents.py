"""Whether the documents of a project name a value: then it is a rule that somebody wrote down, not a test's sample."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_DOCUMENTS = re.compile(r"(?:\.(?:md|rst|txt|adoc)|(?:^|/)(?:README|CHANGELOG|CHANGES|NEWS)[^/]*)$", re.IGNORECASE)
MOST_BYTES = 2_000_000
"""Of all documents together."""
LEAST = 2
"""Characters of a text that are not met everywhere."""
SMALL = 12
"""Numbers up to here are met everywhere."""


class Documents:
    """Looks values up in the documents of the unchanged project."""

    def __init__(self, files: Callable[[], Mapping[str, bytes]] | None) -> None:
        """The files are asked for once, and only when something is looked up; without them nothing is named."""
        self._files = files
        self._text: str | None = None

    def name(self, value: object) -> bool:
        """Whether the value stands in a document as a word of its own."""
        text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
        small = isinstance(value, int | float) and abs(value) <= SMALL
        if small or len(text.strip()) < LEAST:
            return False
        return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self._read(), re.IGNORECASE) is not None

    def _read(self) -> str:
        if self._text is None:
            files = self._files() if self._files is not None else {}
            found = b"\n".join(data for path, data in sorted(files.items()) if _DOCUMENTS.search(path))
            self._text = found[:MOST_BYTES].decode("utf-8", "replace")
        return self._text
