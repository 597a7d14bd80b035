"""Security by bandit, which reads sources and never runs them.

Bandit is no part of Windtunnel: ``ARGUMENTS`` start it, inside a sandbox, with a Python that has it, and ``findings``
reads what it prints as hostile text. What holds: neither a ``.bandit`` file nor ``# nosec`` in the project silences it.
Where it is not installed, the score is not measured.
"""

from __future__ import annotations

import json
import re
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.metric import Direction, Findings, Metric, MetricExample, Observation, Value, missing, usable

ARGUMENTS = ("-m", "bandit", "--recursive", "--format", "json", "--quiet", "--ignore-nosec", "--ini", "/dev/null",
             "--exit-zero")
"""For Python; the folders to be scanned follow."""
INSTALL = "not scanned (pip install bandit)"
MOST_BYTES = 64 * 1024 * 1024
_LOW, _MEDIUM, _HIGH = 1, 3, 10
_HALF = 10.0
"""Weight for each thousand lines at which the score is a half: one finding of high severity."""
_FEWEST_LINES = 100
"""One finding in a tiny file is not taken for a thousand in a large one."""
_JSON = re.compile(rb"^\{", re.MULTILINE)


def findings(printed: bytes) -> Findings:
    """What bandit's JSON says, by severity; a typed error where it is none."""
    start = _JSON.search(printed[:MOST_BYTES])
    try:
        told = json.loads(printed[start.start():MOST_BYTES]) if start else None
        totals = told["metrics"]["_totals"] if told is not None else {}
        counts: dict[str, Any] = {name: totals.get(key) for name, key in (
            ("low", "SEVERITY.LOW"), ("medium", "SEVERITY.MEDIUM"), ("high", "SEVERITY.HIGH"), ("lines", "loc"))}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        counts = {}
    if not counts or not all(usable(count) and isinstance(count, int) for count in counts.values()):
        raise UsageError("bandit: what it printed is not its JSON report (version 1.7 and later print it)",
                         field="bandit")
    return Findings(**counts)


def _score(seen: Observation) -> Value:
    found = seen.findings
    if found is None:
        return missing(INSTALL)
    if not found.lines:
        return missing("there is no line of code to scan")
    weight = _LOW * found.low + _MEDIUM * found.medium + _HIGH * found.high
    density = 1000 * weight / max(_FEWEST_LINES, found.lines)
    return Value(value=1 / (1 + density / _HALF))


SECURITY_SCORE = Metric(
    name="security_score", unit="share", direction=Direction.HIGHER, high=1.0, measure=_score,
    formula="1 / (1 + d / 10), d = 1000 (low + 3 medium + 10 high) / lines of code, at least 100 of them; "
            "one finding of high severity in a thousand lines halves it",
    source="bandit over the touched modules",
    examples=(
        MetricExample(observation=Observation(findings=Findings(lines=500)), value=1.0),
        MetricExample(observation=Observation(findings=Findings(high=1, lines=1000)), value=0.5),
        MetricExample(observation=Observation(findings=Findings(low=1, lines=3)), value=0.5),
        MetricExample(observation=Observation(findings=Findings()), value=None),
        MetricExample(observation=Observation(), value=None),
    ))
