"""``windtunnel fix`` and ``windtunnel rules`` as a person starts them."""

from __future__ import annotations

import io
import json
import subprocess

import pytest

from windtunnel.api.exports.fix import markdown
from windtunnel.cli.fix import seconds_of
from windtunnel.cli.fix_progress import Progress
from windtunnel.cli.fix_text import page
from windtunnel.core.errors import UsageError
from windtunnel.core.repair import Attempt, FixResult, FixState
from windtunnel.engine.course import Event

pytestmark = pytest.mark.timeout(600)
BROKEN = "def total(prices):\n    result = 0\n    for price in prices:\n        result -= price\n    return result\n"
TESTS = "from cart import total\n\n\ndef test_total():\n    assert total([2, 3]) == 5\n\n\ndef test_empty():\n    assert total([]) == 0\n"
DIFF = ("--- a/cart.py\n+++ b/cart.py\n@@ -1,5 +1,5 @@\n def total(prices):\n     result = 0\n     for price in prices:\n"
        "-        result -= price\n+        result += price\n     return result\n")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "cart.py").write_text(BROKEN)
    (folder / "test_cart.py").write_text(TESTS)
    return folder


def fixed(**fields):
    given = {"id": "1", "state": FixState.FIXED, "project": "p", "reason": "passes all 2 tests", "diff": DIFF, "confidence": 0.75,
             "tried": 3, "dropped": 1, "explanation": ("cart.py:4: plus",),
             "attempts": (Attempt(number=1, origin="search", name="sign", reason="a|b", place="cart.py:4", outcome="fixes all", seconds=0.1),)}
    return FixResult(**{**given, **fields})


def test_the_diff_alone_is_on_standard_output_and_can_be_applied(cli, project):
    done = cli("fix", str(project), "--test", "pytest", seconds=300)

    assert (done.returncode, done.stdout) == (0, DIFF), done.stderr
    assert "fixed: passes all 2 tests, 1 of which failed" in done.stderr
    assert (project / "cart.py").read_text() == BROKEN


def test_a_fix_is_applied_and_told_as_json(cli, project):
    done = cli("fix", str(project), "--test", "pytest", "--apply", "--json", seconds=300)

    told = json.loads(done.stdout)
    assert (done.returncode, told["state"], told["success"], told["applied"], told["diff"]) == (0, "fixed", True, True, DIFF)
    assert (told["changes"], told["trial"]["verdict"]) == ({"cart.py": "modify"}, "good")
    assert (project / "cart.py").read_text() == BROKEN.replace("-=", "+=")


def test_what_is_not_fixed_ends_with_1_and_a_question(cli, project, tmp_path):
    done = cli("fix", str(project), "--test", "pytest", "--forbid", "cart.py", "--markdown", "--output", str(tmp_path / "page.md"), seconds=300)

    assert (done.returncode, done.stdout) == (1, "")
    assert "question: At " in done.stderr
    assert (tmp_path / "page.md").read_text().startswith("## Not fixed\n")


def test_nothing_to_fix_ends_with_0_and_no_diff(cli, project):
    (project / "cart.py").write_text(BROKEN.replace("-=", "+="))

    done = cli("fix", str(project), "--test", "pytest", seconds=300)

    assert (done.returncode, done.stdout, "nothing to fix: all checks pass" in done.stderr) == (0, "", True)


@pytest.mark.parametrize("arguments", [
    ("fix", "nowhere"), ("fix", "--budget", "soon"), ("fix", "--jobs", "0"), ("fix", "--attempts", "0", "--test", "true"),
    ("fix", "--allow", "/etc", "--test", "true"), ("fix", "--model", "oracle", "--test", "true"), ("fix", "--model", "openai", "--test", "true"),
    ("rules", "no-such-rule"), ("rules", "--language", "cobol")])
def test_a_request_that_is_wrong_ends_with_2(cli, arguments):
    done = cli(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("windtunnel: ")


def test_every_rule_is_listed_and_shown_with_its_example(cli):
    listed, one = cli("rules"), cli("rules", "comparison")
    rows = json.loads(cli("rules", "--json").stdout)

    assert (listed.returncode, one.returncode, len(rows) >= 40) == (0, 0, True)
    assert len(listed.stdout.splitlines()) == len(rows) + 1
    assert "(search; python)" in one.stdout
    assert all(row["name"] and row["what"] and row["before"] != row["after"] for row in rows)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90.0), ("90", 90.0), ("1.5m", 90.0), ("2 min", 120.0), ("1h", 3600.0)])
def test_a_time_is_read_as_people_write_it(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "-1s", "1d", "nan", "1e9", "99999999"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(UsageError, match="--budget"):
        seconds_of(text)


def test_attempts_are_told_in_plain_lines_where_nobody_watches():
    file = io.StringIO()
    with Progress(file=file) as progress:
        progress(Event(kind="step", text="looking at the project"))
        for number in range(1, 301):
            progress(Event(kind="attempt", text=f"a.py:{number}: x", status="fixes all" if number == 123 else "changes nothing", side=str(number)))

    lines = file.getvalue().splitlines()
    assert (lines[:2], lines[41:]) == (
        ["looking at the project", "1. a.py:1: x: changes nothing"],
        ["100. a.py:100: x: changes nothing", "123. a.py:123: x: fixes all", "200. a.py:200: x: changes nothing", "300. a.py:300: x: changes nothing"])


def test_a_machine_that_reads_is_told_nothing_on_the_way():
    file = io.StringIO()
    with Progress(file=file, quiet=True) as progress:
        progress(Event(kind="step", text="looking at the project"))

    assert file.getvalue() == ""


def test_a_result_for_people_hides_control_characters():
    lines = [text for text, _ in page(fixed(reason="x\x1b[2J", question="q", alternatives=("--- a\n",)), explain=True)]

    assert not any("\x1b" in line for line in lines)
    assert lines[:3] == ["fixed: x\\x1b[2J", "  cart.py:4: plus", "  confidence 0.75, 1 other diff passes everything too"]


def test_a_page_for_a_pull_request_keeps_the_diff_whole_and_markup_out():
    text = markdown(fixed(diff=DIFF.replace("result = 0", "```"), warnings=("<b>",), question="*why*"))

    assert ("\n````diff\n" in text, "&lt;b&gt;" in text, r"\*why\*" in text, r"a\|b" in text) == (True, True, True, True)


def test_a_place_that_cannot_be_written_to_is_refused_before_anything_runs(cli, project, tmp_path):
    done = cli("fix", str(project), "--test", "pytest", "--output", str(tmp_path / "no" / "file"))

    assert (done.returncode, "cannot write" in done.stderr, "looking" in done.stderr) == (2, True, False)


def test_help_names_every_option(cli):
    shown = cli("fix", "--help").stdout

    assert [option for option in ("--test", "--budget", "--attempts", "--apply", "--explain", "--allow", "--forbid", "--gate", "--model",
                                  "--json", "--markdown", "--output", "--resume", "--rules", "--remember") if option not in shown] == []


def test_a_patch_in_a_file_is_whole_for_git(cli, project, tmp_path):
    done = cli("fix", str(project), "--test", "pytest", "--output", str(tmp_path / "fix.patch"), seconds=300)
    applied = subprocess.run(["git", "apply", str(tmp_path / "fix.patch")], cwd=project, capture_output=True, check=False, timeout=60)

    assert (done.returncode, applied.returncode, (project / "cart.py").read_text()) == (0, 0, BROKEN.replace("-=", "+="))
