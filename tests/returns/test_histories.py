import json
import math
import os
import sqlite3
import threading
from pathlib import Path

import pytest

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.series import Cycle, Run
from windtunnel.returns import files
from windtunnel.returns.files import append_cycle, find_history, read_history, write_history
from windtunnel.returns.history import History, from_json, to_json

HISTORY = History(
    run=Run(id="abc", seed=7, started=12.5),
    cycles=(Cycle(roi=0.5, time=13.0, scenario="slow", modules={"a.py": 0.2, "b.py": 0.3},
                  metrics={"security_score": 0.8}, resources={"cpu": 40.0}), Cycle(roi=-0.1)),
    predictions={"roi": ((0.4, 0.5),)}, scenario_synergy={"slow": ({"synergy_roi": 0.1},)},
    scenario_roi_deltas={"slow": -0.3})


@pytest.mark.parametrize("name", ["roi_history.json", "history.db", "history.sqlite3"])
def test_what_is_written_is_read_back(tmp_path, name):
    write_history(tmp_path / name, HISTORY)

    assert read_history(tmp_path / name) == HISTORY
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_file_says_its_version_and_its_run(tmp_path):
    write_history(tmp_path / "roi_history.json", HISTORY)

    said = json.loads((tmp_path / "roi_history.json").read_text())
    assert (said["version"], said["run"]) == (2, {"id": "abc", "seed": 7, "started": 12.5})
    assert said["cycles"][1] == {"roi": -0.1}


def test_the_list_of_the_original_is_read():
    assert from_json([0.1, 0.2]).cycles == (Cycle(roi=0.1), Cycle(roi=0.2))


def test_the_dictionary_of_the_original_is_read():
    found = from_json({
        "roi_history": [0.1, 0.2], "module_deltas": {"a.py": [0.2]}, "metrics_history": {"security_score": [0.7, 0.8]},
        "synergy_metrics_history": {"synergy_roi": [math.nan, 0.1]}, "predicted_roi": [0.3], "actual_roi": [0.2],
        "predicted_metrics": {"security_score": [0.75, 0.9]}, "actual_metrics": {"security_score": [0.8]},
        "scenario_synergy": {"slow": [{"synergy_roi": 0.1}]}, "scenario_roi_deltas": {"slow": -0.5},
        "category_history": ["up"], "drift_scores": []})

    assert found == History(
        cycles=(Cycle(roi=0.1, metrics={"security_score": 0.7}),
                Cycle(roi=0.2, metrics={"security_score": 0.8, "synergy_roi": 0.1}, modules={"a.py": 0.2})),
        predictions={"security_score": ((0.75, 0.8),), "roi": ((0.3, 0.2),)},
        scenario_synergy={"slow": ({"synergy_roi": 0.1},)}, scenario_roi_deltas={"slow": -0.5})


def original_database(path):
    with sqlite3.connect(path) as database:
        database.executescript("""
            CREATE TABLE roi_history (delta REAL, confidence REAL);
            INSERT INTO roi_history VALUES (0.1, 0), (0.2, 0);
            CREATE TABLE module_deltas (module TEXT, delta REAL);
            INSERT INTO module_deltas VALUES ('a.py', 0.1), ('a.py', 0.2);
            CREATE TABLE metrics_history (metric TEXT, value REAL);
            INSERT INTO metrics_history VALUES ('security_score', 0.7), ('security_score', NULL);
            CREATE TABLE predictions (pred REAL, actual REAL);
            INSERT INTO predictions VALUES (0.3, 0.2);
            CREATE TABLE scenario_synergy (scenario TEXT, data TEXT);
            INSERT INTO scenario_synergy VALUES ('slow', '{"synergy_roi": 0.5}');
        """)
    database.close()


def test_the_tables_of_the_original_are_read(tmp_path):
    original_database(tmp_path / "old.db")

    assert read_history(tmp_path / "old.db") == History(
        cycles=(Cycle(roi=0.1, metrics={"security_score": 0.7}, modules={"a.py": 0.1}),
                Cycle(roi=0.2, modules={"a.py": 0.2})),
        predictions={"roi": ((0.3, 0.2),)}, scenario_synergy={"slow": ({"synergy_roi": 0.5},)})


def test_a_view_that_never_ends_is_not_looked_at(tmp_path):
    with sqlite3.connect(tmp_path / "trap.db") as database:
        database.execute("CREATE VIEW roi_history AS WITH RECURSIVE n(delta) AS (SELECT 1 UNION ALL SELECT delta + 1 "
                         "FROM n) SELECT delta FROM n")
    database.close()

    with pytest.raises(UsageError, match=r"trap.db: an SQLite file without the tables of a history"):
        read_history(tmp_path / "trap.db")


def test_a_computed_column_cannot_use_up_the_memory(tmp_path):
    with sqlite3.connect(tmp_path / "trap.db") as database:
        database.execute("CREATE TABLE roi_history (x, delta AS (length(zeroblob(10000000) || 'a')))")
        database.execute("INSERT INTO roi_history VALUES (1)")
    database.close()

    with pytest.raises(UsageError, match=r"trap.db: not a readable SQLite file: string or blob too big"):
        read_history(tmp_path / "trap.db")


@pytest.mark.parametrize(("content", "why"), [
    (b"", "not JSON"), (b"{", "not JSON"), (b"\xff\xfe", "not JSON"), (b"[" * 100_000, "nested too deeply"),
    (b"3", "a history is an object or a list, not int"), (b"{}", "no version, roi_history"),
    (b'{"version": 3}', "version: '3' is not 2"), (b'{"version": 2, "cycle": []}', "'cycle' is none of"),
    (b'{"version": 2, "cycles": {}}', "cycles: not a list but dict"),
    (b'{"version": 2, "cycles": [{}]}', r"cycles\[0\]: has no roi"),
    (b'{"version": 2, "cycles": [{"roi": "1"}]}', r"cycles\[0\]: roi: str is not a number"),
    (b'{"version": 2, "cycles": [{"roi": NaN}]}', "is not a finite number"),
    (b'{"version": 2, "cycles": [{"roi": 1, "metrics": {"a": true}}]}', "metrics.a: bool is not a number"),
    (b'{"version": 2, "cycles": [{"roi": 1, "scenario": "\\u001b[2J"}]}', "is no name"),
    (b'{"version": 2, "predictions": {"roi": [[1]]}}', "a prediction is a pair"),
    (b'{"roi_history": "abc"}', "roi_history: not a list but str"), (b'["a"]', r"roi_history\[0\]: str is not a number"),
    (b'{"roi_history": [], "metrics_history": []}', "metrics_history: not an object but list"),
    (b"[" + b"9" * 50 + b"]", "more than 40 digits"), (b"[1e999]", "not a finite number"),
    (b"SQLite format 3\x00 and no more", "not a readable SQLite file")])
def test_what_is_no_history_is_refused_with_its_file_and_its_fault(tmp_path, content, why):
    (tmp_path / "roi_history.json").write_bytes(content)

    with pytest.raises(UsageError, match=f"roi_history.json: .*{why}"):
        read_history(tmp_path / "roi_history.json")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"gone.json: No such file"):
        read_history(tmp_path / "gone.json")


def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")

    with pytest.raises(UsageError, match="not a plain file"):
        read_history(tmp_path / "pipe.json")


def test_a_file_beyond_all_reason_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    (tmp_path / "big.json").write_text("[1, 2, 3, 4, 5]")

    with pytest.raises(UsageError, match="more than 10 bytes"):
        read_history(tmp_path / "big.json")


def test_a_folder_stands_for_the_history_in_it(tmp_path):
    (tmp_path / "sandbox_data").mkdir()
    write_history(tmp_path / "sandbox_data" / "roi_history.json", HISTORY)

    assert find_history(tmp_path) == tmp_path / "sandbox_data" / "roi_history.json"
    assert read_history(tmp_path) == HISTORY


def test_a_folder_without_one_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"has no roi_history\.json"):
        read_history(tmp_path)


def test_cycles_are_appended_to_a_new_history_and_to_an_old_one(tmp_path):
    append_cycle(tmp_path / "roi_history.json", Cycle(roi=1.0), run=Run(id="r"))
    append_cycle(tmp_path / "roi_history.json", Cycle(roi=2.0), run=Run(id="another"))

    assert read_history(tmp_path) == History(run=Run(id="r"), cycles=(Cycle(roi=1.0), Cycle(roi=2.0)))


def test_cycles_that_many_append_at_once_are_all_there(tmp_path):
    path = tmp_path / "roi_history.json"
    threads = [threading.Thread(target=append_cycle, args=(path, Cycle(roi=float(at)))) for at in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(cycle.roi for cycle in read_history(path).cycles) == [float(at) for at in range(12)]


def test_an_unreadable_history_is_not_overwritten_by_an_appended_cycle(tmp_path):
    (tmp_path / "roi_history.json").write_text("{broken")

    with pytest.raises(UsageError, match="not JSON"):
        append_cycle(tmp_path / "roi_history.json", Cycle(roi=1.0))
    assert (tmp_path / "roi_history.json").read_text() == "{broken"


def test_a_write_that_fails_leaves_the_old_history_and_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "roi_history.json"
    write_history(path, HISTORY)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(SandboxFailure, match="No space left on device"):
        write_history(path, History())
    monkeypatch.undo()
    assert read_history(path) == HISTORY
    assert [each.name for each in tmp_path.iterdir()] == ["roi_history.json"]


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="not a folder to write to"):
        write_history(Path(tmp_path / "no" / "roi_history.json"), HISTORY)


def test_a_metric_as_a_series_leaves_out_cycles_that_did_not_measure_it():
    assert (HISTORY.series("roi"), HISTORY.series("security_score")) == ([0.5, -0.1], [0.8])


def test_the_form_of_a_history_is_plain_json():
    assert from_json(json.loads(json.dumps(to_json(HISTORY)))) == HISTORY
