import pytest

from fetcher.policy import decide


@pytest.mark.parametrize("status", [200, 301, 400, 404])
def test_no_retry(status):
    assert decide(status) is None


def test_server_error():
    assert decide(500, attempt=3) == 8


def test_too_many_requests():
    assert decide(429) == 2


def test_retry_after():
    assert decide(503, {"Retry-After": "120"}) == 120


def test_gives_up():
    assert decide(500, attempt=5) is None
