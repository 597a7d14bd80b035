import itertools
from datetime import UTC, datetime, timedelta

import pytest

from windtunnel.core.result import ExecutionResult, Level, ProgramFailed, Reason

ENDED_FROM_OUTSIDE = [reason for reason in Reason if reason is not Reason.EXITED]


def test_a_program_that_ended_by_itself_with_zero_succeeded():
    result = ExecutionResult(exit_code=0)

    assert (result.success, result.ok, result.timeout, result.oom_killed, result.error_message) == (
        True, True, False, False, None)


@pytest.mark.parametrize("reason", ENDED_FROM_OUTSIDE)
def test_a_run_that_was_ended_never_succeeded_whatever_its_exit_code(reason):
    result = ExecutionResult(exit_code=0, reason=reason)

    assert (result.success, result.ok) == (False, False)
    assert result.error_message.startswith(("stopped: ", "failed: "))


def test_every_reason_has_words_of_its_own():
    messages = {ExecutionResult(exit_code=1, reason=reason).error_message for reason in ENDED_FROM_OUTSIDE}

    assert len(messages) == len(ENDED_FROM_OUTSIDE)


@pytest.mark.parametrize(("reason", "timeout", "out_of_memory"), [
    (Reason.TIMEOUT, True, False), (Reason.CPU_TIME, True, False), (Reason.OUT_OF_MEMORY, False, True),
    (Reason.KILLED, False, False), (Reason.EXITED, False, False),
])
def test_timeout_and_memory_come_from_the_reason_alone(reason, timeout, out_of_memory):
    result = ExecutionResult(exit_code=124, reason=reason)

    assert (result.timeout, result.timed_out, result.oom_killed) == (timeout, timeout, out_of_memory)


@pytest.mark.parametrize(("stderr", "message"), [
    (b"Traceback\nValueError: no\n\n  \n", "ValueError: no"),
    (b"", "exit code 3"),
    (b" \n\n", "exit code 3"),
    (b"x" * 900, "x" * 500),
    (b"\xff\n", "\N{REPLACEMENT CHARACTER}"),
])
def test_the_error_message_is_one_bounded_line(stderr, message):
    assert ExecutionResult(exit_code=3, stderr_bytes=stderr).error_message == message


def test_output_that_is_not_text_is_shown_with_replacements_and_kept_as_bytes():
    result = ExecutionResult(exit_code=0, stdout_bytes=b"a\xffb", stderr_bytes=b"\xc3")

    assert (result.stdout, result.stdout_bytes, result.stderr, result.stderr_bytes) == (
        "a\N{REPLACEMENT CHARACTER}b", b"a\xffb", "\N{REPLACEMENT CHARACTER}", b"\xc3")


def test_each_result_has_a_name_and_a_time_of_its_own():
    before = datetime.now(UTC)
    first, second = ExecutionResult(exit_code=0), ExecutionResult(exit_code=0)

    assert first.id != second.id
    assert first.container_id == first.id
    assert before <= first.timestamp <= before + timedelta(minutes=1)


def test_checking_a_success_gives_it_back():
    result = ExecutionResult(exit_code=0)

    assert result.check() is result


def test_checking_a_failure_raises_it():
    result = ExecutionResult(exit_code=1, stderr_bytes=b"ValueError: no\n")

    with pytest.raises(ProgramFailed, match=r"^ValueError: no$") as failed:
        result.check()

    assert failed.value.result is result


@pytest.mark.parametrize(("result", "text"), [
    (ExecutionResult(exit_code=0, stdout_bytes=b"hi\n"), "hi"),
    (ExecutionResult(exit_code=0), ""),
    (ExecutionResult(exit_code=2, stdout_bytes=b"hi\n", stderr_bytes=b"no\n"), "hi\nno\n[exited, exit code 2]"),
    (ExecutionResult(exit_code=124, reason=Reason.TIMEOUT), "[timeout, exit code 124]"),
])
def test_as_text_it_is_what_a_reader_needs(result, text):
    assert str(result) == text


def test_levels_are_ordered_from_weak_to_strong():
    order = [Level.RESTRICTED, Level.PROCESS, Level.CONTAINER, Level.VM]

    for (weak, one), (strong, other) in itertools.product(enumerate(order), repeat=2):
        assert one.at_least(other) is (weak >= strong)
