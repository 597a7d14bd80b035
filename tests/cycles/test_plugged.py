"""Metrics of plugins in runs of cycles: good ones count, bad ones are told of and hurt nobody."""

from __future__ import annotations

import json

import pytest

from windtunnel import Tunnel, UsageError
from windtunnel.engine.cycles.plugged import Plugged

GOOD = "calls = []\ndef collect_metrics(prev_roi, roi, resources):\n    calls.append(roi)\n    return {body}\n"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "plugins"
    made.mkdir(mode=0o755)
    return made


def put(folder, name, text):
    (folder / name).write_text(text)
    (folder / name).chmod(0o644)
    return folder / name


def bad(body):
    return f"import os, time\ndef collect_metrics(prev_roi, roi, resources):\n    {body}\n"


def test_plugins_remember_what_they_saw_and_their_prints_go_nowhere(folder):
    file = put(folder, "one.py", GOOD.replace("{body}", "print('loud') or {'moved': roi - prev_roi, 'count': len(calls)}"))
    with Plugged([file]) as plugged:
        found = [plugged.more(1.0, value, {"cpu": 2.0}) for value in (1.5, 3.0)]

    assert (found, plugged.notes()) == ([{"moved": 0.5, "count": 1.0}, {"moved": 2.0, "count": 2.0}], ())


@pytest.mark.parametrize(("text", "note"), [
    (bad("raise ValueError('no')"), "metrics plugin one: raised ValueError: no"),
    (bad("os._exit(9)"), "metrics plugin one: ended its process (exit code 9); it is not called again in this run"),
    (bad("time.sleep(60)"), "metrics plugin one: took more than 0.5 seconds; it is not called again in this run"),
    (bad("return 5"), "metrics plugin one: returned int instead of a dict"),
    (bad("return {'error_rate': 0.0}"), "metrics plugin one: error_rate: left out, for there is a metric of that name"),
    ("raise KeyError(1)\n", "metrics plugin {file}: not loaded: raised KeyError: 1"),
    ("import os\nos._exit(3)\n",
     "metrics plugin one: ended its process (exit code 3); it is not called again in this run")])
def test_a_bad_plugin_is_told_of_once_and_the_others_go_on(folder, text, note):
    files = [put(folder, "one.py", text), put(folder, "two.py", GOOD.replace("{body}", "{'good': 1}"))]
    with Plugged(files, seconds=0.5) as plugged:
        found = [plugged.more(0.0, 1.0, {}) for _ in range(3)]

    assert (found, plugged.notes()) == ([{"good": 1.0}] * 3, (note.replace("{file}", str(files[0])),))


@pytest.fixture
def project(tmp_path):
    made = tmp_path / "project"
    made.mkdir()
    (made / "module.py").write_text("def double(n: int) -> int:\n    return 2 * n\n")
    return made


def test_a_run_has_the_metrics_of_its_plugins_and_outlives_one_that_exits(project, folder, tmp_path, monkeypatch):
    put(folder, "good.py", GOOD.replace("{body}", "{'asked': len(calls), 'had_cpu': float('cpu' in resources)}"))
    put(folder, "worse.py", bad("os._exit(9)"))
    monkeypatch.setenv("SANDBOX_METRICS_PLUGIN_DIR", str(folder))
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.cycles.run(project, presets=[{"CPU_LIMIT": 0.5}], max_iterations=2, data=str(tmp_path / "data"),
                                 improve=False, edges=False)

    cycles = json.loads((tmp_path / "data" / "roi_history.json").read_text())["cycles"]
    assert [(one["metrics"]["asked"], one["metrics"]["had_cpu"]) for one in cycles] == [(1.0, 1.0), (2.0, 1.0)]
    assert made.notes[:1] == (
        "metrics plugin worse: ended its process (exit code 9); it is not called again in this run",)


def test_a_folder_of_plugins_that_is_not_there_is_refused_before_anything_is_made(project, tmp_path, monkeypatch):
    monkeypatch.setenv("SANDBOX_METRICS_PLUGIN_DIR", str(tmp_path / "gone"))
    with Tunnel(pool_size=0) as tunnel, pytest.raises(UsageError, match="no plugins can be taken from it: No such file"):
        tunnel.cycles.begin(project, presets=[{}], data=str(tmp_path / "data"))

    assert not (tmp_path / "data").exists()
