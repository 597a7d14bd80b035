"""The rules of the watch, as a setting."""

from pathlib import Path

import pytest

from windtunnel import config
from windtunnel.core.errors import UsageError


@pytest.fixture
def load(tmp_path):
    def act(operator="", user="", project=None, **environ):
        made = {"operator": operator, "user/windtunnel/config": user, "project/.windtunnel": project}
        for name, text in made.items():
            path = tmp_path / f"{name}.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text or "")
        return config.load({"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "user"), **environ},
                           None if project is None else tmp_path / "project", operator=tmp_path / "operator.toml")

    return act


def test_the_rules_are_set_by_the_user_or_the_environment(load):
    assert load().audit_watch is None
    assert load(user='audit_watch = "/srv/watch.yaml"').audit_watch == Path("/srv/watch.yaml")
    assert load(WINDTUNNEL_AUDIT_WATCH="/srv/other.yaml").audit_watch == Path("/srv/other.yaml")


@pytest.mark.parametrize("given", [{"user": 'audit_watch = "/srv/mine.yaml"'}, {"WINDTUNNEL_AUDIT_WATCH": "/srv/mine.yaml"}], ids=str)
def test_the_rules_of_the_operator_cannot_be_replaced(load, given):
    with pytest.raises(UsageError, match=r"the operator's /etc/w/watch\.yaml holds, and cannot be replaced"):
        load(operator='audit_watch = "/etc/w/watch.yaml"', **given)


def test_a_project_has_no_say_in_who_is_told(load):
    with pytest.raises(UsageError, match="audit_watch: not for a project to set"):
        load(project='audit_watch = "/srv/mine.yaml"')


@pytest.mark.parametrize("value", ['"watch.yaml"', '"/a/../b"', "1", "true", '""'])
def test_what_is_no_absolute_path_is_refused(load, value):
    with pytest.raises(UsageError, match="audit_watch: "):
        load(user=f"audit_watch = {value}")
