"""``windtunnel mutate`` as a person starts it."""

from __future__ import annotations

import io
import json

import pytest

from windtunnel.cli.mutate_progress import Progress
from windtunnel.cli.mutate_text import chart
from windtunnel.core.mutation import Fate, Judged, Mutant
from windtunnel.store.fates import Score

pytestmark = pytest.mark.timeout(600)
CALC = "def add(a, b):\n    return a + b\n\n\ndef clip(n, most):\n    if n > most:\n        return most\n    return n\n\n\ndef unused(a):\n    return a * 2\n"
TESTS = "import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n\n\ndef test_clip():\n    assert calc.clip(11, 10) == 10\n    assert calc.clip(9, 10) == 9\n\n\ndef test_quiet():\n    calc.add(1, 1)\n"
ONE = ("--operators", "arithmetic,boundary", "--test", "pytest", "--compare", "0", "--jobs", "1")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "calc.py").write_text(CALC)
    (folder / "test_calc.py").write_text(TESTS)
    return folder


@pytest.fixture
def mutate(cli, project):
    cli.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

    def run(*arguments):
        return cli("mutate", "--project", str(project), *ONE, *arguments, seconds=500)

    return run


@pytest.mark.slow
def test_it_shows_survivors_as_diffs_with_their_tests_and_the_score_last(mutate):
    done = mutate()

    assert done.returncode == 0, done.stderr
    lines = done.stdout.rstrip().split("\n")
    assert lines[:6] == [
        "✗ calc.py:6 in clip  boundary", "     def clip(n, most):", "    -    if n > most:", "    +    if n >= most:",
        "             return most", "         return n"]
    assert "    ran by test_calc.py::test_clip" in lines
    assert "  calc.py  unused  line 12" in lines
    assert "  test_calc.py::test_quiet" in lines
    assert lines[-1].startswith("score 33.3 %  ✗ 1 survived  ○ 1 untested  ✓ 1 killed  in ")


@pytest.mark.slow
def test_json_holds_every_fate_and_a_later_run_keeps_them(mutate):
    first, second = json.loads(mutate("--json").stdout), json.loads(mutate("--json").stdout)

    assert [(one["mutant"]["line"], one["fate"], one["way"]) for one in first["judged"]] == [
        (2, "killed", "switched"), (6, "survived", "switched"), (12, "untested", "")]
    assert ([one["way"] for one in second["judged"]], second["tries"]) == (["kept", "kept", ""], 0)


@pytest.mark.slow
@pytest.mark.parametrize(("least", "code"), [("0.3", 0), ("30%", 0), ("0.34", 1)])
def test_a_score_below_the_least_one_ends_with_one(mutate, least, code):
    assert mutate("--least", least).returncode == code


@pytest.mark.slow
def test_only_the_named_lines_are_mutated(mutate):
    told = json.loads(mutate("--json", "--lines", "calc.py:1-3").stdout)

    assert [one["mutant"]["line"] for one in told["judged"]] == [2]


@pytest.mark.slow
def test_only_the_named_paths_are_mutated_and_a_missing_one_is_refused(mutate):
    told, refused = json.loads(mutate("--json", "calc.py").stdout), mutate("nowhere.py")

    assert (len(told["judged"]), refused.returncode) == (3, 2)


def test_where_nothing_can_be_judged_it_ends_with_two(mutate):
    done = mutate("--lines", "calc.py:1")

    assert (done.returncode, done.stdout.split("\n")[0]) == (
        2, "Nothing was judged: nothing in what was asked about can be mutated.")


@pytest.mark.parametrize("arguments", [
    ("--operators", "nonsense"), ("--jobs", "0"), ("--lines", "x"), ("--range", "main"), ("--least", "2"), ("--diff", "nowhere")])
def test_a_wrong_request_is_refused_before_anything_runs(mutate, arguments):
    done = mutate(*arguments)

    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(("arguments", "words"), [
    (("--compare", "-1"), "--compare: at least 0"), (("--operators", " ,"), "--operators: names none"),
    (("--lines", "nope.py:1-2"), "lines: 'nope.py' is no file of the project"), (("--out", "x"), "--out: for a report alone"),
    (("--report", "html", "--out", "nowhere/x.html"), "--out: cannot write 'nowhere/x.html'"),
    (("--seconds", "nan"), "seconds: not a number of seconds above 0: nan")])
def test_a_wrong_request_is_refused_with_its_reason(mutate, arguments, words):
    done = mutate(*arguments)

    assert (done.returncode, words in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("out", [(), ("--out", "-")])
def test_two_forms_on_standard_output_at_once_are_refused_with_the_way_out(mutate, out):
    done = mutate("--json", "--report", "sarif", *out)

    assert (done.returncode, json.loads(done.stdout)["error"]["message"]) == (
        2, "--json and --report would both go to standard output (give the report a file: --out FILE)")


@pytest.mark.slow
def test_the_trend_has_one_score_for_each_run(mutate):
    mutate()

    told, shown = json.loads(mutate("--trend", "--json").stdout), mutate("--trend").stdout

    assert [(one["killed"], one["survived"], one["untested"]) for one in told["scores"]] == [(1, 1, 1)]
    assert shown.split("\n")[0] == "▃"


@pytest.mark.slow
def test_it_is_written_down_as_every_other_act(mutate, cli):
    mutate()

    entries = json.loads(cli("audit", "log", "--json").stdout)

    assert [(one["kind"], one["outcome"]) for one in entries] == [("mutate", "judged")]


def test_a_policy_may_forbid_it(mutate, cli, tmp_path):
    (tmp_path / "policy.yaml").write_text("{version: 1, default: allow, rules: [{id: no, tool: mutate, effect: deny, reason: not here}]}")
    cli.env["WINDTUNNEL_POLICY"] = str(tmp_path / "policy.yaml")

    done = mutate()

    assert (done.returncode, "not here" in done.stderr) == (2, True)


def judged(fate):
    mutant = Mutant(id="a", path="a.py", operator="o", line=1, column=0, end_line=1, end_column=1, original="+", replacement="-",
                    start=0, end=1, function="", scope="module", description="+ → -")
    return Judged(mutant=mutant, fate=fate)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_one_line_with_count_survivors_and_time_left():
    now, file = [0.0], Terminal()
    progress = Progress(seconds=600.0, file=file, clock=lambda: now[0])
    for number, fate in enumerate([Fate.KILLED, Fate.SURVIVED, Fate.KILLED], start=1):
        now[0] += 10.0
        progress(number, 30, judged(fate))

    assert file.getvalue().split("\r\x1b[K")[-1] == "3 of 30 mutants, 1 survived, about 3 min 00 s left"


def test_elsewhere_it_is_about_ten_plain_lines():
    now, file = [0.0], io.StringIO()
    progress = Progress(seconds=600.0, file=file, clock=lambda: now[0])
    for number in range(1, 101):
        now[0] += 1.0
        progress(number, 100, judged(Fate.KILLED))

    lines = file.getvalue().rstrip().split("\n")
    assert (len(lines), lines[0], lines[-1]) == (
        10, "10 of 100 mutants, 0 survived, about 1 min 21 s left", "100 of 100 mutants, 0 survived")


def test_a_machine_that_reads_json_sees_no_progress():
    file = io.StringIO()
    Progress(seconds=1.0, quiet=True, file=file)(1, 1, judged(Fate.KILLED))

    assert file.getvalue() == ""


def test_a_short_run_prints_no_plain_lines_where_somebody_has_patience():
    now, file = [1.0], io.StringIO()
    progress = Progress(seconds=600.0, file=file, clock=lambda: now[0], words=("tries", "not noticed"), patience=5.0)
    progress(1, 4, judged(Fate.SURVIVED))
    now[0] = 7.0
    progress(2, 4, judged(Fate.KILLED))

    assert file.getvalue() == "2 of 4 tries, 1 not noticed, about 6 s left\n"


def test_a_chart_goes_from_nothing_to_all():
    scores = [Score(time=float(day * 86400), score=share, killed=1, survived=1, untested=0, others=0)
              for day, share in enumerate([0.0, 0.5, 1.0])]

    assert chart(scores, now=3 * 86400.0).split("\n") == [
        "▁▅█", "1970-01-01 00:00    0.0 %  1 killed, 1 survived, 0 untested",
        "1970-01-02 00:00   50.0 %  1 killed, 1 survived, 0 untested",
        "1970-01-03 00:00  100.0 %  1 killed, 1 survived, 0 untested", "3 runs in 3 days, +100.0 points"]
