"""What became of given inputs that nobody could use: said, so that whoever gave them need not guess."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windtunnel.core.section import Called, Stubs

_MOST_REMARKS, _MOST_WORDS = 20, 100


def remarks_of(called: Sequence[Called], stubs: Stubs | None) -> tuple[str, ...]:
    """Each once: plugins that failed, parameters that there are not, stubs that fit no section."""
    found = list(dict.fromkeys((*_unused(called, stubs or Stubs()), *(text for one in called for text in one.remarks))))
    more = (f"{len(found) - _MOST_REMARKS} more remarks on stubs",) if len(found) > _MOST_REMARKS else ()
    return (*found[:_MOST_REMARKS], *more)


def _unused(called: Sequence[Called], stubs: Stubs) -> Iterator[str]:
    unfit = [one.unfit for one in called if one.tries]
    for at, stub in enumerate(stubs.everywhere) if unfit else ():
        if all(at in some for some in unfit):
            yield f"the stub {str(dict(stub))[:_MOST_WORDS]} fits no section: none has all of its parameters"
    names = {name for one in called for name in (one.section.id, one.section.name, one.section.name.rpartition(".")[2])}
    for name in stubs.by_section:
        if name not in names:
            yield f"the stubs for {name[:_MOST_WORDS]!r} fit no section: none has that name"
