"""Whether a value stands anywhere in the unchanged project besides its tests: in code, documents, data or settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

MOST_BYTES = 6_000_000
"""What is searched of all files together; beyond it a value counts as not looked for."""
LEAST = 3
"""Characters of a text, or digits of a number, that are not met everywhere by chance."""

Files = Callable[[], Mapping[str, bytes]]
"""The files of the unchanged project that are no tests, by path; asked once, and only when something is looked for."""


class Mentions:
    """Looks values up in the files of a project."""

    def __init__(self, files: Files | None) -> None:
        """Without files nothing can be said."""
        self._files, self._read = files, dict[str, bytes]()
        self._asked = dict[str, str | None]()

    def where(self, value: object) -> str | None:
        """A file that holds it, empty where none does; None where that cannot be said."""
        text = value if isinstance(value, str) else repr(value)
        if self._files is None or len(text.strip("-. '\"")) < LEAST + isinstance(value, int | float):
            return None
        if text not in self._asked:
            self._asked[text] = self._search(text)
        return self._asked[text]

    def _search(self, text: str) -> str | None:
        if not self._read and self._files is not None:
            self._read = dict(self._files())
        forms = {text, text.lower(), text.encode("unicode_escape").decode("ascii")}
        wanted = re.compile(rb"(?<!\w)(?:%b)(?!\w)" % b"|".join(re.escape(each.encode()) for each in sorted(forms)))
        left = MOST_BYTES
        for path, data in self._read.items():
            left -= len(data)
            if left < 0:
                return None
            if wanted.search(data):
                return path
        return ""
