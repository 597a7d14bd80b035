import json

import pytest

from windtunnel.core.change import FileChange
from windtunnel.core.errors import UsageError
from windtunnel.workspace.patch import read_changes_json


def test_both_spellings_and_all_operations_are_read():
    rows = [{"path": "a", "operation": "create", "content": "ü", "mode": "0755"},
            {"relative_path": "b", "operation": "modify", "new_content": "", "mode": 0o600},
            {"path": "c", "operation": "delete", "content": None, "mode": None}]

    read = read_changes_json(json.dumps(rows).encode())

    assert read == (FileChange("a", "create", "ü", 0o755), FileChange("b", "modify", "", 0o600), FileChange("c", "delete"))


def test_the_list_may_stand_under_changes():
    assert read_changes_json(b'\xef\xbb\xbf{"changes": []}') == ()


@pytest.mark.parametrize(("data", "word"), [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b"\xff", "not UTF-8"),
    (b"[" * 100_000, "nested"),
    (b"7", "a list"),
    (b"{}", "a list"),
    (b'{"changes": {}}', "a list"),
    (b'{"changes": [], "project": 1}', "'project'"),
    (b'[["a"]]', "changes[0]"),
    (b'[{"path": "a", "operation": "delete"}, 1]', "changes[1]"),
    (b'[{"path": "a", "operation": "delete", "force": true}]', "'force'"),
    (b'[{"path": "a", "path": "b", "operation": "delete"}]', "'path' stands twice"),
    (b'{"changes": [], "changes": []}', "'changes' stands twice"),
    (b'[{"path": "a", "relative_path": "b", "operation": "delete"}]', "two names"),
    (b'[{"operation": "delete"}]', "path must be text"),
    (b'[{"path": 1, "operation": "delete"}]', "path must be text"),
    (b'[{"path": "a"}]', "operation must be text"),
    (b'[{"path": "a", "operation": "create", "content": 1}]', "content must be text"),
    (b'[{"path": "a", "operation": "create", "content": NaN}]', "NaN"),
    (b'[{"path": "a", "operation": "create", "content": "", "mode": true}]', "mode"),
    (b'[{"path": "a", "operation": "create", "content": "", "mode": "rwx"}]', "mode"),
    (b'[{"path": "a", "operation": "create", "content": "", "mode": "4755"}]', "mode"),
    (b'[{"path": "a", "operation": "create", "content": "", "mode": 6.5}]', "mode"),
])
def test_what_is_wrong_is_named(data, word):
    with pytest.raises(UsageError) as refused:
        read_changes_json(data)

    assert refused.value.field == "changes"
    assert word in str(refused.value)
