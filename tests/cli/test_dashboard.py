"""``--dashboard-port``: runs of cycles that can be watched over HTTP."""

import json
import urllib.error
import urllib.request
from argparse import Namespace

import pytest

from windtunnel import Tunnel, UsageError
from windtunnel.cli.dashboard import dashboard, port_of
from windtunnel.cli.main import main
from windtunnel.core.series import Cycle
from windtunnel.returns.files import write_history
from windtunnel.returns.history import History


@pytest.fixture
def served(tmp_path, monkeypatch, capsys):
    """The address of the dashboard of a run with two cycles."""
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    with Tunnel(pool_size=0) as tunnel:
        folder = tunnel.cycles.begin(tmp_path / "project", presets=[{}], data=str(tmp_path / "data"))
        write_history(f"{folder}/roi_history.json", History(
            cycles=tuple(Cycle(roi=gain, metrics={"my gain": gain}) for gain in (0.0, 0.5))))
        with dashboard(tunnel, folder, port=0):
            yield capsys.readouterr().err.split("dashboard: ")[1].split("/roi")[0]


def got(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.read().decode()


def test_returns_and_metrics_are_served_while_the_run_goes_on(served):
    roi, metric = json.loads(got(f"{served}/roi")), json.loads(got(f"{served}/metrics/my%20gain"))

    assert (roi["actual"], roi["metrics"], metric["actual"]) == ([0.0, 0.5], ["my gain"], [0.0, 0.5])


def test_the_figures_for_prometheus_are_there_too(served):
    assert 'windtunnel_scenario_runs{outcome="open"} 1' in got(f"{served}/metrics").splitlines()


@pytest.mark.parametrize("path", ["/metrics/nothing", "/other", "/metrics/..%2f..%2frun.json"])
def test_there_is_nothing_else(served, path):
    with pytest.raises(urllib.error.HTTPError) as refused:
        got(f"{served}{path}")

    refused.value.close()
    assert refused.value.code == 404


def test_without_a_port_nothing_is_served(tmp_path):
    with dashboard(None, str(tmp_path), port=None):
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("option", "variable", "port"), [(None, "", None), (None, "8002", 8002), (0, "8002", 0)])
def test_the_option_comes_before_the_variable(monkeypatch, option, variable, port):
    monkeypatch.setenv("AUTO_DASHBOARD_PORT", variable)

    assert port_of(Namespace(dashboard_port=option)) == port


@pytest.mark.parametrize(("variable", "why"), [("many", "'many' is not a number"), ("70000", "is not from 0 to 65535")])
def test_a_variable_that_is_no_port_is_refused(monkeypatch, variable, why):
    monkeypatch.setenv("AUTO_DASHBOARD_PORT", variable)
    with pytest.raises(UsageError, match=why):
        port_of(Namespace(dashboard_port=None))


def test_a_port_that_cannot_be_is_refused_before_anything_is_made(tmp_path, capsys):
    arguments = ["full-autonomous-run", str(tmp_path), "--data", str(tmp_path / "data"), "--dashboard-port", "99999"]

    assert (main(arguments), (tmp_path / "data").exists()) == (2, False)
    assert "--dashboard-port: 99999 is not from 0 to 65535" in capsys.readouterr().err
