import json

import pytest

from windtunnel.config.described_auth import read_auth_file
from windtunnel.core.errors import UsageError
from windtunnel.core.strict_json import read_json

SAMPLE = {
    "users": [
        {"username": "admin", "api_key": "your-secure-api-key-of-admin", "permissions": ["all"]},
        {"username": "developer", "api_key": "dev-api-key",
         "permissions": ["create_workspace", "analyze_codebase", "execute_tasks"]}],
    "session_timeout_hours": 24, "max_concurrent_sessions": 10}


@pytest.fixture
def write(tmp_path):
    def act(told, mode=0o600):
        path = tmp_path / "sandbox_auth.json"
        path.write_text(told if isinstance(told, str) else json.dumps(told))
        path.chmod(mode)
        return path

    return act


def test_the_described_file_is_read_and_a_short_key_is_warned_about(write):
    found = read_auth_file(write(SAMPLE))

    assert found.users[1] == ("developer", "dev-api-key", ("create_workspace", "analyze_codebase", "execute_tasks"))
    assert (found.session_timeout_hours, found.max_concurrent_sessions) == (24.0, 10)
    assert found.warnings == ("the key of developer is short and can be guessed (windtunnel keys create makes a better one)",)
    assert "dev-api-key" not in repr(found)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_may_read_is_refused(write, mode):
    with pytest.raises(UsageError, match="others may read it"):
        read_auth_file(write(SAMPLE, mode))


def test_a_link_is_not_followed(write, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(write(SAMPLE))

    with pytest.raises(UsageError, match="cannot be read"):
        read_auth_file(link)


@pytest.mark.parametrize(("change", "words"), [
    ({"extra": 1}, "'extra' is unknown"), ({"users": []}, "not a list of 1"), ({"session_timeout_hours": 0}, "above 0"),
    ({"max_concurrent_sessions": 1.5}, "max_concurrent_sessions"),
    ({"users": [{"username": "a", "api_key": "k", "permissions": ["fly"]}]}, "'fly' is not a permission"),
    ({"users": [{"username": "a", "api_key": "k", "permissions": [], "admin": True}]}, "'admin' is unknown"),
    ({"users": [{"username": "a", "api_key": "k", "permissions": []}] * 2}, "two users have the same"),
])
def test_what_is_wrong_with_it_is_refused_by_name_without_the_keys(write, change, words):
    with pytest.raises(UsageError, match=words) as refused:
        read_auth_file(write({**SAMPLE, **change}))

    assert "api-key" not in str(refused.value)


@pytest.mark.parametrize(("text", "words"), [
    ('{"a": 1, "a": 2}', "twice"), ("[NaN]", "not a number"), ("[1e999]", "too large"), ("[" * 1000 + "]" * 1000, "deep"),
    ("{", "not JSON"), ("\xff", "not JSON"), ("[" + "9" * 5000 + "]", "40 digits"), ('["' + "[" * 1000, "not JSON"),
])
def test_json_that_parsers_disagree_about_is_refused(text, words):
    with pytest.raises(UsageError, match=words):
        read_json(text.encode("latin-1"), field="body")


def test_brackets_inside_of_texts_are_not_depth():
    text = json.dumps(["[{" * 500, '"[' * 200, "\\"])

    assert read_json(text.encode(), field="body") == json.loads(text)
