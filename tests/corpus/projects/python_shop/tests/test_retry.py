import pytest
from limits import DEADLINE_SECONDS

from shop.retry import call_with_retry


def refuse():
    raise ConnectionError("refused")


def test_success_needs_no_waiting():
    waits = []

    assert call_with_retry(lambda: "done", sleep=waits.append) == "done"
    assert waits == []


def test_the_last_error_is_raised():
    with pytest.raises(ConnectionError):
        call_with_retry(refuse, sleep=lambda seconds: None)


def test_waiting_stays_within_the_deadline():
    waits = []

    with pytest.raises(ConnectionError):
        call_with_retry(refuse, attempts=5, sleep=waits.append)

    assert len(waits) == 4
    assert sum(waits) <= DEADLINE_SECONDS
