"""Rows A01 to A25 of the list of threats, against the real server."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from windtunnel.core.errors import UsageError
from windtunnel.serve.http_server import check_bind

RUN = "/v1/tools/run_code"


def raw(server, request, *, seconds=20):
    """What comes back for these bytes; empty where the connection was closed without a word."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        connection.sendall(request)
        connection.settimeout(seconds)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def head(server, *lines, method="POST", path=RUN, key="ann"):
    auth = [f"Authorization: Bearer {server.keys[key]}"] if key else []
    every = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "Connection: close", *auth, *lines, "", ""]
    return "\r\n".join(every).encode()


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer else None


@pytest.mark.parametrize("headers", [
    {}, {"Authorization": ""}, {"Authorization": "Bearer"}, {"Authorization": "Bearer wt_000000000000_" + "0" * 64},
    {"Authorization": "Basic {key}"}, {"X-Api-Key": "{key}"}, {"Cookie": "key={key}"}, {"Authorization": "Bearer {key}x"},
], ids=["none", "empty", "blank", "unknown", "basic", "other header", "cookie", "one letter more"])
def test_a01_to_a04_without_a_good_key_the_answer_is_always_the_same(server, headers):
    given = {name: value.format(key=server.keys["ann"]) for name, value in headers.items()}

    answer = httpx.post(server.url + RUN, json={"code": "1"}, headers=given)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["detail"].startswith("key: none, or not a good one")
    assert not any(key in answer.text for key in server.keys.values())


def test_a04_a_key_in_the_query_opens_nothing_and_is_not_logged(server):
    answer = httpx.get(f"{server.url}/v1/jobs?key={server.keys['ann']}&api_key={server.keys['ann']}")

    assert answer.status_code == 401
    assert not any(key.split("_")[2] in json.dumps(server.log) for key in server.keys.values())


def test_a05_two_keys_are_refused(server):
    answer = raw(server, head(server, f"Authorization: Bearer {server.keys['bob']}", "Content-Length: 0"))

    assert status(answer) == 400


def test_a06_a24_what_is_anothers_is_answered_like_what_is_not_there(server, ann, bob):
    run = ann.post(RUN, json={"code": "print('mine')"}).json()["id"]
    job = ann.post(RUN, json={"code": "1"}, headers={"Prefer": "respond-async"}).json()["id"]
    made = ann.post("/v1/tools/create_sandbox_workspace", json={}).json()["workspace_id"]
    unknown = "0" * len(run)
    pairs = [(f"/v1/history/{run}", f"/v1/history/{unknown}"), (f"/v1/jobs/{job}", f"/v1/jobs/{unknown}"),
             (f"/v1/jobs/{job}/events", f"/v1/jobs/{unknown}/events")]

    for mine, nobodys in pairs:
        seen, other = bob.get(mine), bob.get(nobodys)
        assert (seen.status_code, other.status_code) == (404, 404)
        assert seen.content.replace(run.encode(), b"").replace(job.encode(), b"") == other.content.replace(unknown.encode(), b"")
    assert bob.delete(f"/v1/jobs/{job}").content == bob.delete(f"/v1/jobs/{unknown}").content
    for tool, more in (("read_file", {"path": "a"}), ("get_diff", {}), ("destroy_workspace", {}), ("list_files", {}),
                       ("write_file", {"path": "a"}), ("fork_workspace", {}), ("promote_workspace", {})):
        theirs = bob.post(f"/v1/tools/{tool}", json={"workspace_id": made, **more})
        none = bob.post(f"/v1/tools/{tool}", json={"workspace_id": "f" * len(made), **more})
        assert (theirs.status_code, none.status_code) == (404, 404)
        assert theirs.content.replace(made.encode(), b"") == none.content.replace(b"f" * len(made), b"")
    assert made not in bob.post("/v1/tools/list_workspaces", json={}).text
    assert run not in bob.get("/v1/history").text
    assert job not in bob.get("/v1/jobs").text
    ann.post("/v1/tools/destroy_workspace", json={"workspace_id": made})


@pytest.mark.parametrize("path", [
    "/v1/jobs/../../etc/passwd", "/v1/jobs/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/v1/receipts/..%5c..%5cetc", "/v1/jobs/a%00b",
    "/v1/reports/%252e%252e%252fetc", "//v1/jobs", "/v1/../v1/jobs", "/v1/jobs/.",
])
def test_a07_a08_a_path_that_leads_elsewhere_is_not_found(server, path):
    answer = raw(server, head(server, method="GET", path=path))

    assert status(answer) in (400, 404)
    assert b"root:" not in answer


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "a/../../b", "a\0b", "..", "~/x"])
def test_a08_a_path_of_a_workspace_that_leads_out_of_it_is_refused(ann, path):
    made = ann.post("/v1/tools/create_sandbox_workspace", json={}).json()["workspace_id"]

    answers = [ann.post("/v1/tools/read_file", json={"workspace_id": made, "path": path}),
               ann.post("/v1/tools/write_file", json={"workspace_id": made, "path": path, "content": "x"})]

    assert all(400 <= answer.status_code < 500 or path == "~/x" for answer in answers)
    assert "root:" not in answers[0].text
    ann.post("/v1/tools/destroy_workspace", json={"workspace_id": made})


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_a09_five_gibibytes_that_are_only_declared_are_refused_at_once(server):
    begun = time.monotonic()

    answer = raw(server, head(server, "Content-Type: application/json", f"Content-Length: {5 * 1024**3}"))

    assert status(answer) == 413
    assert time.monotonic() - begun < 5


def test_a10_a_body_beyond_the_bound_and_endless_chunks_are_refused_with_flat_memory(server, ann):
    before, sent = resident(), 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(head(server, "Content-Type: application/json", "Transfer-Encoding: chunked"))
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        try:
            while sent < 64 * 1024**2:
                connection.sendall(chunk)
                sent += 65536
        except OSError:
            pass
        try:
            answer = connection.recv(65536)
        except OSError:
            answer = b""

    assert status(answer) in (413, None)
    assert resident() - before < 48 * 1024**2
    assert ann.get("/health").status_code == 200


def test_a11_a_head_and_a_body_that_come_too_slowly_are_ended_and_others_are_served(make_serving, tmp_path):
    with make_serving(tmp_path, users=(("ann", ("developer",)),), body_seconds=1.0, header_seconds=1.0) as server:
        answers = {}

        def drip(name, first):
            answers[name] = raw(server, first)

        slow = [threading.Thread(target=drip, args=pair) for pair in (
            ("head", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "),
            ("nothing", b""),
            ("body", head(server, "Content-Type: application/json", "Content-Length: 100") + b'{"code"'))]
        for thread in slow:
            thread.start()
        with server.client("ann") as client:
            served = client.post(RUN, json={"code": "print(1)"})
        for thread in slow:
            thread.join(15)

    assert served.status_code == 200
    assert {name: status(answer) for name, answer in answers.items()} == {"head": 408, "nothing": 408, "body": 408}


@pytest.mark.parametrize("body", [
    b"[" * 100_000, b'{"code": NaN}', b'{"code": "1", "code": "2"}', b'{"code": 1e999}', b"[]", b'"x"', b"null", b"", b"{",
    b'{"code": ["a"]}', b'{"code": "1", "timeout_seconds": -1}', b'{"code": "1", "timeout_seconds": true}',
    b'{"code": "1", "memory_mb": 1e3}', b'{"code": "1", "language": "klingon"}', b'{"code": "\\ud800"}', b"\xff\xfe{}",
    b'{"code": "1", "timeout_seconds": ' + b"9" * 5000 + b"}",
], ids=range(17))
def test_a12_to_a14_json_that_is_wrong_is_refused_without_a_trace(ann, body):
    answer = ann.post(RUN, content=body, headers={"Content-Type": "application/json"})

    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "Traceback" not in answer.text
    assert ".py" not in answer.text


@pytest.mark.parametrize(("method", "path", "expected"), [
    ("GET", RUN, 405), ("PUT", RUN, 405), ("DELETE", "/v1/tools", 405), ("POST", "/v1/tools/none_such", 404),
    ("POST", "/nowhere", 404), ("PATCH", "/v1/jobs/x", 405)])
def test_a15_a_wrong_method_or_address_is_a_problem_document(ann, method, path, expected):
    answer = ann.request(method, path, json={})

    assert (answer.status_code, answer.json()["status"]) == (expected, expected)
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_that_is_not_called_json_is_refused(ann):
    assert ann.post(RUN, content=b'{"code": "1"}', headers={"Content-Type": "text/plain"}).status_code == 415


@pytest.mark.parametrize("headers", [
    {"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example"}, {"Host": ""}, {"Origin": "http://evil.example"},
    {"Origin": "null"}, {"Origin": "http://127.0.0.1.evil.example"}, {"Origin": "http://evil.example/127.0.0.1"}])
@pytest.mark.parametrize("path", ["/mcp", "/v1/jobs"])
def test_a16_a17_a_foreign_host_or_origin_is_refused_everywhere(ann, headers, path):
    answer = ann.post(path, json={}, headers=headers)

    assert answer.status_code in (403, 421)


def test_a17_a_page_of_this_machine_may_call(server, ann):
    assert ann.get("/v1/jobs", headers={"Origin": f"http://localhost:{server.port}"}).status_code == 200


def test_a18_a_length_and_chunks_together_are_refused(server):
    answer = raw(server, head(server, "Content-Type: application/json", "Content-Length: 5", "Transfer-Encoding: chunked")
                 + b"0\r\n\r\n")

    assert status(answer) == 400


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com"])
def test_a19_without_keys_only_loopback_is_listened_on(host):
    with pytest.raises(UsageError, match="there are no keys"):
        check_bind(host, keys=False)

    check_bind(host, keys=True)
    check_bind("127.0.0.1", keys=False)
    check_bind("::1", keys=False)


def test_a19_the_command_refuses_to_be_reached_from_elsewhere_without_keys(cli):
    refused = cli("serve", "--host", "0.0.0.0", "--port", "0")

    assert refused.returncode == 2
    assert "there are no keys" in refused.stderr


def test_a20_our_own_fault_tells_no_trace_and_no_secret(server, ann):
    begun = ann.post("/v1/tools/protocol_error_job", json={})
    until = time.monotonic() + 20
    while (job := ann.get(begun.headers["location"]).json())["state"] == "working" and time.monotonic() < until:
        time.sleep(0.02)

    assert (job["state"], job["answer"]["code"]) == ("failed", "error")
    assert "RuntimeError" not in json.dumps(job)


@pytest.mark.parametrize("more", [{"level": "restricted"}, {"min_isolation": "restricted"}, {"network_enabled": True},
                                  {"workspace": "/"}, {"user": "root"}])
def test_a21_a_request_cannot_ask_for_weaker_walls(ann, more):
    answer = ann.post(RUN, json={"code": "1", **more})

    assert (answer.status_code, next(iter(more)) in answer.json()["detail"]) == (422, True)


def test_a22_a23_two_hundred_at_once_are_served_without_cross_talk_while_a_slow_one_runs(server, ann):
    slow = ann.post(RUN, json={"code": "import time; time.sleep(8)"}, headers={"Prefer": "respond-async"})
    limits = httpx.Limits(max_connections=200)

    def one(number):
        with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.keys['bob' if number % 2 else 'ann']}"},
                          timeout=120, limits=limits, verify=False) as client:
            return client.post(RUN, json={"code": f"print({number})"})

    with ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(one, range(200)))
    still = ann.get(slow.headers["location"]).json()["state"]
    ann.delete(slow.headers["location"])

    assert {answer.status_code for answer in answers} == {200}
    assert [answer.json()["stdout"] for answer in answers] == [f"{number}\n" for number in range(200)]
    assert still in ("working", "completed")


def test_a22_a_queue_that_is_full_says_so_with_when_to_come_again(make_serving, tmp_path):
    with make_serving(tmp_path, users=(("ann", ("developer",)),), threads=1, queue=0) as server, server.client("ann") as client:
        client.get("/ready")
        busy = client.post(RUN, json={"code": "import time; time.sleep(20)"}, headers={"Prefer": "respond-async"})
        time.sleep(0.3)
        answer = client.post(RUN, json={"code": "1"})
        quick = client.get("/v1/history")
        client.delete(busy.headers["location"])

    assert (answer.status_code, quick.status_code) == (503, 200)
    assert int(answer.headers["retry-after"]) >= 1


def test_a25_a_file_of_keys_that_others_may_read_is_refused_by_the_command(cli, tmp_path):
    path = tmp_path / "sandbox_auth.json"
    path.write_text('{"users": [{"username": "a", "api_key": "0123456789abcdefghij", "permissions": ["all"]}]}')
    path.chmod(0o644)

    refused = cli("mcp", "--auth-file", str(path))

    assert (refused.returncode, "chmod 600" in refused.stderr) == (2, True)


def test_a_revoked_key_opens_nothing_from_then_on(server):
    key, told = server.desk.tunnel.keys.create(user="zoe", roles=("viewer",))
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {told}"}) as client:
        before = client.get("/v1/jobs").status_code
        server.desk.keys.revoke(key.id)
        after = client.get("/v1/jobs").status_code

    assert (before, after) == (200, 401)
