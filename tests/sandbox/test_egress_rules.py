from __future__ import annotations

from http import HTTPStatus
from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.sandbox.egress_rules import (
    NOT_A_HOST,
    NOT_LISTED,
    ODD_ADDRESS,
    PORT_NOT_LISTED,
    Refused,
    Request,
    Rule,
    Target,
    find_rule,
    is_public,
    parse_hosts,
    read_request,
    read_target,
)


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        ("example.com", Rule(entry="example.com", host="example.com")),
        ("Example.COM.", Rule(entry="example.com", host="example.com")),
        ("example.com:8443", Rule(entry="example.com:8443", host="example.com", ports=(8443,))),
        ("*.example.com", Rule(entry="*.example.com", host="example.com", subdomains=True)),
        ("*.example.com:1", Rule(entry="*.example.com:1", host="example.com", ports=(1,), subdomains=True)),
        ("xn--bcher-kva.example", Rule(entry="xn--bcher-kva.example", host="xn--bcher-kva.example")),
        ("93.184.216.34", Rule(entry="93.184.216.34", host="93.184.216.34", is_address=True)),
        (
            "[2606:4700:0::1]:443",
            Rule(entry="[2606:4700::1]:443", host="2606:4700::1", ports=(443,), is_address=True),
        ),
    ],
)
def test_an_entry_becomes_a_rule_in_normal_form(entry, rule):
    assert parse_hosts([entry]) == (rule,)


@pytest.mark.parametrize(
    "entry",
    [
        "", " ", ".", "*", "*.", "*.com", "*.*.example.com", "a.*.com", "*example.com", "com", "localhost",
        "https://example.com", "example.com/path", "user@example.com", "example .com", "example.com\n", "-a.example.com",
        "a..example.com", ".example.com", "example.com..", "a_b.example.com", "bücher.example", "example.com:", "example.com:0",
        "example.com:65536", "example.com:080", "example.com:http", "example.com:80:80", "2130706433", "0x7f.1",
        "0177.0.0.1", "127.1", "1.2.3.4.", "example.0x1", "2606:4700::1", "[2606:4700::1", "[::1%lo]", "[1.2.3.4]", "*.1.2.3.4",
        "a" * 64 + ".example.com", "a." * 126 + "example.com", 7, None, b"example.com",
    ],
)  # fmt: skip
def test_an_entry_that_is_not_a_host_is_refused_by_the_name_of_its_field(entry):
    with pytest.raises(UsageError, match=r"^allow_hosts: not a host: ") as caught:
        parse_hosts([entry])

    assert caught.value.field == "allow_hosts"


def test_a_name_that_is_not_ascii_is_refused_with_the_hint_to_write_punycode():
    with pytest.raises(UsageError, match="punycode"):
        parse_hosts(["bücher.example"])


def test_one_text_in_place_of_a_list_is_refused():
    with pytest.raises(UsageError, match="not a list"):
        parse_hosts("example.com")


def test_more_entries_than_there_are_loopback_addresses_are_refused():
    with pytest.raises(UsageError, match="255 entries, the most is 254"):
        parse_hosts([f"h{number}.example.com" for number in range(255)])


@pytest.mark.parametrize(
    ("entry", "target"),
    [
        ("example.com", "example.com:443"),
        ("example.com", "EXAMPLE.com.:80"),
        ("example.com:8443", "example.com:8443"),
        ("*.example.com", "a.example.com:443"),
        ("*.example.com", "a.b.example.com:443"),
        ("93.184.216.34", "93.184.216.34:80"),
        ("[2606:4700::1]:443", "[2606:4700:0:0::1]:443"),
    ],
)
def test_a_listed_target_is_found(entry, target):
    rules = parse_hosts([entry])

    assert find_rule(rules, read_target(target)) == rules[0]


@pytest.mark.parametrize(
    ("entry", "target", "rule"),
    [
        ("example.com", "evil-example.com:443", NOT_LISTED),
        ("example.com", "example.com.evil.org:443", NOT_LISTED),
        ("example.com", "a.example.com:443", NOT_LISTED),
        ("example.com", "example.com:22", PORT_NOT_LISTED),
        ("example.com:8443", "example.com:443", PORT_NOT_LISTED),
        ("*.example.com", "example.com:443", NOT_LISTED),
        ("*.example.com", "evil-example.com:443", NOT_LISTED),
        ("*.example.com", "a.example.com.evil.org:443", NOT_LISTED),
        ("example.com", "93.184.216.34:443", NOT_LISTED),
        ("93.184.216.34", "93.184.216.35:443", NOT_LISTED),
        ("93.184.216.34", "[::ffff:93.184.216.34]:443", NOT_LISTED),
    ],
)
def test_a_target_beside_the_list_is_refused(entry, target, rule):
    with pytest.raises(Refused) as caught:
        find_rule(parse_hosts([entry]), read_target(target))

    assert caught.value.rule == rule


def test_an_empty_list_allows_nothing():
    with pytest.raises(Refused) as caught:
        find_rule(parse_hosts([]), Target(host="example.com", port=443))

    assert caught.value.rule == NOT_LISTED


@pytest.mark.parametrize(
    "text", ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.0x1", "127%2e0.0.1", "1.2.3.4.", "[::1%1]"]
)
def test_an_address_in_an_unusual_spelling_is_never_a_name(text):
    with pytest.raises(Refused) as caught:
        read_target(f"{text}:80")

    assert caught.value.rule == ODD_ADDRESS


@pytest.mark.parametrize("text", ["user@example.com", "example%2ecom", "ex\x00ample.com", "\uff11.example.com", "a b.com"])
def test_a_target_that_two_readers_may_read_differently_is_refused(text):
    with pytest.raises(Refused) as caught:
        read_target(f"{text}:80")

    assert (caught.value.rule, caught.value.status) == (NOT_A_HOST, HTTPStatus.BAD_REQUEST)


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1", "198.18.0.1", "203.0.113.1",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16", "::", "::1", "::7f00:1", "fe80::1", "fec0::1",
        "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "3fff::1", "100::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::ffff:0:7f00:1", "2002:7f00:1::1", "2002:a9fe:a9fe::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2606:4700::1%1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_of_the_open_internet_is_not_public(text):
    assert not is_public(ip_address(text))


@pytest.mark.parametrize(
    "text",
    ["93.184.216.34", "8.8.8.8", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1", "223.255.255.255",
     "168.63.129.17", "2606:4700::1", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)  # fmt: skip
def test_an_address_of_the_open_internet_is_public(text):
    assert is_public(ip_address(text))


def test_a_plain_request_goes_out_with_the_host_of_its_target_and_without_what_is_for_the_proxy():
    request = read_request(
        b"POST http://Example.com:8080/a?b HTTP/1.0\r\nHost: other.example\r\nProxy-Authorization: Basic x\r\n"
        b"Connection: keep-alive, X-Hop, Content-Length\r\nX-Hop: 1\r\nUpgrade: h2c\r\nTE: trailers\r\n"
        b"Content-Length: 3\r\nX-Kept: yes"
    )

    assert request == Request(
        target=Target(host="example.com", port=8080),
        tunnel=False,
        head=b"POST /a?b HTTP/1.1\r\nHost: example.com:8080\r\nX-Kept: yes\r\nContent-Length: 3\r\nConnection: close\r\n\r\n",
        body_bytes=3,
    )


@pytest.mark.parametrize(
    ("url", "first"),
    [
        ("http://example.com", b"GET / HTTP/1.1\r\nHost: example.com\r\n"),
        ("HTTP://example.com?q", b"GET /?q HTTP/1.1\r\nHost: example.com\r\n"),
        ("http://[2606:4700::1]/", b"GET / HTTP/1.1\r\nHost: [2606:4700::1]\r\n"),
    ],
)
def test_an_address_line_is_rewritten_for_the_origin(url, first):
    assert read_request(f"GET {url} HTTP/1.1".encode()).head.startswith(first)


def test_a_connect_is_a_tunnel_to_its_target_whatever_its_host_header_says():
    request = read_request(b"CONNECT example.com:443 HTTP/1.1\r\nHost: other.example")

    assert request == Request(target=Target(host="example.com", port=443), tunnel=True)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"", 400),
        (b"\x16\x03\x01\x02\x00\x01", 400),
        (b"GET / HTTP/1.1\r\nHost: example.com", 400),
        (b"GET https://example.com/ HTTP/1.1", 400),
        (b"GET ftp://example.com/ HTTP/1.1", 400),
        (b"GET http:///etc/passwd HTTP/1.1", 400),
        (b"GET http://user:pass@example.com/ HTTP/1.1", 400),
        (b"GET http://example.com\\@evil.org/ HTTP/1.1", 400),
        (b"GET http://example.com#@evil.org/ HTTP/1.1", 400),
        (b"GET  http://example.com/ HTTP/1.1", 400),
        (b"GET http://example.com/ HTTP/2.0", 400),
        (b"GET http://example.com/\nX: y HTTP/1.1", 400),
        (b"GET http://example.com/ HTTP/1.1\nX: y", 400),
        (b"GET http://example.com/ HTTP/1.1\r\n folded", 400),
        (b"GET http://example.com/ HTTP/1.1\r\nX : y", 400),
        (b"GET http://example.com/ HTTP/1.1\r\nX: a\nHost: b", 400),
        (b"GET http://example.com/ HTTP/1.1\r\nX: a\x00", 400),
        (b"POST http://example.com/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2", 400),
        (b"POST http://example.com/ HTTP/1.1\r\nContent-Length: +1", 400),
        (b"POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked", 411),
        (b"CONNECT example.com HTTP/1.1", 400),
        (b"CONNECT http://example.com:443 HTTP/1.1", 400),
        (b"CONNECT user@example.com:443 HTTP/1.1", 400),
        (b"CONNECT example.com:99999 HTTP/1.1", 400),
        (b"CONNECT 2130706433:443 HTTP/1.1", 403),
    ],
)
def test_a_request_with_no_single_meaning_is_refused(head, status):
    with pytest.raises(Refused) as caught:
        read_request(head)

    assert caught.value.status == status


@settings(database=None)
@given(st.binary(max_size=300) | st.binary(max_size=200).map(lambda tail: b"GET http://" + tail + b" HTTP/1.1"))
def test_hostile_bytes_are_a_request_or_refused_and_nothing_else(head):
    try:
        outcome = read_request(head)
    except Refused as refusal:
        outcome = refusal

    assert isinstance(outcome, Request | Refused)


@settings(database=None)
@given(st.text(max_size=80))
def test_what_a_refusal_shows_is_printable_and_short(text):
    shown = Refused("rule", target=text * 20).target

    assert shown.isascii()
    assert shown.isprintable()
    assert 0 < len(shown) <= 263
