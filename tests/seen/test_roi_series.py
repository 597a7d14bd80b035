"""Series of a scenario run: what came beside what was foretold."""

import os

import pytest

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.series import Cycle
from windtunnel.returns.files import write_history
from windtunnel.returns.history import History
from windtunnel.serve.roi import HistorySeries, Pair, series_in

TOLD = {
    "roi_history": [1.0, 2, 2.5], "predicted_roi": [1.5, 2.0],
    "metrics_history": {"security_score": [70, 80, 90], "revenue": [1.0, None, 3.0]},
    "predicted_metrics": {"security_score": [75.0, 85.0, 95.0, 99.0], "revenue": [2.0]},
    "actual_metrics": {"revenue": [3.0]}, "module_deltas": {"a": [1]}}


def test_predictions_are_of_the_last_cycles():
    assert HistorySeries(TOLD)("roi") == Pair(actual=(1.0, 2.0, 2.5), predicted=(None, 1.5, 2.0))


def test_what_is_predicted_beyond_the_last_cycle_has_nothing_beside_it():
    assert HistorySeries(TOLD)("security_score") == Pair(
        actual=(70.0, 80.0, 90.0, None), predicted=(75.0, 85.0, 95.0, 99.0))


def test_what_came_of_a_prediction_belongs_to_it():
    assert HistorySeries(TOLD)("revenue") == Pair(actual=(3.0,), predicted=(2.0,))


def test_the_list_form_is_the_returns_alone():
    series = HistorySeries([1, 2])

    assert (series("roi"), series.names, series("other")) == (Pair(actual=(1.0, 2.0), predicted=(None, None)), (), None)


@pytest.mark.parametrize(("told", "words"), [
    (3, "the file is not an object"), ({"roi_history": 3}, "roi_history is not a list"),
    ({"roi_history": [True]}, "roi_history holds True, which is not a number"),
    ({"metrics_history": []}, "metrics_history is not an object"),
    ({"metrics_history": {"a": [1]}, "predicted_metrics": {"a": ["x"]}}, r"predicted_metrics\.a holds 'x'")])
def test_what_is_of_another_form_is_refused_by_name(told, words):
    with pytest.raises(UsageError, match=words):
        HistorySeries(told)


def test_numbers_that_are_none_are_gaps(tmp_path):
    (tmp_path / "roi_history.json").write_text('{"roi_history": [NaN, Infinity, 1e400, 1]}')

    assert series_in(tmp_path)("roi").actual == (None, None, None, 1.0)


def a_link(path):
    path.with_name("other").write_text("[1]")
    path.symlink_to("other")


@pytest.mark.parametrize(("make", "error"), [
    (lambda path: None, NotFound), (a_link, NotFound), (os.mkfifo, UsageError), (os.mkdir, UsageError),
    (lambda path: path.write_text("[" * 100_000), UsageError), (lambda path: path.write_bytes(b"\xff\xfe\x00"), UsageError),
    (lambda path: path.write_text("[" + "1," * 9_000_000 + "1]"), UsageError)],
    ids=["none", "link", "pipe", "folder", "deep", "bytes", "large"])
def test_a_file_that_cannot_be_taken_is_refused(tmp_path, make, error):
    make(tmp_path / "roi_history.json")

    with pytest.raises(error):
        series_in(tmp_path)


def test_a_versioned_history_has_what_was_foretold_beside_what_came(tmp_path):
    write_history(tmp_path / "roi_history.json", History(
        cycles=(Cycle(roi=0.5, metrics={"error_rate": 0.25}), Cycle(roi=0.1, metrics={"error_rate": 0.125})),
        predictions={"error_rate": ((0.2, 0.125),)}))

    found = series_in(tmp_path)

    assert (found.names, found("roi")) == (("error_rate",), Pair(actual=(0.5, 0.1), predicted=(None, None)))
    assert found("error_rate") == Pair(actual=(0.125,), predicted=(0.2,))
