"""Workflows are read from a database nobody trusts, and their steps are run, not only defined."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

import pytest

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.language import Toolchain
from windtunnel.core.metric import Observation
from windtunnel.core.ports import Job
from windtunnel.core.result import Command
from windtunnel.metrics.steps import Step, split_steps, step
from windtunnel.metrics.workflow_runs import Ended, StepRun, observed, read_report
from windtunnel.metrics.workflows import REPORT, Workflow, program, read_workflows

TABLE = """CREATE TABLE workflows(
    id INTEGER PRIMARY KEY AUTOINCREMENT, workflow TEXT, action_chains TEXT, argument_strings TEXT, assigned_bots TEXT,
    enhancements TEXT, title TEXT, description TEXT, task_sequence TEXT, tags TEXT, category TEXT, type TEXT,
    status TEXT, rejection_reason TEXT, workflow_duration REAL, performance_data TEXT, estimated_profit_per_bot REAL,
    timestamp TEXT)"""


def database(path, *rows, table=TABLE):
    connection = sqlite3.connect(path)
    connection.execute(table)
    connection.executemany("INSERT INTO workflows(workflow, title) VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def workflow(*steps, number=1):
    return Workflow(id=number, title="", steps=steps)


def test_workflows_are_read_as_the_original_wrote_them(tmp_path):
    path = database(tmp_path / "workflows.db", ("shop.orders:load,shop.orders.save", "orders"), ("", "empty"),
                    ('["print(1, 2)", "ping"]', None))

    assert read_workflows(path) == (
        Workflow(id=1, title="orders", steps=("shop.orders:load", "shop.orders.save")),
        Workflow(id=3, title="", steps=("print(1, 2)", "ping")))


def test_the_database_and_its_folder_stay_as_they_are(tmp_path):
    path = database(tmp_path / "workflows.db", ("a:b", ""))
    before = path.read_bytes()

    read_workflows(path)

    assert (path.read_bytes(), list(tmp_path.iterdir())) == (before, [path])


def test_what_was_committed_last_is_read_too(tmp_path):
    path = tmp_path / "workflows.db"
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute(TABLE)
    writer.execute("INSERT INTO workflows(workflow, title) VALUES ('a:b', 'late')")
    writer.commit()

    assert [one.title for one in read_workflows(path)] == ["late"]
    writer.close()


def test_the_steps_stand_in_the_sequence_where_there_is_no_workflow(tmp_path):
    path = database(tmp_path / "workflows.db")
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO workflows(workflow, task_sequence) VALUES ('', 'a:b,c:d')")
    connection.commit()
    connection.close()

    assert [one.steps for one in read_workflows(path)] == [("a:b", "c:d")]


def test_a_missing_database_is_not_found(tmp_path):
    with pytest.raises(NotFound, match="cannot be read"):
        read_workflows(tmp_path / "none.db")


def test_a_folder_is_no_database(tmp_path):
    with pytest.raises(UsageError, match="is no file"):
        read_workflows(tmp_path)


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be one " * 100, b"SQLite format 3\0" * 99])
def test_what_is_no_database_is_refused(tmp_path, content):
    (tmp_path / "workflows.db").write_bytes(content)

    with pytest.raises(UsageError, match="not a database of workflows"):
        read_workflows(tmp_path / "workflows.db")


@pytest.mark.parametrize("statement", [
    "CREATE TABLE other(id)", "CREATE TABLE workflows(id)",
    "CREATE VIEW workflows AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'a:b' AS workflow FROM n"])
def test_a_database_without_the_table_is_refused(tmp_path, statement):
    connection = sqlite3.connect(tmp_path / "workflows.db")
    connection.execute(statement)
    connection.close()

    with pytest.raises(UsageError, match="not a database of workflows"):
        read_workflows(tmp_path / "workflows.db")


def test_a_table_whose_steps_are_computed_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / "workflows.db")
    connection.execute("CREATE TABLE workflows(id, workflow TEXT GENERATED ALWAYS AS (hex(zeroblob(9000000))) VIRTUAL)")
    connection.execute("INSERT INTO workflows(id) VALUES (1)")
    connection.commit()
    connection.close()

    with pytest.raises(UsageError, match="has no id or no workflow"):
        read_workflows(tmp_path / "workflows.db")


def test_too_many_workflows_are_refused(tmp_path):
    path = database(tmp_path / "workflows.db", *[("a:b", "")] * 1001)

    with pytest.raises(UsageError, match="more than 1000"):
        read_workflows(path)


def test_too_many_steps_are_refused(tmp_path):
    path = database(tmp_path / "workflows.db", (",".join(["a:b"] * 201), ""))

    with pytest.raises(UsageError, match="workflow 1 has more than 200 steps"):
        read_workflows(path)


@pytest.mark.parametrize(("text", "steps"), [
    ("a:b,c.d , e", ("a:b", "c.d", "e")), ("f(1, 2),g('x, y')", ("f(1, 2)", "g('x, y')")), ("", ()), (" , ", ()),
    ('["a", "b, c"]', ("a", "b, c")), ("[1, 2]", ("[1, 2]",)), ("[" * 5000, ("[" * 5000,)), ("a),b", ("a)", "b"))])
def test_steps_are_told_apart_by_commas_outside_of_brackets(text, steps):
    assert split_steps(text) == steps


NOTHING = "it only defines or imports, and calls nothing"


@pytest.mark.parametrize(("text", "parsed"), [
    ("shop.orders:load", Step(text="shop.orders:load", kind="call", module="shop.orders", function="load")),
    ("shop:Cart.total", Step(text="shop:Cart.total", kind="call", module="shop", function="Cart.total")),
    ("shop.orders.load", Step(text="shop.orders.load", kind="call", module="shop.orders", function="load")),
    ("load", Step(text="load", kind="call", module="simple_functions", function="load")),
    ("x = load(1)", Step(text="x = load(1)", kind="statement")),
    ("def f(): pass", Step(text="def f(): pass", kind="nothing", reason=NOTHING)),
    ("import os", Step(text="import os", kind="nothing", reason=NOTHING)),
    ("f = lambda: 1", Step(text="f = lambda: 1", kind="nothing", reason=NOTHING)),
    ("'load the orders'", Step(text="'load the orders'", kind="nothing", reason=NOTHING)),
    ("x" * 10_001, Step(text="", kind="nothing", reason="it is longer than 10000 characters"))])
def test_a_step_is_a_function_a_statement_or_nothing(text, parsed):
    assert step(text) == parsed


def test_a_step_in_plain_words_is_nothing_and_says_why():
    found = step("load the orders")

    assert found.kind == "nothing"
    assert found.reason.startswith("it is neither a function's name nor Python")


MODULE = """
import asyncio, os, time
count = 0
def add():
    global count
    count += 1
def seen():
    assert count == 2, count
def needs(path): return path
def dies(): os._exit(3)
def crashes(): os.kill(os.getpid(), 11)
def kills(): os.kill(0, 9)
def hangs():
    global count
    count = 99
    time.sleep(600)
def raises(): raise ValueError("no" * 500)
def leaves(): raise SystemExit(0)
def makes():
    global count
    yield 1
    count += 1
async def waits():
    global count
    await asyncio.sleep(0)
    count += 1
def large(): return len(bytearray(b"x") * 80_000_000)
"""


@pytest.fixture
def run(tunnel, tmp_path):
    """The program of workflows, in a real sandbox over a project of one module."""
    (tmp_path / "shop.py").write_text(MODULE)

    def started(*workflows, files=None, **options):
        language = tunnel.rig.languages.get("python")
        toolchain: Toolchain = tunnel.rig.languages.toolchain(language)
        job = Job(language=language, toolchain=toolchain, limits=replace(tunnel.rig.default_limits, wall_seconds=30.0),
                  command=Command(
                      argv=(toolchain.run[0], "/sandbox/program.py"), cwd="/workspace", workspace=str(tmp_path),
                      files={"program.py": program(workflows, **options), **(files or {})}, collect=REPORT,
                      env={"PYTHONDONTWRITEBYTECODE": "1"}))
        result = tunnel.rig.sandbox.run(job)
        report = result.artifacts.get(REPORT)
        assert result.exit_code == 0, result.stderr
        return read_report(report and report.data, workflows)

    return started


def ends(runs):
    return [(one.step, str(one.ended)) for one in runs]


def test_steps_are_called_one_after_the_other_with_what_the_last_one_left(run):
    runs = run(workflow("shop:add", "shop.add", "shop:seen", "x = 2", "x = len('ab')", "assert x == 2"))

    assert ends(runs) == [
        ("shop:add", "returned"), ("shop.add", "returned"), ("shop:seen", "returned"), ("x = 2", "not called"),
        ("x = len('ab')", "returned"), ("assert x == 2", "returned")]
    assert all(one.wall_seconds > 0 and one.peak_memory_bytes > 1e6 for one in runs)


def test_a_step_that_dies_or_hangs_is_told_and_the_others_go_on_without_it(run):
    runs = run(workflow("shop:add", "shop:dies", "shop:crashes", "shop:kills", "shop:hangs", "shop:add", "shop:seen"),
               step_seconds=1.0)

    assert [(str(one.ended), one.reason) for one in runs] == [
        ("returned", ""), ("died", "exit code 3"), ("died", "signal 11"), ("died", "signal 9"),
        ("timed out", "it did not return in 1 s"), ("returned", ""), ("returned", "")]


def test_what_is_only_defined_or_cannot_be_called_is_no_success(run):
    runs = run(workflow("shop:needs", "shop:count", "def f(): pass", "shop:gone", "nowhere:f"))

    assert [(str(one.ended), one.reason) for one in runs] == [
        ("not called", "it needs arguments: missing a required argument: 'path'"),
        ("not called", "it is no function, but int"),
        ("not called", "it only defines or imports, and calls nothing"),
        ("raised", "AttributeError: module 'shop' has no attribute 'gone'"),
        ("raised", "ModuleNotFoundError: No module named 'nowhere'")]


def test_what_a_call_only_promises_is_done(run):
    runs = run(workflow("shop:makes", "shop:waits", "shop:seen", "shop:leaves"))

    assert {one.ended for one in runs} == {Ended.RETURNED}


def test_what_a_step_raises_is_told_shortened(run):
    runs = run(workflow("shop:raises"))

    assert (runs[0].ended, len(runs[0].reason), runs[0].reason[:15]) == (Ended.RAISED, 200, "ValueError: non")


def test_the_memory_of_a_step_is_its_own(run):
    runs = run(workflow("shop:large", "shop:add"))

    assert runs[0].peak_memory_bytes > 80_000_000 > runs[1].peak_memory_bytes


def test_all_workflows_combined_share_modules_but_not_variables(run):
    runs = run(workflow("shop:add", "x = len('a')", number=1), workflow("shop:add", "shop:seen", "assert x", number=2))

    assert [(one.workflow, one.number, str(one.ended)) for one in runs] == [
        (1, 0, "returned"), (1, 1, "returned"), (2, 0, "returned"), (2, 1, "returned"), (2, 2, "raised")]


def test_faults_begin_and_end_with_each_step(run):
    faults = b"import sys\ndef begin(spec): sys.faults = [*getattr(sys, 'faults', ()), spec]\ndef end(): del sys.faults\n"
    steps = ["import sys; assert sys.faults == [{'disk_full': True}]"] * 2

    runs = run(workflow(*steps), faults={"disk_full": True}, files={"windtunnel_faults.py": faults})

    assert [str(one.ended) for one in runs] == ["returned", "returned"]


def test_faults_that_are_not_there_are_told_and_nothing_is_called(run):
    runs = run(workflow("shop:add"), faults={"disk_full": True})

    assert (runs[0].ended, runs[0].reason) == (
        Ended.NOT_CALLED, "the faults could not begin: ModuleNotFoundError: No module named 'windtunnel_faults'")


def test_a_run_that_ends_early_leaves_steps_that_were_not_run(run):
    runs = run(workflow("shop:add", "shop:hangs", "shop:add"), total_seconds=1.0, step_seconds=20.0)

    assert [str(one.ended) for one in runs] == ["returned", "not run", "not run"]


@pytest.mark.parametrize("report", [
    None, b"", b"{}\n[]\n\xff\n" + b"[" * 9999, b'{"workflow": 1, "step": 9, "ended": "returned"}',
    b'{"workflow": 1, "step": 0, "ended": "won"}', b'{"workflow": 1e999, "step": 0, "ended": "returned"}'])
def test_a_report_that_says_nothing_of_a_step_leaves_it_not_run(report):
    assert read_report(report, [workflow("a:b")]) == (StepRun(
        workflow=1, number=0, step="a:b", ended=Ended.NOT_RUN, reason="the run ended before its turn came"),)


def test_odd_figures_of_a_report_are_none():
    line = json.dumps({"workflow": 1, "step": 0, "ended": "returned", "wall_seconds": -1, "cpu_seconds": "x"})

    assert read_report(line.encode(), [workflow("a:b")]) == (
        StepRun(workflow=1, number=0, step="a:b", ended=Ended.RETURNED),)


def test_steps_that_were_called_are_calls():
    def ran(ended, **figures):
        return StepRun(workflow=1, number=0, step="", ended=ended, **figures)

    seen = observed([
        ran(Ended.RETURNED, wall_seconds=1.0, cpu_seconds=0.5, peak_memory_bytes=7),
        ran(Ended.RAISED, wall_seconds=2.0, cpu_seconds=0.5, peak_memory_bytes=9), ran(Ended.NOT_CALLED), ran(Ended.NOT_RUN)])

    assert seen == Observation(calls=2, raised=1, unsafe=0, call_seconds=(1.0, 2.0), wall_seconds=3.0, cpu_seconds=1.0,
                               peak_memory_bytes=9)


def test_a_step_that_died_is_unsafe_and_leaves_its_costs_unknown():
    seen = observed([StepRun(workflow=1, number=0, step="", ended=Ended.DIED, wall_seconds=1.0)])

    assert seen == Observation(calls=1, raised=1, unsafe=1, call_seconds=(1.0,), wall_seconds=1.0)


def test_a_step_that_had_begun_when_the_report_breaks_off_died():
    lines = [{"workflow": 1, "step": 0, "ended": "begun"}, {"workflow": 1, "step": 0, "ended": "returned"},
             {"workflow": 1, "step": 1, "ended": "begun"}]
    report = b"".join(json.dumps(one).encode() + b"\n" for one in lines) + bytes(3000)

    assert [str(one.ended) for one in read_report(report, [workflow("a:b", "a:c", "a:d")])] == [
        "returned", "died", "not run"]
    assert [str(one.ended) for one in read_report(report, [workflow("a:b", "a:c", "a:d")], late=True)] == [
        "returned", "not run", "not run"]
