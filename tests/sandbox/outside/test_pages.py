"""What is said in a connection."""

import json

import pytest

from windtunnel.sandbox.outside.pages import Echo, Http


def body_of(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    return head.split(b"\r\n")[0], json.loads(body)


def test_an_echo_says_what_it_hears():
    assert Echo().take(b"\0any\xff") == b"\0any\xff"


def test_any_path_is_answered():
    talk = Http()

    answer = talk.take(b"GET /a?b=1 HTTP/1.1\r\nHost: example.com\r\n\r\n")

    assert body_of(answer) == (
        b"HTTP/1.1 200 OK", {"simulated": True, "method": "GET", "path": "/a?b=1", "host": "example.com"})
    assert not talk.over


def test_a_request_in_pieces_is_answered_when_it_is_whole():
    talk = Http()

    said = [talk.take(bytes([byte])) for byte in b"GET / HTTP/1.1\r\n\r\n"]

    assert [bool(piece) for piece in said] == [False] * 17 + [True]


def test_a_body_is_read_and_the_next_request_answered():
    talk = Http()

    first = talk.take(b"POST /x HTTP/1.1\r\nContent-Length: 5\r\n\r\nab")
    second = talk.take(b"cdeGET /y HTTP/1.1\r\n\r\n")

    assert (body_of(first)[1]["path"], body_of(second)[1]["path"]) == ("/x", "/y")


def test_a_head_request_gets_no_body():
    assert Http().take(b"HEAD / HTTP/1.1\r\n\r\n").endswith(b"\r\n\r\n")


@pytest.mark.parametrize(("request_head", "over"), [
    (b"GET / HTTP/1.0\r\n\r\n", True),
    (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", False),
    (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", True),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", True),
])
def test_a_connection_ends_when_the_request_says_so(request_head, over):
    talk = Http()
    talk.take(request_head)

    assert talk.over is over


def test_what_is_no_request_is_refused():
    talk = Http()

    assert body_of(talk.take(b"\x16\x03\x01 hello\r\n\r\n")) == (b"HTTP/1.1 400 Bad Request", {"error": "not a request"})
    assert talk.over


def test_a_head_without_end_is_cut_off():
    talk = Http()

    answer = talk.take(b"GET / HTTP/1.1\r\n" + b"a" * 40_000)

    assert body_of(answer)[0] == b"HTTP/1.1 431 Request Header Fields Too Large"
    assert talk.over


def test_a_long_path_is_told_in_part():
    answer = Http().take(b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n")

    assert len(body_of(answer)[1]["path"]) == 1024
