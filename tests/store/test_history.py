import io
import json
import multiprocessing
import os
import signal
import sqlite3
import stat
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from windtunnel.core.effects import Effects, FileEffect, NetworkAttempt
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.result import ExecutionResult, Level, Reason, Stage, Usage
from windtunnel.store.history import MOST_RUNS, SHAPE, SqliteHistory


@pytest.fixture
def history(tmp_path):
    opened = SqliteHistory(tmp_path / "state" / "history.db")
    yield opened
    opened.close()


def run(name, **changes):
    return ExecutionResult(exit_code=0, id=name, **changes)


def fill(history, names, **changes):
    for name in names:
        history.add(run(name, **changes), limits=Limits())


def ids(history, limit=None):
    return [record["id"] for record in history.recent(limit)]


def overwrite(path, start, data):
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


def test_everything_about_a_run_comes_back(history):
    result = ExecutionResult(
        id="one",
        timestamp=datetime(2024, 2, 29, 12, 0, 0, 5, tzinfo=UTC),
        exit_code=3,
        reason=Reason.OUT_OF_MEMORY,
        stdout_bytes=b"out",
        stderr_bytes=b"err",
        stdout_dropped=7,
        execution_time=1.5,
        language="python",
        level=Level.PROCESS,
        enforced={"memory": "cgroup v2"},
        usage=Usage(cpu_seconds=0.25, memory_peak_bytes=1024),
        effects=Effects(
            files=(FileEffect(path="a", kind="file", size=2),),
            network=(NetworkAttempt(target="h:1", outcome="refused", rule="no network"),),
            watched=("files",),
        ),
        stages=(Stage(name="build", exit_code=0, reason=Reason.EXITED, execution_time=0.5, cached=True),),
        warm=True,
    )

    history.add(result, limits=Limits(wall_seconds=5.0))

    assert history.get("one") == {
        "id": "one",
        "timestamp": "2024-02-29T12:00:00.000005+00:00",
        "language": "python",
        "level": "process",
        "reason": "out_of_memory",
        "exit_code": 3,
        "execution_time": 1.5,
        "warm": True,
        "stdout": "out",
        "stdout_total": 10,
        "stderr": "err",
        "stderr_total": 3,
        "limits": {
            "wall_seconds": 5.0, "cpu_seconds": None, "cores": 1.0, "cpu_weight": 1024,
            "memory_bytes": 512 * 1024**2, "swap_bytes": 0, "processes": 100, "disk_bytes": 256 * 1024**2,
            "files": 20_000, "open_files": 1024, "output_bytes": 1024**2,
        },
        "enforced": {"memory": "cgroup v2"},
        "usage": {"cpu_seconds": 0.25, "memory_peak_bytes": 1024, "processes_peak": None, "disk_bytes": None,
                  "read_bytes": None, "written_bytes": None},
        "effects": {
            "files": [{"path": "a", "kind": "file", "size": 2, "act": "made", "mode": 0, "hash": "", "runs_later": "",
                       "litter": ""}],
            "files_omitted": 0,
            "network_omitted": 0,
            "processes_left": [],
            "network": [{"target": "h:1", "outcome": "refused", "rule": "no network", "count": 1}],
            "blocked": [],
            "watched": ["files"],
        },
        "stages": [{"name": "build", "exit_code": 0, "reason": "exited", "execution_time": 0.5, "cached": True}],
    }


def test_a_run_that_is_not_there_is_none(history):
    assert history.get("missing") is None


def test_nothing_is_made_before_the_first_use(tmp_path):
    SqliteHistory(tmp_path / "state" / "history.db")

    assert list(tmp_path.iterdir()) == []


def test_recent_runs_come_newest_first_and_no_more_than_asked(history):
    fill(history, ["a", "b", "c"])

    assert (ids(history), ids(history, 2), ids(history, 0)) == (["c", "b", "a"], ["c", "b"], [])


def test_a_clock_set_back_does_not_change_the_order(history):
    fill(history, ["first"])
    fill(history, ["second"], timestamp=datetime.now(UTC) - timedelta(hours=1))

    assert ids(history) == ["second", "first"]


@pytest.mark.parametrize("limit", [-1, True, 1.5, "5", 2**63, float("nan")])
def test_a_limit_that_is_no_number_of_runs_is_refused(history, limit):
    with pytest.raises(UsageError, match=r"limit: not a number of runs"):
        history.recent(limit)


def test_the_same_id_twice_is_refused_and_the_first_stays(history):
    fill(history, ["a"], language="python")

    with pytest.raises(UsageError, match="already in the history"):
        fill(history, ["a"], language="ruby")

    assert [record["language"] for record in history.recent()] == ["python"]


@pytest.mark.parametrize(
    ("output", "stored"),
    [
        (b"nul \x00 stays", "nul \x00 stays"),
        (b"\x1b[31mred\x1b[0m\r\nline\n\n", "\x1b[31mred\x1b[0m\r\nline\n\n"),
        (b"bad \xff\xfe byte", "bad \\xff\\xfe byte"),
        ("日本語 👩‍👩‍👧 \u2028 \u202e".encode(), "日本語 👩‍👩‍👧 \u2028 \u202e"),
        (b"cut short \xe6\x97", "cut short \\xe6\\x97"),
        (b"'); DROP TABLE runs; --", "'); DROP TABLE runs; --"),
        (b"", ""),
    ],
)
def test_output_stays_data(history, output, stored):
    fill(history, ["a"], stdout_bytes=output, stderr_bytes=output)

    record = history.get("a")
    assert (record["stdout"], record["stderr"], record["stdout_total"]) == (stored, stored, len(output))


def test_only_the_head_of_long_output_is_kept_and_no_character_is_cut_in_two(history):
    fill(history, ["a"], stdout_bytes=b"x" + "é".encode() * 4096, stdout_dropped=100)

    record = history.get("a")
    assert (record["stdout"], record["stdout_total"]) == ("x" + "é" * 2047, 8293)


def test_names_that_are_not_unicode_do_not_stop_the_record(history):
    odd = "\udcff"
    fill(history, ["a"], language=odd, effects=Effects(files=(FileEffect(path=odd, kind="file"),)))

    record = history.get("a")
    assert (record["language"], record["effects"]["files"][0]["path"]) == ("\\udcff", odd)


def test_an_exported_history_is_one_line_of_ascii_a_run_oldest_first(history):
    fill(history, ["a", "b"], stdout_bytes="line\nbreak \u2028 \x1b[2J é".encode())
    file = io.StringIO()

    count = history.export(file)

    text = file.getvalue()
    records = [json.loads(line) for line in text.splitlines()]
    assert (count, text.isascii(), [record["id"] for record in records]) == (2, True, ["a", "b"])
    assert records == history.recent()[::-1]


def test_an_export_of_more_than_one_batch_has_every_run(history):
    names = [f"run-{number}" for number in range(1003)]
    fill(history, names)
    file = io.StringIO()

    history.export(file)

    assert [json.loads(line)["id"] for line in file.getvalue().splitlines()] == names


def test_pruning_keeps_the_newest(history):
    fill(history, ["a", "b", "c"])

    assert (history.prune(keep=2), ids(history)) == (1, ["c", "b"])


def test_pruning_to_none_forgets_all(history):
    fill(history, ["a", "b"])

    assert (history.prune(keep=0), ids(history)) == (2, [])


def test_pruning_by_age_forgets_what_is_older(history):
    fill(history, ["old"], timestamp=datetime.now(UTC) - timedelta(days=8))
    fill(history, ["young"], timestamp=datetime.now(UTC) - timedelta(days=6))

    assert (history.prune(days=7), ids(history)) == (1, ["young"])


def test_pruning_by_both_forgets_what_either_names(history):
    fill(history, ["old"], timestamp=datetime.now(UTC) - timedelta(days=8))
    fill(history, ["a", "b"])

    assert (history.prune(keep=1, days=7), ids(history)) == (2, ["b"])


@pytest.mark.parametrize(
    "request_",
    [{}, {"keep": -1}, {"keep": True}, {"keep": 1.0}, {"days": -1}, {"days": float("nan")}, {"days": float("inf")},
     {"days": "7"}, {"days": True}, {"days": 10**400}, {"keep": 2**64}],
)
def test_a_senseless_prune_is_refused_and_forgets_nothing(history, request_):
    fill(history, ["a"])

    with pytest.raises(UsageError):
        history.prune(**request_)

    assert ids(history) == ["a"]


def test_what_was_pruned_is_no_longer_in_the_files(history):
    fill(history, ["a"], stdout_bytes=b"very secret words")
    before = b"".join(path.read_bytes() for path in history.path.parent.iterdir())

    history.prune(keep=0)

    after = b"".join(path.read_bytes() for path in history.path.parent.iterdir())
    assert (b"very secret words" in before, b"very secret words" in after) == (True, False)


def test_pruning_gives_the_room_back(history):
    fill(history, [str(number) for number in range(300)], stdout_bytes=b"x" * 4000)
    history.prune(keep=300)
    before = history.path.stat().st_size

    history.prune(keep=1)

    assert history.path.stat().st_size < before / 4


def test_the_oldest_run_beyond_the_bound_is_forgotten_by_itself(history):
    fill(history, ["first", "second"])
    with sqlite3.connect(history.path) as other:
        other.execute("UPDATE sqlite_sequence SET seq = ?", (MOST_RUNS,))
    other.close()

    fill(history, ["new"])

    assert ids(history) == ["new", "second"]


def test_the_files_are_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        history = SqliteHistory(tmp_path / "state" / "history.db")
        fill(history, ["a"])
    finally:
        os.umask(before)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    folder = stat.S_IMODE((tmp_path / "state").stat().st_mode)
    history.close()
    assert (folder, modes) == (0o700, {"history.db": 0o600, "history.db-wal": 0o600, "history.db-shm": 0o600})


def test_a_file_that_others_could_read_is_made_private_again(history):
    fill(history, ["a"])
    history.close()
    history.path.chmod(0o644)

    fill(history, ["b"])

    assert stat.S_IMODE(history.path.stat().st_mode) == 0o600


def test_a_folder_that_was_there_keeps_its_mode(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    history = SqliteHistory(shared / "history.db")

    fill(history, ["a"])

    history.close()
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755


def test_a_link_in_the_place_of_the_file_is_refused(tmp_path):
    target = tmp_path / "precious"
    target.write_bytes(b"")
    (tmp_path / "history.db").symlink_to(target)

    with pytest.raises(SandboxFailure, match="not a plain file"):
        fill(SqliteHistory(tmp_path / "history.db"), ["a"])

    assert target.read_bytes() == b""


def test_the_history_survives_a_new_start(history):
    fill(history, ["a"])
    history.close()

    assert ids(SqliteHistory(history.path)) == ["a"]


def test_many_threads_share_one_history(history):
    threads = [
        threading.Thread(target=fill, args=(history, [f"{thread}-{number}" for number in range(50)]))
        for thread in range(8)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(ids(history)) == sorted(f"{thread}-{number}" for thread in range(8) for number in range(50))


def _write_fifty(path, writer):
    history = SqliteHistory(path)
    fill(history, [f"{writer}-{number}" for number in range(50)])
    history.close()


def test_many_processes_write_to_a_new_history_at_once(history):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_fifty, args=(history.path, writer)) for writer in range(4)]

    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0] * 4
    assert sorted(ids(history)) == sorted(f"{writer}-{number}" for writer in range(4) for number in range(50))


def _begin_many(folder, name, barrier):
    for number in range(20):
        history = SqliteHistory(folder / str(number) / "history.db")
        barrier.wait()
        fill(history, [name])
        history.close()


def test_many_processes_begin_the_same_histories_at_the_same_moment(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(4, timeout=60)
    writers = [context.Process(target=_begin_many, args=(tmp_path, name, barrier)) for name in "abcd"]

    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0] * 4
    assert [sorted(ids(SqliteHistory(tmp_path / str(number) / "history.db"))) for number in range(20)] == [list("abcd")] * 20


_ENDLESS_WRITER = """
import itertools, sys
from windtunnel.core.limits import Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.store.history import SqliteHistory
history = SqliteHistory(sys.argv[1])
for number in itertools.count():
    history.add(ExecutionResult(exit_code=0, id=str(number), stdout_bytes=b"x" * 3000), limits=Limits())
    print(number, flush=True)
"""


def test_kill_9_of_a_writer_loses_nothing_that_was_reported(history):
    writer = subprocess.Popen([sys.executable, "-c", _ENDLESS_WRITER, str(history.path)], stdout=subprocess.PIPE, text=True)
    reported = [next(writer.stdout).strip() for _ in range(1500)]
    writer.send_signal(signal.SIGKILL)
    reported += writer.stdout.read().split()
    writer.wait()
    writer.stdout.close()

    with sqlite3.connect(history.path) as other:
        check = other.execute("PRAGMA integrity_check").fetchall()
    other.close()
    stored = ids(history)[::-1]
    # The last row may be stored and its number not yet printed.
    assert (check, history.notices) == ([("ok",)], [])
    assert stored[: len(reported)] == reported
    assert len(stored) <= len(reported) + 1


def _in_child(act):
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def test_a_forked_child_and_its_parent_both_write(history):
    fill(history, ["before"])

    status = _in_child(lambda: fill(history, ["child"]))
    fill(history, ["parent"])

    assert (status, ids(history)) == (0, ["parent", "child", "before"])


def test_no_open_file_crosses_a_fork(history):
    fill(history, ["before"])

    status = _in_child(lambda: os._exit(0 if not history.database.is_open else 1))

    assert (status, ids(history)) == (0, ["before"])


def test_a_fork_while_other_threads_write_neither_hangs_nor_loses(history):
    names = [f"thread-{number}" for number in range(300)]
    thread = threading.Thread(target=fill, args=(history, names))
    thread.start()

    statuses = [_in_child(lambda number=number: fill(history, [f"child-{number}"])) for number in range(5)]
    thread.join()

    assert statuses == [0] * 5
    assert sorted(ids(history)) == sorted([*names, *(f"child-{number}" for number in range(5))])


def test_a_file_that_is_no_database_is_moved_aside_and_a_new_one_begun(history):
    history.path.parent.mkdir()
    history.path.write_bytes(b"this is no database, and long enough to be looked at\n" * 100)
    damaged = history.path.read_bytes()

    fill(history, ["a"])

    aside = history.path.with_name("history.db.corrupt-1")
    assert (ids(history), aside.read_bytes()) == (["a"], damaged)
    assert history.notices == [
        f"{history.path}: damaged (file is not a database); moved to history.db.corrupt-1, and a new history was begun"
    ]


def test_a_database_damaged_in_the_middle_is_moved_aside_when_it_is_found_out(history):
    fill(history, [f"{number}" for number in range(200)], stdout_bytes=b"x" * 3000)
    history.close()
    overwrite(history.path, 8192, b"\xa5" * (history.path.stat().st_size - 8192))

    fill(history, ["after"])

    assert (ids(history), len(history.notices)) == (["after"], 1)


def test_an_earlier_damaged_file_is_never_overwritten(history):
    history.path.parent.mkdir()
    history.path.with_name("history.db.corrupt-1").write_text("kept")
    history.path.write_bytes(b"garbage" * 1000)

    fill(history, ["a"])

    kept = {path.name: path.read_bytes()[:7] for path in history.path.parent.glob("*.corrupt-*")}
    assert kept == {"history.db.corrupt-1": b"kept", "history.db.corrupt-2": b"garbage"}


def test_two_that_meet_the_same_damage_move_it_once(history):
    history.path.parent.mkdir()
    history.path.write_bytes(b"garbage" * 1000)
    other = SqliteHistory(history.path)

    fill(history, ["a"])
    fill(other, ["b"])

    other.close()
    assert (ids(history), len(history.notices), other.notices) == (["b", "a"], 1, [])


def test_a_history_removed_under_a_running_process_is_begun_anew(history):
    fill(history, ["lost"])
    history.path.unlink()

    fill(history, ["a"])

    assert ids(SqliteHistory(history.path)) == ["a"]


def test_a_database_of_another_program_is_left_alone(history):
    history.path.parent.mkdir()
    with sqlite3.connect(history.path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = history.path.read_bytes()

    with pytest.raises(SandboxFailure, match="a database of another program"):
        fill(history, ["a"])

    assert history.path.read_bytes() == before


def test_a_history_of_a_newer_version_is_refused(history):
    fill(history, ["a"])
    with sqlite3.connect(history.path) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    history.close()

    with pytest.raises(SandboxFailure, match=r"newer Windtunnel \(schema 99\); upgrade"):
        history.recent()


def with_further(*statements):
    """The history of a Windtunnel that is one version further."""
    return replace(SHAPE, migrations=(*SHAPE.migrations, statements))


def test_an_older_schema_is_brought_up_to_date_and_keeps_its_runs(history):
    fill(history, ["a"])
    history.close()
    history.database.shape = with_further("ALTER TABLE runs ADD COLUMN note TEXT")
    fill(history, ["b"])

    with sqlite3.connect(history.path) as other:
        columns = [row[1] for row in other.execute("PRAGMA table_info(runs)")]
        version = other.execute("PRAGMA user_version").fetchone()[0]
    other.close()
    assert (ids(history), columns[-1], version) == (["b", "a"], "note", len(SHAPE.migrations) + 1)


def test_a_migration_that_fails_changes_nothing(history):
    fill(history, ["a"])
    history.close()
    history.database.shape = with_further("ALTER TABLE runs ADD COLUMN note TEXT", "ALTER TABLE missing ADD COLUMN x")

    with pytest.raises(SandboxFailure, match="no such table"):
        history.recent()

    history.database.shape = SHAPE
    assert ids(history) == ["a"]


def test_a_folder_that_cannot_be_made_says_what_to_do():
    with pytest.raises(SandboxFailure, match=r"/proc/.*WINDTUNNEL_STATE_DIR"):
        fill(SqliteHistory("/proc/nowhere/history.db"), ["a"])


_READ_ONLY = """
import os, sys
from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.store.history import SqliteHistory
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
history = SqliteHistory(sys.argv[1])
history.add(ExecutionResult(exit_code=0, id="a"), limits=Limits())
history.close()
os.chmod(sys.argv[1], 0o400)
try:
    history.add(ExecutionResult(exit_code=0, id="b"), limits=Limits())
except SandboxFailure as failure:
    print(failure)
print([record["id"] for record in history.recent()])
os.chmod(sys.argv[1], 0o600)
history.close()
history.add(ExecutionResult(exit_code=0, id="c"), limits=Limits())
print([record["id"] for record in history.recent()])
"""


def test_a_read_only_file_is_our_failure_can_be_read_and_works_again_when_it_is_mended():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        path = f"{folder}/history.db"
        done = subprocess.run([sys.executable, "-c", _READ_ONLY, path], capture_output=True, text=True, check=True)

    failure, *stored = done.stdout.splitlines()
    assert failure.startswith(f"{path}: the history cannot be used: attempt to write a readonly database; make the file")
    assert stored == ["['a']", "['c', 'a']"]


_FULL_DISK = """
import subprocess, sys
from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.store.history import SqliteHistory
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=440k", "tmpfs", sys.argv[1]], check=True)
history = SqliteHistory(sys.argv[1] + "/history.db")
stored = []
try:
    for number in range(10_000):
        history.add(ExecutionResult(exit_code=0, id=str(number), stdout_bytes=b"x" * 4000), limits=Limits())
        stored.append(str(number))
except SandboxFailure as failure:
    print(failure)
print(len(stored) > 10, [record["id"] for record in history.recent()] == stored[::-1])
"""


def test_a_full_disk_is_our_failure_and_loses_nothing_that_was_stored(tmp_path):
    probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", tmp_path], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("a small file system cannot be mounted here; needs root")

    done = subprocess.run(
        ["unshare", "-m", sys.executable, "-c", _FULL_DISK, tmp_path], capture_output=True, text=True, check=True
    )

    failure, rest = done.stdout.splitlines()
    assert "full; free some room on the disk, or set WINDTUNNEL_STATE_DIR" in failure
    assert rest == "True True"


def test_storing_a_run_takes_well_under_a_millisecond(history):
    def seconds(name):
        result = run(name, stdout_bytes=b"x" * 500)
        start = time.perf_counter()
        history.add(result, limits=Limits())
        return time.perf_counter() - start

    assert statistics.median(seconds(str(number)) for number in range(500)) < 0.001
