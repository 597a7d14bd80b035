"""Where the workload spends its time: the share of each function of the project, with all that it calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from windtunnel.core.tool import OWN, PLACE, REPORT, Invocation
from windtunnel.engine.improve.stand import Stand
from windtunnel.languages.profiling import stacks

_PROFILE, _PROFILER = "profile", "profiler"
_FRAME = re.compile(r"(?P<name>.+) \((?P<path>[^()]+):(?P<line>\d+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Of the time of the workload, by file and first line of a function; empty where nothing could be sampled."""

    shares: Mapping[tuple[str, int], float] = field(default_factory=dict)
    own: Mapping[tuple[str, int], float] = field(default_factory=dict)
    """The same, of the time in which no other function of the project was on the stack above it."""

    def of(self, path: str, *, first: int, last: int) -> float:
        """The greatest share of a function that begins on these lines."""
        return max((share for (file, line), share in self.shares.items()
                    if file == path and first <= line <= last), default=0.0)

    def own_of(self, path: str, *, first: int, last: int) -> float:
        """Of the functions that begin on these lines, all together, without what they call of the project."""
        return sum(share for (file, line), share in self.own.items() if file == path and first <= line <= last)


def shares(stand: Stand, texts: Mapping[str, str]) -> Shares:
    """Sample one run of the workload; nothing where it is no file that Python runs."""
    command, language = stand.python, stand.rig.languages.get("python")
    if command is None or command[0] == "-m" or language.read_profile is None:
        return Shares()
    argv = ("python", f"{OWN}/{_PROFILER}", command[0], f"{REPORT}/{_PROFILE}", *command[1:])
    result = stand.run(Invocation(argv=argv, files={_PROFILER: language.profiler.encode()}), texts=texts)
    sampled = result.artifacts.get(_PROFILE)
    return shares_of(language.read_profile(sampled.data) or "" if sampled is not None else "")


def shares_of(collapsed: str) -> Shares:
    """From collapsed stacks: ``share = time in which the function was on the stack / time of all stacks``.

    Its own share is that of the time in which it was the innermost of the project.
    """
    total, seen, own = 0, dict[tuple[str, int], int](), dict[tuple[str, int], int]()
    for stack, weight in stacks(collapsed):
        total += weight
        frames = [found for frame in stack if (found := _FRAME.fullmatch(frame))]
        places = [(one["path"].removeprefix(f"{PLACE}/"), int(one["line"])) for one in frames]
        for place in set(places):
            seen[place] = seen.get(place, 0) + weight
        innermost = next((one for one in reversed(places) if not one[0].startswith(("/", "<"))), None)
        if innermost is not None:
            own[innermost] = own.get(innermost, 0) + weight
    return Shares(shares=_parts(seen, total), own=_parts(own, total))


def _parts(weights: Mapping[tuple[str, int], int], total: int) -> dict[tuple[str, int], float]:
    return {place: weight / total for place, weight in weights.items()} if total else {}
