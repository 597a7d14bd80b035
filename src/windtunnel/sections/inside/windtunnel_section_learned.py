"""What is known of a project besides one section: given inputs, calls in its files, ways to make its objects."""

from __future__ import annotations

import time
from typing import Any, Dict, Iterator, List

import windtunnel_section_forks as forks  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_drawn import plugged  # type: ignore[import-not-found]  # the same
from windtunnel_section_mine import Index  # type: ignore[import-not-found]  # the same
from windtunnel_section_target import Inputs, Target  # type: ignore[import-not-found]  # the same
from windtunnel_section_trace import PLACE  # type: ignore[import-not-found]  # the same

PLUGIN_SECONDS, MOST_MAKERS, MOST_REMARKS, MOST_WORDS = 10.0, 6, 50, 200


class Learned:
    """What is known of a project besides one section."""

    def __init__(self, order: Dict[str, Any]) -> None:
        """Given inputs come with the order."""
        self.order = order
        self.makers: Dict[str, List[str]] = {}
        self.index: Any = None
        self.remarks: List[str] = []
        """On what was given and could not be used."""
        self.unfit: List[int] = []

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
        everywhere = stubs.get("everywhere", [])
        self.unfit = [at for at, one in enumerate(everywhere) if not (further or set(one) <= names)]
        rows = [*own, *(one for at, one in enumerate(everywhere) if at not in self.unfit)]
        texts = [[[key, repr(value)] for key, value in stub.items()] for stub in rows]
        context = {"target": name, "module": target.module.__name__, "parameters": sorted(names)}
        texts += self._plugged(rows, context)
        for row in texts:
            self.remarks += [] if further else [
                "a stub for " + target.row["id"] + " names " + repr(str(key))[:60] + ", which is no parameter of it"
                for key, _ in row if key not in names and key != "."]
            yield tuple((str(key) if key in names else "**" + str(key), str(text)) for key, text in row)
        for inputs in (self.order.get("recorded") or {}).get(target.row["id"], []):
            yield tuple(map(tuple, inputs))

    def _plugged(self, rows: List[Dict[str, Any]], context: Dict[str, Any]) -> List[Any]:
        """What the plugins make of the stubs; one that fails is told of."""
        plugins = list(self.order.get("plugins") or [])
        left: Dict[str, str] = dict.fromkeys(plugins, "its turn did not come")
        found: List[Any] = []
        until = time.monotonic() + PLUGIN_SECONDS
        for name, told, why in forks.each(plugins, lambda one: _made(one, rows, context), seconds=2.0, until=until):
            left[name] = why or (told if isinstance(told, str) else "")
            found += told if isinstance(told, list) else []
        self.remarks += ["stub plugin " + name + ": " + why for name, why in left.items() if why]
        return found


def _made(name: str, rows: List[Dict[str, Any]], context: Dict[str, Any]) -> Any:
    """What it adds, or a word on what it raised."""
    try:
        return plugged(name, rows, context)
    except BaseException as error:
        return ("raised " + type(error).__name__ + ": " + str(error))[:MOST_WORDS]
