"""What is known of a project besides one section: given inputs, calls in its files, ways to make its objects."""

from __future__ import annotations

import time
from typing import Any, Dict, Iterator, List

import windtunnel_section_forks as forks  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_drawn import plugged  # type: ignore[import-not-found]  # the same
from windtunnel_section_mine import Index  # type: ignore[import-not-found]  # the same
from windtunnel_section_target import Inputs, Target  # type: ignore[import-not-found]  # the same
from windtunnel_section_trace import PLACE  # type: ignore[import-not-found]  # the same

PLUGIN_SECONDS, MOST_MAKERS = 10.0, 6


class Learned:
    """What is known of a project besides one section."""

    def __init__(self, order: Dict[str, Any]) -> None:
        """Given inputs come with the order."""
        self.order = order
        self.makers: Dict[str, List[str]] = {}
        self.index: Any = None

    def read(self) -> None:
        """Calls in the project's files; once, by the process that all copies come of."""
        if self.index is None:
            self.index = Index(PLACE)

    def learn(self, told: Dict[str, Any]) -> None:
        """Ways to make objects, from what a section returned."""
        for place, text in told.get("makers", []):
            some = self.makers.setdefault(str(place), [])
            if len(some) < MOST_MAKERS and text not in some:
                some.append(str(text))

    def given(self, target: Target) -> Iterator[Inputs]:
        """Stubs for this section, then what history has of it."""
        stubs, name = self.order.get("stubs") or {}, target.row["name"]
        names = {one.name for one in target.parameters}
        further = any(one.kind is one.VAR_KEYWORD for one in target.parameters)
        by_section = stubs.get("by_section", {})
        own = [stub for key in (target.row["id"], name, target.name) for stub in by_section.get(key, [])]
        rows = [*own, *(one for one in stubs.get("everywhere", []) if further or set(one) <= names)]
        texts = [[[key, repr(value)] for key, value in stub.items()] for stub in rows]
        context = {"target": name, "module": target.module.__name__, "parameters": sorted(names)}
        until = time.monotonic() + PLUGIN_SECONDS
        plugins = list(self.order.get("plugins") or [])
        for _, told, _ in forks.each(plugins, lambda one: plugged(one, rows, context), seconds=2.0, until=until):
            texts += told if isinstance(told, list) else []
        for row in texts:
            yield tuple((str(key) if key in names else "**" + str(key), str(text)) for key, text in row)
        for inputs in (self.order.get("recorded") or {}).get(target.row["id"], []):
            yield tuple(map(tuple, inputs))
