"""Proposals that mend other tests each, put together."""

from fixing import proposal

from windtunnel.core.repair import Judgement
from windtunnel.engine.fix.combine import choices, combined

OLD = "a = 0\nb = 0\nc = 0\n"
A, B, BOTH = (proposal("n.py", OLD.replace(old, new), reason=reason) for old, new, reason in (
    ("a = 0", "a = 1", "a"), ("b = 0", "b = 1", "b"), ("a = 0\nb = 0", "a = 2\nb = 2", "both")))


def judged(one, *tests):
    return one, Judgement(key=one.key, passed=frozenset(tests), failed=frozenset("x"))


def sets(failing, *partial, harmless=lambda _: True):
    return [[one.reason for one in several] for several in choices(failing, partial, harmless=harmless)]


def test_what_mends_all_tests_between_them_is_a_set_the_first_ones_first():
    other = proposal("n.py", OLD.replace("b = 0", "b = 9"), reason="other b")

    assert sets(["a", "b"], judged(A, "a"), judged(B, "b"), judged(other, "b")) == [["a", "b"], ["a", "other b"]]


def test_there_is_no_set_where_a_test_is_mended_by_nobody():
    assert sets(["a", "b", "c"], judged(A, "a"), judged(B, "b")) == []


def test_what_breaks_something_is_in_no_set():
    assert sets(["a", "b"], judged(A, "a"), judged(B, "b"), harmless=lambda one: one is not B) == []


def test_one_that_mends_all_alone_is_no_set():
    assert sets(["a", "b"], judged(BOTH, "a", "b")) == []


def test_proposals_for_different_lines_become_one_with_a_sentence_each():
    made = combined([B, A], {"n.py": OLD}.get)

    assert made.edits[0].text == "a = 1\nb = 1\nc = 0\n"
    assert made.reason == "n.py:1: b\nn.py:1: a"


def test_proposals_for_the_same_lines_do_not_go_together():
    assert combined([A, BOTH], {"n.py": OLD}.get) is None


def test_proposals_of_two_files_go_together():
    made = combined([A, proposal("m.py", "m = 1\n", reason="m")], {"n.py": OLD, "m.py": "m = 0\n"}.get)

    assert {edit.path: edit.text for edit in made.edits} == {"n.py": "a = 1\nb = 0\nc = 0\n", "m.py": "m = 1\n"}
