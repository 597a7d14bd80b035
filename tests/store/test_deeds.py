"""Trials in the history: what comes back, what survives, and files from before there were any."""

from __future__ import annotations

import io
import json
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from windtunnel.core.deed import Deed
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.store import deeds
from windtunnel.store.history import SqliteHistory

NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)
WHOLE = Deed(
    verb="try", project="/srv/shop", verdict="not good", change="c0ffee", counts={"files": 1, "tests": 4, "passed": 3, "broken": 1},
    reasons=("1 test broken: a::b",), level="process", execution_time=1.25, part_of="race", id="one", timestamp=NOON)


@pytest.fixture
def history(tmp_path):
    opened = SqliteHistory(tmp_path / "state" / "history.db")
    yield opened
    opened.close()


def deed(name, **given):
    return Deed(**{"verb": "try", "project": "/srv/shop", "verdict": "good", "id": name, **given})


def names(history, limit=None):
    return [row["id"] for row in history.trials(limit)]


def test_everything_about_a_trial_comes_back(history):
    history.remember(WHOLE)

    assert history.trials() == [history.trial("one")] == [{
        "id": "one", "timestamp": "2024-02-29T12:00:00.000000+00:00", "verb": "try", "project": "/srv/shop", "verdict": "not good",
        "change": "c0ffee", "level": "process", "execution_time": 1.25, "part_of": "race",
        "counts": {"files": 1, "tests": 4, "passed": 3, "broken": 1}, "reasons": ["1 test broken: a::b"]}]


def test_trials_come_newest_first_and_apart_from_runs(history):
    for name in ("a", "b", "c"):
        history.remember(deed(name))
    history.add(ExecutionResult(exit_code=0, id="run"), limits=Limits())

    assert (names(history), names(history, 2), names(history, 0)) == (["c", "b", "a"], ["c", "b"], [])
    assert ([row["id"] for row in history.recent()], history.trial("run"), history.get("a")) == (["run"], None, None)


def test_a_name_that_no_text_can_hold_is_kept_all_the_same(history):
    history.remember(deed("odd", project="/srv/\udcff", reasons=("\udcff",)))

    assert (history.trial("odd")["project"], history.trial("odd")["reasons"]) == ("/srv/\\udcff", ["\udcff"])


def test_the_same_trial_is_not_remembered_twice(history):
    history.remember(deed("a"))

    with pytest.raises(UsageError, match="'a' is already in the history"):
        history.remember(deed("a"))


def test_pruning_forgets_trials_as_it_forgets_runs(history):
    for number in range(3):
        history.remember(deed(f"t{number}"))
        history.add(ExecutionResult(exit_code=0, id=f"r{number}"), limits=Limits())

    assert (history.prune(keep=1), names(history), [row["id"] for row in history.recent()]) == (4, ["t2"], ["r2"])


def test_old_trials_are_forgotten_by_their_time(history):
    history.remember(deed("old", timestamp=datetime.now(UTC) - timedelta(days=9)))
    history.remember(deed("new"))

    assert (history.prune(days=5), names(history)) == (1, ["new"])


def test_an_export_has_the_runs_and_then_the_trials(history):
    history.remember(deed("t"))
    history.add(ExecutionResult(exit_code=0, id="r"), limits=Limits())
    out = io.StringIO()

    assert history.export(out) == 2
    assert [(row["id"], row.get("verb")) for row in map(json.loads, out.getvalue().splitlines())] == [("r", None), ("t", "try")]


def test_there_are_never_more_than_the_most(tmp_path, history, monkeypatch):
    history.remember(deed("first"))
    history.close()
    with sqlite3.connect(history.path) as other:
        other.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'deeds'", (deeds.MOST_DEEDS,))
    other.close()

    history.remember(deed("last"))

    assert names(history) == ["last"]


KILLED = """
import os, signal, sys
from windtunnel.core.deed import Deed
from windtunnel.store.history import SqliteHistory
SqliteHistory(sys.argv[1]).remember(Deed(verb="try", project="/srv/shop", verdict="good", id="told"))
print("told", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_verdict_that_was_told_survives_the_death_of_who_told_it(history):
    done = subprocess.run([sys.executable, "-c", KILLED, str(history.path)], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout, names(history)) == (-signal.SIGKILL, "told\n", ["told"])


FIRST_VERSION = """
CREATE TABLE runs (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, timestamp TEXT NOT NULL,
            language TEXT, level TEXT, reason TEXT NOT NULL, exit_code INTEGER NOT NULL, execution_time REAL,
            warm INTEGER NOT NULL, stdout TEXT NOT NULL, stdout_total INTEGER NOT NULL,
            stderr TEXT NOT NULL, stderr_total INTEGER NOT NULL, limits TEXT NOT NULL, enforced TEXT NOT NULL,
            usage TEXT NOT NULL, effects TEXT NOT NULL, stages TEXT NOT NULL);
INSERT INTO "runs" VALUES(1,'old-one','2024-02-29T12:00:00.000000+00:00','python','process','exited',3,0.0,0,'out',3,'',0,'{}','{}','{}','{}','[]');
CREATE INDEX runs_by_time ON runs (timestamp);
CREATE TRIGGER runs_bounded AFTER INSERT ON runs BEGIN DELETE FROM runs WHERE seq <= NEW.seq - 50000; END;
PRAGMA application_id = 1465141297;
PRAGMA user_version = 1;
"""
"""As the version before trials wrote it: its own dump, shortened in the values alone."""


def test_a_history_from_before_there_were_trials_keeps_its_runs_and_takes_trials(history):
    history.path.parent.mkdir()
    with sqlite3.connect(history.path) as old:
        old.executescript(FIRST_VERSION)
    old.close()

    history.remember(deed("new"))
    history.add(ExecutionResult(exit_code=0, id="new-run"), limits=Limits())

    assert ([(row["id"], row["exit_code"]) for row in history.recent()], names(history)) == ([("new-run", 0), ("old-one", 3)], ["new"])


def test_reading_an_old_history_brings_it_up_to_date_as_well(history):
    history.path.parent.mkdir()
    with sqlite3.connect(history.path) as old:
        old.executescript(FIRST_VERSION)
    old.close()

    assert (history.trials(), history.get("old-one")["stdout"]) == ([], "out")
