"""Names of people: those that look alike are one, and those of mixed letters are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.person import check_person, looks


@pytest.mark.parametrize("name", ["ann", "ci bot 7", "J\u00fcrgen", "\u0418\u0432\u0430\u043d", "\u5c71\u7530\u306f\u306a\u30b3", "uid 1000", "7"])
def test_a_name_of_one_script_is_a_name(name):
    assert check_person(name, field="actor") is None


@pytest.mark.parametrize(("name", "why"), [
    ("r\u043e\u043et", "mixes letters of CYRILLIC and LATIN"), ("\u03bfmar", "mixes letters of GREEK and LATIN"),
    ("", "is not a name of 1 to 200 letters"), ("a\u200bnn", "is not a name"), ("a\nb", "is not a name")])
def test_other_words_are_no_names(name, why):
    with pytest.raises(UsageError, match=why):
        check_person(name, field="actor")


def test_the_refusal_of_a_long_name_is_short():
    with pytest.raises(UsageError) as refusal:
        check_person("a" * 50_000, field="actor")

    assert str(refusal.value) == f"actor: {'a' * 60!r} is not a name of 1 to 200 letters"


@pytest.mark.parametrize(("one", "other"), [
    ("root", "r\u043e\u043et"), ("ace", "\u0430\u0441\u0435"), ("HAN", "\u0397\u0391\u039d"), ("Ann  Bo", "ann bo"), ("ann", "\uff21\uff2e\uff2e")])
def test_names_that_look_alike_are_one(one, other):
    assert looks(one) == looks(other)


@pytest.mark.parametrize(("one", "other"), [("ann", "bob"), ("rn", "m"), ("\u0418\u0432\u0430\u043d", "ivan"), ("Jos\u00e9", "jose")])
def test_names_that_look_different_are_two(one, other):
    assert looks(one) != looks(other)


@given(st.text(max_size=30))
def test_what_a_name_looks_like_does_not_depend_on_blanks_at_its_ends(name):
    assert looks(f" {name} ") == looks(name)
