import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import mutation, mutation_fates, mutation_hollow, mutation_peers, mutation_runs  # noqa: E402 -- the package stands beside the tests, not in them
from benchmarks.ground import FULL, SMALL, Ground  # noqa: E402
from benchmarks.mutation_packages import NAMES, PACKAGES, STAND_IN, Edit, Package, Project, chosen  # noqa: E402
from benchmarks.mutation_project import CHANGED_LINES, make_large, widened  # noqa: E402
from benchmarks.timing import NotRun  # noqa: E402

from windtunnel.workspace.patch import write_patch  # noqa: E402

CODE = "def down(n):\n    while n > 0:\n        n = n - 1\n    return n\n"
TESTS = "from product import down\n\n\ndef test_down():\n    assert down(9) == 0\n"
PACKAGE = Package(name="tiny 1.0", product=".", tests=".", make=lambda _: None, backwards=(), one_line=Edit("product.py", "a", "b"))


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "product.py").write_text(CODE)
    (folder / "test_product.py").write_text(TESTS)
    return Project(package=PACKAGE, folder=folder, python=sys.executable)


def mutant(original, replacement):
    start = CODE.index(original)
    return {"id": original, "path": "product.py", "line": 1, "description": f"{original} → {replacement}", "start": start,
            "end": start + len(original), "original": original, "replacement": replacement}


def run_of(*judged):
    ran = mutation_runs.Ran(seconds=2.0, peak_bytes=None, code=0, said="", wrong="")
    result = {"judged": [{"mutant": one, "fate": fate} for one, fate in judged], "files": {"product.py": {}}}
    return mutation_runs.Run(ran=ran, result=result)


def test_a_plain_process_tells_what_all_tests_say_of_a_mutant_in_the_file(project):
    place = mutation_fates.Place(project, 0)
    before = (place.folder / "product.py").read_bytes()

    found = [place.fate(mutant(*change), seconds=20.0) for change in (("n > 0", "n > 1"), ("n > 0", "0 < n"))]

    assert (found, (place.folder / "product.py").read_bytes()) == (["killed", "survived"], before)


def test_a_test_that_is_asked_first_or_is_not_there_changes_no_fate(project):
    place = mutation_fates.Place(project, 0)
    asked = [(change, f"test_product.py::{name}") for change in (("n > 0", "n > 1"), ("n > 0", "0 < n"))
             for name in ("test_down", "test_gone")]

    found = [place.fate(mutant(*change), seconds=20.0, first=first) for change, first in asked]

    assert found == ["killed", "killed", "survived", "survived"]


def test_a_mutant_that_never_ends_is_a_timeout_by_the_time_of_the_processor(project):
    place = mutation_fates.Place(project, 0)

    assert place.fate(mutant("n - 1", "n + 1"), seconds=3.0) == "timeout"


def test_a_mutant_of_another_file_is_refused(project):
    place = mutation_fates.Place(project, 0)

    with pytest.raises(RuntimeError, match="of another file"):
        place.fate({**mutant("n > 0", "n > 1"), "start": 0, "end": 5}, seconds=20.0)


def test_wrong_fates_are_counted_beside_those_that_could_be_wrong(project):
    run = run_of((mutant("n > 0", "0 < n"), "killed"), (mutant("n - 1", "-1 + n"), "survived"),
                 (mutant("return n", "return None"), "untested"), (mutant("n - 1", "n + 1"), "timeout"))

    rows = list(mutation_fates.right(Ground(folder=project.folder, scale=SMALL), project, run))

    assert [(row.name, row.value, row.met, row.note.split(";")[0]) for row in rows] == [
        ("false kills, tiny 1.0", 100.0, False, "1 of 1"),
        ("false survivors, tiny 1.0", pytest.approx(100 / 3), False, "1 of 3")]


def test_fates_that_differ_under_load_are_named(project, monkeypatch):
    first = run_of((mutant("n > 0", "n > 1"), "killed"), (mutant("n - 1", "n + 1"), "timeout"))
    second = run_of((mutant("n > 0", "n > 1"), "killed"), (mutant("n - 1", "n + 1"), "killed"))
    monkeypatch.setattr(mutation_fates, "mutate", lambda *_: second)

    row = mutation_fates.under_load(Ground(folder=project.folder, scale=SMALL), project, first)

    assert (row.value, row.met, row.note.rpartition("; ")[2]) == (1, False, "product.py:1 n - 1 → n + 1 (timeout, then killed)")


def test_busy_processes_end_with_what_they_were_beside(monkeypatch):
    started = []
    usual = subprocess.Popen
    monkeypatch.setattr(mutation_fates.subprocess, "Popen", lambda *given: started.append(usual(*given)) or started[-1])

    with mutation_fates.load(2):
        running = [process.poll() for process in started]

    assert (running, [process.returncode for process in started]) == ([None, None], [-signal.SIGKILL] * 2)


def test_a_command_that_is_given_up_ends_with_all_that_it_started(tmp_path):
    watched = []

    def begun():
        text = (tmp_path / "child").read_text() if (tmp_path / "child").exists() else ""
        if text.endswith("\n"):
            watched.append(os.pidfd_open(int(text)))
        return bool(watched)

    done = mutation_runs.run(["sh", "-c", "sleep 300 & echo $! > child; wait"], environment=dict(os.environ),
                             folder=tmp_path, until=begun)

    ended, _, _ = select.select(watched, [], [], 120)
    os.close(watched[0])
    assert (done.code, ended) == (-signal.SIGKILL, watched)


def test_only_mutants_that_tests_were_run_against_count_for_speed():
    run = run_of(*((mutant("n", str(number)) | {"id": str(number)}, fate) for number, fate in enumerate(
        ("killed", "survived", "timeout", "untested", "same", "not judged", "failed"))))

    assert (run.tried, run.rate) == (3, 1.5)


def test_mutants_inside_functions_are_asked_for_by_their_lines(project):
    (project.folder / "product.py").write_text("A = 1\n\n\n@d(2)\ndef f(x=3):\n    return (\n        x)\n")

    assert list(mutation._functions(project, run_of())) == ["--lines", "product.py:6-7"]


def test_copies_of_cosmic_ray_get_all_mutants_between_them_and_none_twice(tmp_path):
    parts = []
    for part in range(2):
        with closing(sqlite3.connect(tmp_path / f"{part}")) as session, session:
            session.execute("CREATE TABLE work_items (job_id TEXT PRIMARY KEY)")
            session.execute("CREATE TABLE mutation_specs (module_path, operator_name, occurrence, job_id)")
            for number in range(7):
                session.execute("INSERT INTO work_items VALUES (?)", (f"{part}-{number}",))
                session.execute("INSERT INTO mutation_specs VALUES ('a.py', 'op', ?, ?)", (number, f"{part}-{number}"))
        mutation_peers._deal(tmp_path / f"{part}", part=part, of=2)
        with closing(sqlite3.connect(tmp_path / f"{part}")) as session:
            left = session.execute("SELECT occurrence FROM mutation_specs JOIN work_items USING (job_id)").fetchall()
            parts.append([number for (number,) in left])

    assert (sorted(parts[0] + parts[1]), [len(part) for part in parts]) == (list(range(7)), [4, 3])


def test_mutants_that_no_test_reaches_do_not_count_for_mutmut(tmp_path):
    whole, torn = tmp_path / "a.meta", tmp_path / "b.meta"
    whole.write_text(json.dumps({"exit_code_by_key": {"a": 1, "b": 0, "c": None, "d": 33}}))
    torn.write_text('{"exit_code')

    assert [mutation_peers._mutmut_judged(path) for path in (whole, torn)] == [2, 0]


def test_peers_that_were_not_asked_for_are_not_installed(tmp_path):
    peers = mutation_peers.install(Ground(folder=tmp_path, scale=SMALL))

    with pytest.raises(NotRun, match="--install-peers"):
        peers.program("mutmut")
    assert list(tmp_path.iterdir()) == []


def test_the_large_project_has_ten_thousand_lines_and_the_change_thirty(tmp_path):
    project = make_large(tmp_path / "large", modules=100)
    lines = sum(len(path.read_text().splitlines()) for path in project.rglob("*.py"))
    product = write_patch(widened(), project=project).decode().partition("diff --git a/tests")[0]

    added = [line for line in product.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert (10_000 <= lines < 13_000, len(added), CHANGED_LINES) == (True, 30, 30)


def test_an_edit_is_refused_where_its_text_does_not_stand_once(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\nx = 1\n")

    with pytest.raises(RuntimeError, match="2 times"):
        Edit("a.py", "x = 1\n", "").within(tmp_path)


def test_the_change_of_a_package_leads_from_before_its_fix_to_its_release(tmp_path):
    ground = Ground(folder=tmp_path, scale=SMALL)
    project = Project(package=STAND_IN, folder=STAND_IN.make(ground), python=sys.executable)

    folder, changes = project.before("before")

    assert [(change.relative_path, change.data) for change in changes] == [
        ("product/part_00.py", (project.folder / "product/part_00.py").read_bytes())]
    assert "range(limit - 1)" in (folder / "product/part_00.py").read_text()


@pytest.mark.parametrize(("asked", "found"), [((), list(NAMES)), (("parse",), ["parse"])])
def test_fewer_packages_can_be_asked_for(asked, found, tmp_path):
    ground = Ground(folder=tmp_path, scale=FULL, packages=asked)

    assert [package.name.split()[0] for package in chosen(ground)] == found


def test_a_package_that_cannot_be_had_leaves_the_rest_measured(tmp_path, monkeypatch):
    def absent(_):
        raise NotRun("no registry")
    monkeypatch.setattr(mutation, "chosen", lambda _: [replace(PACKAGES[0], make=absent)])
    for name in ("mutation_states", "mutation_hollow"):
        monkeypatch.setattr(getattr(mutation, name), "rows", lambda _: iter(()))
    monkeypatch.setattr(mutation.mutation_gates, "large_project", lambda _: iter(()))

    rows = list(mutation.rows(Ground(folder=tmp_path, scale=FULL)))

    assert [(row.name, row.missing, row.failed) for row in rows] == [("toolz 1.2.0", "no registry", False)]


def test_nothing_judged_counts_as_refused_for_hollow_and_for_good_fixes():
    fix = mutation_hollow.Fix(case=Path("case"), file=Path("case/good/plain.py"))
    judged = [mutation_hollow.Judged(fix=fix, verdict=verdict, seconds=1.0) for verdict in ("good", "not good", "nothing judged")]

    row = mutation_hollow._share("good fixes refused", judged, mutation.Target(limit=10.0), named=True)

    assert (row.value, row.note) == (pytest.approx(200 / 3), (
        "2 of 3, 1 of them without a verdict; refused: case/plain (not good), case/plain (nothing judged)"))
