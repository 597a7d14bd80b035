"""What the harness is asked, and its answers, which are hostile text."""

from __future__ import annotations

import json

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.section import Call, Called, Ended, Ending, Section, SectionKind, Stubs
from windtunnel.sections.order import PROGRAM, explore, harness, is_whole, probe_of, read, replay

F = Section(path="m.py", name="f", kind=SectionKind.FUNCTION, module="m")
G = Section(path="m.py", name="A.g", kind=SectionKind.METHOD, module="m")
CALL = Call(section=F, arguments=(("x", "1"),))
NOTHING = Called(section=F, failed="nothing was told of it")


def report(*records):
    return b"\n".join(record if isinstance(record, bytes) else json.dumps(record).encode() for record in records)


def test_the_harness_begins_with_a_program():
    assert PROGRAM in harness()


def test_calls_of_a_section_stand_together_in_the_order():
    told = json.loads(replay([CALL, Call(section=G, receiver="A()"), Call(section=F, arguments=(("*0", "2"),))]))

    assert [(row["id"], row["calls"]) for row in told["sections"]] == [
        ("m.py:f", [[["x", "1"]], [["*0", "2"]]]), ("m.py:A.g", [[[".", "A()"]]])]


@pytest.mark.parametrize(("field", "options"), [
    ("hostile", {"hostile": 101}), ("calls", {"calls": 0}), ("seconds", {"seconds": 0}), ("jobs", {"jobs": 1000}),
    ("stubs", {"stubs": Stubs(everywhere=({"a": object()},))})])
def test_an_order_that_cannot_be_is_refused(field, options):
    with pytest.raises(UsageError) as refused:
        explore([F], **options)

    assert refused.value.field == field


def test_a_call_with_an_endless_text_is_refused():
    with pytest.raises(UsageError, match="a text of 5000 letters"):
        Call(section=F, arguments=(("x", "1" * 5000),))


def test_what_was_kept_is_read():
    kept = {"inputs": [[".", "A()"], ["x", "1"]], "hostile": True, "how": "raised", "error": "ValueError", "message": "no",
            "seconds": 0.5, "cpu": 0.25, "memory": 4096}
    called, = read(report({"id": G.id, "kept": [kept], "tries": 7, "lines_run": 2, "lines": 3}), [G])

    assert called == Called(section=G, tries=7, lines_run=2, lines=3, ends=(Ended(
        call=Call(section=G, receiver="A()", arguments=(("x", "1"),), hostile=True), how=Ending.RAISED, error="ValueError",
        message="no", seconds=0.5, cpu_seconds=0.25, memory_bytes=4096),))


def test_ends_of_a_replay_are_those_of_its_calls():
    called, = read(report({"id": F.id, "ends": [{"call": 0, "turn": 1, "how": "returned", "digest": "ab"}]}), [F], calls=[CALL])

    assert called.ends == (Ended(call=CALL, how=Ending.RETURNED, digest="ab", turn=1),)


@pytest.mark.parametrize("record", [
    b"", b"{", b"[" * 100_000, b"3", b"\xff\xfe", {"id": 3}, {"id": "other.py:f", "failed": "x"}, {}, [], {"id": [1]}])
def test_a_record_that_is_none_is_left_out(record):
    assert read(report(record), [F]) == (NOTHING,)


@pytest.mark.parametrize("record", [
    {"kept": 3}, {"kept": [3]}, {"kept": [{"inputs": 3, "how": "returned"}]}, {"kept": [{"inputs": [["x"]], "how": "returned"}]},
    {"kept": [{"inputs": [["x", 3]], "how": "returned"}]}, {"kept": [{"inputs": [], "how": "flew"}]},
    {"kept": [{"inputs": [["x", "1" * 9000]], "how": "returned"}]}, {"kept": [{"inputs": [["x", "1"]] * 100, "how": "returned"}]},
    {"kept": [{"inputs": [], "how": ["returned"]}]}, {"ends": [{"call": 9, "how": "returned"}]},
    {"ends": [{"call": -1, "how": "returned"}]}, {"ends": "x"}])
def test_a_call_that_is_none_is_left_out(record):
    called, = read(report({"id": F.id, **record}), [F], calls=[CALL])

    assert called == Called(section=F, failed="no inputs were found for it")


def test_figures_that_are_none_are_zero():
    bad = {"inputs": [], "how": "returned", "seconds": -1, "cpu": "x", "memory": 2**80, "turn": True, "digest": 3}
    called, = read(report({"id": F.id, "kept": [bad], "tries": "many", "lines": -3}), [F])

    assert called == Called(section=F, ends=(Ended(call=Call(section=F), how=Ending.RETURNED, memory_bytes=0),))


def test_the_first_record_of_a_section_counts():
    assert read(report({"id": F.id, "failed": "first"}, {"id": F.id, "failed": "second"}), [F]) == (
        Called(section=F, failed="first"),)


def test_the_probe_and_the_end_are_read():
    told = report({"probe": {"disk_full": {"bytes": 3}}}, {"done": True})

    assert (probe_of(told), is_whole(told), probe_of(b""), is_whole(b"")) == ({"disk_full": {"bytes": 3}}, True, {}, False)


def test_a_call_is_shown_as_a_person_would_write_it():
    made = Section(path="m.py", name="A.size", kind=SectionKind.PROPERTY, module="m")

    assert [str(Call(section=F, arguments=(("x", "1"), ("**y", "2")))), str(Call(section=G, receiver="A(1)")),
            str(Call(section=made, receiver="A(1)")), str(Call(section=F, arguments=(("*0", "[]"),)))] == [
                "f(x=1, y=2)", "A(1).g()", "A(1).size", "f([])"]
