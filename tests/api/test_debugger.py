from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.api.debugger import MOST_OUTPUT, AutoDebuggerIntegration
from windtunnel.core.effects import BlockedCall, Effects, NetworkAttempt
from windtunnel.core.result import ExecutionResult, Level, Reason, Stage, Usage
from windtunnel.engine.debug import Refusal, report

VALUE_ERROR = b"""\
Traceback (most recent call last):
  File "/sandbox/main.py", line 1, in <module>
    raise ValueError('Test error')
ValueError: Test error
"""
CHAINED = b"""\
Traceback (most recent call last):
  File "/sandbox/main.py", line 3, in read
    return settings["port"]
           ~~~~~~~~^^^^^^^^
KeyError: 'port'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/sandbox/main.py", line 7, in <module>
    read({})
  File "/sandbox/main.py", line 5, in read
    raise RuntimeError("no port") from error
RuntimeError: no port
"""


def failed(stderr: bytes, *, language: str = "python", exit_code: int = 1, **more: object) -> ExecutionResult:
    return ExecutionResult(exit_code=exit_code, stderr_bytes=stderr, language=language, **more)


def traceback(last: bytes) -> bytes:
    return VALUE_ERROR.replace(b"ValueError: Test error", last)


def test_an_exception_is_named_placed_and_told():
    place = {"file": "/sandbox/main.py", "line": 1, "column": None, "symbol": "<module>"}
    causes = ["text or a number outside of what the function takes"]
    error = {"kind": "ValueError", "message": "Test error", "place": place, "frames": [place], "likely_causes": causes}

    assert AutoDebuggerIntegration.analyze_error(failed(VALUE_ERROR)) == {
        "is_error": True,
        "error_type": "ValueError",
        "error_message": "Test error",
        "language": "python",
        "exit_code": 1,
        "place": place,
        "chain": [error],
        "problems": [error],
        "likely_causes": causes,
        "refused": [],
        "unwatched": ["files", "processes", "network", "blocked"],
        "suggestions": ["look at /sandbox/main.py line 1"],
    }


def test_a_success_is_no_error_even_with_words_on_standard_error():
    analysis = AutoDebuggerIntegration.analyze_error(failed(VALUE_ERROR, exit_code=0))

    assert analysis == {
        "is_error": False,
        "error_type": None,
        "error_message": None,
        "language": "python",
        "exit_code": 0,
        "place": None,
        "chain": [],
        "problems": [],
        "likely_causes": [],
        "refused": [],
        "unwatched": ["files", "processes", "network", "blocked"],
        "suggestions": [],
    }


def test_a_chain_is_told_from_its_root_and_named_by_its_end():
    analysis = AutoDebuggerIntegration.analyze_error(failed(CHAINED))

    assert analysis["error_type"] == "RuntimeError"
    assert [error["kind"] for error in analysis["chain"]] == ["KeyError", "RuntimeError"]
    assert analysis["place"]["line"] == 5


def test_the_headline_says_what_where_and_of_what_it_came():
    assert report(failed(CHAINED)).headline == (
        "RuntimeError: no port at /sandbox/main.py:5, caused by KeyError: 'port'"
    )


def test_the_headline_names_the_stage_that_failed():
    build = Stage(name="build", exit_code=1, reason=Reason.EXITED, execution_time=0.1)
    stderr = b"/sandbox/main.c:2:10: fatal error: absent.h: No such file or directory\n"

    headline = report(failed(stderr, language="c", stages=(build,))).headline

    assert headline == "build: fatal error: absent.h: No such file or directory at /sandbox/main.c:2"


@pytest.mark.parametrize(
    ("reason", "error_type", "field"),
    [
        (Reason.TIMEOUT, "Timeout", "wall_seconds"),
        (Reason.CPU_TIME, "CpuTime", "cpu_seconds"),
        (Reason.OUT_OF_MEMORY, "OutOfMemory", "memory_bytes"),
        (Reason.OUT_OF_DISK, "OutOfDisk", "disk_bytes"),
        (Reason.TOO_MANY_PROCESSES, "TooManyProcesses", "processes"),
    ],
)
def test_a_limit_is_the_error_and_names_the_field_that_raises_it(reason, error_type, field):
    explained = report(failed(VALUE_ERROR, reason=reason))

    (refusal,) = explained.refused
    assert (explained.error_type, refusal.certain) == (error_type, True)
    assert refusal.remedy.startswith(f"raise {field}")


@pytest.mark.parametrize("reason", [Reason.KILLED, Reason.CANCELLED])
def test_an_end_from_outside_blames_no_limit(reason):
    explained = report(failed(b"", reason=reason))

    assert (explained.error_type, explained.refused) == (reason.capitalize(), ())


def test_a_memory_limit_tells_the_measured_peak():
    result = failed(b"", reason=Reason.OUT_OF_MEMORY, usage=Usage(memory_peak_bytes=536870912))

    assert report(result).refused[0].evidence == "536870912 bytes of memory at the peak"


def test_a_peak_that_nobody_measured_is_not_made_up():
    result = failed(b"", reason=Reason.OUT_OF_MEMORY)

    assert report(result).refused[0].evidence == "seen by the supervisor, which could not measure how much"


def test_an_exit_code_that_imitates_a_limit_is_not_taken_for_one():
    explained = report(failed(b"", exit_code=124))

    assert (explained.error_type, explained.message, explained.refused) == ("ExitCode", "exit code 124", ())


def test_a_crash_is_named_by_its_signal():
    explained = report(failed(b"", exit_code=139))

    assert explained.error_type == "SIGSEGV"
    assert explained.message == "exit code 139, which usually stands for SIGSEGV"


@pytest.mark.parametrize(
    ("last", "what"),
    [
        (b"socket.gaierror: [Errno -3] Temporary failure in name resolution", "reach the network"),
        (b"OSError: [Errno 101] Network is unreachable", "reach the network"),
        (b"OSError: [Errno 30] Read-only file system: '/usr/x'", "write to a read-only file system"),
        (b"PermissionError: [Errno 13] Permission denied: '/etc/x'", "use a file or device it has no right to"),
        (b"OSError: [Errno 28] No space left on device", "write more to its private file system"),
        (b"BlockingIOError: [Errno 11] Resource temporarily unavailable", "start another process or thread"),
        (b"RuntimeError: can't start new thread", "start another process or thread"),
        (b"OSError: [Errno 24] Too many open files: 'x'", "open another file"),
        (b"MemoryError", "use more memory"),
    ],
)
def test_the_sandbox_is_named_as_the_likely_cause(last, what):
    refused = report(failed(traceback(last))).refused

    assert [(refusal.what, refusal.certain) for refusal in refused] == [(what, False)]


def test_an_error_of_the_program_alone_blames_nothing_on_the_sandbox():
    assert report(failed(VALUE_ERROR)).refused == ()


def test_an_unseen_network_refusal_says_which_fields_change_it():
    stderr = traceback(b"OSError: [Errno 101] Network is unreachable")

    assert report(failed(stderr)).refused == (
        Refusal(
            what="reach the network",
            evidence="the output says 'Network is unreachable'",
            remedy="if the sandbox refused it: allow_hosts for the hosts it needs, or network_enabled for all",
            certain=False,
        ),
    )


def test_a_seen_network_refusal_is_certain_and_told_once():
    attempt = NetworkAttempt(target="example.com:80", outcome="refused", rule="no network", count=2)
    effects = Effects(network=(attempt,), watched=("network",))
    stderr = traceback(b"OSError: [Errno 101] Network is unreachable")

    (refusal,) = report(failed(stderr, effects=effects)).refused

    assert (refusal.evidence, refusal.certain) == ("example.com:80 refused 2 times: no network", True)


def test_an_allowed_connection_is_no_refusal():
    attempt = NetworkAttempt(target="example.com:80", outcome="allowed", rule="example.com")

    assert report(failed(VALUE_ERROR, effects=Effects(network=(attempt,)))).refused == ()


def test_a_blocked_call_is_told_with_its_count_also_on_success():
    effects = Effects(blocked=(BlockedCall(name="ptrace", count=3),), watched=("blocked",))

    (refusal,) = report(failed(b"", exit_code=0, effects=effects)).refused

    assert (refusal.what, refusal.evidence, refusal.certain) == ("the system call ptrace", "blocked 3 times", True)


def test_what_was_not_watched_is_said():
    effects = Effects(watched=("files", "network"))

    assert report(failed(VALUE_ERROR, effects=effects)).unwatched == ("processes", "blocked")


def test_a_debug_report_is_json_and_holds_the_run():
    result = failed(
        VALUE_ERROR,
        stdout_bytes=b"out\n",
        level=Level.PROCESS,
        enforced={"memory": "cgroup v1"},
        usage=Usage(cpu_seconds=0.1),
        execution_time=0.25,
        stages=(Stage(name="run", exit_code=1, reason=Reason.EXITED, execution_time=0.25),),
    )

    told = json.loads(json.dumps(AutoDebuggerIntegration.create_debug_report(result)))

    analysis = told.pop("error_analysis")
    assert analysis == json.loads(json.dumps(AutoDebuggerIntegration.analyze_error(result)))
    assert told == {
        "execution_id": result.id,
        "timestamp": result.timestamp.isoformat(),
        "status": "error",
        "headline": "ValueError: Test error at /sandbox/main.py:1",
        "language": "python",
        "exit_code": 1,
        "reason": "exited",
        "execution_time": 0.25,
        "stdout": "out\n",
        "stderr": VALUE_ERROR.decode(),
        "stdout_dropped": 0,
        "stderr_dropped": 0,
        "level": "process",
        "enforced": {"memory": "cgroup v1"},
        "usage": {"cpu_seconds": 0.1, "memory_peak_bytes": None, "processes_peak": None, "disk_bytes": None,
                  "read_bytes": None, "written_bytes": None},
        "effects": {
            "files": [], "files_omitted": 0, "processes_left": [], "network": [], "network_omitted": 0, "blocked": [], "watched": [],
        },
        "stages": [{"name": "run", "exit_code": 1, "reason": "exited", "execution_time": 0.25, "cached": False}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (failed(b"", exit_code=0), "success"),
        (failed(b"", exit_code=1), "error"),
        (failed(b"", exit_code=124, reason=Reason.TIMEOUT), "timeout"),
    ],
)
def test_the_status_is_success_error_or_the_limit(result, status):
    assert AutoDebuggerIntegration.create_debug_report(result)["status"] == status


def test_a_report_keeps_the_head_and_the_tail_of_long_output():
    result = failed(b"a" * MOST_OUTPUT + b"b" * MOST_OUTPUT)

    stderr = AutoDebuggerIntegration.create_debug_report(result)["stderr"]

    half = MOST_OUTPUT // 2
    assert stderr == f"{'a' * half}\n[{MOST_OUTPUT} characters left out]\n{'b' * half}"


def test_escapes_alone_are_not_shown_as_the_message():
    explained = report(failed(b"\x1b[2J\x07\n"))

    assert (explained.message, explained.headline) == ("exit code 1", "exit code 1")


@settings(deadline=None)
@given(
    stderr=st.binary(max_size=500),
    language=st.sampled_from(["python", "go", "bash", "nothing", None]),
    exit_code=st.integers(-300, 300),
    reason=st.sampled_from(Reason),
)
def test_any_result_can_be_explained(stderr, language, exit_code, reason):
    result = ExecutionResult(exit_code=exit_code, stderr_bytes=stderr, language=language, reason=reason)

    told = json.loads(json.dumps(AutoDebuggerIntegration.create_debug_report(result)))

    assert told["error_analysis"]["is_error"] is not result.success
