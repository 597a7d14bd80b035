"""Failing tests by what they have in common: those that share no code of the project have faults of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from windtunnel.core.problem import Cluster
from windtunnel.core.trial import CheckReport
from windtunnel.tamper import is_test


def grouped(
    failing: Collection[str], reports: Iterable[CheckReport], clusters: Sequence[Cluster],
) -> tuple[frozenset[str], ...]:
    """Each failing name in one group; two names are in one where code, or a cluster of problems, joins them."""
    ran = {name: _product(places) for report in reports for name, places in report.touched.items() if name in failing}
    joints: dict[str, set[str]] = {}
    for name in failing:
        for place in ran.get(name, ()):
            joints.setdefault(place, set()).add(name)
    for number, cluster in enumerate(clusters):
        joints[f"cluster {number}"] = {name for name in cluster.tests if name in failing and not ran.get(name)}
    return _joined(failing, joints)


def _product(places: Iterable[str]) -> frozenset[str]:
    """Functions that are no tests; line 0 stands for a whole file, which says too little."""
    return frozenset(place for place in places if not place.endswith(":0") and not is_test(place.rpartition(":")[0]))


def _joined(names: Collection[str], joints: Mapping[str, set[str]]) -> tuple[frozenset[str], ...]:
    leader = {name: name for name in names}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for together in joints.values():
        first, *others = sorted(together) or [""]
        for other in others:
            leader[find(other)] = find(first)
    groups: dict[str, set[str]] = {}
    for name in names:
        groups.setdefault(find(name), set()).add(name)
    return tuple(sorted((frozenset(group) for group in groups.values()), key=sorted))
