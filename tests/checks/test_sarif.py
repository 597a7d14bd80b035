"""Findings out of SARIF."""

from __future__ import annotations

import json

import pytest

from windtunnel.checks import command, sarif
from windtunnel.core.tool import Output, Reading
from windtunnel.core.trial import Channel, Check, Kind, LintResult

LINT = Check(kind=Kind.LINT, tool="command", argv=("scan",))


def document(*results, rules=(), **run):
    return json.dumps({"version": "2.1.0", "runs": [
        {"tool": {"driver": {"name": "scan", "rules": list(rules)}}, "results": list(results), **run}]}).encode()


def located(uri, **artifact):
    return [{"physicalLocation": {
        "artifactLocation": {"uri": uri, **artifact}, "region": {"startLine": 3, "startColumn": 5}}}]


def test_a_result_is_read_with_its_rule_and_place():
    rule = {"id": "sql", "defaultConfiguration": {"level": "error"}, "properties": {"tags": ["Security"]}}
    data = document({"ruleId": "sql", "message": {"text": "injection"}, "locations": located("src/a%20b.py")}, rules=[rule])

    assert sarif.findings(data) == (LintResult(
        tool="scan", rule="sql", message="injection", path="src/a b.py", line=3, column=5, severity="error",
        category="security"),)


@pytest.mark.parametrize(("location", "path"), [
    (located("file:///workspace/src/a.py"), "src/a.py"), (located("/workspace/src/a.py"), "src/a.py"),
    (located("a.py", uriBaseId="ROOT"), "src/a.py"), ([{"physicalLocation": {"artifactLocation": {"index": 0}}}], "b.py"),
    ([], None), ([{"physicalLocation": {"artifactLocation": {"index": 9}}}], None),
])
def test_the_path_is_relative_to_the_project_however_it_is_written(location, path):
    data = document({"ruleId": "x", "message": {"text": "m"}, "locations": location},
                    originalUriBaseIds={"ROOT": {"uri": "file:///workspace/src/"}}, artifacts=[{"location": {"uri": "b.py"}}])

    assert [finding.path for finding in sarif.findings(data)] == [path]


def test_a_message_by_name_is_filled_with_its_arguments():
    rule = {"id": "x", "messageStrings": {"default": {"text": "{0} is not {1}{2}"}}}
    data = document({"ruleIndex": 0, "message": {"id": "default", "arguments": ["one", "two"]}}, rules=[rule])

    assert [(finding.rule, finding.message) for finding in sarif.findings(data)] == [("x", "one is not two{2}")]


def test_results_that_passed_are_suppressed_or_gone_do_not_count():
    message = {"message": {"text": "m"}, "ruleId": "x"}
    data = document({**message, "kind": "pass"}, {**message, "suppressions": [{"kind": "inSource"}]},
                    {**message, "baselineState": "absent"},
                    {**message, "suppressions": [{"kind": "external", "status": "rejected"}]})

    assert sarif.findings(data) == (LintResult(tool="scan", rule="x", message="m"),)


@pytest.mark.parametrize("data", [
    b"", b"{}", b'{"runs": []}', b'{"version": "1.0.0", "runs": []}', b'{"version": "2.1.0", "runs": 3}', b'"runs"',
    b'{"runs":' * 100_000,
])
def test_what_is_no_sarif_is_left_alone(data):
    assert sarif.findings(data) is None


@pytest.mark.parametrize("result", [
    {}, {"ruleId": 3, "message": 4, "locations": 5}, {"ruleIndex": -1}, {"ruleIndex": True, "message": {"id": []}},
    {"message": {"text": "m", "arguments": [None]}, "locations": [{"physicalLocation": "x"}]}, {"rule": [], "suppressions": {}},
])
def test_a_broken_result_is_still_a_finding(result):
    assert len(sarif.findings(document(result, rules=[{"id": []}, 3]))) == 1


def test_sarif_of_an_unknown_command_is_read_from_its_output_and_better_from_its_report():
    data = document({"ruleId": "x", "message": {"text": "m"}})
    findings = (LintResult(tool="scan", rule="x", message="m"),)

    assert [command.read(output, LINT) for output in (
        Output(exit_code=1, stdout=data), Output(exit_code=1, stdout=b"words", files={"a.sarif": data}))] == [
        Reading(channel=Channel.STREAM, findings=findings), Reading(channel=Channel.FILE, findings=findings)]
