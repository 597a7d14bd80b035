"""From fates to a verdict, without running anything."""

from dataclasses import replace

import pytest

from windtunnel.checks.project import Folder
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import GateState, GateVerdict, Revert, Thresholds
from windtunnel.core.mutation import Fate, Judged, Mutant, MutationResult, State
from windtunnel.engine.gate import Gate, narrowed, thresholds
from windtunnel.engine.gate_verdict import Evidence, diff, nothing, weighed
from windtunnel.languages.search import which

SOURCE = b"a = 1\nb = 2\n"
GOOD, NOT_GOOD, NOBODY_KNOWS = GateVerdict.GOOD, GateVerdict.NOT_GOOD, GateVerdict.NOTHING_JUDGED


def judged(fate, number=0):
    mutant = Mutant(
        id=f"{number}{fate}", path="a.py", operator="constants", line=1, column=4, end_line=1, end_column=5, original="1",
        replacement="2", start=4, end=5, function="", scope="module", description="1 → 2")
    return Judged(mutant=mutant, fate=fate)


def evidence(*fates, whole=Fate.KILLED, reverts=(), only_deletes=False):
    told = MutationResult(state=State.JUDGED, judged=tuple(judged(fate, number) for number, fate in enumerate(fates)), tests=3)
    return Evidence(
        told=told, reverts=reverts, whole=Revert(part="change", path="a.py", line=1, end_line=1, fate=whole, by="test_a"),
        sources={"a.py": SOURCE}, lines={"a.py": frozenset({1})}, only_deletes=only_deletes)


def hunk(fate):
    return Revert(part="hunk", path="a.py", line=1, end_line=1, fate=fate)


KILLED, SURVIVED, UNTESTED, TIMEOUT, LATE = (
    Fate.KILLED, Fate.SURVIVED, Fate.UNTESTED, Fate.TIMEOUT, Fate.NOT_JUDGED)


@pytest.mark.parametrize(("found", "thresholds", "state", "verdict"), [
    (evidence(KILLED, KILLED), {}, GateState.JUDGED, GOOD),
    (evidence(KILLED, KILLED, whole=SURVIVED), {}, GateState.JUDGED, NOT_GOOD),
    (evidence(KILLED, KILLED, whole=UNTESTED), {}, GateState.JUDGED, NOT_GOOD),
    (evidence(KILLED, KILLED, whole=SURVIVED), {"hollow": "allow"}, GateState.JUDGED, GOOD),
    (evidence(KILLED, SURVIVED, UNTESTED), {}, GateState.JUDGED, NOT_GOOD),
    (evidence(KILLED, SURVIVED, UNTESTED), {"least": 0.3}, GateState.JUDGED, GOOD),
    (evidence(KILLED, SURVIVED, UNTESTED), {"least": 0.3, "most_survivors": 1}, GateState.JUDGED, NOT_GOOD),
    (evidence(TIMEOUT, TIMEOUT), {}, GateState.NONE_COUNTS, NOBODY_KNOWS),
    (evidence(TIMEOUT, TIMEOUT), {"least": 0}, GateState.NONE_COUNTS, NOBODY_KNOWS),
    (evidence(KILLED, TIMEOUT, TIMEOUT), {}, GateState.UNSURE, NOBODY_KNOWS),
    (evidence(KILLED, KILLED, KILLED, LATE), {}, GateState.JUDGED, GOOD),
    (evidence(KILLED, KILLED, KILLED, LATE), {"most_survivors": 0}, GateState.UNSURE, NOBODY_KNOWS),
    (evidence(SURVIVED, SURVIVED, SURVIVED, TIMEOUT), {}, GateState.JUDGED, NOT_GOOD),
    (evidence(KILLED, whole=TIMEOUT), {}, GateState.UNSURE, NOBODY_KNOWS),
    (evidence(KILLED, whole=TIMEOUT, reverts=(hunk(KILLED),)), {}, GateState.JUDGED, GOOD),
    (evidence(KILLED, whole=TIMEOUT, reverts=(hunk(SURVIVED),)), {}, GateState.UNSURE, NOBODY_KNOWS),
    (evidence(), {}, GateState.NO_MUTANTS, GOOD),
    (evidence(Fate.SAME), {}, GateState.NO_MUTANTS, GOOD),
    (evidence(whole=SURVIVED), {}, GateState.NO_MUTANTS, NOT_GOOD),
    (evidence(whole=SURVIVED), {"hollow": "allow"}, GateState.NO_MUTANTS, NOBODY_KNOWS),
    (evidence(whole=TIMEOUT), {"hollow": "allow"}, GateState.NO_MUTANTS, NOBODY_KNOWS),
    (evidence(only_deletes=True), {}, GateState.DELETES_ONLY, GOOD),
    (evidence(only_deletes=True, whole=SURVIVED), {}, GateState.DELETES_ONLY, NOBODY_KNOWS),
    (evidence(only_deletes=True, whole=SURVIVED), {"hollow": "allow"}, GateState.DELETES_ONLY, NOBODY_KNOWS),
])
def test_each_mixture_of_fates_has_its_state_and_verdict(found, thresholds, state, verdict):
    result = weighed(found, Thresholds(**thresholds))

    assert (result.state, result.verdict, result.success) == (state, verdict, verdict is GOOD)


@pytest.mark.parametrize("state", [state for state in GateState if state is not GateState.JUDGED])
def test_a_state_without_fates_is_never_good(state):
    result = nothing(state, thresholds=Thresholds(least=0, hollow="allow"))

    assert (result.verdict, result.success, result.reasons) == (NOBODY_KNOWS, False, (str(state),))


def test_a_timeout_is_no_kill():
    result = weighed(evidence(KILLED, KILLED, SURVIVED, TIMEOUT), Thresholds())

    assert (result.score, result.counts) == (2 / 3, {KILLED: 2, SURVIVED: 1, TIMEOUT: 1})


def test_the_reasons_say_what_is_missing():
    result = weighed(evidence(KILLED, SURVIVED, SURVIVED, whole=SURVIVED), Thresholds(most_survivors=1))

    assert result.reasons == (
        "hollow: no test fails without the change", "score 0.33, below 0.5: 1 of 3 seeded defects in changed lines noticed",
        "2 seeded defects went unnoticed, more than 1")


def test_a_good_verdict_says_what_was_noticed():
    result = weighed(evidence(KILLED, SURVIVED), Thresholds())

    assert result.reasons == ("1 of 2 seeded defects in changed lines noticed", "test_a fails without the change")


def test_hunks_that_nobody_notices_are_named_beside_those_that_somebody_does():
    result = weighed(evidence(KILLED, reverts=(hunk(KILLED), hunk(SURVIVED), hunk(UNTESTED), hunk(TIMEOUT))), Thresholds())

    assert (result.hollow, result.hollow_parts) == (False, (hunk(SURVIVED), hunk(UNTESTED)))


def test_lines_that_no_test_runs_are_listed_once():
    result = weighed(evidence(UNTESTED, UNTESTED, reverts=(hunk(UNTESTED),)), Thresholds())

    assert result.untested == {"a.py": (1,)}


def test_a_survivor_is_shown_as_a_diff_of_whole_lines():
    result = weighed(evidence(SURVIVED), Thresholds())

    assert [one.diff for one in result.survivors] == ["-a = 1\n+a = 2"]


@pytest.mark.parametrize(("span", "new", "expected"), [
    ((0, 5), b"", "-a = 1"), ((0, 11), b"c", "-a = 1\n-b = 2\n+c"), ((10, 11), b"\xff", "-b = 2\n+b = \N{REPLACEMENT CHARACTER}")])
def test_a_diff_is_text_whatever_the_bytes_are(span, new, expected):
    assert diff(SOURCE, *span, new=new) == expected


@pytest.mark.parametrize(("name", "value"), [
    ("least", 1.5), ("least", -0.1), ("least", float("nan")), ("least", True), ("least", "0.5"), ("most_survivors", -1),
    ("most_survivors", 1.0), ("most_survivors", True), ("hollow", "maybe"), ("doubt", "none")])
def test_a_threshold_that_means_nothing_is_refused_by_name(name, value):
    with pytest.raises(UsageError, match=name):
        Thresholds(**{name: value})


@pytest.mark.parametrize(("configured", "asked", "counts"), [
    (None, None, Thresholds()), (Thresholds(least=0.2), None, Thresholds(least=0.2)),
    (Thresholds(least=0.8), Thresholds(least=0.1, hollow="allow"), Thresholds(least=0.8)),
    (Thresholds(doubt="allow"), Thresholds(doubt="skip"), Thresholds(doubt="allow")),
    (None, Thresholds(doubt="skip"), Thresholds(doubt="skip"))])
def test_nobody_asks_for_less_than_the_configuration_says(rig, configured, asked, counts):
    assert thresholds(replace(rig, gate=configured), asked) == counts


@pytest.mark.parametrize(("test", "files", "command"), [
    ("pytest", (), "pytest"), ("pytest -q", ("tests/test_a.py",), ("pytest", "-q", "--rootdir=.", "tests/test_a.py")),
    ("pytest tests", ("tests/test_a.py",), "pytest tests"), ("pytest -k words", ("test_a.py",), "pytest -k words"),
    ("pytest", ("-p.py",), "pytest"), ("pytest", ("test_a.py::x.py",), "pytest"), ("python -m unittest", ("test_a.py",), "python -m unittest")])
def test_a_command_is_narrowed_to_files_only_where_it_names_none_itself(tmp_path, test, files, command):
    asked = Gate(project=tmp_path, changes=(), test=test, files=files)

    assert narrowed(asked, Folder(tmp_path, search=which)) == command
