"""From what versions answer to a doubt: each sign, what is only told, and what cannot be judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from windtunnel.core.gate import Witness
from windtunnel.engine.disagreement_rule import weighed
from windtunnel.engine.disagreement_signs import strengths
from windtunnel.engine.disagreement_weights import BIAS, WEIGHTS
from windtunnel.engine.disagreement_words import Heard, Symptom, Version, heard

MANY = 40
PLACES = "oo" + "n" * (MANY // 2) + "f" * (MANY // 2)
FIX = Version("a" * len(PLACES), "v" * len(PLACES))
WITNESS = Witness(function="price", arguments="a=1", change="2", other="3", before="4")


def version(different, *, letter="b", base="fix", change="name", kinds=None):
    """One that answers so many of the last inputs otherwise than the change."""
    same = len(PLACES) - different
    return Version("a" * same + letter * different, kinds or "v" * len(PLACES), base, change)


def told(**more):
    """A change that differs from the code before it on thirty of forty inputs, and has no rivals."""
    return Heard(**{"places": PLACES, "made": len(PLACES), "fix": FIX, "old": version(30), "ended": True, **more})


WIDER = Version("a" * 6 + "c" * 6 + "a" * 30, FIX.kinds, "fix", "condition")
"""It answers six more inputs otherwise than the code before, and all others as the change does."""


def symptom(name, before, after, *, calls=3):
    return Symptom(name, calls, 1, before, after, MANY)


def test_a_change_without_rivals_is_in_no_doubt():
    doubt = weighed(told(tried=7))

    assert (doubt.state, doubt.reason, doubt.share, doubt.inputs, doubt.tried, doubt.passing) == ("none", "", 0.0, MANY, 7, 0)


def test_that_another_patch_passes_is_told_and_refuses_nothing():
    doubt = weighed(told(others=(version(4),), witness=WITNESS))

    assert (doubt.state, doubt.reason, doubt.share, doubt.witness) == (
        "doubtful", "another patch that passes the same tests answers 10% of 40 inputs otherwise", 0.1, WITNESS)


def test_a_patch_that_always_answers_alike_raises_no_doubt():
    assert weighed(told(others=(version(0),), witness=WITNESS)).state == "none"


@pytest.mark.parametrize(("more", "reason"), [
    ({"literals": (2, 1, "417")}, "it brings a literal of the calls that it repairs (417)"),
    ({"new": ("32",), "others": (version(2, change="constant 32"),)},
     "its 32 could be another number or text for all that the tests say: 5% of the inputs would be answered otherwise"),
    ({"regressions": (symptom("no IndexError", 0, 2),)}, "raises IndexError for 2 of 40 inputs that the code before answers"),
    ({"regressions": (symptom("order matters(items) == 0", 0, 1),)},
     "order matters(items) for 1 of 40 inputs, and for none before"),
    ({"others": (version(9, base="given"), version(9, base="given"))},
     "2 of the 2 other patches answer alike, and otherwise than the change"),
])
def test_each_strong_sign_makes_a_change_hollow_in_its_own_words(more, reason):
    doubt = weighed(told(**more))

    assert (doubt.state, doubt.reason) == ("hollow", reason)


@pytest.mark.parametrize(("more", "reason"), [
    ({"old": version(0)}, "next to the calls that it repairs it does as the code before: it seems to know the tests' own inputs"),
    ({"others": (WIDER,)}, "its condition could be wider for all that the tests say: 15% more of the inputs would change"),
    ({"symptoms": (symptom("sum(answer) == cents", 20, 8), symptom("length(answer) <= most", 10, 9))},
     "what it mends for the tests' own calls (sum(answer) == cents) it leaves for 8 of 20 other inputs"),
])
def test_each_weak_sign_is_told_in_its_own_words_and_refuses_nothing(more, reason):
    doubt = weighed(told(**more))

    assert (doubt.state, doubt.reason) == ("doubtful", reason)


def test_a_change_that_is_far_from_patches_that_are_near_each_other_is_refused():
    near = replace(version(20, base="given"), letters="a" * 21 + "c" + "b" * 20)
    others = (version(20, base="given"), near, version(30, base="given"), version(36, base="given"))

    doubt = weighed(told(others=others))
    few = weighed(told(others=others[:2]))

    assert (doubt.state, doubt.reason) == ("hollow", (
        "two of the 4 other patches differ on 2.5% of the inputs, and the change from each of them on 50.0% at least"))
    assert few.state != "hollow"


def test_a_change_that_another_patch_agrees_with_is_not_refused_for_a_literal():
    agreeing, others = version(0, base="given"), [version(count, base="given") for count in (20, 28, 36)]

    assert weighed(told(literals=(1, 1, "417"), others=(agreeing, *others))).state != "hollow"


def test_one_other_patch_has_no_vote_and_the_change_is_judged_alone():
    doubt = weighed(told(literals=(1, 1, "417"), others=(version(0, base="given"),)))

    assert (doubt.state, doubt.score > 0) == ("hollow", True)


def test_what_is_weighed_has_its_weight():
    assert {*WEIGHTS} == {*strengths(told()), BIAS}


@pytest.mark.parametrize("more", [
    {"literals": (4, 1, "417")},
    {"new": ("32", "a", "b", "c", "d"), "others": (version(2, change="constant 32"),)},
    {"new": ("33",), "others": (version(2, change="constant 32"),)},
    {"others": (Version("a" * 6 + "c" * 6 + "a" * 30, "v" * 6 + "r" + "v" * 35, "fix", "condition"),)},
    {"others": (Version("a" * 6 + "c" * 6 + "a" * 29 + "c", FIX.kinds, "fix", "condition"),)},
    {"others": (Version("a" * 6 + "c" * 6 + "a" * 30, FIX.kinds, "fix", "name"),)},
    {"regressions": (symptom("no ValueError", 0, 20),)},
    {"regressions": (symptom("no IndexError", 0, 0),)},
    {"symptoms": (symptom("sum(answer) == cents", 20, 8), symptom("length(answer) <= most", 10, 0))},
    {"symptoms": (symptom("sum(answer) == cents", 39, 20),)},
    {"symptoms": (symptom("last(then self.values) == first(self.values)", 20, 8),)},
    {"others": (version(9, base="given"),)},
    {"others": (version(9, base="given"), version(9, letter="c", base="given"))},
    {"others": (version(9, base="given"), version(9, base="given"), version(0, base="given"))},
])
def test_what_only_looks_like_a_sign_refuses_nothing(more):
    assert weighed(told(**more)).state == "none"


@pytest.mark.parametrize(("more", "reason"), [
    ({"fix": None, "note": "no test calls the changed code"}, "no test calls the changed code"),
    ({"old": None}, "what the tests call could not be called again"),
    ({"made": 200}, "the changed code answers differently each time it is asked"),
    ({"places": "o" * len(PLACES)}, "too few inputs could be made from the calls of the tests"),
])
def test_what_cannot_be_judged_says_so_and_refuses_nothing(more, reason):
    doubt = weighed(replace(told(literals=(1, 1, "417")), **more))

    assert (doubt.state, doubt.reason, doubt.share) == ("not judged", reason, None)


def records(**more):
    world = {"kind": "world", "version": -1, "letters": "aab", "kinds": "vvr", "base": "", "change": "", "size": 0}
    return [{"kind": "inputs", "made": 4, "places": "onf"}, {**world, **more}, {"kind": "end"}]


def test_records_are_read_into_versions():
    found = heard([*records(), {"kind": "judged", "tried": 9}, {"kind": "literals", "count": 2, "found": 1, "what": "3"},
                   {"kind": "symptom", "what": "a == b", "counts": [3, 1, 9, 2, 30]}])

    assert found == Heard(places="onf", made=4, fix=Version("aab", "vvr"), tried=9, literals=(2, 1, "3"), ended=True,
                          symptoms=(Symptom("a == b", 3, 1, 9, 2, 30),))


@pytest.mark.parametrize("more", [
    {"letters": "aa"}, {"letters": "aa\x1b"}, {"letters": 7}, {"kinds": "vvz"}, {"kinds": None}, {"version": "x"}, {"letters": ["a"]}])
def test_a_version_that_is_not_well_formed_is_left_out(more):
    assert heard(records(**more)).fix is None


@pytest.mark.parametrize("counts", [None, [1, 2, 3], "12345", [1, 2, 3, 4, 5, 6]])
def test_a_symptom_that_is_not_well_formed_is_left_out(counts):
    assert heard([{"kind": "symptom", "what": "a", "counts": counts}]).symptoms == ()


def test_numbers_and_texts_of_a_hostile_project_are_bounded():
    found = heard([{"kind": "symptom", "what": "a" * 10**6, "counts": [-1, True, 1 << 60, None, 5]},
                   {"kind": "witness", "given": "b" * 10**6, "function": 3}])

    assert (found.symptoms[0], len(found.witness.arguments), found.witness.function) == (Symptom("a" * 600, 0, 0, 0, 0, 5), 600, "")
