"""Mutation runs for machines and pull requests; nothing judged is never good, and others' words make no markup."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace

import pytest

from mutation_samples import HOSTILE, NAMES, PRICES, SOURCES, empty, evil, judged, mixed, sound, unproven
from windtunnel.api.exports.mutation_words import MEANINGS, ORDER, SIGNS, percent, state_words, verdict
from windtunnel.api.exports.mutations import MUTATION_FORMATS, export_mutation
from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import Fate, MutationResult, State

RUNS = [pytest.param(mixed(), SOURCES, id="mixed"), pytest.param(mixed(), {}, id="no sources"), pytest.param(sound(), SOURCES, id="sound"),
        pytest.param(unproven(), SOURCES, id="unproven"), pytest.param(empty(), {}, id="empty"), pytest.param(*evil(), id="evil")]
PRICE_NAMES = ["tests/test_prices.py::test_total", "tests/test_prices.py::test_free"]


def made(form, result, sources=SOURCES):
    return export_mutation(result, form, sources=sources)


def test_an_unknown_format_is_refused_by_name():
    with pytest.raises(UsageError, match="form: 'pdf' is none of html, json, sarif, elements, markdown"):
        made("pdf", sound())


@pytest.mark.parametrize("form", MUTATION_FORMATS)
@pytest.mark.parametrize(("result", "sources"), RUNS)
def test_every_format_can_be_written_as_utf_8_and_is_the_same_again(form, result, sources):
    text = made(form, result, sources)

    assert (text.encode().endswith(b"\n"), made(form, result, sources) == text) == (True, True)


# --- words ---

def test_every_fate_has_its_place_its_sign_and_its_meaning():
    assert (set(ORDER), set(SIGNS), set(MEANINGS), len(set(SIGNS.values()))) == (set(Fate), set(Fate), set(Fate), len(Fate))


@pytest.mark.parametrize("state", [state for state in State if state is not State.JUDGED])
def test_a_run_that_judged_nothing_is_bad_in_words_whatever_fates_it_holds(state):
    result = replace(sound(), state=state)

    assert verdict(result) == ("bad", state_words(state))
    assert state_words(state).startswith("Nothing was judged: ")


def test_a_run_is_good_only_where_every_mutant_was_judged_and_noticed():
    late = replace(sound(), judged=(*sound().judged, judged(Fate.TIMEOUT, PRICES, "summed - 5", "summed", path="shop/prices.py", number=1)))

    assert [verdict(result) for result in (sound(), late, mixed())] == [
        ("good", "Tests noticed every mutant."), ("warn", "Every mutant that was judged was noticed; 1 could not be judged."),
        ("warn", "Tests would not have noticed 3 mutants (2 survived, 1 untested).")]


def test_a_score_is_rounded_down_so_that_a_hundred_is_all():
    assert [percent(*numbers) for numbers in ((1999, 2000), (1, 3), (2, 2), (0, 0))] == ["99.9 %", "33.3 %", "100.0 %", "no score"]


# --- JSON ---

def test_the_json_has_a_version_every_field_and_every_derived_one():
    told = json.loads(made("json", mixed()))

    assert {name: told[name] for name in ("format", "version", "state", "score", "tests", "compared", "differing", "failing", "estimate")} == {
        "format": "windtunnel-mutation", "version": 1, "state": "judged", "score": 0.5, "tests": 12, "compared": 4, "differing": 1,
        "failing": ["tests/test_old.py::test_gone"], "estimate": {"share": 0.5, "low": 0.25, "high": 0.75, "drawn": 6}}
    assert set(told) >= {field for field in MutationResult.__dataclass_fields__ if field != "judged"}
    assert told["counts"] == {"killed": 3, "survived": 2, "untested": 1, "timeout": 1, "same": 1, "failed": 1, "not judged": 1}


def test_the_json_tells_each_mutant_with_its_diff_and_each_file_by_hash():
    told = json.loads(made("json", mixed()))

    assert {name: told["judged"][4][name] for name in ("fate", "tests", "reached", "diff")} == {
        "fate": "survived", "tests": PRICE_NAMES[1:], "reached": 1, "diff": " def free(total):\n-    return total >= 50\n+    return total > 50"}
    assert told["judged"][4]["mutant"]["operator"] == "comparison"
    assert told["files"]["shop/names.py"] == {
        "size": len(NAMES), "sha256": hashlib.sha256(NAMES).hexdigest(), "score": 1.0, "counts": {**dict.fromkeys(Fate, 0), "killed": 1}}


def test_the_json_of_a_run_that_proves_nothing_has_no_score_anywhere():
    told = json.loads(made("json", unproven()))

    assert (told["score"], told["files"]["shop/prices.py"]["score"], told["state_words"]) == (
        None, None, "Nothing was judged: the tests pass whatever happens: a forced failure was not noticed.")


# --- mutation-testing-elements ---

def elements(result, sources=SOURCES):
    return json.loads(made("elements", result, sources))


def test_each_fate_has_the_status_that_viewers_know():
    told = elements(mixed())["files"]["shop/prices.py"]["mutants"]

    assert {int(one["id"], 16): one["status"] for one in told} == {
        1: "Killed", 2: "Survived", 3: "Killed", 4: "Timeout", 5: "Survived", 6: "NoCoverage", 7: "Ignored", 8: "RuntimeError", 9: "Pending"}


def test_a_place_is_told_in_units_of_utf_16_from_one():
    told = elements(mixed())["files"]["shop/names.py"]

    assert told["mutants"][0]["location"] == {"start": {"line": 2, "column": 33}, "end": {"line": 2, "column": 36}}
    assert told["source"].split("\n")[1].encode("utf-16-le")[64:70].decode("utf-16-le") == "'!'"


def test_tests_are_told_by_file_and_named_by_the_mutants():
    told = elements(mixed())

    assert told["testFiles"]["tests/test_prices.py"] == {"tests": [{"id": name, "name": name.partition("::")[2]} for name in PRICE_NAMES]}
    assert [(one.get("killedBy"), one["coveredBy"]) for one in told["files"]["shop/prices.py"]["mutants"][1:3]] == [
        (PRICE_NAMES[:1], PRICE_NAMES[:1]), (None, PRICE_NAMES)]


def test_mutants_of_a_run_that_proves_nothing_are_pending():
    told = elements(unproven())["files"]["shop/prices.py"]["mutants"]

    assert [(one["status"], one.get("killedBy")) for one in told] == [("Pending", None)]


def test_every_place_exists_where_the_source_was_not_given():
    told = elements(mixed(), {})["files"]["shop/prices.py"]

    assert told["source"] == "\n" * 17


# --- SARIF ---

def sarif(result, sources=SOURCES):
    return json.loads(made("sarif", result, sources))["runs"][0]


def test_sarif_holds_what_tests_did_not_notice_with_diff_place_and_fingerprint():
    told = sarif(mixed())

    assert [(one["ruleId"], one["level"], one["partialFingerprints"]) for one in told["results"]] == [
        ("survived/comparison", "warning", {"windtunnel/mutant/v1": f"{2:016x}"}), ("survived/comparison", "warning", {"windtunnel/mutant/v1": f"{5:016x}"}),
        ("untested/statement", "note", {"windtunnel/mutant/v1": f"{6:016x}"})]
    assert told["results"][1]["message"]["text"] == (
        "survived: total >= 50 becomes total > 50 (tests ran it, and none noticed)\n\n def free(total):\n-    return total >= 50\n+    return total > 50")
    assert told["results"][1]["locations"] == [{"physicalLocation": {
        "artifactLocation": {"uri": "shop/prices.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 12, "startColumn": 12, "endLine": 12, "endColumn": 23}}}]


def test_sarif_offers_no_fix_since_it_would_be_the_defect():
    assert "fixes" not in made("sarif", mixed())


def test_sarif_of_a_run_that_judged_nothing_did_not_succeed():
    told = sarif(replace(mixed(), state=State.NO_TEST_PASSES, notes=()))

    assert (told["results"], told["invocations"]) == ([], [{
        "executionSuccessful": False, "toolExecutionNotifications": [
            {"level": "error", "message": {"text": "Nothing was judged: no test passes without a mutant."}}]}])


def test_what_sarif_leaves_out_is_counted(monkeypatch):
    monkeypatch.setattr("windtunnel.api.exports.mutation_sarif._MOST", 2)

    told = sarif(replace(mixed(), notes=()))

    assert (len(told["results"]), told["invocations"][0]["toolExecutionNotifications"]) == (
        2, [{"level": "warning", "message": {"text": "1 more mutants were left out of this file"}}])


def test_a_fingerprint_outlives_edits_elsewhere():
    moved = {"shop/prices.py": b"# new\n" * 9 + PRICES}
    later = judged(Fate.SURVIVED, moved["shop/prices.py"], "total >= 50", "total > 50", path="shop/prices.py", number=5)

    before, after = sarif(mixed())["results"][1], sarif(MutationResult(state=State.JUDGED, judged=(later,)), moved)["results"][0]

    assert (before["partialFingerprints"] == after["partialFingerprints"], before["locations"] == after["locations"]) == (True, False)


# --- Markdown ---

def test_the_comment_has_the_score_the_counts_and_each_survivor_as_a_diff():
    text = made("markdown", mixed())

    assert text.startswith("### Windtunnel mutation: ⚠️ **50.0 %**\n\nTests would not have noticed 3 mutants (2 survived, 1 untested).\n")
    assert "| ✗ survived | ○ untested | ◷ timeout | ! failed | ? not judged | ✓ killed | = same |" in text
    assert "```diff\n def free(total):\n-    return total >= 50\n+    return total > 50\n```" in text
    assert text.count("<details>") == text.count("</details>") == 7


@pytest.mark.parametrize(("result", "mark"), [(sound(), "✅ **100.0 %**"), (mixed(), "⚠️ **50.0 %**"), (unproven(), "❌ **no score**"), (empty(), "❌ **no score**")],
                         ids=["sound", "mixed", "unproven", "empty"])
def test_a_comment_is_green_only_for_a_run_in_which_all_was_noticed(result, mark):
    assert made("markdown", result).split("\n")[0] == f"### Windtunnel mutation: {mark}"


def test_a_comment_has_the_length_that_a_forge_takes():
    many = tuple(judged(Fate.SURVIVED, PRICES, "total >= 50", "é" * 5000, path="shop/prices.py", number=number, tests=(HOSTILE * 100,) * 9)
                 for number in range(5000))

    text = made("markdown", MutationResult(state=State.JUDGED, judged=many, notes=(HOSTILE * 99,) * 99, failing=(HOSTILE * 99,) * 99))

    assert len(text) <= 60_200
    assert "… the rest was left out: too long for a comment" in text


def test_hostile_words_make_no_markup_outside_a_fence():
    result, sources = evil()

    outside = re.sub(r"^(`{3,})diff\n.*?^\1$", "", made("markdown", result, sources), flags=re.MULTILINE | re.DOTALL)

    assert set(re.findall(r"</?\w+", outside)) == {"<details", "</details", "<summary", "</summary", "<code", "</code", "<sub", "</sub"}


def test_a_fence_in_the_source_does_not_end_ours():
    source = b"x = 1\n````\n```\ny = 1 > 0\n"
    found = judged(Fate.SURVIVED, source, "1 > 0", "1 >= 0", path="a.py")

    text = made("markdown", MutationResult(state=State.JUDGED, judged=(found,)), {"a.py": source})

    assert "\n`````diff\n ````\n ```\n-y = 1 > 0\n+y = 1 >= 0\n`````\n" in text
