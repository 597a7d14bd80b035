"""A request as conditions see it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from windtunnel.core.limits import Limits
from windtunnel.core.policy import LIMIT_NAMES, Request, asked
from windtunnel.policy.binding import binding
from windtunnel.policy.glob import joined

if TYPE_CHECKING:
    import cel

LISTS = frozenset({"roles", "paths", "languages", "hosts", "commands"})
_TEXT_STEP = 256
_DEFAULTS = Limits()


def _network(request: Request) -> str:
    return "host" if request.network.host else "hosts" if request.network.allow_hosts else "none"


def _limit(name: str) -> Callable[[Request], object]:
    return lambda request: asked(request.limits or _DEFAULTS, name)


VALUES: Mapping[str, Callable[[Request], object]] = {
    "verb": attrgetter("verb"),
    "actor": attrgetter("actor"),
    "roles": attrgetter("roles"),
    "project": attrgetter("project"),
    "paths": attrgetter("paths"),
    "languages": attrgetter("languages"),
    "level": lambda request: "" if request.level is None else str(request.level),
    "network": _network,
    "hosts": attrgetter("network.allow_hosts"),
    "change_files": attrgetter("change_files"),
    "change_lines": attrgetter("change_lines"),
    "risk": attrgetter("risk"),
    "commands": attrgetter("commands"),
    **{f"limits.{name}": _limit(name) for name in LIMIT_NAMES},
}
"""What a condition may ask of ``request``, by name."""


def variable(name: str) -> str:
    """What a field is called in a compiled condition."""
    return f"request_{name.replace('.', '_')}"


_VARIABLES = {name: variable(name) for name in VALUES}
_BITS = {name: 1 << at for at, name in enumerate(VALUES)}


def mask_of(names: Iterable[str]) -> int:
    """Some fields as one number."""
    return sum(_BITS[name] for name in set(names))


class _Held(threading.local):
    """What the conditions of this thread were given last.

    Turning a text over to them costs more than most conditions do, and most fields of a request are those of the one
    before; so only what is another value is turned over anew.
    """

    context: cel.Context | None = None
    values: dict[str, object]


_HELD = _Held()


class Facts:
    """One request, turned over to the conditions field by field, when the first of them asks for it.

    For use in one thread, and until the next is made there.
    """

    __slots__ = ("context", "given", "most_items", "paths", "request", "size", "usual")

    def __init__(self, request: Request) -> None:
        """Nothing is turned over yet."""
        self.request = request
        self.paths = joined(request.paths)
        self.size, self.usual = _size(request, self.paths)
        """Also whether all its texts are texts, and of whole letters, so that no condition can fail by them."""
        self.most_items = self.size
        """The size up to which conditions are tried."""
        self.given = 0
        """The fields that were turned over, as a mask."""
        self.context: cel.Context | None = None
        """What conditions run on."""

    def give(self, names: Iterable[str]) -> None:
        """Turn these fields over; a ValueError for a text that is none, such as one of broken letters."""
        context = self.context = _HELD.context
        if context is None:
            context, _HELD.values = binding().Context(), {}
            self.context = _HELD.context = context
        held, request = _HELD.values, self.request
        for name in names:
            value = VALUES[name](request)
            if held.get(name) != value:
                held.pop(name, None)  # should turning it over fail, the old value must not count as the new one
                context.add_variable(_VARIABLES[name], list(value) if isinstance(value, tuple) else value)
                held[name] = value
            self.given |= _BITS[name]


def _size(request: Request, paths: str) -> tuple[int, bool]:
    """The items of its longest list, where a long text counts as one for each 256 letters; whether it is usual."""
    network, most = request.network, len(request.paths)
    letters, usual = len(paths) + len(request.actor) + len(request.project), _whole(paths)
    for texts in (request.commands, request.roles, request.languages, network.allow_hosts):
        if texts:
            text = _joined(texts)
            letters += sum(map(len, texts)) if text is None else len(text)
            usual = usual and text is not None and (text.isascii() or _whole(text))
            most = max(most, len(texts))
    usual = usual and _whole(request.actor) and _whole(request.project)
    return max(most, letters // _TEXT_STEP), usual


def _joined(texts: Sequence[str]) -> str | None:
    """All of them as one; none where one is no text."""
    try:
        return "".join(texts)
    except TypeError:
        return None


def _whole(text: str) -> bool:
    """Whether it can be turned over; one that is all ASCII is known to be so without a look at its letters."""
    if not isinstance(text, str):
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
