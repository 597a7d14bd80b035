"""SARIF 2.1.0: new findings of each linter, and what reaches for the verdict, each with its rule and its place."""

from __future__ import annotations

import hashlib
import json
import urllib.parse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from windtunnel import __version__
from windtunnel.api.exports.text import visible_lines
from windtunnel.core.trial import SandboxResult

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_TAMPER_LEVELS = {"block": "error", "show": "warning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    rule: str
    level: str
    message: str
    path: str | None
    line: int | None
    column: int | None = None


def sarif_text(result: SandboxResult) -> str:
    """One run for Windtunnel itself, always; one for each linter that has something new to say."""
    own = [_Finding(rule=found.rule, level=_TAMPER_LEVELS[found.severity], path=found.path, line=found.line,
                    message=f"{found.message}\n{found.evidence}".strip()) for found in result.tamper]
    runs = [_run("windtunnel", own) | {"properties": {
        "verdict": result.verdict, "reasons": [visible_lines(reason) for reason in result.reasons],
        "trial": result.id, "tree": result.tree}}]
    runs[0]["tool"]["driver"]["version"] = __version__
    for tool in dict.fromkeys(found.tool for found in result.new_findings):
        runs += [_run(tool, [
            _Finding(rule=found.rule, level=found.severity, message=found.message, path=found.path, line=found.line,
                     column=found.column) for found in result.new_findings if found.tool == tool])]
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": runs}, indent=2) + "\n"


def _run(tool: str, findings: Iterable[_Finding]) -> dict[str, Any]:
    found = list(findings)
    rules = list(dict.fromkeys(each.rule for each in found))
    return {
        "tool": {"driver": {"name": visible_lines(tool), "rules": [{"id": visible_lines(rule)} for rule in rules]}},
        "columnKind": "unicodeCodePoints", "invocations": [{"executionSuccessful": True}],
        "results": [_result(each, rules.index(each.rule)) for each in found]}


def _result(found: _Finding, number: int) -> dict[str, Any]:
    print_of = hashlib.sha256("\0".join((found.rule, found.path or "", found.message)).encode("utf-8", "replace"))
    made: dict[str, Any] = {
        "ruleId": visible_lines(found.rule), "ruleIndex": number, "level": found.level,
        "message": {"text": plain_message(found.message) or visible_lines(found.rule)},
        "partialFingerprints": {"windtunnel/v1": print_of.hexdigest()[:32]}}
    if found.path is not None:
        made["locations"] = [{"physicalLocation": _place(found, found.path)}]
    return made


def plain_message(message: str, *, most: int = 2000) -> str:
    """No link that the message was not meant to have: SARIF reads ``[text](target)`` in plain messages too."""
    text = visible_lines(message, most=most)
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") if "](" in text else text


def _place(found: _Finding, path: str) -> dict[str, Any]:
    uri = urllib.parse.quote(path.encode("utf-8", "replace"), safe="/")
    made: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
    if found.line is not None and found.line > 0:
        made["region"] = {"startLine": found.line}
        if found.column is not None and found.column > 0:
            made["region"]["startColumn"] = found.column
    return made
