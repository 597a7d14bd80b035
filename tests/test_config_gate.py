"""The table that says what the gate must find."""

import pytest

from windtunnel import config
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds


def load(tmp_path, user="", operator="", project=None):
    (tmp_path / "windtunnel").mkdir(exist_ok=True)
    (tmp_path / "windtunnel" / "config.toml").write_text(user)
    (tmp_path / "operator.toml").write_text(operator)
    if project is not None:
        (tmp_path / ".windtunnel.toml").write_text(project)
    return config.load({"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}, tmp_path if project is not None else None,
                       operator=tmp_path / "operator.toml").gate


def test_nothing_is_set_unasked(tmp_path):
    assert load(tmp_path) is None


def test_a_user_may_set_more_or_less_than_the_usual(tmp_path):
    assert load(tmp_path, user='[gate]\nleast = 0.2\nhollow = "allow"\n') == Thresholds(least=0.2, hollow="allow")


def test_a_user_adds_to_what_the_operator_says(tmp_path):
    assert load(tmp_path, operator="[gate]\nleast = 0.8\n", user="[gate]\nmost_survivors = 2\n") == Thresholds(
        least=0.8, most_survivors=2)


@pytest.mark.parametrize(("operator", "user"), [
    ("least = 0.8", "least = 0.7"), ("most_survivors = 2", "most_survivors = 3"), ('hollow = "deny"', 'hollow = "allow"'),
    ('doubt = "deny"', 'doubt = "allow"'), ('doubt = "deny"', 'doubt = "skip"'), ('doubt = "allow"', 'doubt = "skip"')])
def test_a_user_may_not_be_looser_than_the_operator(tmp_path, operator, user):
    with pytest.raises(UsageError, match="may only be stricter"):
        load(tmp_path, operator=f"[gate]\n{operator}\n", user=f"[gate]\n{user}\n")


@pytest.mark.parametrize("project", ["least = 0.4", 'hollow = "allow"', 'doubt = "skip"'])
def test_a_project_may_not_be_looser_than_the_usual(tmp_path, project):
    with pytest.raises(UsageError, match="may only be stricter"):
        load(tmp_path, project=f"[gate]\n{project}\n")


def test_a_project_may_be_stricter(tmp_path):
    assert load(tmp_path, project="[gate]\nleast = 0.9\nmost_survivors = 0\n") == Thresholds(least=0.9, most_survivors=0)


@pytest.mark.parametrize("text", [
    "gate = 1", "[gate]\nleast = 2", "[gate]\nleast = true", '[gate]\nleast = "0.5"', "[gate]\nleast = nan", "[gate]\nmost_survivors = -1",
    "[gate]\nmost_survivors = 1.5", '[gate]\nhollow = "maybe"', '[gate]\ndoubt = "none"', "[gate]\nmore = 1", '"gate.least" = 0.5'])
def test_what_is_wrong_is_refused_with_the_key(tmp_path, text):
    with pytest.raises(UsageError, match="gate"):
        load(tmp_path, user=text)


@pytest.mark.parametrize(("one", "other", "both"), [
    (Thresholds(least=0.2), None, Thresholds(least=0.2)),
    (Thresholds(least=0.2, hollow="allow"), Thresholds(least=0.8, hollow="allow"), Thresholds(least=0.8, hollow="allow")),
    (Thresholds(least=0.9, most_survivors=5), Thresholds(least=0.8, most_survivors=3, hollow="allow"), Thresholds(least=0.9, most_survivors=3)),
    (Thresholds(), Thresholds(most_survivors=0), Thresholds(most_survivors=0))])
def test_who_asks_gets_what_is_stricter_of_both(one, other, both):
    assert one.strictest(other) == both
