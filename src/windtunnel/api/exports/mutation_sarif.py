"""SARIF 2.1.0 of the mutants that tests did not notice, each with its diff and a fingerprint that outlives edits.

There are no ``fixes``: a tool that applied one would put the defect in. A run that judged nothing has no results and
says that it did not succeed, so that an empty list is never read as a clean one.
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping
from typing import Any

from windtunnel import __version__
from windtunnel.api.exports.mutation_sheets import Sheet, diff_text, sheets_of
from windtunnel.api.exports.mutation_words import MEANINGS, ORDER, figures, verdict
from windtunnel.api.exports.sarif import SCHEMA, plain_message
from windtunnel.api.exports.text import visible, visible_lines
from windtunnel.core.mutation import Fate, Judged, MutationResult, State

_LEVELS = {Fate.SURVIVED: "warning", Fate.UNTESTED: "note"}
_MOST = 25_000
"""Results in one run, as many as forges take; the rest is counted in a notification."""


def mutation_sarif(result: MutationResult, sources: Mapping[str, bytes]) -> str:
    """Survivors first, then what no test runs."""
    sheets, proven = sheets_of(result, sources), result.state is State.JUDGED
    missed = [one for fate in ORDER[:2] for one in result.judged if one.fate is fate] if proven else []
    shown = missed[:_MOST]
    rules = list(dict.fromkeys(_rule(one) for one in shown))
    places = {rule: at for at, rule in enumerate(rules)}
    invocation: dict[str, Any] = {"executionSuccessful": proven}
    if told := _notifications(result, len(missed) - len(shown)):
        invocation["toolExecutionNotifications"] = told
    run = {
        "tool": {"driver": {"name": "windtunnel mutate", "version": __version__, "rules": [
            {"id": rule, "shortDescription": {"text": _meaning(rule)}} for rule in rules]}},
        "columnKind": "unicodeCodePoints", "invocations": [invocation],
        "results": [_result(one, sheets[one.mutant.path], places[_rule(one)]) for one in shown],
        "properties": {"state": result.state, "score": result.score, "counts": result.counts,
                       "figures": figures(result)}}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(one: Judged) -> str:
    return visible(f"{one.fate}/{one.mutant.operator}", most=200)


def _meaning(rule: str) -> str:
    fate, _, operator = rule.partition("/")
    return f"A mutant of {operator}: {MEANINGS[Fate(fate)]}"


def _notifications(result: MutationResult, left: int) -> list[dict[str, Any]]:
    tone, words = verdict(result)
    told = [{"level": "error", "message": {"text": words}}] if tone == "bad" else []
    if left:
        told.append({"level": "warning", "message": {"text": f"{left} more mutants were left out of this file"}})
    return told + [{"level": "note", "message": {"text": plain_message(note)}} for note in result.notes if note.strip()]


def _result(one: Judged, sheet: Sheet, number: int) -> dict[str, Any]:
    mutant = one.mutant
    text = (f"{one.fate}: {mutant.description} ({MEANINGS[one.fate]})\n\n"
            f"{visible_lines(diff_text(mutant, sheet), most=4000)}")
    return {
        "ruleId": _rule(one), "ruleIndex": number, "level": _LEVELS[one.fate],
        "message": {"text": plain_message(text, most=8000)},
        "locations": [{"physicalLocation": _place(one, sheet)}],
        "partialFingerprints": {"windtunnel/mutant/v1": mutant.id},
        "properties": {"fate": one.fate, "function": visible(mutant.function), "reached": one.reached,
                       "tests": [visible(name) for name in one.tests]}}


def _place(one: Judged, sheet: Sheet) -> dict[str, Any]:
    mutant = one.mutant
    uri = urllib.parse.quote(mutant.path.encode("utf-8", "replace"), safe="/")
    return {
        "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": max(mutant.line, 1), "startColumn": sheet.place(mutant.line, mutant.column) + 1,
                   "endLine": max(mutant.end_line, 1),
                   "endColumn": sheet.place(mutant.end_line, mutant.end_column) + 1}}
