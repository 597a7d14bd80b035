"""Tests and product code of one change together."""

from __future__ import annotations

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import Sides, adapted, compare_all, removed_names, scan

TEST = "from calc import add\n\ndef test_add():\n    assert add(2, 3) == 5\n    assert add(1, 1) == 2\n"
CALC = "def add(a, b):\n    return a + b\n"
RENAMED = TEST.replace("assert add(", "assert plus(").replace("import add", "import plus")
OLD = {"calc.py": CALC.encode(), "tests/test_calc.py": TEST.encode()}


def change(**files: str | None) -> ChangeSet:
    named = {"calc": "calc.py", "other": "other.py", "test": "tests/test_calc.py", "moved": "tests/test_sums.py"}
    return ChangeSet(
        changes=tuple(
            FileChange(named[key], "delete" if text is None else "modify", text) for key, text in files.items()
        )
    )


def rules(changes: ChangeSet) -> set[tuple[str, str]]:
    return {(each.rule, each.severity) for each in compare_all(changes, before=OLD.get)}


def blocked(changes: ChangeSet) -> set[str]:
    return {each.rule for each in scan(changes, before=OLD.get) if each.severity == "block"}


def test_a_feature_with_its_tests_is_let_through():
    made = change(
        calc=CALC + "\ndef sub(a, b):\n    return a - b\n",
        test=TEST.replace("import add", "import add, sub") + "\ndef test_sub():\n    assert sub(3, 2) == 1\n",
    )

    assert blocked(made) == set()


def test_a_test_may_move_to_another_file():
    assert rules(change(test=None, moved=TEST)) == set()


def test_a_test_that_moves_and_loses_an_assertion_is_blocked():
    assert rules(change(test=None, moved=TEST.replace("    assert add(1, 1) == 2\n", ""))) == {
        ("test-deleted", "block")
    }


def test_a_test_that_moves_into_a_skipped_one_is_blocked():
    moved = TEST.replace("def test_add", "import pytest\n@pytest.mark.skip\ndef test_add")

    assert rules(change(test=None, moved=moved)) == {("test-deleted", "block")}


def test_a_test_that_follows_a_renamed_function_is_shown():
    assert rules(change(calc=CALC.replace("add", "plus"), test=RENAMED)) == {("test-adapted", "show")}


def test_a_test_that_follows_a_new_parameter_is_shown():
    made = change(
        calc="def add(a, b, base):\n    return a + b + base\n", test=TEST.replace("3)", "3, 0)").replace("1)", "1, 0)")
    )

    assert rules(made) == {("assert-changed", "show")}


def test_a_test_that_uses_the_excuse_to_expect_something_else_is_blocked():
    test = RENAMED.replace("== 5", "== 6")

    assert ("assert-removed", "block") in rules(change(calc=CALC.replace("add", "plus"), test=test))


@pytest.mark.parametrize(("new", "removed", "is_adapted"), [
    (RENAMED, {"add"}, True),
    (RENAMED, {"sub"}, False),
    (TEST.replace("add", "plus"), {"add"}, True),
    (RENAMED + "    assert plus(0, 0) == 0\n", {"add"}, True),
    (TEST.replace("add(2, 3)", "sum((2, 3))"), {"add"}, False),
    (TEST.replace("add(2", "plus(2").replace("add(1", "minus(1"), {"add"}, False),
    (TEST.replace("    assert add(1, 1) == 2\n", ""), {"add"}, False),
    (TEST.replace("== 5", "== 6"), {"add"}, False),
    (TEST.replace("add(2, 3) == 5", "add(2, 3) >= 5"), {"add"}, False),
    (TEST.replace("def test_add():\n", "def test_add():\n    return\n"), {"add"}, False),
    (TEST.replace("from calc import add", "def plus(a, b):\n    return 5").replace("add(", "plus("), {"add"}, False),
    (TEST.replace("from calc", "from calc.sums"), {"calc"}, True),
])  # fmt: skip
def test_only_names_that_are_gone_may_differ(new, removed, is_adapted):
    found = adapted(TEST.encode(), new.encode(), path="tests/test_calc.py", removed=frozenset(removed))

    assert [(each.rule, each.severity) for each in found] == ([("test-adapted", "show")] if is_adapted else [])


@pytest.mark.parametrize(("new", "is_adapted"), [
    ("expect(plus(2, 3)).toBe(5);", True), ("expect(plus(2, 3)).toBe(6);", False), ("expect(plus(2, 3)).toBeDefined();", False),
])  # fmt: skip
def test_a_script_may_follow_a_renamed_function(new, is_adapted):
    found = adapted(b"expect(add(2, 3)).toBe(5);", new.encode(), path="add.test.js", removed=frozenset({"add"}))

    assert bool(found) is is_adapted


MOVED = "import { add } from '../src/add.js';\nexpect(add(2, 3)).toBe(5);\n"


@pytest.mark.parametrize(("new", "is_adapted"), [
    (MOVED.replace("src/add.js", "src/numbers/add.js"), True), (MOVED.replace("src/add.js", "test/fake.js"), False),
    (MOVED.replace("src/add.js", "src/numbers/add.js").replace("5", "6"), False),
])  # fmt: skip
def test_a_script_may_follow_a_file_that_moved(new, is_adapted):
    source = b"export const add = (a, b) => a + b;\n"
    changes = ChangeSet(changes=(
        FileChange("src/add.js", "delete"), FileChange("src/numbers/add.js", "create", source.decode())))  # fmt: skip
    removed = removed_names(changes, Sides.of(changes, before={"src/add.js": source}.get))

    assert bool(adapted(MOVED.encode(), new.encode(), path="test/add.test.js", removed=removed)) is is_adapted


def test_an_import_may_not_follow_to_another_place_when_nothing_moved():
    new = MOVED.replace("src/add.js", "src/other.js")

    assert adapted(MOVED.encode(), new.encode(), path="test/add.test.js", removed=frozenset({"file:less"})) == ()


def test_a_pipeline_is_shown_and_a_hook_blocked():
    made = ChangeSet(
        changes=(
            FileChange(".github/workflows/ci.yml", "create", "x"),
            FileChange(".git/hooks/pre-push", "create", "x"),
        )
    )

    assert {(each.rule, each.severity) for each in scan(made, before={}.get)} == {
        ("runs-elsewhere", "show"),
        ("plants-file", "block"),
    }
