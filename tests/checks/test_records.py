"""Records in a stream of output: believed once, in order, with the right seal; all else is the program's output."""

import hashlib
import hmac
import json

import pytest

from windtunnel.checks.records import MOST_PENDING_BYTES, Records

KEY = "secret"


def sealed(number, *, key=KEY, **fields):
    text = json.dumps({"n": number, "kind": "start", **fields}).encode()
    return b"\x1e" + hmac.new(key.encode(), text, hashlib.sha256).hexdigest()[:32].encode() + b" " + text + b"\n"


def taken(*pieces, key=KEY):
    """The numbers that were believed, how many were forged, and the output that is left."""
    records = Records(key)
    shown = b"".join(map(records.feed, pieces)) + records.finish()
    return [record["n"] for record in records.records], records.forged, shown


def test_a_record_is_taken_out_of_the_output_around_it():
    assert taken(b"before" + sealed(0) + b"after\n") == ([0], 0, b"beforeafter\n")


def test_records_may_come_one_byte_at_a_time():
    data = b"a\n" + sealed(0) + b"\x1eb" + sealed(1) + b"c"

    assert taken(*(data[at : at + 1] for at in range(len(data)))) == ([0, 1], 0, b"a\n\x1ebc")


def test_a_record_is_handed_on_when_it_arrives():
    seen = []

    Records(KEY, on_record=seen.append).feed(sealed(0, id="a"))

    assert seen == [{"n": 0, "kind": "start", "id": "a"}]


def test_a_wrong_seal_is_forged_and_shown():
    lie = sealed(0, key="guess")

    assert taken(lie + sealed(0)) == ([0], 1, lie)


def test_without_a_key_nothing_is_believed():
    assert taken(sealed(0, key=""), key="") == ([], 1, sealed(0, key=""))


def test_a_replayed_record_is_forged():
    assert taken(sealed(0) + sealed(1) + sealed(0)) == ([0, 1], 1, sealed(0))


def test_a_lost_record_is_noticed():
    assert taken(sealed(0) + sealed(2)) == ([0, 2], 1, b"")


def test_an_unfinished_lie_cannot_swallow_the_next_record():
    lie = sealed(0)[:40]

    assert taken(lie + sealed(0)) == ([0], 1, lie)


def test_a_record_with_something_written_into_it_is_forged():
    record = sealed(0)

    assert taken(record[:45] + b"\xff" + record[45:]) == ([], 1, record[:45] + b"\xff" + record[45:])


def test_what_was_held_back_comes_out_at_the_end():
    assert taken(sealed(0)[:-1]) == ([], 1, sealed(0)[:-1])


def test_the_mark_alone_is_output_like_any_other():
    assert taken(b"\x1e", b"\x1e\x1e text \x1e0123") == ([], 0, b"\x1e\x1e\x1e text \x1e0123")


def test_a_flood_within_a_record_is_let_through_and_not_kept():
    records = Records(KEY)
    flood = sealed(0)[:40] + b"a" * 10 * MOST_PENDING_BYTES

    shown = b"".join(records.feed(flood[at : at + 4096]) for at in range(0, len(flood), 4096))

    assert (records.forged, len(records._pending)) == (1, 0)
    assert shown == flood


@pytest.mark.parametrize("text", [b"{}", b'{"n": true, "kind": "start"}', b'{"n": 0}', b"{]", b'{"n": 0, "kind": 1}',
                                  b'{"n":' + b"[" * 3000])
def test_a_sealed_line_that_is_no_record_is_forged(text):
    seal = hmac.new(KEY.encode(), text, hashlib.sha256).hexdigest()[:32].encode()

    assert taken(b"\x1e" + seal + b" " + text + b"\n") == ([], 1, b"\x1e" + seal + b" " + text + b"\n")
