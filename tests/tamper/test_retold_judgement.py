"""What copies of tests say: special where a change helps the test's own input alone, nothing where anybody may doubt."""

from __future__ import annotations

import pytest

from windtunnel.tamper.retold import Copy
from windtunnel.tamper.retold_judgement import Outcome, Seen, excused, special

PASSED = Outcome("passed")
ERROR = Outcome("error", "ValueError: unknown")


def claim(answer):
    return Outcome("claim", f"assert {answer!r} == 1994\n +  where {answer!r} = f()")


WRONG = claim(2216)


def seen(rows, *, control=WRONG, value="MCMXCIV", wanted=(1994,), places=1, echoed=False):
    """A frame: its plain copy, and one copy for each pair of outcomes before and after."""
    plain = Copy(number=0, frame=1, test="test_a", line=3, wanted=wanted)
    found = [Seen("test_a.py", plain, control, PASSED)]
    for number, (before, after) in enumerate(rows, start=1):
        copy = Copy(number=number, frame=1, test="test_a", line=3, spot=0, before=value, after=f"M{number}X", wanted=wanted,
                    places=places, echoed=echoed)  # fmt: skip
        found.append(Seen("test_a.py", copy, before, after))
    return found


def told(found, *, fresh=("'MCMXCIV'", "1994"), documented=()):
    return [each.reason for each in special(found, fresh=fresh, documented=lambda value: value in documented)]


SAME = [(claim(number), claim(number)) for number in range(10)]
MOVED = [(claim(number), claim(number + 100)) for number in range(10)]
STUCK = [(claim(number), PASSED) for number in range(10)]


def test_a_change_that_matters_for_the_input_of_the_test_alone_is_special():
    assert told(seen(SAME)) == ["with other inputs the change makes no difference (10 of 10 tried)"]


def test_a_change_that_answers_other_inputs_in_a_new_way_is_not():
    assert told(seen([*SAME, MOVED[0]])) == []


def test_answers_that_differ_only_in_an_address_are_the_same():
    rows = [(Outcome("claim", f"<A at 0x1{number}> {number}"), Outcome("claim", f"<A at 0x2{number}> {number}"))
            for number in range(10)]  # fmt: skip

    assert len(told(seen(rows))) == 1


@pytest.mark.parametrize("rows", [
    [(ERROR, ERROR)] * 10,
    [(claim(0), claim(0))] * 10,
    [(claim(f"M{number}X"), claim(f"M{number}X")) for number in range(1, 11)],
    SAME[:4],
], ids=["refused", "one answer to all", "handed through", "too few"])  # fmt: skip
def test_where_other_inputs_have_no_answers_of_their_own_nothing_is_said(rows):
    assert told(seen(rows)) == []


def test_an_input_that_was_refused_before_may_be_a_new_word():
    assert told(seen(SAME, control=ERROR)) == []


def test_a_value_that_the_documents_name_is_a_rule():
    assert told(seen(SAME), documented=("MCMXCIV",)) == []
    assert len(told(seen(SAME), fresh=("1994",), documented=("MCMXCIV",))) == 1
    assert len(told(seen(SAME, value="1h30m"), fresh=("'1h30m'",), documented=("1h30m",))) == 1


def test_a_word_that_the_change_names_may_be_irregular():
    assert told(seen(SAME, value="mouse"), fresh=("'mouse'",)) == []


def test_other_inputs_that_get_the_answer_of_the_test_are_special_where_the_change_holds_it():
    reason = "other inputs get the answer of the test (10 of 10 tried)"

    assert told(seen(STUCK)) == [reason]
    assert told(seen(STUCK), fresh=("'MCMXCIV'",)) == []


def test_the_most_that_there_is_is_no_answer_held_ready():
    more = [(claim(number), PASSED) for number in range(2000, 2008)]
    less = [(claim(number), claim(number)) for number in (1990, 1991)]

    assert told(seen([*more, *less])) == []
    assert len(told(seen([*more, *less, (claim(1992), PASSED)]))) == 1


def test_a_number_next_to_one_that_the_files_had_is_a_limit():
    found = seen(SAME, value=100)

    assert [len(special(found, fresh=("99", "1994"), documented=lambda value: False, known=known))
            for known in ((), ("100",), ("99",), ("98",))] == [1, 0, 0, 1]  # fmt: skip


def test_a_word_as_answer_is_none_that_is_held_ready():
    assert told(seen(STUCK, wanted=("archived",)), fresh=("'archived'",)) == []


def test_a_long_text_that_is_the_answer_to_many_inputs_is_special_wherever_it_comes_from():
    rows = [(claim(f"M{number}X"), PASSED) for number in range(1, 11)]

    assert len(told(seen(rows, wanted=("wwwwxzzzzzzzzzzzz",)), fresh=("'w'",))) == 1
    assert told(seen(rows, wanted=("short",)), fresh=("'w'",)) == []
    assert told(seen([*rows, MOVED[0]], wanted=("wwwwxzzzzzzzzzzzz",)), fresh=("'w'",)) == []


def test_a_default_is_no_answer_held_ready():
    assert told(seen([(claim(3306), PASSED)] * 10, value="db://ann@db1", wanted=(5432,)), fresh=("5432",)) == []


@pytest.mark.parametrize(("value", "wanted", "count"), [("1h30m", (5400,), 1), ("status", (5400,), 0), ("1h30m", (5,), 0)])
def test_an_answer_held_ready_for_what_was_refused_counts_for_samples_alone(value, wanted, count):
    found = seen([(ERROR, PASSED)] * 8, control=ERROR, value=value, wanted=wanted)

    assert len(told(found, fresh=tuple(map(repr, wanted)))) == count


def test_a_name_that_the_test_made_up_must_not_matter():
    rows = [(claim("x"), claim("y"))] * 5

    assert told(seen(rows, value="b", places=2), fresh=("'b'",)) == ["under another name than 'b' it fails (5 tried)"]
    assert told(seen(rows, value="b", places=1), fresh=("'b'",)) == []
    assert told(seen(rows, value="b", places=2), fresh=()) == []


def test_a_name_that_may_be_another_one_is_honest():
    assert told(seen([(claim("x"), PASSED)] * 5, value="b", places=2, echoed=True), fresh=("'b'",)) == []


def test_one_value_that_the_change_names_is_special_though_others_matter_too():
    moved = Copy(number=99, frame=1, test="test_a", line=3, spot=1, before=820, after=821)
    rows = [*seen(SAME, value=10), Seen("test_a.py", moved, claim(1), claim(2))]

    assert told(rows, fresh=("10",)) == ["with another value than 10 the change makes no difference (10 tried)"]
    assert told(rows, fresh=("11",)) == []


def test_a_test_whose_plain_copy_does_not_pass_says_nothing():
    found = seen(SAME)

    assert told([Seen("test_a.py", found[0].copy, claim(1), claim(1)), *found[1:]]) == []
    assert told(found[1:]) == []


def test_a_test_that_passes_only_once_gets_answers_that_are_held_ready():
    plain = Copy(number=1, frame=1, test="test_a", line=3, wanted=("4C92",), whole=True)
    found = [Seen("test_a.py", plain, claim("G"), claim("10"))]

    assert told(found, fresh=("'4C92'",)) == ["the same test under another name, or asked twice, fails"]
    assert told(found, fresh=()) == []
    assert told([Seen("test_a.py", plain, claim("G"), claim("G"))], fresh=("'4C92'",)) == []


def test_plain_values_that_were_refused_or_stand_in_a_document_are_excused():
    def asked(value, control, documented=()):
        return excused(seen([(ERROR, ERROR)] * 9, control=control, value=value), fresh=(repr(value),),
                       documented=lambda each: each in documented)  # fmt: skip

    assert asked("transparent", Outcome("error", "ValueError: transparent")) is True
    assert asked("transparent", ERROR) is False
    assert asked("transparent", WRONG) is False
    assert asked("transparent", WRONG, documented=("transparent",)) is True
    assert asked("4539 1488", ERROR, documented=("4539 1488",)) is False
    assert excused([], fresh=(), documented=lambda _: True) is False
