"""Plain conditions as functions: never another answer than the engine of conditions has."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.limits import Limits
from windtunnel.core.policy import Effect, Request
from windtunnel.core.ports import Network
from windtunnel.policy.condition import Failed, compile_condition
from windtunnel.policy.decision import decide
from windtunnel.policy.direct import Unsure
from windtunnel.policy.facts import Facts
from windtunnel.policy.reading import read_policy

WORDS = ("", "ann", "bob", "src/", ".py", "a", "É", "\u2028", "low", "run", "high")
TEXTS = ("verb", "actor", "project", "level", "network", "risk")
LISTS = ("roles", "paths", "languages", "hosts", "commands")
WHOLE = ("change_files", "change_lines", "limits.memory_bytes", "limits.processes")
DOUBLE = ("limits.wall_seconds", "limits.cores", "limits.cpu_seconds")

quoted = st.sampled_from(WORDS).map(lambda word: f'"{word}"')


def on_text(text):
    """Conditions on one text."""
    return st.one_of(
        st.tuples(st.just(text), st.sampled_from(("==", "!=")), quoted).map(" ".join),
        st.tuples(st.just(text), st.sampled_from(("startsWith", "endsWith", "contains")), quoted).map(lambda parts: f"{parts[0]}.{parts[1]}({parts[2]})"),
        st.lists(quoted, max_size=3).map(lambda words: f"{text} in [{', '.join(words)}]"))


signs = st.sampled_from(("==", "!=", "<", "<=", ">", ">="))
leaves = st.one_of(
    st.sampled_from(TEXTS).flatmap(lambda name: on_text(f"request.{name}")),
    st.tuples(quoted, st.sampled_from(LISTS)).map(lambda parts: f"{parts[0]} in request.{parts[1]}"),
    st.tuples(st.sampled_from(LISTS), signs, st.integers(0, 3)).map(lambda parts: f"size(request.{parts[0]}) {parts[1]} {parts[2]}"),
    st.tuples(st.sampled_from(WHOLE), signs, st.sampled_from((0, 1, 3, 100, 536870912))).map(lambda parts: f"request.{parts[0]} {parts[1]} {parts[2]}"),
    st.tuples(st.sampled_from(DOUBLE), signs, st.sampled_from(("0.5", "1.0", "30.0"))).map(lambda parts: f"request.{parts[0]} {parts[1]} {parts[2]}"),
    st.tuples(st.sampled_from(LISTS), st.sampled_from(("all", "exists", "exists_one")), on_text("one")).map(lambda parts: f"request.{parts[0]}.{parts[1]}(one, {parts[2]})"),
    st.sampled_from(("true", "false")))
conditions = st.recursive(leaves, lambda inner: st.one_of(
    st.tuples(inner, st.sampled_from(("&&", "||")), inner).map(lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"),
    st.tuples(inner, st.sampled_from(("&&", "||")), leaves).map(" ".join), inner.map(lambda text: f"!({text})")), max_leaves=5)

words = st.sampled_from(WORDS)
some = st.lists(words, max_size=3).map(tuple)
requests = st.builds(
    Request, verb=st.sampled_from(("run", "apply")), actor=words, roles=some, project=words, languages=some, commands=some,
    paths=st.lists(st.sampled_from(("a", "src/a.py", "É")), max_size=3).map(tuple), change_files=st.integers(0, 4), change_lines=st.integers(0, 200),
    risk=st.sampled_from(("low", "high")), network=st.builds(Network, host=st.booleans(), allow_hosts=some),
    limits=st.one_of(st.none(), st.builds(Limits, wall_seconds=st.sampled_from((0.5, 30, 30.0)), cores=st.sampled_from((1, 1.0, 0.5)))))


@settings(max_examples=400, deadline=None)
@given(conditions, requests)
def test_where_there_is_an_answer_it_is_the_engines_own(source, request):
    condition = compile_condition(source)
    assert condition.test is not None

    try:
        found = condition.test(request, None)
    except Unsure:
        return
    assert found is condition.holds(Facts(request))


@pytest.mark.parametrize("source", [
    "request.paths[0] == 'a'", "request.actor < 'b'", "request.change_lines + 1 > 2", "request.change_lines > -1", "request.change_lines > 1.0",
    "request.limits.wall_seconds > 1", r"request.actor == 'a\u00e9'", "request.actor == r'a'", "request.roles == ['a']", "size(request.actor) > 1",
    "request.actor.matches('a')", "request.risk == 'high' ? true : false", "request.paths.exists(p, request.roles.exists(r, r == p))",
    "request.actor.contains(request.project)", "true == true", "1 < 2 == true", " || ".join(["request.actor == 'a'"] * 60), "0x10 == 16",
])
def test_what_has_more_than_one_meaning_stays_with_the_engine(source):
    assert compile_condition(source).test is None


@pytest.mark.parametrize("request_", [
    Request(verb="run", change_lines=2**63), Request(verb="run", change_lines=2**70), Request(verb="run", limits=Limits(wall_seconds=30))])
def test_values_that_are_not_of_the_usual_kind_are_for_the_engine(request_):
    condition = compile_condition("request.change_lines > 5 || request.limits.wall_seconds > 1.0")

    with pytest.raises(Unsure):
        condition.test(request_, None)


@pytest.mark.parametrize("broken", [{"actor": "\ud800"}, {"commands": ("\ud800",)}, {"paths": ("\ud800",)}, {"roles": (b"x",)}])
def test_a_request_of_broken_letters_is_not_usual(broken):
    assert not Facts(Request(verb="run", **broken)).usual


def test_a_condition_on_broken_letters_fails_and_so_holds_back():
    policy = read_policy(b"version: 1\ndefault: allow\nrules: [{id: a, effect: deny, when: \"request.actor == 'ann'\"}]", file="p.yaml")

    assert decide([policy], Request(verb="run", actor="\ud800")).rule == "a"


def test_a_request_too_large_for_its_conditions_still_fails_them():
    policy = read_policy(b"version: 1\ndefault: allow\nrules: [{id: a, effect: deny, when: \"request.paths.exists(p, p == 'x')\"}]", file="p.yaml")
    large = Request(verb="apply", paths=tuple(f"f{at}" for at in range(policy.most_items + 1)))

    found = decide([policy], large)

    assert (found.effect, "too costly" in found.explanation[0].why) == (Effect.DENY, True)


def test_a_false_condition_is_told_as_false_and_a_true_one_as_matched():
    policy = read_policy(b"version: 1\ndefault: allow\nrules: [{id: a, effect: ask, when: \"request.risk == 'high'\"}]", file="p.yaml")
    low = Request(verb="run")

    assert [decide([policy], one).explanation[0].why for one in (low, replace(low, risk="high"))] == ["its condition is false", "matched"]


def test_an_engine_that_fails_is_not_asked_where_the_answer_is_known():
    condition = compile_condition("request.actor == 'ann'")

    with pytest.raises(Failed):
        condition.holds(Facts(Request(verb="run", actor="\ud800")))
    assert condition.test(Request(verb="run", actor="bob"), None) is False
