"""A trial's result for machines and pull requests; what others wrote in it cannot become markup."""

import hashlib
import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from trial_samples import EVIL, a_test, bad, evil, good, report, result_of
from windtunnel.api.exports import FORMATS, export
from windtunnel.api.exports.markdown import harmless
from windtunnel.api.exports.text import visible, visible_lines, xml_safe
from windtunnel.core.errors import UsageError
from windtunnel.core.trial import Delta, Kind, Status

RESULTS = [pytest.param(make(), id=make.__name__) for make in (good, bad, evil)]


def test_an_unknown_format_is_refused_by_name():
    with pytest.raises(UsageError, match="form: 'pdf' is none of json, junit, sarif, markdown"):
        export(good(), "pdf")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("result", RESULTS)
def test_every_format_can_be_written_as_utf_8(form, result):
    assert export(result, form).encode().endswith(b"\n")


# --- JSON ---

def test_the_plain_json_has_every_field_and_every_derived_one():
    told = json.loads(export(bad(), "json"))

    assert {name: told[name] for name in ("success", "verdict", "build_success", "side_effects_detected", "execution_time_ms", "id")} == {
        "success": False, "verdict": "not good", "build_success": True, "side_effects_detected": True,
        "execution_time_ms": 3100, "id": "0123abcd"}
    assert told["delta"]["broken"] == ["tests/test_a.py::test_broken"]
    assert [row["check"]["kind"] for row in told["reports"]] == ["build", "lint", "test"]
    assert told["unexpected_files"] == ["/workspace/.git/hooks/pre-commit", "/workspace/out.txt"]


def test_contents_are_told_by_size_and_hash():
    told = json.loads(export(bad(), "json"))

    assert told["changes"] == [{"path": "src/a.py", "operation": "modify", "size": 6, "mode": None,
                                "sha256": hashlib.sha256(b"x = 1\n").hexdigest()}]
    assert told["reports"][0]["products"]["dist/a.whl"]["size"] == 5
    assert "wheel" not in export(bad(), "json")


# --- JUnit ---

def cases(result):
    """Each case as (suite, name, mark), from the parsed document."""
    root = ET.fromstring(export(result, "junit").encode())
    return [(suite.get("name"), case.get("name"), next((child.tag for child in case), "passed"))
            for suite in root for case in suite.iter("testcase")]


def test_red_in_junit_is_what_counts_against_the_change():
    assert cases(bad()) == [
        ("windtunnel", "verdict", "failure"), ("windtunnel", "assert-weakened tests/test_a.py:4", "skipped"),
        ("windtunnel", "exits-early src/a.py:9", "failure"), ("windtunnel", "tests/test_a.py::test_gone", "failure"),
        ("build: python -m build", "python -m build", "passed"), ("lint: ruff check", "src/a.py:3 F401", "failure"),
        ("test: pytest", "test_kept", "passed"), ("test: pytest", "test_broken", "failure"),
        ("test: pytest", "test_old", "skipped"), ("test: pytest", "test_shaky", "skipped"),
        ("test: pytest", "test_quiet", "failure"), ("test: pytest", "test_added", "error")]


def test_a_good_change_is_green_although_an_old_test_fails():
    tests = (a_test("test_one"), a_test("test_old", Status.FAILED))
    result = result_of([report(Kind.TEST, "pytest", tests=tests, exit_code=1)],
                       delta=Delta(fixed=(tests[0].id,), still_failing=(tests[1].id,)))

    root = ET.fromstring(export(result, "junit"))

    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {"tests": "3", "failures": "0", "errors": "0"}
    assert [suite.get("skipped") for suite in root] == ["0", "1"]


def test_the_place_of_a_test_stands_in_its_text():
    told = {case.get("name"): case[0].text for case in ET.fromstring(export(bad(), "junit")).iter("testcase") if len(case)}

    assert told["exits-early src/a.py:9"].splitlines()[0] == "src/a.py:9"


def test_a_runner_that_reported_no_test_is_red():
    result = result_of([report(Kind.TEST, "pytest", exit_code=5)])

    assert ("test: pytest", "pytest", "failure") in cases(result)


def test_tests_that_only_the_change_has_are_in_a_suite_of_their_own():
    own = report(Kind.TEST, "pytest", tests=(a_test("test_one"), a_test("test_added")))

    added = [case for case in cases(good(proposed_reports=(own,))) if "own tests" in case[0]]

    assert added == [("test: pytest (the change's own tests)", "test_added", "passed")]


def test_each_suite_says_which_trial_and_verdict_it_belongs_to():
    root = ET.fromstring(export(good(), "junit"))

    assert [{each.get("name"): each.get("value") for each in suite.iter("property")} for suite in root] == [
        {"windtunnel.verdict": "good", "windtunnel.trial": "0123abcd", "windtunnel.tree": "feed", "windtunnel.level": "process"}] * 2


def test_junit_is_valid_xml_whatever_a_test_is_called():
    root = ET.fromstring(export(evil(), "junit").encode())

    assert root.get("failures") == "6"
    assert {element.tag for element in root.iter()} == {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure"}


def test_without_care_such_a_name_would_break_the_document():
    with pytest.raises(ET.ParseError):
        ET.fromstring(f"<testcase name={EVIL!r}/>")
    assert ET.fromstring(f"<a>{xml_safe(chr(0) + chr(27) + chr(0xFFFF))}</a>").text == "\N{REPLACEMENT CHARACTER}" * 3


# --- SARIF ---

def test_sarif_has_a_run_for_us_and_one_for_each_linter():
    told = json.loads(export(bad(), "sarif"))

    assert told["version"] == "2.1.0"
    assert [(run["tool"]["driver"]["name"], [(each["ruleId"], each["level"]) for each in run["results"]]) for run in told["runs"]] == [
        ("windtunnel", [("assert-weakened", "warning"), ("exits-early", "error")]), ("ruff", [("F401", "warning")])]
    assert told["runs"][0]["properties"]["verdict"] == "not good"


def test_a_finding_in_sarif_has_its_place():
    found = json.loads(export(bad(), "sarif"))["runs"][1]["results"][0]

    assert found["locations"] == [{"physicalLocation": {
        "artifactLocation": {"uri": "src/a.py", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 3, "startColumn": 8}}}]


def test_every_rule_a_result_names_is_described():
    for run in json.loads(export(evil(), "sarif"))["runs"]:
        rules = run["tool"]["driver"]["rules"]
        assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == [each["ruleId"] for each in run["results"]]


def test_a_good_change_leaves_sarif_without_results():
    assert [run["results"] for run in json.loads(export(good(), "sarif"))["runs"]] == [[]]


def test_paths_in_sarif_are_uris_and_messages_have_no_links():
    found = json.loads(export(evil(), "sarif"))["runs"][1]["results"][0]

    assert re.fullmatch(r"[\w%./~-]+", found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
    assert "\\[click\\](http" in found["message"]["text"]
    assert not re.search(r"(?<!\\)\]\(", found["message"]["text"])


def test_a_line_that_cannot_be_is_left_out():
    finding = replace(bad().new_findings[0], line=0, column=-1)

    place = json.loads(export(replace(bad(), new_findings=(finding,)), "sarif"))["runs"][1]["results"][0]["locations"][0]

    assert "region" not in place["physicalLocation"]


# --- Markdown ---

def test_markdown_tells_verdict_reasons_and_counts():
    lines = export(good(), "markdown").splitlines()

    assert lines[:6] == ["### Windtunnel: ✅ **Good**", "", "- <code>2 tests fixed</code>", "",
                         "| broken | fixed | still passing |", "| ---: | ---: | ---: |"]
    assert lines[6] == "| 0 | 2 | 1 |"


def test_details_are_folded_away():
    text = export(bad(), "markdown")

    assert text.count("<details><summary>") == text.count("</details>") == 10
    assert "**blocks**: <code>exits-early</code>" in text


def test_nothing_that_others_wrote_is_markup_in_a_pull_request():
    text = export(evil(), "markdown")

    ours = re.sub(r"<(code|pre)>([\w \-/&#;\n]|[^\x00-\x7f])*</\1>", "", text)
    assert re.findall(r"</?(\w+)", ours).count("img") == 0
    assert [sign for sign in ("@", "[", "`", "http", "admin", "\x1b", "\u202e") if sign in ours] == []


def test_a_renderer_makes_no_link_image_or_mention_of_it():
    markdown_it = pytest.importorskip("markdown_it", reason="no Markdown renderer is installed here")
    page = markdown_it.MarkdownIt("commonmark").enable("table").render(f"x {harmless(EVIL)} y")
    bare = markdown_it.MarkdownIt("commonmark").render(visible(EVIL))

    assert ("<a " in bare, "<img" in bare) == (True, True)
    assert set(re.findall(r"</?(\w+)", page)) == {"p", "code"}


def test_a_comment_stays_short_enough_for_a_forge():
    names = tuple("<" * 400 + str(number) for number in range(100))
    delta = Delta(**dict.fromkeys(("broken", "new", "fixed", "vanished", "silenced", "flaky"), names))

    text = export(replace(bad(), delta=delta), "markdown")

    assert len(text) < 65_536
    assert "the rest was left out" in text


# --- words ---

@pytest.mark.parametrize(("text", "shown"), [
    ("größe 日本", "größe 日本"), ("\x1b[31m", "\\x1b[31m"), ("a\nb\tc", "a\\nb\\tc"), ("\u202e", "\\u202e"), ("\ud800", "\\ud800"),
])
def test_what_cannot_be_seen_is_written_as_its_escape(text, shown):
    assert visible(text) == shown


def test_lines_may_stay_lines():
    assert visible_lines("a\n\tb\r\x00") == "a\n    b\\r\\x00"


def test_a_text_without_end_is_cut():
    assert visible("x" * 10_000, most=5) == "xxxx…"
