"""The samples of the described system, as written but for the import path."""
# ruff: noqa: T201 -- the samples print

import shutil
from pathlib import Path

import pytest

from windtunnel import PredictionManager, ROITracker, load_metrics_plugins

PLUGINS = Path(__file__).parent.parent.parent / "examples" / "plugins"


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    (tmp_path / "plugins").mkdir(mode=0o755)
    for file in PLUGINS.glob("*.py"):
        shutil.copy(file, tmp_path / "plugins")
        (tmp_path / "plugins" / file.name).chmod(0o644)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "plugins"


def test_synergy_metrics_are_forecast(capsys):
    tracker = ROITracker()
    tracker.metrics_history["synergy_security_score"] = [0.01, 0.03, 0.02]
    tracker.roi_history = [0.2, 0.4, 0.5]

    pred = tracker.predict_synergy_metric("security_score")
    rel = tracker.reliability(metric="synergy_security_score")
    print("next synergy security", pred, rel)

    assert 0.01 < pred < 0.04
    assert 0 < rel < 1
    assert capsys.readouterr().out.startswith("next synergy security 0.02")


def test_a_custom_plugin_adds_its_metric(plugins):
    custom = next(plugin for plugin in load_metrics_plugins("plugins") if plugin.name == "custom")

    assert custom.collect_metrics(1.0, 1.1, {"cpu": 62.0}) == {"cpu_delta": 12.0}
    assert custom.collect_metrics(1.0, 1.1, None) == {"cpu_delta": -50.0}


def test_plugins_are_registered_with_a_manager(plugins):
    data_bot = None
    manager = PredictionManager(data_bot=data_bot)
    plugins = load_metrics_plugins("plugins")
    for plugin in plugins:
        if hasattr(plugin, "register"):
            plugin.register(manager)

    answers = {plugin.name: plugin.collect_metrics(1.0, 1.1, {"cpu": 40.0}) for plugin in plugins}
    assert answers == {"cpu_predict": {"cpu_delta": -10.0, "cpu_delta_pred": 0.0}, "custom": {"cpu_delta": -10.0},
                       "metrics_predict": {}, "synergy_predict": {}}
    assert [plugin.problems for plugin in plugins] == [[], [], [], []]


def test_the_prediction_of_a_plugin_follows_what_the_tracker_saw(plugins):
    manager, tracker = PredictionManager(), ROITracker()
    manager.assign_prediction_bots(tracker)
    plugin = next(each for each in load_metrics_plugins("plugins") if each.name == "cpu_predict")
    plugin.register(manager)
    for at in range(6):
        answer = plugin.collect_metrics(0.0, 0.1, {"cpu": 50.0 + at})
        tracker.update(0.0, 0.1, metrics=answer)

    assert answer["cpu_delta"] == 5.0
    assert answer["cpu_delta_pred"] == pytest.approx(5.0, abs=0.6)


def test_the_built_in_metrics_are_predicted(plugins, capsys):
    data_bot = None
    manager = PredictionManager(data_bot=data_bot)
    tracker = ROITracker()
    plugins = load_metrics_plugins("plugins")
    for plug in plugins:
        if hasattr(plug, "register"):
            plug.register(manager, tracker)
    tracker.predict_all_metrics(manager, [0.0, 0.1])  # store predictions
    print(
        tracker.predicted_metrics["flexibility"][-1],
        tracker.predicted_metrics["antifragility"][-1],
        tracker.predicted_metrics["shannon_entropy"][-1],
    )

    assert capsys.readouterr().out == "0.0 0.0 0.0\n"
    metrics = next(plug for plug in plugins if plug.name == "metrics_predict")
    tracker.update(1.0, 1.1, metrics={"flexibility": 0.4})
    assert metrics.collect_metrics(1.0, 1.1, None)["pred_flexibility"] == 0.4
    assert tracker.rolling_mae_metric("flexibility") == 0.4


def test_synergy_is_predicted_by_its_plugin(plugins):
    data_bot = None
    manager = PredictionManager(data_bot=data_bot)
    tracker = ROITracker()
    plugins = load_metrics_plugins("plugins")
    for plug in plugins:
        if hasattr(plug, "register"):
            plug.register(manager, tracker)
    tracker.update(0.0, 0.1, metrics={"synergy_roi": 0.3, "synergy_revenue": 0.2})

    synergy = next(plug for plug in plugins if plug.name == "synergy_predict")
    assert synergy.collect_metrics(0.0, 0.1, None) == {"pred_synergy_roi": 0.3, "pred_synergy_revenue": 0.2}


def test_security_and_adaptability_are_predicted(capsys):
    tracker = ROITracker()
    manager = PredictionManager()

    tracker.update(1.0, 1.1, metrics={"security_score": 0.8, "adaptability": 0.6})

    sec_pred = tracker.predict_metric_with_manager(manager, "security_score", [0.8])
    adapt_pred = tracker.predict_metric_with_manager(manager, "adaptability", [0.6])
    print("predicted security", sec_pred)
    print("predicted adaptability", adapt_pred)

    assert capsys.readouterr().out == "predicted security 0.8\npredicted adaptability 0.6\n"
