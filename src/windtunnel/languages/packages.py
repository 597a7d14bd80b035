"""Languages that other installed packages bring."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from windtunnel.core.errors import UsageError
from windtunnel.core.language import Language


def languages(group: str) -> Iterator[Language]:
    """One ``Language`` for each entry point of the group; a package that brings anything else is named."""
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        yield load(point)


def load(point: EntryPoint) -> Language:
    """The constant that the entry point names."""
    owner = point.dist.name if point.dist else "the package that has it"
    remedy = f"(upgrade or uninstall {owner})"
    try:
        value = point.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(f"entry point {point.name!r}: cannot load {point.value!r}: {error} {remedy}") from error
    if not isinstance(value, Language):
        raise UsageError(f"entry point {point.name!r}: {point.value!r} is not a Language {remedy}")
    return value
