"""Anchors for headings of a page."""

import re


def slug(text: str) -> str:
    """Lower case letters and digits with single dashes between, none at either end."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def anchors(headings: list[str]) -> list[str]:
    """One for each heading; the second of the same gets ``-1``, the third ``-2``."""
    seen: dict[str, int] = {}
    result = []
    for heading in headings:
        name = slug(heading)
        count = seen.get(name, 0)
        seen[name] = count + 1
        result.append(f"{name}-{count}" if count else name)
    return result
