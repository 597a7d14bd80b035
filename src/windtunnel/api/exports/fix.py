"""A fix as plain JSON values, and as Markdown for a pull request."""

from __future__ import annotations

from windtunnel.api.exports.text import counted, visible
from windtunnel.core.plain import plain
from windtunnel.core.repair import FixResult

_FEW = 20


def plain_fix(result: FixResult) -> dict[str, object]:
    """All of it; the trial by its verdict and reasons, its whole self being the result of a trial."""
    told = plain(result)
    assert isinstance(told, dict)
    trial = result.trial
    told |= {
        "state": str(result.state), "success": result.success,
        "level": None if result.level is None else str(result.level),
        "changes": None if result.changes is None else {
            one.relative_path: one.operation for one in result.changes},
        "trial": None if trial is None else {
            "id": trial.id, "verdict": str(trial.verdict), "reasons": list(trial.reasons), "delta": trial.delta,
            "gate": None if trial.gate is None else str(trial.gate.verdict)},
        "problems": [{"kind": one.kind, "name": one.name, "message": one.message, "place": one.place,
                      "fingerprint": one.fingerprint, "test": one.test} for one in result.problems]}
    return told


def markdown(result: FixResult) -> str:
    """What was found, the diff, why, and what was tried."""
    lines = [f"## {str(result.state).capitalize()}", "", _plain(result.reason), ""]
    lines += [f"> **Warning:** {_plain(warning)}" for warning in result.warnings]
    if result.diff:
        fence = "`" * max(3, _longest(result.diff) + 1)
        lines += ["", f"{fence}diff", result.diff.rstrip("\n"), fence, ""]
    lines += [f"- {_plain(each)}" for each in result.explanation]
    if result.question:
        lines += ["", f"**Question:** {_plain(result.question)}"]
    if result.attempts:
        head = f"{counted(result.tried, 'attempt')}, {result.dropped} dropped before a test"
        lines += ["", f"<details><summary>{head}</summary>", "", "| | where | what | came to |", "|---|---|---|---|"]
        lines += [f"| {one.number} | {_cell(one.place)} | {_cell(one.reason)} | {_cell(one.outcome)} |"
                  for one in result.attempts[-_FEW:]]
        lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _longest(text: str) -> int:
    """The longest run of backquotes, which must not end the block."""
    best = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        best = max(best, run)
    return best


def _plain(text: str) -> str:
    """One line that is no markup."""
    line = visible(" ".join(text.split()), most=500)
    for sign in ("&", "<", ">"):
        line = line.replace(sign, {"&": "&amp;", "<": "&lt;", ">": "&gt;"}[sign])
    for sign in "\\`*_[]|":
        line = line.replace(sign, f"\\{sign}")
    return line


_cell = _plain
