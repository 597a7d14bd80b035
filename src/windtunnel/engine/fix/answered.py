"""A diff in a model's answer, as whole new texts of files that may be touched; anything else is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from windtunnel.core.errors import UsageError
from windtunnel.workspace.fitting import fit
from windtunnel.workspace.hunks import Misfit
from windtunnel.workspace.patch_parts import read_parts

FENCE = re.compile(r"^```[\w-]*\s*$", re.MULTILINE)


def diff_in(text: str) -> str | None:
    """The unified diff in an answer, without the words and fences around it; None where there is none."""
    start = re.search(r"^(?:diff --git |--- )", text, re.MULTILINE)
    if start is None:
        return None
    body = FENCE.split(text[start.start():])[0]
    return body if body.endswith("\n") else f"{body}\n"


def texts_of(body: str, *, paths: Collection[str], read: Callable[[str], str | None]) -> dict[str, str]:
    """By path; ``UsageError`` where it touches another file, makes, removes or moves one, or does not fit."""
    try:
        parts, _ = read_parts(body.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError as failure:
        raise UsageError("its diff has signs that no text has") from failure
    texts = dict[str, str]()
    for part in parts:
        path = next((name for name in (part.new, part.new.partition("/")[2]) if name in paths), None)
        text = texts.get(path or "") or read(path or "")
        if path is None or text is None or part.created or part.deleted or part.moved:
            raise UsageError(f"its diff touches what may not be touched: {part.name[:100]!r}")
        try:
            fitted, _ = fit(text.encode("utf-8", "surrogateescape"), part.hunks)
        except Misfit as misfit:
            raise UsageError(f"its diff does not fit {path}") from misfit
        texts[path] = fitted.decode("utf-8", "replace")
    if not texts:
        raise UsageError("its diff changes nothing")
    return texts
