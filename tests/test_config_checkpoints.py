"""The keys that say where checkpoints are sent, and how often."""

import pytest

from windtunnel import config
from windtunnel.core.errors import UsageError


def load(tmp_path, user="", operator="", **environ):
    (tmp_path / "windtunnel").mkdir(exist_ok=True)
    (tmp_path / "windtunnel" / "config.toml").write_text(user)
    (tmp_path / "operator.toml").write_text(operator)
    return config.load({"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **environ}, operator=tmp_path / "operator.toml")


def test_there_are_none_unasked(tmp_path):
    found = load(tmp_path)

    assert (found.audit_checkpoints, found.audit_checkpoint_minutes) == ((), 60.0)


def test_a_user_adds_to_what_the_operator_says_and_takes_nothing_away(tmp_path):
    found = load(tmp_path, operator='audit_checkpoints = ["https://notary/x"]', user='audit_checkpoints = ["file:/mnt/notes"]')

    assert found.audit_checkpoints == ("https://notary/x", "file:/mnt/notes")


def test_a_user_may_send_more_often_and_not_more_seldom(tmp_path):
    operator = "audit_checkpoint_minutes = 30"

    assert load(tmp_path, operator=operator, user="audit_checkpoint_minutes = 5").audit_checkpoint_minutes == 5
    with pytest.raises(UsageError, match="may only be stricter"):
        load(tmp_path, operator=operator, WINDTUNNEL_AUDIT_CHECKPOINT_MINUTES="31")


@pytest.mark.parametrize("text", [
    'audit_checkpoints = "file:/x"', "audit_checkpoints = [3]", 'audit_checkpoints = ["file:relative"]', 'audit_checkpoints = ["ftp://x/"]',
    'audit_checkpoints = ["file:/a\\u0007"]', f"audit_checkpoints = {['file:/x'] * 17}", "audit_checkpoint_minutes = 0",
    "audit_checkpoint_minutes = true", 'audit_checkpoint_minutes = "5"', "audit_checkpoint_minutes = nan", "audit_checkpoint_minutes = 1e9"])
def test_what_is_wrong_is_refused_with_the_key(tmp_path, text):
    with pytest.raises(UsageError, match=r"config.toml: audit_checkpoint"):
        load(tmp_path, user=text)


def test_a_project_may_not_say_where(tmp_path):
    (tmp_path / ".windtunnel.toml").write_text('audit_checkpoints = ["file:/x"]')

    with pytest.raises(UsageError, match="not for a project to set"):
        config.load({"HOME": str(tmp_path)}, tmp_path, operator=tmp_path / "none.toml")
