import base64
import json
from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from windtunnel.core.effects import Effects, NetworkAttempt
from windtunnel.core.limits import Limits
from windtunnel.core.plain import plain, plain_result
from windtunnel.core.result import ExecutionResult, Level, Reason, Stage, Usage

MOMENT = datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)


def as_json(value):
    return json.loads(json.dumps(value, default=plain))


def test_a_result_is_told_with_every_field():
    result = ExecutionResult(
        exit_code=124, reason=Reason.TIMEOUT, stdout_bytes=b"so far", stderr_bytes=b"hm", stdout_dropped=7,
        execution_time=1.5, language="python", level=Level.PROCESS, enforced={"memory": "cgroup v2"}, limits=Limits(),
        usage=Usage(cpu_seconds=0.5), stages=(Stage(name="run", exit_code=124, reason=Reason.TIMEOUT, execution_time=1.5),),
        effects=Effects(network=(NetworkAttempt(target="a:1", outcome="refused", rule="no network"),), watched=("network",)),
        warm=True, profile="main 3", id="abc", timestamp=MOMENT)

    told = as_json(plain_result(result))

    assert told == {
        "id": "abc", "success": False, "exit_code": 124, "reason": "timeout", "stdout": "so far", "stderr": "hm",
        "execution_time": 1.5, "timeout": True, "error_message": "stopped: the time limit was reached",
        "language": "python", "timestamp": "2024-02-03T04:05:06+00:00", "level": "process", "warm": True,
        "limits": asdict(Limits()), "usage": asdict(Usage(cpu_seconds=0.5)),
        "effects": {
            "files": [], "files_omitted": 0, "processes_left": [], "network_omitted": 0, "blocked": [], "watched": ["network"],
            "network": [{"target": "a:1", "outcome": "refused", "rule": "no network", "count": 1}]},
        "stages": [
            {"name": "run", "exit_code": 124, "reason": "timeout", "execution_time": 1.5, "cached": False}],
        "enforced": {"memory": "cgroup v2"}, "stdout_dropped": 7, "stderr_dropped": 0, "profile": "main 3",
    }


@pytest.mark.parametrize("data", [b"\xff\x00\x01", bytes(range(256)), b"caf\xc3", "\ud800".encode("utf-8", "surrogatepass")])
def test_bytes_that_text_would_lose_are_there_as_base64_too(data):
    told = as_json(plain_result(ExecutionResult(exit_code=0, stdout_bytes=data, stderr_bytes=data)))

    assert [base64.b64decode(told[name]) for name in ("stdout_base64", "stderr_base64")] == [data, data]


@pytest.mark.parametrize("data", [b"", b"plain\n", "größer \N{REPLACEMENT CHARACTER}\x1b[0m".encode()])
def test_text_is_told_once(data):
    told = as_json(plain_result(ExecutionResult(exit_code=0, stdout_bytes=data)))

    assert told["stdout"] == data.decode()
    assert [name for name in told if name.endswith("base64")] == []


@pytest.mark.parametrize(("value", "text"), [
    (MOMENT, '"2024-02-03T04:05:06+00:00"'), (frozenset({"b", "a"}), '["a", "b"]'),
    (NetworkAttempt(target="a:1", outcome="refused", rule="no network"),
     '{"target": "a:1", "outcome": "refused", "rule": "no network", "count": 1}'),
    (1j, '"1j"'),
])
def test_anything_becomes_json(value, text):
    assert json.dumps(value, default=plain) == text
