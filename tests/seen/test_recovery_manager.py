"""The recovery manager of the document, and its server of two gauges."""

import socket
import urllib.error
import urllib.request

import pytest
from exposition_reader import read

from windtunnel.api.recovery import Patience, SandboxRecoveryManager, start_metrics_server
from windtunnel.core.errors import Cancelled, SandboxFailure, UsageError
from windtunnel.core.exposition import gauge
from windtunnel.core.keys import KeyRefused
from windtunnel.engine.recovery.exposing import MetricsServer


class Main:
    """Fails as often as it is told to."""

    def __init__(self, *failures):
        self.failures, self.calls = list(failures), []

    def __call__(self, *given, **named):
        self.calls.append((given, named))
        if self.failures:
            raise self.failures.pop(0)
        return "done"


def manager(main, **more):
    pauses = []
    made = SandboxRecoveryManager(main, sleep=pauses.append, clock=lambda: 1234.5, **more)
    return made, pauses


def test_what_does_not_fail_runs_once():
    main = Main()
    recovery, pauses = manager(main)

    assert (recovery.run("preset", iterations=3), main.calls, pauses, recovery.metrics) == (
        "done", [(("preset",), {"iterations": 3})], [],
        {"sandbox_restart_count": 0.0, "sandbox_last_failure_time": 0.0})


def test_what_fails_is_begun_again_later_and_later():
    main, heard = Main(ValueError("a"), OSError("b"), SandboxFailure("c")), []
    recovery, pauses = manager(main, patience=Patience(first_seconds=1.0, longest_seconds=3.0),
                               on_retry=lambda error, number: heard.append((str(error), number)))

    assert (recovery.run(), pauses, heard, recovery.metrics) == (
        "done", [1.0, 2.0, 3.0], [("a", 1), ("b", 2), ("c", 3)],
        {"sandbox_restart_count": 3.0, "sandbox_last_failure_time": 1234.5})


def test_when_patience_ends_its_last_exception_is_raised():
    recovery, pauses = manager(Main(*(ValueError(str(n)) for n in range(9))), patience=Patience(most_restarts=2))

    with pytest.raises(ValueError, match=r"^2$"):
        recovery.run()

    assert (len(pauses), recovery.metrics["sandbox_restart_count"]) == (2, 2.0)


@pytest.mark.parametrize("error", [UsageError("preset: wrong"), Cancelled("no more"), KeyboardInterrupt(), SystemExit(3)])
def test_what_would_be_the_same_again_is_raised_at_once(error):
    main = Main(error)
    recovery, pauses = manager(main)

    with pytest.raises(type(error)):
        recovery.run()

    assert (len(main.calls), pauses) == (1, [])


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
        return answer.headers, answer.read().decode()


def test_the_server_shows_what_a_manager_that_was_made_later_counts():
    with start_metrics_server(0) as server:
        before = read(get(server.url)[1])
        recovery, _ = manager(Main(ValueError()))
        recovery.run()
        headers, text = get(server.url)

    after, key = read(text), ("sandbox_restart_count", ())
    assert after["sandbox_restart_count"][2][key] == before["sandbox_restart_count"][2][key] + 1
    assert after["sandbox_last_failure_time"][2]["sandbox_last_failure_time", ()] >= 1234.5
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_the_server_does_not_listen_elsewhere_without_a_key():
    with pytest.raises(UsageError, match=r"'0\.0\.0\.0' can be reached from elsewhere, and there is no key"):
        start_metrics_server(8001, address="0.0.0.0")


def test_a_port_that_is_taken_is_our_failure():
    with start_metrics_server(0) as server, pytest.raises(SandboxFailure, match="cannot listen on"):
        start_metrics_server(server.port)


@pytest.fixture
def small():
    with MetricsServer(lambda: [gauge("metric", 1, words="w")]) as server:
        yield server


def raw(server, data):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as line:
        line.sendall(data)
        parts = []
        while part := line.recv(65536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(("request_", "status"), [
    (b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
    (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"421"),
    (b"GET /metrics HTTP/1.1\r\n\r\n", b"421"), (b"\r\n\r\n", b"421"), (b"\xff\x00\r\n\r\n", b"421"),
    (b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", b"405"),
    (b"GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
    (b"GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n", b"200"),
    (b"HEAD /metrics HTTP/1.1\r\nHost: [::1]:9\r\n\r\n", b"200"),
    (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 30_000, b"431")], ids=range(10))
def test_every_request_has_an_answer(small, request_, status):
    assert raw(small, request_).split(b" ")[1] == status


def test_elsewhere_it_has_any_name_and_a_key_keeps_others_out():
    def admit(key):
        if key != "good":
            raise KeyRefused("key: none, or not a good one", field="key")

    with MetricsServer(lambda: [gauge("metric", 1, words="w")], address="0.0.0.0", admit=admit) as server:
        told = [raw(server, f"GET /metrics HTTP/1.1\r\nHost: box.example\r\n{more}\r\n".encode()).split(b" ")[1]
                for more in ("", "Authorization: Bearer bad\r\n", "Authorization: Bearer good\r\n")]

    assert told == [b"401", b"401", b"200"]


def test_a_fault_of_ours_is_an_answer_and_the_next_one_is_served(capfd):
    told = [ZeroDivisionError("secret"), SandboxFailure("the disk is gone")]

    def collect():
        if told:
            raise told.pop(0)
        return [gauge("metric", 1, words="w")]

    with MetricsServer(collect) as server:
        found = []
        for _ in range(3):
            try:
                found.append(get(server.url)[1].splitlines()[-1])
            except urllib.error.HTTPError as error:
                with error:
                    found.append((error.code, error.read().decode()))

    assert found == [(500, "our side failed; the operator's log says how\n"), (503, "the disk is gone\n"), "metric 1"]
    assert "ZeroDivisionError: secret" in capfd.readouterr().err


def test_a_closed_server_leaves_nothing_open(no_leak):
    with no_leak(), MetricsServer(list) as server:
        assert get(server.url)[1] == ""


def test_many_at_once_who_say_nothing_do_not_keep_others_out_for_long(small):
    idle = [socket.create_connection(("127.0.0.1", small.port), timeout=20) for _ in range(40)]
    try:
        assert "metric 1" in get(small.url)[1]
    finally:
        for line in idle:
            line.close()
