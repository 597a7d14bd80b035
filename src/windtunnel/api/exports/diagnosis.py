"""A diagnosis as plain JSON values."""

from __future__ import annotations

from windtunnel.core.plain import plain
from windtunnel.core.problem import Cluster, Diagnosis, Problem


def plain_diagnosis(result: Diagnosis) -> dict[str, object]:
    """All clusters with all their problems; a cause is named by its fingerprint, since it is a problem of its own."""
    return {
        "problems": [_cluster(cluster) for cluster in result.clusters], "errors": len(result.errors),
        "suspects": list(result.suspects), "commands": list(result.commands), "notes": list(result.notes),
        "level": None if result.level is None else str(result.level), "execution_time": result.execution_time}


def _cluster(cluster: Cluster) -> dict[str, object]:
    told = _problem(cluster.first)
    return {**told, "tests": list(cluster.tests), "count": len(cluster.problems),
            "others": [_problem(one) for one in cluster.problems[1:]]}


def _problem(problem: Problem) -> dict[str, object]:
    told = plain(problem)
    assert isinstance(told, dict)
    told.pop("cause")
    return {"fingerprint": problem.fingerprint, **told, "chain": _chain(problem)}


def _chain(problem: Problem) -> list[str]:
    """Fingerprints from the root cause to this one; empty where nothing caused it."""
    chain: list[str] = []
    step: Problem | None = problem
    while step is not None:
        chain.append(step.fingerprint)
        step = step.cause
    return chain[::-1] if len(chain) > 1 else []
