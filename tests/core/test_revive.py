import json

import pytest

from windtunnel.core.effects import Effects, FileEffect
from windtunnel.core.plain import plain
from windtunnel.core.result import Reason, Usage
from windtunnel.core.revive import revive
from windtunnel.core.trial import Channel, Check, CheckReport, ExecutionTestResult, Kind, LintResult, Status

REPORT = CheckReport(
    check=Check(kind=Kind.TEST, tool="pytest", argv=("pytest", "-q")), exit_code=1, reason=Reason.EXITED,
    execution_time=2.0, channel=Channel.LIVE, stdout="…\n", usage=Usage(cpu_seconds=1.5),
    tests=(ExecutionTestResult(id="a::b", status=Status.FAILED, message="1 != 2", path="a", line=3),),
    findings=(LintResult(tool="ruff", rule="F401", message="unused"),),
    effects=Effects(files=(FileEffect(path="/workspace/a", kind="file", act="changed"),), watched=("files",)),
    touched={"a::b": ("src/a.py:1",)})


def test_a_report_comes_back_from_its_json_as_it_was():
    assert revive(CheckReport, json.loads(json.dumps(REPORT, default=plain))) == REPORT


@pytest.mark.parametrize("data", [
    None, [], "x", {"check": 1}, {**json.loads(json.dumps(REPORT, default=plain)), "extra": 1},
    {**json.loads(json.dumps(REPORT, default=plain)), "exit_code": "0"},
    {**json.loads(json.dumps(REPORT, default=plain)), "exit_code": True},
    {**json.loads(json.dumps(REPORT, default=plain)), "reason": "bored"},
    {**json.loads(json.dumps(REPORT, default=plain)), "tests": {"a": 1}},
])
def test_data_of_another_shape_is_a_value_error(data):
    with pytest.raises((ValueError, TypeError)):
        revive(CheckReport, data)
