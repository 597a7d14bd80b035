"""The small parts of a fix: what may be touched, outcomes, groups, literals, the score, the smallest diff."""

from __future__ import annotations

import pytest
from fixing import CALC, base_of, proposal

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Cluster, Place, Problem
from windtunnel.core.repair import Judgement
from windtunnel.core.result import Reason
from windtunnel.core.trial import Channel, Check, CheckReport, Delta, ExecutionTestResult, Kind, Status
from windtunnel.engine import delta as deltas
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.base import Base, Texts
from windtunnel.engine.fix.choose import edit_size, weigh
from windtunnel.engine.fix.combine import SEVERAL
from windtunnel.engine.fix.groups import grouped
from windtunnel.engine.fix.literals import special
from windtunnel.engine.fix.loop import later
from windtunnel.engine.fix.minimise import parts_of, smallest
from windtunnel.engine.fix.node import Plausible
from windtunnel.engine.fix.outcomes import judgement_of, outcomes_of
from windtunnel.engine.fix.places import Places, language_of
from windtunnel.engine.fix.question import what_is_right, which_is_meant
from windtunnel.engine.fix.score import Measures, Scores
from windtunnel.engine.fix.words import outcome


def report(*tests, kind=Kind.TEST, tool="pytest", exit_code=1, **fields):
    made = tuple(ExecutionTestResult(id=name, status=status) for name, status in tests)
    return CheckReport(check=Check(kind=kind, tool=tool, argv=(tool,)), exit_code=exit_code, reason=Reason.EXITED,
                       execution_time=0.5, channel=Channel.LIVE, tests=made, **fields)


# --- what may be touched ---

@pytest.mark.parametrize(("path", "may"), [
    ("src/a.py", True), ("tests/test_a.py", False), ("conftest.py", False), ("pyproject.toml", False), ("../a.py", False),
    ("/etc/passwd", False), ("a\0.py", False), (".git/hooks/x.py", False), ("a//b.py", False)])
def test_tests_and_runners_and_other_places_are_never_touched(path, may):
    assert Places().may(path) is may


def test_globs_say_what_else_may_be_touched():
    places = Places(allow=["src/**"], forbid=["src/gen/**"])

    assert [places.may(path) for path in ("src/a.py", "src/gen/b.py", "lib/c.py")] == [True, False, False]


@pytest.mark.parametrize("globs", ["src/**", ["/abs"], ["a/../b"]])
def test_a_glob_that_is_none_is_refused(globs):
    with pytest.raises(UsageError, match="allow"):
        Places(allow=globs)


@pytest.mark.parametrize(("problems", "tools", "files", "language"), [
    ([Problem(kind="name", message="x", place=Place(file="a.go"))], ["command"], {}, "go"),
    ([], ["cargo test"], {}, "rust"), ([], ["jest"], {"a.ts": "", "b.ts": ""}, "typescript"),
    ([], ["jest"], {"a.js": ""}, "javascript"), ([], ["command"], {"a.java": "", "b.py": "", "c.py": ""}, "python"),
    ([], [], {}, "")])
def test_the_language_is_that_of_the_problem_or_the_tool_or_most_files(problems, tools, files, language):
    assert language_of(problems, tools=tools, folder=Texts(files)) == language


# --- outcomes ---

def test_a_command_that_fails_without_a_failing_test_is_a_name_of_its_own():
    found = outcomes_of([report(kind=Kind.BUILD, tool="make"), report(("a", Status.PASSED), ("b", Status.FAILED))], lint=False)

    assert (found.passed, found.failed) == ({"a"}, {"build: make", "b"})


def test_a_linter_counts_only_where_it_was_asked_for():
    reports = [report(kind=Kind.LINT, tool="ruff")]

    assert [outcomes_of(reports, lint=lint).failed for lint in (False, True)] == [frozenset(), {"lint: ruff"}]


def test_a_file_that_loads_now_has_passed_and_its_failing_tests_count():
    found = judgement_of("k", [report(("test_a.py::x", Status.PASSED), ("test_a.py::y", Status.FAILED))],
                         tests=["test_a.py"], lint=False, seconds=1.0)

    assert found == Judgement(key="k", passed=frozenset({"test_a.py"}), failed=frozenset({"test_a.py::y"}), seconds=1.0)


def test_a_test_that_is_gone_has_failed():
    found = judgement_of("k", [report(("a::x", Status.PASSED), exit_code=0)], tests=["a::x", "a::y"], lint=False, seconds=1.0)

    assert (found.passed, found.failed) == ({"a::x"}, {"a::y"})


def test_a_proposal_that_does_not_build_is_never_good():
    found = judgement_of("k", [report(kind=Kind.BUILD, tool="go build")], tests=["x"], lint=False, seconds=1.0)

    assert (found.error, found.good) == ("does not build", False)


@pytest.mark.parametrize(("first", "whole", "words"), [
    (Judgement(key="k", passed=frozenset("ab")), Judgement(key="k", passed=frozenset("abc")), "fixes all"),
    (Judgement(key="k", passed=frozenset("ab")), Judgement(key="k", failed=frozenset("c")), "fixes these and breaks 1"),
    (Judgement(key="k", passed=frozenset("a"), failed=frozenset("b")), None, "fixes 1 of 2"),
    (Judgement(key="k", passed=frozenset("a"), failed=frozenset("bc")), None, "fixes 1 of 2 and breaks 1"),
    (Judgement(key="k", failed=frozenset("ab")), None, "changes nothing"),
    (Judgement(key="k", error="does not load\nbecause"), None, "does not load")])
def test_an_outcome_is_told_in_words(first, whole, words):
    assert outcome(first, whole, failing=("a", "b")) == words


def test_a_file_that_could_not_be_loaded_is_fixed_when_its_tests_are_there():
    before = deltas.tests_of([report(("test_a.py", Status.ERROR), ("test_b.py", Status.ERROR), ("c::x", Status.FAILED))])
    after = deltas.tests_of([report(("test_a.py::x", Status.PASSED))])

    assert deltas.compare(before, after) == Delta(fixed=("test_a.py",), vanished=("c::x", "test_b.py"), new=("test_a.py::x",))


# --- groups ---

def test_tests_that_ran_the_same_code_are_one_group():
    touched = {"a": ("calc.py:1",), "b": ("calc.py:1", "calc.py:9"), "c": ("calc.py:5", "tests/test_c.py:1"), "d": ("calc.py:0",)}

    assert grouped("abcd", [report(touched=touched)], ()) == (frozenset("ab"), frozenset("c"), frozenset("d"))


def test_untraced_tests_are_one_group_where_their_problems_are_one():
    cluster = Cluster(problems=tuple(Problem(kind="name", message="x", test=name) for name in "ab"))

    assert grouped("abc", [], [cluster]) == (frozenset("ab"), frozenset("c"))


# --- special cases ---

@pytest.mark.parametrize(("body", "found"), [
    ("    if a == 41:\n        return 42\n    return a\n", "41"), ("    return {41: 42}.get(a, a)\n", "41"),
    ("    match a:\n        case 41:\n            return 42\n    return a\n", "41"),
    ("    return a + 42\n", ""), ("    if a == 7:\n        return 8\n    return a\n", ""),
    ("    return a + 1\n", "")])
def test_code_that_decides_by_a_value_of_the_tests_is_a_special_case(body, found):
    assert special("def f(a):\n    return a\n", f"def f(a):\n{body}", path="f.py", tests={"41", "42"}) == found


def test_a_special_case_is_seen_in_other_languages_by_its_lines():
    old = "function f(a) {\n  return a;\n}\n"

    assert special(old, old.replace("  return a;", "  if (a === 41) return 42;\n  return a;"), path="f.js", tests={"41", "42"}) == "41"


def test_among_fixes_that_pass_the_smaller_one_without_a_value_of_the_tests_comes_first():
    base = base_of({"f.py": "def f(a):\n    return a\n", "test_f.py": "def test():\n    assert f(41) == 42\n"})
    texts = ["def f(a):\n    if a == 41:\n        return 42\n    return a\n", "def f(a):\n    return 42\n", "def f(a):\n    return a + 1\n"]

    found = weigh([Plausible(base=base, proposal=proposal("f.py", text)) for text in texts], score=lambda _: 0.5, tests=["test_f.py"])

    assert [texts.index(one.plausible.proposal.edits[0].text) for one in found] == [2, 1, 0]
    assert [one.special for one in found] == ["", "", "41"]


def test_the_size_of_an_edit_is_what_it_changes():
    assert [edit_size("a = b - c\n", text) for text in ("a = b - c\n", "a = b + c\n", "a = b - c\nd = 1\n")] == [0, 1, 3]


# --- the smallest diff ---

def test_what_is_not_needed_is_left_out_of_the_diff():
    text = CALC.replace("a - b", "a + b").replace("a < 5", "a <= 5")
    base = base_of({"calc.py": CALC}).after(proposal("calc.py", text, origin="model"))

    assert smallest(base, lambda texts: "a + b" in texts.get("calc.py", "")) == {"calc.py": CALC.replace("a - b", "a + b")}


def test_what_is_one_thought_is_not_taken_apart():
    old = "def send(a, b):\n    take(b)\n    give(a)\n"
    moved = "def send(a, b):\n    give(a)\n    take(b)\n"
    base = base_of({"send.py": old}).after(proposal("send.py", moved))
    twice = base_of({"send.py": f"{old}{'# more' * 3}\n" * 5}).after(
        proposal("send.py", f"{old}{'# more' * 3}\n" * 4 + f"{moved}{'# more' * 3}\n", name=SEVERAL))

    assert smallest(base, lambda _: True) == {"send.py": moved}
    assert smallest(twice, lambda _: True) == twice.texts


def test_what_is_needed_stays():
    text = CALC.replace("a - b", "a + b").replace("a < 5", "a <= 5")
    base = base_of({"calc.py": CALC}).after(proposal("calc.py", text))

    assert smallest(base, lambda texts: texts == {"calc.py": text}) == {"calc.py": text}


def test_a_file_that_is_not_needed_is_left_as_it_is():
    files = {"a.py": "a = 1\n", "b.py": "b = 1\n"}
    base = base_of(files).after(proposal("a.py", "a = 2\n")).after(proposal("b.py", "b = 2\n"))

    assert (len(parts_of(base)), smallest(base, lambda texts: texts.get("b.py") == "b = 2\n")) == (2, {"b.py": "b = 2\n"})


# --- going on ---

def problem(kind, line, message="x", file="a.py"):
    return Problem(kind=kind, message=message, place=Place(file=file, line=line))


@pytest.mark.parametrize(("before", "after", "is_later"), [
    ([problem("syntax", 1, "bracket")], [problem("syntax", 9, "quote")], True), ([problem("syntax", 9, "quote")], [problem("syntax", 1, "bracket")], False),
    ([problem("name", 1)], [problem("name", 1)], False), ([problem("name", 1)], [problem("syntax", 1)], False),
    ([problem("import", 1)], [problem("assertion", 3)], True), ([problem("name", 1)], [], True), ([], [], False)])
def test_a_failure_is_later_when_the_first_problem_is_gone_and_no_earlier_one_came(before, after, is_later):
    assert later(before, after) is is_later


# --- the score ---

def test_without_a_history_the_values_count_as_they_are():
    assert Scores().score(Measures(errors=0.5, gain=0.25, complexity=0.5)) == pytest.approx(0.25)


def test_what_is_better_than_usual_scores_above_what_is_worse():
    scores = Scores()
    for errors in (0.2, 0.4, 0.6):
        scores.add(Measures(errors=errors, complexity=0.1))

    assert scores.score(Measures(errors=0.8, complexity=0.1)) > 0 > scores.score(Measures(errors=0.1, complexity=0.1))


def test_a_steady_measure_weighs_more_than_one_that_jumps():
    scores = Scores()
    for number in range(6):
        scores.add(Measures(errors=0.5, gain=number % 2))

    assert scores.weight("errors") > scores.weight("gain")


def test_complexity_is_taken_off():
    scores = Scores()

    assert scores.score(Measures(gain=1.0, complexity=0.1)) > scores.score(Measures(gain=1.0, complexity=0.9))


def test_only_the_last_attempts_count():
    scores = Scores(window=2)
    for gain in (9.0, 1.0, 3.0):
        scores.add(Measures(gain=gain))

    assert scores.statistics("gain") == (2.0, 1.0)


# --- what people are asked ---

def test_a_person_is_asked_which_of_two_is_meant():
    asked = which_is_meant([proposal("a.py", "x", reason="less becomes more"), proposal("a.py", "y", reason="five becomes six")])

    assert asked == "The tests cannot tell these apart; which is meant? (a) less becomes more; (b) five becomes six"


def test_nobody_is_asked_where_there_is_one():
    assert which_is_meant([proposal("a.py", "x")]) == ""


def test_a_person_is_asked_what_is_right_where_nothing_helped():
    first = Problem(kind="assertion", message="m", place=Place(file="a.py", line=3, symbol="f"), test="t::x", expected="5", actual="4")

    assert what_is_right([first], stopped="the time is up", tried=7) == (
        "At a.py:3 in f: t::x wants 5 and gets 4. 7 edits were tried (the time is up). What should happen there, and is the test right?")


# --- what is asked for ---

@pytest.mark.parametrize(("options", "field"), [
    ({"budget": 0}, "budget"), ({"budget": True}, "budget"), ({"budget": float("nan")}, "budget"), ({"attempts": 0}, "attempts"),
    ({"model": "oracle"}, "model")])
def test_what_cannot_be_meant_is_refused_by_name(options, field):
    with pytest.raises(UsageError, match=field):
        Fix(project=".", **options)


def test_edits_of_a_base_go_with_every_proposal_for_it():
    base = base_of({"a.py": "a = 1\n", "b.py": "b = 1\n"}).after(proposal("a.py", "a = 2\n"))

    assert {edit.path: edit.text for edit in base.whole(proposal("b.py", "b = 2\n")).edits} == {"a.py": "a = 2\n", "b.py": "b = 2\n"}


def test_files_that_are_no_text_are_not_read(tmp_path):
    from windtunnel.checks.project import Folder

    (tmp_path / "latin.py").write_bytes(b"name = '\xe9'\n")

    assert Base(folder=Folder(tmp_path)).read("latin.py") is None
