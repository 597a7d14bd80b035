"""Series of scenario runs and figures for Prometheus, over HTTP."""

import json

import pytest

from windtunnel.store.runs import ScenarioRun

TOLD = {"predicted_roi": [1.5, 2.0], "metrics_history": {"security_score": [70, 80, 90], "revenue": [1.0, None, 3.0]},
        "predicted_metrics": {"security_score": [75.0, 85.0, 95.0, 99.0]}}


@pytest.fixture(scope="module")
def told(server, tmp_path_factory):
    """The server, with two runs of ann and a newer one of bob."""
    folder = tmp_path_factory.mktemp("series")
    for name, owner in (("r1", "ann"), ("r2", "ann"), ("r3", "bob")):
        (folder / name).mkdir()
        (folder / name / "roi_history.json").write_text(json.dumps({**TOLD, "roi_history": [float(name[1])]}))
        server.desk.runs.begin(ScenarioRun(id=name, owner=owner, verb="v", target="t", folder=str(folder / name)))
    server.desk.runs.note("r3", cycles=2, metrics={"security_score": 0.5})
    return server


def get(told, path, who="ann"):
    with told.client(who) as client:
        answer = client.get(path)
    return answer.status_code, answer.json()


def test_roi_is_of_ones_newest_run_and_names_the_metrics(told):
    assert get(told, "/roi") == (200, {
        "run": "r2", "name": "roi", "actual": [2.0, None], "predicted": [1.5, 2.0],
        "metrics": ["security_score", "revenue"]})


def test_another_run_of_ones_own_can_be_named(told):
    assert get(told, "/roi?run=r1")[1]["actual"] == [1.0, None]


def test_a_metric_has_both_arrays(told):
    assert get(told, "/metrics/security_score") == (200, {
        "run": "r2", "name": "security_score", "actual": [70.0, 80.0, 90.0, None], "predicted": [75.0, 85.0, 95.0, 99.0]})


@pytest.mark.parametrize(("path", "who", "status", "code"), [
    ("/roi?run=r3", "ann", 404, "not-found"), ("/roi", "eve", 404, "not-found"), ("/roi", None, 401, "unauthorised"),
    ("/metrics/nothing", "ann", 404, "not-found"), ("/metrics/security_score", None, 401, "unauthorised"),
    ("/metrics", "ann", 403, "forbidden"), ("/prometheus", None, 401, "unauthorised")])
def test_nobody_sees_what_is_not_theirs(told, path, who, status, code):
    found = get(told, path, who)

    assert (found[0], found[1]["code"]) == (status, code)


@pytest.mark.parametrize("path", ["/metrics", "/prometheus"])
def test_an_admin_gets_the_text_for_prometheus(told, path):
    with told.client("root") as client:
        answer = client.get(path)

    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'windtunnel_scenario_metric{name="security_score"} 0.5' in answer.text.splitlines()


def test_a_run_that_failed_at_once_hides_no_older_one(told, tmp_path):
    told.desk.runs.begin(ScenarioRun(id="r4", owner="ann", verb="v", target="t", folder=str(tmp_path)))

    assert [get(told, path)[1]["run"] for path in ("/roi", "/metrics/security_score")] == ["r2", "r2"]
    assert get(told, "/roi?run=r4")[0] == 404
