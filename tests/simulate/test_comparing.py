"""What counts as broken by a condition, and what does not."""

from __future__ import annotations

import pytest

from windtunnel.core.section import Call, Called, Ended, Ending, Section, SectionKind
from windtunnel.core.simulation import State
from windtunnel.engine.simulate.comparing import calm_of, outcome

SECTION = Section(path="m.py", name="f", kind=SectionKind.FUNCTION, module="m")
CALL = Call(section=SECTION, arguments=(("n", "1"),))
HOSTILE = Call(section=SECTION, arguments=(("n", "'x' * 10**6"),), hostile=True)


def ended(how=Ending.RETURNED, *, call=CALL, **fields):
    return Ended(call=call, how=how, **fields)


def called(*ends, failed=""):
    return Called(section=SECTION, ends=ends, failed=failed)


def calm(*ends):
    return calm_of(called(*ends))


STEADY = calm(*[ended(digest="a", seconds=0.01)] * 5)


def judged(*ends, calm=STEADY):
    made = outcome(calm, called(*ends), scenario="s")
    return made.state, made.reason


def test_a_call_that_does_the_same_is_ok():
    assert judged(ended(digest="a", seconds=0.01)) == (State.OK, "")


@pytest.mark.parametrize(("end", "reason"), [
    (ended(Ending.RAISED, error="OSError", message="no room"), "raises OSError: no room"),
    (ended(Ending.NEVER_RETURNED), "never returned"),
    (ended(Ending.ENDED_PROCESS), "ended the process"),
    (ended(digest="b"), "returns another value"),
])
def test_what_returned_before_and_does_not_now_is_broken(end, reason):
    assert judged(end) == (State.BROKEN, reason)


def test_one_bad_repetition_of_three_does_not_break_a_call():
    bad = ended(Ending.RAISED, error="OSError")

    assert judged(bad, ended(digest="a"), ended(digest="a")) == (State.OK, "")
    assert judged(bad, bad, ended(digest="a")) == (State.BROKEN, "raises OSError")


def test_a_value_that_differs_by_itself_is_not_compared():
    drawn = calm(*[ended(digest=str(number)) for number in range(5)])

    assert judged(ended(digest="another"), calm=drawn) == (State.OK, "")


def test_a_call_that_fails_now_and_then_by_itself_is_never_broken():
    drawn = calm(*[ended()] * 4, ended(Ending.RAISED, error="ValueError"))

    assert (drawn.calls, drawn.unsteady) == ((), "its calls end in several ways: raised ValueError, returned")


def test_slow_is_three_times_and_a_twentieth_of_a_second_more():
    assert judged(ended(digest="a", seconds=0.2)) == (State.SLOW, "0.2 s, without conditions 0.01 s")
    assert judged(ended(digest="a", seconds=0.05))[0] is State.OK


def test_a_hostile_call_may_be_refused_but_must_end():
    assert judged(ended(Ending.RAISED, call=HOSTILE, error="ValueError"))[0] is State.OK
    assert judged(ended(Ending.RAISED, call=HOSTILE, error="RecursionError", message="deep")) == (
        State.BROKEN, "raises RecursionError: deep")
    assert judged(ended(Ending.NEVER_RETURNED, call=HOSTILE)) == (State.BROKEN, "never returned")


def test_a_section_that_nothing_was_heard_of_was_not_run():
    made = outcome(STEADY, None, scenario="s")

    assert (made.state, made.reason) == (State.NOT_RUN, "nothing was heard of it")
