"""SARIF 2.1, the format that many analysers share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from windtunnel.checks.families import judged
from windtunnel.checks.findings import Severity, below, number, objects, parsed, relative, words
from windtunnel.core.trial import LintResult

_ARGUMENT = re.compile(r"\{(\d{1,3})\}")
_SILENT = frozenset({"pass", "notApplicable", "informational"})


def findings(data: bytes) -> tuple[LintResult, ...] | None:
    """All results of all runs that are neither passed, suppressed nor gone; None for what is no SARIF."""
    if b'"runs"' not in data:
        return None
    document = parsed(data)
    version = below(document, "version")
    if not isinstance(version, str) or not version.startswith("2.") or not isinstance(below(document, "runs"), list):
        return None
    return tuple(finding for run in objects(below(document, "runs")) for finding in _of_run(run))


def _of_run(run: dict[str, object]) -> Iterator[LintResult]:
    tool = words(below(run, "tool", "driver", "name"), most=80) or "sarif"
    rules = objects(below(run, "tool", "driver", "rules"))
    by_name = {words(rule.get("id"), most=200): rule for rule in rules}
    for result in objects(run.get("results")):
        if not _counts(result):
            continue
        rule = _rule(result, rules=rules, by_name=by_name)
        name = words(result.get("ruleId") or below(result, "rule", "id") or rule.get("id"), most=200) or "unnamed"
        path, region = _place(result, run)
        yield LintResult(
            tool=tool, rule=name, message=_message(result, rule), path=path,
            line=number(below(region, "startLine")), column=number(below(region, "startColumn")),
            severity=_severity(result, rule), category=_category(name, rule))


def _counts(result: dict[str, object]) -> bool:
    accepted = [item for item in objects(result.get("suppressions")) if item.get("status") in (None, "accepted")]
    return result.get("kind") not in _SILENT and result.get("baselineState") != "absent" and not accepted


def _rule(
    result: dict[str, object], *, rules: list[dict[str, object]], by_name: dict[str, dict[str, object]],
) -> dict[str, object]:
    """The rule's own description, by its name or its place in the list; nothing when there is none."""
    named = by_name.get(words(result.get("ruleId") or below(result, "rule", "id"), most=200))
    return named or _at(rules, result.get("ruleIndex", below(result, "rule", "index"))) or {}


def _at(items: list[dict[str, object]], index: object) -> dict[str, object] | None:
    return items[index] if isinstance(index, int) and 0 <= index < len(items) else None


def _message(result: dict[str, object], rule: dict[str, object]) -> str:
    message = result.get("message")
    said = below(message, "text") or below(rule, "messageStrings", str(below(message, "id")), "text")
    given = below(message, "arguments")
    arguments = [words(item) for item in given] if isinstance(given, list) else []

    def filled(found: re.Match[str]) -> str:
        at = int(found[1])
        return arguments[at] if at < len(arguments) else found[0]

    return words(_ARGUMENT.sub(filled, words(said)) if arguments else said)


def _place(result: dict[str, object], run: dict[str, object]) -> tuple[str | None, object]:
    locations = objects(result.get("locations"))
    physical = locations[0].get("physicalLocation") if locations else None
    artifact = below(physical, "artifactLocation")
    if below(artifact, "uri") is None:
        artifact = below(_at(objects(run.get("artifacts")), below(artifact, "index")), "location")
    base = below(run, "originalUriBaseIds", str(below(artifact, "uriBaseId")), "uri")
    return _path(words(below(artifact, "uri"), most=4096), base=words(base, most=4096)), below(physical, "region")


def _path(uri: str, *, base: str) -> str | None:
    """The path that a URI stands for; a base inside the project is put before it."""
    if base and "://" not in uri and not uri.startswith("/"):
        uri = f"{base.rstrip('/')}/{uri}"
    path = uri.removeprefix("file://localhost").removeprefix("file://")
    return relative(unquote(path))


def _severity(result: dict[str, object], rule: dict[str, object]) -> Severity:
    level = result.get("level") or below(rule, "defaultConfiguration", "level") or "warning"
    return "error" if level == "error" else "note" if level in ("note", "none") else "warning"


def _category(name: str, rule: dict[str, object]) -> str:
    tags = below(rule, "properties", "tags")
    about = {tag.lower() for tag in tags if isinstance(tag, str)} if isinstance(tags, list) else set()
    if "security" in about or below(rule, "properties", "security-severity") is not None:
        return "security"
    return "bug" if about & {"correctness", "bug", "reliability"} else judged(name)[0]
