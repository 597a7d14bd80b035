"""How records are written: one line each, details that can be taken out."""

import hashlib
import json

import pytest
from entries import HOSTILE, entry
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.store.audit import form

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8)


def header(one, packed_hash="0" * 64):
    return form.header_of(one, seq=7, time="2026-01-01T00:00:00.000000+00:00", previous=form.FIRST, details_hash=packed_hash, clock_back=0.0)


@given(st.dictionaries(st.text(min_size=1, max_size=20), JSON, max_size=5))
def test_details_come_back_as_they_were(details):
    packed, told = form.pack(details)

    assert {one.name: json.loads(one.value) for one in form.unpack(packed)} == details
    assert form.hash_of(packed) == told


@given(st.dictionaries(st.text(min_size=1, max_size=20), JSON, min_size=1, max_size=5), st.data())
def test_what_is_taken_out_leaves_the_hash_and_nothing_of_itself(details, data):
    gone = data.draw(st.sampled_from(sorted(details)))
    packed, told = form.pack(details)

    left = form.redact(packed, frozenset([gone]))

    assert form.hash_of(left) == told
    assert [one.name for one in form.unpack(left) if one.commitment] == [gone]
    assert form.redact(left, frozenset()) == left


def test_the_hash_of_a_detail_does_not_tell_its_value():
    hashes = {form.pack({"pin": 1234})[1] for _ in range(8)}

    assert len(hashes) == 8


@pytest.mark.parametrize("field", ["kind", "outcome", "actor", "session", "parent", "project", "id"])
def test_a_field_cannot_become_another_line_field_or_record(field):
    line = header(entry(**{field: HOSTILE}))

    assert line.isascii()
    assert b"\n" not in line
    assert b"\x1b" not in line
    assert (json.loads(line)[field], json.loads(line)["seq"]) == (HOSTILE, 7)


def test_hostile_details_stay_inside():
    packed, told = form.pack({HOSTILE.encode("utf-8", "replace").decode(): HOSTILE})
    record = form.record_of(header(entry(), told), packed)

    assert list(record.entry.details.values()) == [HOSTILE]


def test_a_long_field_is_cut_and_says_so():
    assert json.loads(header(entry(actor="x" * 5000)))["actor"] == "x" * 4096 + "[904 more]"


def test_a_number_that_json_has_not_is_written_as_its_text():
    packed, _ = form.pack({"thing": {"seconds": float("nan"), "others": [1.5, float("-inf")]}})

    assert [json.loads(detail.value) for detail in form.unpack(packed)] == [{"seconds": "nan", "others": [1.5, "-inf"]}]


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", [float("nan"), object()]])
def test_what_is_not_json_is_refused(value):
    with pytest.raises(UsageError, match=r"^details: thing is not plain JSON"):
        form.pack({"thing": value})


def test_too_much_is_refused():
    with pytest.raises(UsageError, match="are more than 16777216"):
        form.pack({"big": "x" * (17 * 2**20)})


@pytest.mark.parametrize("name", ["", "x" * 201])
def test_details_have_names(name):
    with pytest.raises(UsageError, match="a name has from 1 to 200 bytes"):
        form.pack({name: 1})


@given(st.binary(max_size=80))
def test_other_bytes_are_no_details_but_never_a_crash(data):
    try:
        left = list(form.unpack(data))
    except (ValueError, UnicodeDecodeError, IndexError):
        return
    assert form.hash_of(data) == hashlib.sha256(b"".join(bytes([len(one.name.encode())]) + one.name.encode() + one.hash for one in left)).hexdigest()


@given(st.binary(max_size=80))
def test_the_hash_of_other_bytes_is_a_value_error_or_that_of_details(data):
    try:
        told = form.hash_of(data)
    except ValueError:
        return
    assert len(told) == 64


@given(st.text(alphabet=st.characters()), st.floats(min_value=0, max_value=1e9))
def test_a_header_is_what_json_makes_of_it(text, back):
    one = entry(actor=text, subject=text)
    fields = {"seq": 7, "previous": form.FIRST, "time": "2026", **{name: getattr(one, name) for name in form._COMMON}, **({"clock_back": back} if back else {}), "details": "d"}

    line = form.header_of(one, seq=7, time="2026", previous=form.FIRST, details_hash="d", clock_back=back)

    assert line == json.dumps(fields, separators=(",", ":")).encode()


def test_a_name_that_is_no_text_is_told_apart_from_a_crash():
    packed, told = form.pack({"half \ud800": 1})

    assert ([one.name for one in form.unpack(packed)], form.hash_of(packed)) == (["half ?"], told)
