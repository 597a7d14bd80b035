"""Parts of a condition that do not fit together are refused when it is read, with their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.policy import Effect, Request
from windtunnel.policy.binding import binding
from windtunnel.policy.condition import compile_condition
from windtunnel.policy.decision import decide
from windtunnel.policy.facts import VALUES, Facts
from windtunnel.policy.reading import read_policy
from windtunnel.policy.words import BadCondition

WRONG = [
    ("request.actor == 1", "letter 15: == compares a text with a number, which are never the same"),
    ("1 != request.actor", "letter 3: != compares a number with a text, which are never the same"),
    ("request.verb == true", "letter 14: == compares a text with true or false, which are never the same"),
    ('request.change_files == "3"', "letter 22: == compares a number with a text, which are never the same"),
    ("request.actor == request.change_files", "letter 15: == compares a text with a number, which are never the same"),
    ('request.paths == "x"', "letter 15: == compares a list of texts with a text, which are never the same"),
    ("request.paths == [1]", "letter 15: == compares a list of texts with a list of numbers, which are never the same"),
    ("request.change_files > request.actor", "letter 22: > compares a number with a text, of which none comes first"),
    ('request.paths < ["a"]', "letter 15: < wants numbers or texts, and this is a list of texts"),
    ('request.actor in "abc"', "letter 15: in wants a list on its right, and this is a text"),
    ("request.actor in [1, 2]", "letter 15: in looks for a text in a list of numbers, where none can be"),
    ('request.actor in ["a", 1]', "letter 24: a number in a list of texts"),
    ("request.paths in request.roles", "letter 15: in looks for a list of texts in a list of texts, where none can be"),
    ("request.paths", "letter 1: it gives a list of texts, not true or false"),
    ('request.risk == "high" ? request.actor : true', "letter 42: : wants a text, and this is true or false"),
    ("request.actor && true", "letter 1: && wants true or false, and this is a text"),
    ("true || request.change_lines", "letter 9: || wants true or false, and this is a number"),
    ("-request.actor == 1", "letter 2: - wants a number, and this is a text"),
    ("request.paths.exists(p, p == 1)", "letter 27: == compares a text with a number, which are never the same"),
    ("request.paths.exists(size, size == 1)", "letter 33: == compares a text with a number, which are never the same"),
    ("request.paths.all(p, size(p))", "letter 22: all wants true or false, and this is a number"),
    ("request.paths[0] == 1", "letter 18: == compares a text with a number, which are never the same"),
    ('request.actor["a"] == 1', "letter 15: [ wants a number, and this is a text"),
    ("request.actor[0] == 'a'", "letter 14: [ wants a list before it, and this is a text"),
    ('request.change_files.startsWith("a")', "letter 22: .startsWith wants a text, and this is a number"),
    ("request.actor.contains(1)", "letter 24: contains wants a text, and this is a number"),
    ("size(request.change_files) == 1", "letter 1: size wants a list or a text, and this is a number"),
    ("int(request.paths) == 1", "letter 1: int wants a number or a text, and this is a list of texts"),
    ("request.actor + 1 == 'a'", "letter 15: + puts a text and a number together"),
    ("request.actor * 2 == 4", "letter 15: * wants a number, and this is a text"),
    ("request.actor == 'a'\n  && request.risk == 3", "line 2, letter 19: == compares a text with a number, which are never the same"),
    ("!" * 990 + "request.actor", "letter 991: ! wants true or false, and this is a text"),
]
RIGHT = [
    "request.limits.wall_seconds == 30", "request.actor in []", "request.roles == []", '["a"] == request.roles', "-request.change_files < 0",
    'request.actor in request.roles ? request.paths == ["a"] : false', "!(request.change_files == 1) == true", '[["a"]] == [["b"]]',
    'request.paths in [["a"]]', 'request.actor + "x" < "y"', "int('3') == 3", "request.paths[0].size() > 1 || true", "[1, 2.5][0] < 3",
    "request.paths.all(size, size(size) > 0)", "!!true", "- -1 == 1",
]
LITERALS = {"text": "'a'", "number": "1", "boolean": "true", "list": "['a']"}


@pytest.mark.parametrize(("source", "why"), WRONG, ids=lambda text: ascii(text)[:50])
def test_parts_that_do_not_fit_together_are_refused_with_their_place(source, why):
    with pytest.raises(BadCondition) as refusal:
        compile_condition(source)

    assert str(refusal.value)[:400] == why


@pytest.mark.parametrize("source", RIGHT)
def test_parts_that_fit_together_are_left_alone(source):
    assert compile_condition(source).source == source


def test_without_the_check_a_deny_of_another_kind_would_never_fire():
    program = binding().compile("request_actor == 1")

    assert [program.execute({"request_actor": actor}) for actor in ("1", "ann", "")] == [False, False, False]


def test_a_policy_with_such_a_condition_is_refused_with_its_line():
    text = b"version: 1\ndefault: allow\nrules:\n- {id: t, effect: deny, when: 'request.actor == 1'}\n"

    with pytest.raises(UsageError, match=r"policy.yaml:4:.*when: letter 15: == compares a text with a number"):
        read_policy(text, file="policy.yaml")


def test_the_same_rule_with_a_text_denies():
    text = b"version: 1\ndefault: allow\nrules:\n- {id: t, effect: deny, when: 'request.actor == \"1\"'}\n"

    assert decide([read_policy(text, file="policy.yaml")], Request(verb="run", actor="1")).effect is Effect.DENY


@given(st.sampled_from(sorted(VALUES)), st.sampled_from(sorted(LITERALS)))
def test_of_each_field_one_kind_of_value_is_accepted_and_the_engine_knows_no_other(name, kind):
    source = f"request.{name} == {LITERALS[kind]}"
    value = VALUES[name](Request(verb="run"))
    own = "list" if isinstance(value, tuple) else "text" if isinstance(value, str) else "number"

    try:
        compile_condition(source).holds(Facts(Request(verb="run")))
        accepted = True
    except BadCondition:
        accepted = False

    assert accepted is (kind == own)
