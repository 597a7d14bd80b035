"""The resolver's answers, byte by byte."""

import struct
from ipaddress import ip_address, ip_network

import pytest

from windtunnel.sandbox.outside import names

A, AAAA = 1, 28


def question(name, kind=A, *, flags=0x0100, count=1):
    labels = b"".join(bytes([len(label)]) + label for label in name.encode().split(b"."))
    return struct.pack(">HHHHHH", 77, flags, count, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)


def test_a_name_has_an_address_that_belongs_to_nobody():
    said, name = names.answer(question("example.com"))

    packed = ip_address(names.address_of("example.com")).packed
    record = b"\xc0\x0c" + struct.pack(">HHIH", A, 1, 60, 4) + packed
    assert said == struct.pack(">HHHHHH", 77, 0x8180, 1, 1, 0, 0) + question("example.com")[12:] + record
    assert name == "example.com"


def test_addresses_are_of_the_range_for_measurements_and_never_the_resolver():
    made = {names.address_of(f"host-{number}.example") for number in range(2000)}

    assert all(ip_address(text) in ip_network("198.18.0.0/15") for text in made)
    assert names.RESOLVER not in made
    assert len(made) > 1950


def test_letters_and_the_last_dot_make_no_difference():
    assert names.address_of("Example.COM.") == names.address_of("example.com")


def test_there_is_no_sixth_version():
    said, _ = names.answer(question("example.com", AAAA))

    assert said == struct.pack(">HHHHHH", 77, 0x8180, 1, 0, 0, 0) + question("example.com", AAAA)[12:]


def test_a_failing_resolver_says_so():
    said, name = names.answer(question("example.com"), fail=True)

    assert said == struct.pack(">HHHHHH", 77, 0x8182, 1, 0, 0, 0) + question("example.com")[12:]
    assert name == "example.com"


@pytest.mark.parametrize("query", [b"", b"short", question("a", flags=0x8000), question("a", flags=0x2800)])
def test_what_is_no_question_gets_no_answer(query):
    assert names.answer(query) == (b"", "")


@pytest.mark.parametrize("body", [b"", b"\x05ab", b"\xc0\x0c\0\x01\0\x01", b"\x01a" * 200, b"\x01a\0\0"])
def test_a_question_that_cannot_be_read_is_called_malformed(body):
    said, name = names.answer(struct.pack(">HHHHHH", 5, 0, 1, 0, 0, 0) + body)

    assert (said, name) == (struct.pack(">HHHHHH", 5, 0x8081, 0, 0, 0, 0), "")


def test_what_cannot_be_shown_is_not_recorded():
    said, name = names.answer(struct.pack(">HHHHHH", 5, 0, 1, 0, 0, 0) + b"\x05a\x1b[\n\xff\x03com\0" + struct.pack(">HH", A, 1))

    assert name == "a?[??.com"
    assert said.endswith(ip_address(names.address_of("a?[??.com")).packed)
