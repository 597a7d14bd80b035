import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import __main__ as command  # noqa: E402 -- the package stands beside the tests, not in them
from benchmarks import conformance, peers, table, trial, trial_faults  # noqa: E402
from benchmarks.ground import SMALL, Ground  # noqa: E402
from benchmarks.peer_install import Installed  # noqa: E402
from benchmarks.rows import Row, Target  # noqa: E402
from benchmarks.timing import NotRun, Timing, interleaved  # noqa: E402
from benchmarks.trial_mutations import mutations  # noqa: E402
from benchmarks.trial_projects import QUICK, candidates  # noqa: E402

from windtunnel.core.result import Level  # noqa: E402
from windtunnel.sandbox import selfcheck  # noqa: E402
from windtunnel.sandbox.attacks import Outcome  # noqa: E402

OURS = {
    "analysis": [
        "analysis of 200 files, cold", "analysis of 200 files, cached", "analysis of 200 files, one changed",
        "languages right on Linguist's samples", "frameworks right on starter layouts"],
    "simulate": [
        "presets for all pairs, most of the seeds", "generating them, slowest of the seeds",
        "pairs in the first 3 presets", "pairs in the first 10 presets", "pairs in the first 30 presets",
        "section runs of small pure functions", "public functions that return normally at least once",
        "lines and branches that the inputs run", "delay 1 ms, root: off by", "delay 25 ms, root: off by",
        "delay 100 ms, jitter 20 ms, root: off by", "loss 5 %, root: off by", "duplication 5 %, root: off by",
        "reordering 10 %, delay 20 ms, root: off by", "rate 1 Mbit/s, root: off by", "rate 10 Mbit/s, root: off by",
        "rate 100 Mbit/s, root: off by", "TCP at 10 Mbit/s, root: data", "TCP without a rate, root: data",
        "delay 1 ms, an ordinary user: off by", "delay 25 ms, an ordinary user: off by",
        "delay 100 ms, jitter 20 ms, an ordinary user: off by", "loss 5 %, an ordinary user: off by",
        "duplication 5 %, an ordinary user: off by", "reordering 10 %, delay 20 ms, an ordinary user: off by",
        "rate 1 Mbit/s, an ordinary user: off by", "rate 10 Mbit/s, an ordinary user: off by",
        "rate 100 Mbit/s, an ordinary user: off by", "TCP at 10 Mbit/s, an ordinary user: data",
        "TCP without a rate, an ordinary user: data", "warm print(1) with an outside", "left after 2 kills",
        "scaled error of a forecast, 4 to 18 points", "coverage of 95 % intervals", "forecasts of 50 metrics",
        "scaled error with statsforecast beside, 20 to 36 points",
        "false stops, constant .05 sd .02", "false stops, constant .05 sd .05", "false stops, accelerating",
        "false stops, bursty, 20 % gain .3", "cycles after the knee, saturating sd .005",
        "cycles after the knee, saturating sd .02", "cycles after the knee, hard plateau",
        "cycles after the knee, bursts that end", "the same code kept as faster",
        "5 % less time kept within 40 pairs", "planted inefficiencies improved and kept",
        "regressions kept, decoys among them", "discrepancies again after one file changed"],
    "start": [
        "warm print(1)", "warm print(1)", "warm print(1): slowest hundredth", "cold: a new sandbox, a fresh interpreter",
        "cold, without control groups", "none waiting: a new sandbox, the interpreter already loaded",
        "10 back to back, one caller: each", "first run of a new process, nothing started"],
    "rate": [
        "sandboxed python runs, all cores", "sandboxed runs, each in a fresh interpreter, all cores",
        "4 at once: succeeded"],
    "memory": ["idle warm python: the waiting program and its init", "the stem, once per language and caller"],
    "command": ["import windtunnel", "from windtunnel import Tunnel", "windtunnel run -c 'print(1)'"],
    "language": ["warm javascript", "warm bash", "warm sh", "warm c"],
    "level": [
        "docker container, warm, by socket", "docker container, cold, by socket", "docker container, warm, by command line",
        "docker container, cold, by command line", "podman container, warm, by command line",
        "podman container, cold, by command line", "vm, warm", "vm, restored from its snapshot"],
    "mutation": [
        "mutants, made up", "memory, made up", "second run after a one-line edit, made up", "false kills, made up",
        "false survivors, made up", "fates that differ under load, made up",
        "gate of one changed function, cold, made up", "gate of one changed function, warm, made up",
        "windtunnel gate once more, made up", "mutants beside mutmut 3.8.0, made up",
        "mutants beside cosmic-ray 8.7.0, made up", "gate of 30 changed lines among 314",
        "nothing judged: all time out", "nothing judged: gate, tests alone", "hollow fixes refused", "good fixes refused",
        "gate of a fix of the corpus"],
    "policy": [
        "decision, 50 rules, 20 conditions", "decision, the operator's and the project's", "decision without a policy",
        "reading and compiling it", "a program's time reserved and charged"],
    "server": [
        "warm run_code over MCP", "warm run_code over HTTP", "20 clients at once, a slow call beside them: answered",
        "requests made up from the OpenAPI document: faults of ours"],
    "trial": [
        "trial, a quick suite", "windtunnel try, a quick suite", "trial, a busy suite",
        "trial, a quick suite, one test fixed", "workspace of 2000 files, to the first instruction",
        "workspace of 2000 files, to the result", "hash of 2000 files, once known",
        "trial, a quick suite among 2000 files", "tournament of 4 candidates", "cheats that passed as good",
        "honest changes that were rejected", "a change of the corpus", "first failing test, made up",
        "first failing test, all packages", "affected tests alone: the same verdict as all"],
}


@pytest.fixture
def ground(tmp_path):
    return Ground(folder=tmp_path, scale=SMALL)


def row(**fields):
    return replace(Row(group="peer", name="one", value=10.0, beside="bare", other=20.0), **fields)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("group", sorted(OURS))
def test_each_benchmark_runs_in_its_smallest_setting_and_prints_its_rows(group, capsys):
    if group in ("memory", "level", "mutation", "simulate") and os.geteuid() != 0:
        pytest.skip("only root may see the memory of a waiting sandbox, or start a container engine")
    if group == "level" and not all(map(shutil.which, ("dockerd", "docker", "podman", "runc", "qemu-system-x86_64"))):
        pytest.skip("not all engines are installed here")
    code = command.main(["--small", "--json", "--only", group])

    rows = json.loads(capsys.readouterr().out)["rows"]
    unmeasured = [one["name"] for one in rows if one["value"] is None and not any(
        word in str(one["missing"]) for word in ("not installed", "no samples"))]
    assert (code, [one["name"] for one in rows], unmeasured) == (0, OURS[group], [])


def test_the_command_prints_one_table():
    done = subprocess.run([sys.executable, "-m", "benchmarks", "--small", "--markdown", "--only", "memory"],
                          cwd=ROOT, capture_output=True, text=True, check=True)

    assert [line.split(" | ")[0] for line in done.stdout.splitlines() if line.startswith("| ")] == [
        "| what", "| ---", *(f"| {name}" for name in OURS["memory"])]


def test_a_missing_peer_is_shown_with_its_reason_and_is_no_failure(ground):
    absent = replace(peers.PEERS[0], ready=lambda *_: Installed().tool("no-such-engine"))

    last = list(peers.rows(ground, [absent]))[-1]

    assert (table.cells(last)[:2], last.failed) == (
        ("sandlock run", "not run: not installed (--install-peers gets it)"), False)


def test_a_peer_that_breaks_leaves_ours_measured(ground):
    def broken(*_):
        raise OSError("no such engine")

    rows = list(peers.rows(ground, [replace(peers.PEERS[0], ready=broken)]))

    assert [(one.name, one.value is not None, one.missing) for one in rows] == [
        ("windtunnel, warm", True, None), ("windtunnel, cold", True, None), ("plain bwrap", True, None),
        ("sandlock run", False, "OSError: no such engine")]


def test_a_package_that_cannot_be_had_is_shown_with_its_reason_and_is_no_failure(ground):
    def absent(_):
        raise NotRun("no registry")

    rows = list(trial_faults.rows(ground, [replace(trial_faults.PACKAGES[0], name="absent 1.0", make=absent)]))

    assert [(one.name, one.missing, one.failed) for one in rows] == [
        ("first failing test, absent 1.0", "no registry", False),
        ("first failing test, all packages", "none of the packages is here", False)]


def test_a_part_of_the_trials_that_breaks_leaves_the_others_measured(ground, monkeypatch):
    def broken(_):
        raise OSError("gone")
    monkeypatch.setattr(trial, "_PARTS", {"first": broken, "second": lambda _: iter([row(name="measured")])})

    assert [(one.name, one.missing, one.failed) for one in trial.rows(ground)] == [
        ("first", "failed: OSError: gone", True), ("measured", None, False)]


def test_faults_change_one_place_of_functions_that_tests_reach(tmp_path):
    (tmp_path / "product").mkdir()
    (tmp_path / "product/a.py").write_text(
        "LIMIT = 1\n\n\ndef reached(n):\n    return n < 2\n\n\ndef not_reached(n):\n    return n + 1\n")

    drawn = mutations(tmp_path, "product", reached={"product/a.py:4"}, seed="x")

    assert sorted((str(one), one.data.decode().splitlines()[4]) for one in drawn) == [
        ("product/a.py:5: 2 -> 3", "    return n < 3"), ("product/a.py:5: n < 2 -> (n >= 2)", "    return (n >= 2)")]


def test_of_sixteen_candidates_two_are_the_same(ground):
    given = candidates(16, QUICK)

    assert (len(given), len({changes.digest() for changes in given.values()})) == (16, 15)


def test_a_group_of_ours_that_breaks_is_a_row_and_the_exit_code(capsys, monkeypatch):
    def broken(_):
        yield row(group="memory")
        raise OSError("gone")
    monkeypatch.setitem(command.GROUPS, "memory", broken)

    code = command.main(["--small", "--json", "--only", "memory"])

    rows = json.loads(capsys.readouterr().out)["rows"]
    assert (code, [one["missing"] for one in rows]) == (1, [None, "failed: OSError: gone"])


def test_contenders_take_turns_and_one_that_fails_is_out_alone():
    order = []

    def good():
        order.append("good")
        return 1.0

    def bad():
        order.append("bad")
        raise OSError("gone")

    times = interleaved({"good": good, "bad": bad, "also": good}, runs=2, rest=lambda: order.append("rest"))

    assert order == ["rest", "good", "rest", "bad", "rest", "good", "rest", "good", "rest", "good"]
    assert (times["good"], str(times["bad"])) == (Timing((1.0, 1.0)), "OSError: gone")
    assert isinstance(times["bad"], NotRun)


def test_the_slowest_hundredth_is_by_nearest_rank():
    assert (Timing(tuple(range(1, 201))).p99, Timing((1.0, 9.0)).p99) == (198, 9.0)


@pytest.mark.parametrize(("fields", "figure", "met"), [
    ({"target": Target(limit=0.5)}, 0.5, True),
    ({"target": Target(limit=0.49)}, 0.5, False),
    ({"target": Target(limit=0.6, least=True)}, 0.5, False),
    ({"of": "difference", "target": Target(limit=-11.0)}, -10.0, False),
    ({"of": "value", "target": Target(limit=8.0)}, 10.0, False),
    ({"value": None, "target": Target(limit=1.0)}, None, None),
    ({}, 0.5, None),
])
def test_a_target_is_met_or_not_by_its_own_figure(fields, figure, met):
    judged = row(**fields)

    assert (judged.figure, judged.met) == (figure, met)


def test_a_peer_that_is_faster_than_the_same_sort_of_start_is_named():
    rows = [row(name="windtunnel, warm", value=2.0, contender="warm"),
            row(name="windtunnel, cold", value=20.0, contender="fresh"),
            row(name="quick", value=10.0, contender="fresh", note="none"), row(name="slow", value=30.0, contender="fresh")]

    assert peers.wins(rows) == ["quick is faster than windtunnel, cold: 10.0 ms against 20.0 ms. Its walls: none."]


def test_writing_a_page_keeps_the_text_around_the_table(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- it: begin -->\nold\n<!-- it: end -->\nafter\n")

    table.write(page, "new", part="it")

    assert page.read_text() == "before\n<!-- it: begin -->\nnew\n<!-- it: end -->\nafter\n"


def test_a_page_without_a_place_for_the_table_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("words\n")

    with pytest.raises(SystemExit, match="no place for the table"):
        table.write(page, "new", part="it")
    assert page.read_text() == "words\n"


def test_the_table_of_levels_tells_what_held_what_did_not_and_why():
    rows = tuple(selfcheck.Row(row=name, title=f"does {name}", severity="high", outcome=outcome, evidence="seen", exception=why)
                 for name, outcome, why in (("A1", Outcome.HELD, None), ("A2", Outcome.NOT_HELD, "shares it")))

    page = conformance.page({Level.PROCESS: (selfcheck.Report(rows=rows), {"A2": "shares it"}), Level.VM: "no QEMU (install it)"})

    assert [line for line in page.splitlines() if line.startswith(("| A", "- ", "Not "))] == [
        "| A1 | does A1 | held | not run |", "| A2 | does A2 | **no** | not run |", "- A2: shares it",
        "Not attacked here: no QEMU (install it)"]
