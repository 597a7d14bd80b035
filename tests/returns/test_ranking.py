import json

import pytest

from windtunnel.cli.main import main
from windtunnel.core.series import Cycle, Run
from windtunnel.returns.files import write_history
from windtunnel.returns.history import History
from windtunnel.returns.ranking import Standing, rank_modules, rank_scenarios


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, gain, score in (("scenario_a", 3.25, 0.82), ("scenario_b", 2.1, 0.9)):
        (tmp_path / name).mkdir()
        write_history(tmp_path / name / "roi_history.json", History(
            cycles=(Cycle(roi=1.0, metrics={"security_score": 0.1, "synergy_roi": 0.25}),
                    Cycle(roi=gain - 1.0, metrics={"security_score": score, "synergy_security_score": score / 10})),
            scenario_synergy={f"{name}_low": ({"synergy_revenue": gain}, {"synergy_revenue": 0.5})}))
    return tmp_path


def printed(capsys, *arguments):
    code = main(list(arguments))
    return code, capsys.readouterr().out


def test_scenarios_are_printed_as_the_document_shows_them(runs, capsys):
    assert printed(capsys, "rank-scenarios", "scenario_b", "scenario_a/roi_history.json") == (
        0, "scenario_a ROI=3.25 security_score=0.82\nscenario_b ROI=2.10 security_score=0.90\n")


def test_scenarios_as_json(runs, capsys):
    code, out = printed(capsys, "rank-scenarios", "scenario_a", "--json")

    assert (code, json.loads(out)) == (0, [{"scenario": "scenario_a", "roi": 3.25, "security_score": 0.82}])


def test_synergy_is_summed_for_each_scenario(runs, capsys):
    assert printed(capsys, "rank-synergy", "scenario_a", "scenario_b", "--metric", "security_score") == (
        0, "scenario_b synergy_security_score=0.090\nscenario_a synergy_security_score=0.082\n")
    assert printed(capsys, "rank-synergy", "scenario_a") == (0, "scenario_a synergy_roi=0.250\n")


def test_synergy_recorded_per_scenario_is_summed(runs, capsys):
    assert printed(capsys, "rank-scenario-synergy", "scenario_a", "scenario_b", "--metric", "revenue") == (
        0, "scenario_a_low synergy_revenue=3.750\nscenario_b_low synergy_revenue=2.600\n")


def test_a_synergy_that_nobody_measured_is_refused(runs, capsys):
    assert main(["rank-synergy", "scenario_a", "--metric", "colour"]) == 2
    assert "no run measured synergy_colour" in capsys.readouterr().err


def test_a_run_that_has_no_history_is_refused(runs, capsys):
    (runs / "empty").mkdir()

    assert main(["rank-scenarios", "empty", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "usage"


def test_cycles_count_for_their_own_scenario_across_runs():
    history = History(cycles=(Cycle(roi=1.0, scenario="slow"), Cycle(roi=0.5), Cycle(roi=2.0, scenario="lossy")))

    assert rank_scenarios([("run1", history), ("run2", history)]) == [
        Standing(scenario="lossy", roi=4.0, security_score=None), Standing(scenario="slow", roi=2.0, security_score=None),
        Standing(scenario="run1", roi=0.5, security_score=None), Standing(scenario="run2", roi=0.5, security_score=None)]


def test_a_score_that_was_never_measured_is_shown_as_none(runs, capsys):
    write_history(runs / "plain.json", History(cycles=(Cycle(roi=1.0),)))

    assert printed(capsys, "rank-scenarios", "plain.json") == (0, "plain ROI=1.00 security_score=-\n")


def test_modules_are_ranked_by_the_sum_of_their_shares():
    assert rank_modules({"a": [1.0, float("nan")], "b": [2.0], "c": [1.0]}) == [("b", 2.0), ("a", 1.0), ("c", 1.0)]


def test_the_reliability_of_recorded_predictions_is_printed(runs, capsys):
    write_history(runs / "h.json", History(
        cycles=(Cycle(roi=0.1), Cycle(roi=0.2)),
        predictions={"security_score": ((0.5, 1.0), (2.0, 2.0), (3.5, 3.0))}))

    assert printed(capsys, "reliability", "h.json", "--metric", "security_score", "--window", "1") == (
        0, "security_score MAE=0.5000 reliability=0.67 (1 predictions)\n")
    assert printed(capsys, "reliability", "h.json") == (
        0, ("roi MAE=0.1000 reliability=0.00 (1 of a backtest, nothing was predicted)\n"
            "security_score MAE=0.3333 reliability=0.80 (3 predictions)\n"))


def test_the_reliability_as_json(runs, capsys):
    code, out = printed(capsys, "reliability", "scenario_a", "--metric", "roi", "--json")

    assert (code, [each["metric"] for each in json.loads(out)]) == (0, ["roi"])


@pytest.mark.parametrize(("arguments", "why"), [
    (["--metric", "colour"], "'colour' is none of roi, security_score"), (["--window", "0"], "--window: 0 is not at least 1")])
def test_impossible_questions_of_reliability_are_refused(runs, capsys, arguments, why):
    assert main(["reliability", "scenario_a", *arguments]) == 2
    assert why in capsys.readouterr().err


def put(path, gains, *, run=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    write_history(path, History(run=Run(id=run), cycles=tuple(Cycle(roi=gain) for gain in gains)))


def test_runs_in_folders_of_the_same_name_are_told_apart(runs, capsys):
    put(runs / "x" / "run" / "roi_history.json", [1.0, 2.0])
    put(runs / "y" / "run" / "roi_history.json", [5.0])
    put(runs / "z" / "alone.json", [4.0])

    assert printed(capsys, "rank-scenarios", "x/run", "y/run/roi_history.json", "z/alone.json") == (
        0, "y/run ROI=5.00 security_score=-\nalone ROI=4.00 security_score=-\nx/run ROI=3.00 security_score=-\n")


def test_histories_of_the_same_name_in_one_folder_are_told_apart(runs, capsys):
    put(runs / "h.json", [1.0])
    put(runs / "h.db", [2.0])

    assert printed(capsys, "rank-scenarios", "h.json", "h.db") == (
        0, "h.db ROI=2.00 security_score=-\nh.json ROI=1.00 security_score=-\n")


def test_a_run_that_is_given_twice_counts_once(runs, capsys):
    put(runs / "h.json", [1.0, 2.0])
    (runs / "link.json").symlink_to("h.json")

    assert printed(capsys, "rank-scenarios", "h.json", "./h.json", "link.json") == (0, "h ROI=3.00 security_score=-\n")


def test_two_histories_of_one_run_count_once_by_the_longer(runs, capsys):
    put(runs / "data" / "roi_history.json", [1.0, 2.0], run="r1")
    put(runs / "data" / "runs" / "0001" / "roi_history.json", [1.0], run="r1")

    assert printed(capsys, "rank-scenarios", "data/runs/0001", "data") == (0, "data ROI=3.00 security_score=-\n")


@pytest.mark.parametrize("command", ["rank-scenarios", "reliability", "rank-synergy"])
@pytest.mark.parametrize("told", [
    {"roi_history": [1e308, 1e308, 1e308]}, {"roi_history": [1.0], "metrics_history": {"synergy_roi": [-1e301]}},
    {"roi_history": [1.0], "scenario_synergy": {"slow": [{"synergy_roi": 1e308}]}}])
def test_a_history_of_values_beyond_all_reason_is_refused(runs, capsys, command, told):
    (runs / "h.json").write_text(json.dumps(told))

    assert main([command, "h.json"]) == 2
    assert "is not from -1e+300 to 1e+300" in capsys.readouterr().err


def test_the_largest_values_are_ranked_and_judged(runs, capsys):
    put(runs / "h.json", [1e300, -1e300, 1e300])

    assert main(["rank-scenarios", "h.json"]) == 0
    assert main(["reliability", "h.json", "--json"]) == 0
    assert "NaN" not in capsys.readouterr().out


def test_a_metric_that_a_run_could_not_measure_is_explained(runs, capsys):
    put(runs / "h.json", [1.0])

    assert main(["reliability", "h.json", "--metric", "security_score"]) == 2
    assert ("'security_score' is none of roi (no cycle of this run could measure it; the run's result says why, under not "
            "measured; it needs bandit (pip install bandit))") in capsys.readouterr().err


def test_whoever_asks_for_synergy_that_is_not_there_is_told_what_makes_it(runs, capsys):
    put(runs / "h.json", [1.0])

    assert main(["rank-scenario-synergy", "h.json"]) == 2
    assert "run_workflow_simulations" in capsys.readouterr().err
