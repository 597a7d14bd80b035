import hashlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, MIB, Limits
from windtunnel.core.policy import Decision, Effect, Looked, Request
from windtunnel.core.ports import Network
from windtunnel.core.result import Level
from windtunnel.policy.decision import decide
from windtunnel.policy.reading import read_policy
from windtunnel.policy.review import run_tests, warnings

HEAD = "version: 1\nrules:\n"


def policy(text, file="p.yaml"):
    return read_policy(text.encode(), file=file)


def answer(text, request):
    found = decide([policy(text)], request)
    return found.effect.value, found.rule


ALLOW = "- {id: yes, effect: allow}\n"
ASK = "- {id: maybe, effect: ask}\n"
DENY = "- {id: no, effect: deny}\n"


@pytest.mark.parametrize(("rules", "expected"), [
    (ALLOW + ASK + DENY, ("deny", "no")), (DENY + ASK + ALLOW, ("deny", "no")), (ALLOW + ASK, ("ask", "maybe")),
    (ASK + ALLOW, ("ask", "maybe")), (ALLOW, ("allow", "yes")),
])
def test_deny_comes_before_ask_and_ask_before_allow_whatever_their_order(rules, expected):
    assert answer(HEAD + rules, Request(verb="run")) == expected


def test_of_rules_with_one_effect_the_first_decides():
    assert answer(HEAD + "- {id: b, effect: deny}\n- {id: a, effect: deny}", Request(verb="run")) == ("deny", "b")


@pytest.mark.parametrize(("text", "expected"), [
    ("version: 1", ("ask", "default")), ("version: 1\ndefault: allow", ("allow", "default")),
    ("version: 1\ndefault: deny", ("deny", "default")), (HEAD + "- {id: a, effect: deny, tool: apply}", ("ask", "default")),
])
def test_where_no_rule_matches_the_default_holds(text, expected):
    assert answer(text, Request(verb="run")) == expected


def test_without_any_policy_everything_is_allowed():
    assert decide([], Request(verb="apply", paths=("a",))) == Decision(
        effect=Effect.ALLOW, rule="no policy", reason="there is no policy here", policy="", min_isolation=None, caps={},
        explanation=())


@pytest.mark.parametrize(("effect", "paths", "expected"), [
    ("deny", ("docs/a", "src/b"), "deny"), ("deny", ("src/b",), "ask"), ("deny", (), "ask"),
    ("allow", ("docs/a", "src/b"), "ask"), ("allow", ("docs/a", "docs/b"), "allow"), ("allow", (), "ask"),
])
def test_one_path_is_enough_to_deny_and_all_must_match_to_allow(effect, paths, expected):
    rules = HEAD + f"- {{id: a, effect: {effect}, paths: docs/**}}"

    assert answer(rules, Request(verb="apply", paths=paths))[0] == expected


def test_one_path_is_enough_to_ask():
    rules = "version: 1\ndefault: allow\nrules: [{id: a, effect: ask, paths: docs/**}]"

    assert answer(rules, Request(verb="apply", paths=("docs/a", "src/b"))) == ("ask", "a")


@pytest.mark.parametrize(("effect", "default", "expected"), [
    ("deny", "allow", ("deny", "a")), ("ask", "allow", ("ask", "a")), ("allow", "ask", ("ask", "default"))])
def test_a_condition_that_fails_holds_back_and_never_lets_go(effect, default, expected):
    rules = f"version: 1\ndefault: {default}\nrules: [{{id: a, effect: {effect}, when: \"request.paths[0] == 'x'\"}}]"

    found = decide([policy(rules)], Request(verb="run"))

    counts = "true" if effect != "allow" else "false"
    assert (found.effect.value, found.rule) == expected
    assert found.explanation == (Looked(
        rule="a", effect=Effect(effect), matched=effect != "allow", policy="p.yaml",
        why=f"its condition failed, so it counts as {counts}: index out of bounds: 0"),)


def test_a_request_too_large_for_the_conditions_is_held_back():
    rules = "version: 1\ndefault: allow\nrules: [{id: a, effect: deny, when: 'request.paths.all(x, request.paths.all(y, x != y))'}]"
    request = Request(verb="apply", paths=tuple(f"f{number}" for number in range(5000)))

    found = decide([policy(rules)], request)

    assert (found.effect, found.explanation[0].why[:82]) == (
        Effect.DENY, "its condition failed, so it counts as true: too costly for a request of 5000 items")


def test_the_second_policy_holds_back_although_the_first_could_afford_it():
    plain = policy("version: 1\ndefault: allow\nrules: [{id: a, effect: deny, when: \"'x' in request.paths\"}]")
    costly = policy("version: 1\ndefault: allow\nrules: [{id: b, effect: deny, when: 'request.paths.all(x, request.paths.all(y, x != y))'}]")
    request = Request(verb="apply", paths=tuple(f"f{number}" for number in range(5000)))

    assert (decide([plain], request).rule, decide([plain, costly], request).rule) == ("default", "b")


def test_a_decision_tells_each_rule_that_was_looked_at():
    rules = HEAD + """
- {id: secrets, effect: deny, paths: secrets/**}
- {id: undoing, effect: deny, tool: [undo, "image *"]}
- {id: big, effect: ask, when: request.change_lines > 500}
- {id: docs, effect: allow, paths: docs/**, reason: documents are free}
- {id: code, effect: allow, paths: src/**}
"""
    found = decide([policy(rules)], Request(verb="apply", paths=("docs/a.md",)))

    rows = [("secrets", "deny", False, "no path matches"), ("undoing", "deny", False, "it is for undo, image *"),
            ("big", "ask", False, "its condition is false"), ("docs", "allow", True, "matched"),
            ("code", "allow", False, "not every path matches")]
    assert found == Decision(
        effect=Effect.ALLOW, rule="docs", reason="documents are free", policy=hashlib.sha256(rules.encode()).hexdigest(),
        explanation=tuple(Looked(rule=rule, effect=Effect(effect), matched=matched, why=why, policy="p.yaml")
                          for rule, effect, matched, why in rows))


def test_however_many_verbs_are_asked_for_little_is_kept_of_them():
    found = policy(HEAD + "- {id: a, effect: deny, tool: x7*}\n")
    answers = [decide([found], Request(verb=f"x{number}")).rule for number in range(2000)]

    assert (answers.count("a"), len(found._verbs)) == (1 + 10 + 100, 256)


def test_after_a_rule_that_denies_nothing_more_is_looked_at():
    found = decide([policy(HEAD + ALLOW + "- {id: a, effect: deny, tool: x}\n" + DENY + ASK)], Request(verb="run"))

    assert [row.rule for row in found.explanation] == ["a", "no"]


def test_floor_and_ceilings_are_those_of_the_policy_and_of_every_rule_that_matches():
    found = decide([policy("""
version: 1
min_isolation: process
caps: {memory_bytes: 4g, wall_seconds: 60}
rules:
- {id: a, effect: allow, min_isolation: container, caps: {memory_bytes: 8g, files: 100}}
- {id: b, effect: allow, caps: {memory_bytes: 1g}}
- {id: c, effect: allow, tool: other, min_isolation: vm, caps: {wall_seconds: 1}}
""")], Request(verb="run"))

    assert (found.effect, found.rule, found.min_isolation, found.caps) == (
        Effect.ALLOW, "a", Level.CONTAINER, {"memory_bytes": GIB, "wall_seconds": 60.0, "files": 100})


@pytest.mark.parametrize(("request_", "expected"), [
    (Request(verb="run", level=Level.PROCESS), ("deny", "min_isolation", "the process level is below the container level that is wanted here")),
    (Request(verb="run", limits=Limits(memory_bytes=2 * GIB)), ("deny", "caps.memory_bytes", "memory_bytes: 2g is over the ceiling of 1g")),
    (Request(verb="run", limits=Limits(wall_seconds=20.0, cores=4.0)), ("deny", "caps.cpu_seconds", "cpu_seconds: 80 is over the ceiling of 30")),
    (Request(verb="run", level=Level.VM, limits=Limits()), ("allow", "default", "no rule matches, and the default is allow")),
    (Request(verb="run"), ("allow", "default", "no rule matches, and the default is allow")),
])
def test_what_is_asked_below_the_floor_or_over_a_ceiling_is_denied(request_, expected):
    found = decide([policy("version: 1\ndefault: allow\nmin_isolation: container\ncaps: {memory_bytes: 1g, cpu_seconds: 30}")], request_)

    assert (found.effect.value, found.rule, found.reason) == expected


def test_limits_that_nobody_asked_for_are_brought_down():
    decision = Decision(effect=Effect.ALLOW, rule="a", reason="", caps={"memory_bytes": 64 * MIB, "wall_seconds": 10.0, "cpu_seconds": 5.0, "files": 10**6})

    assert decision.lowered(Limits()) == Limits(memory_bytes=64 * MIB, wall_seconds=10.0, cpu_seconds=5.0)


def test_a_revived_decision_still_lowers_whole_numbers():
    decision = Decision(effect=Effect.ALLOW, rule="a", reason="", caps={"memory_bytes": float(64 * MIB)})

    assert decision.lowered(Limits()) == Limits(memory_bytes=64 * MIB)


def test_of_two_policies_the_stricter_answer_counts_and_both_are_told():
    operator = policy(HEAD + "- {id: yes, effect: allow, min_isolation: process, caps: {files: 100, cores: 2}}", "operator.yaml")
    project = policy(HEAD + "- {id: maybe, effect: ask, min_isolation: vm, caps: {files: 500, cores: 1}}", "project.yaml")

    found = decide([operator, project], Request(verb="run"))

    digest = hashlib.sha256(f"{operator.sha256}\n{project.sha256}\n".encode()).hexdigest()
    assert (found.effect, found.rule, found.policy, found.min_isolation, found.caps) == (
        Effect.ASK, "maybe", digest, Level.VM, {"files": 100, "cores": 1.0})
    assert [(row.policy, row.rule, row.matched) for row in found.explanation] == [
        ("operator.yaml", "yes", True), ("project.yaml", "maybe", True)]


def test_where_both_say_the_same_the_first_is_named():
    assert decide([policy(HEAD + DENY, "a"), policy(HEAD + "- {id: never, effect: deny}", "b")], Request(verb="run")).rule == "no"


@pytest.mark.parametrize("fields", [
    {"verb": ""}, {"verb": "a" * 65}, {"verb": "a\nb"}, {"verb": None}, {"risk": "none"}, {"change_files": -1},
    {"change_lines": 1.5}, {"change_files": True}, {"paths": ("/a",)}, {"paths": ("a/../b",)}, {"paths": ("",)},
    {"paths": ("a\0b",)}, {"paths": ("a//b",)}, {"paths": ("./a",)}, {"paths": ("a/",)},
], ids=str)
def test_a_request_that_rules_cannot_be_held_against_is_refused(fields):
    with pytest.raises(UsageError, match=f"^{next(iter(fields))}: "):
        Request(**{"verb": "run", **fields})


# --- adding a policy never loosens ---

VERBS, FILES = ("run", "try", "apply", "undo"), ("src/a.py", "docs/b.md", "secrets/key", "a.lock")
CONDITIONS = ("request.change_lines > 10", "request.paths[0] == 'src/a.py'", "request.risk == 'high'", "request.paths.exists(p, p.endsWith('.md'))",
              "'lead' in request.roles", "request.network != 'none'", "false", "1 / request.change_lines > 0")
LEVELS = [level.value for level in Level]
caps = st.dictionaries(st.sampled_from(["wall_seconds", "cores", "cpu_seconds"]), st.integers(1, 100), max_size=2)
rules = st.fixed_dictionaries(
    {"effect": st.sampled_from(["allow", "ask", "deny"])},
    optional={"tool": st.lists(st.sampled_from([*VERBS, "*", "a*"]), min_size=1, max_size=2),
              "paths": st.lists(st.sampled_from(["src/**", "**/*.md", "*.lock", "**"]), min_size=1, max_size=2),
              "when": st.sampled_from(CONDITIONS), "min_isolation": st.sampled_from(LEVELS), "caps": caps})
texts = st.fixed_dictionaries(
    {"default": st.sampled_from(["allow", "ask", "deny"]), "rules": st.lists(rules, max_size=4)},
    optional={"min_isolation": st.sampled_from(LEVELS), "caps": caps})
requests = st.builds(
    Request, verb=st.sampled_from(VERBS), paths=st.lists(st.sampled_from(FILES), max_size=3).map(tuple),
    roles=st.sampled_from([(), ("lead",)]), change_lines=st.integers(0, 20), risk=st.sampled_from(["low", "high"]),
    network=st.sampled_from([Network(), Network(host=True)]), level=st.sampled_from([None, *Level]),
    limits=st.sampled_from([None, Limits(), Limits(wall_seconds=90.0, cores=4.0)]))


def made(data):
    import json

    rows = [{"id": f"r{at}", **rule} for at, rule in enumerate(data["rules"])]
    return policy(json.dumps({"version": 1, **data, "rules": rows}))


def looser(one, other):
    """What of the one is looser than the other."""
    found = []
    if one.effect.rank < other.effect.rank:
        found.append("effect")
    if other.min_isolation and not (one.min_isolation and one.min_isolation.at_least(other.min_isolation)):
        found.append("min_isolation")
    return found + [name for name, most in other.caps.items() if one.caps.get(name, 1e99) > most]


@settings(max_examples=300, deadline=None)
@given(texts, texts, requests)
def test_adding_a_project_s_policy_never_loosens(operator, project, request_):
    first, second = made(operator), made(project)

    alone, both = decide([first], request_), decide([first, second], request_)

    if alone.effect is Effect.DENY:
        assert both.effect is Effect.DENY
    else:
        assert looser(both, alone) == []


@settings(max_examples=100, deadline=None)
@given(texts, requests)
def test_a_rule_that_is_warned_of_never_decides(data, request_):
    found = made(data)

    assert decide([found], request_).rule not in {warned.rule for warned in warnings(found)}


@settings(max_examples=100, deadline=None)
@given(texts, requests)
def test_the_same_request_gets_the_same_answer_every_time(data, request_):
    found = made(data)
    first = decide([found], request_)
    decide([found], replace(request_, paths=("other",), roles=("other",), change_lines=7))

    assert decide([found], request_) == first


# --- the policy's own examples, and its rules that never decide ---

def test_the_examples_of_a_policy_are_run():
    found = policy(HEAD + DENY.replace("}", ", tool: apply}") + """
tests:
- {name: applying, request: {verb: apply}, expect: deny, rule: no}
- {name: running, request: {verb: run}, expect: ask}
- {name: wrong answer, request: {verb: run}, expect: allow}
- {name: wrong rule, request: {verb: run}, expect: ask, rule: no}
""")

    assert [(one.name, one.passed, one.effect.value, one.rule, one.line) for one in run_tests(found)] == [
        ("applying", True, "deny", "no", 6), ("running", True, "ask", "default", 7),
        ("wrong answer", False, "ask", "default", 8), ("wrong rule", False, "ask", "default", 9)]


@pytest.mark.parametrize(("rules", "expected"), [
    ("- {id: a, effect: deny}\n- {id: b, effect: allow}", [("b", 4)]),
    ("- {id: a, effect: allow}\n- {id: b, effect: deny}", [("a", 3)]),
    ("- {id: a, effect: allow, tool: [run, try]}\n- {id: b, effect: allow, tool: run}", [("b", 4)]),
    ("- {id: a, effect: deny, paths: [src/**, x]}\n- {id: b, effect: allow, paths: src/**}", [("b", 4)]),
    ("- {id: a, effect: deny, paths: src/**}\n- {id: b, effect: allow}", []),
    ("- {id: a, effect: deny, when: request.risk == 'high'}\n- {id: b, effect: ask, when: request.risk == 'high'}", [("b", 4)]),
    ("- {id: a, effect: deny, when: request.risk == 'high'}\n- {id: b, effect: ask}", []),
    ("- {id: a, effect: deny, when: false}", [("a", 3)]),
    ("- {id: a, effect: deny, when: 1 > 2}", [("a", 3)]),
    ("- {id: a, effect: ask, tool: run}\n- {id: b, effect: ask, tool: r*}", []),
])
def test_rules_that_never_decide_are_warned_of(rules, expected):
    assert [(warned.rule, warned.line) for warned in warnings(policy(HEAD + rules))] == expected
