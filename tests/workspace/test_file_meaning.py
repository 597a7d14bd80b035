import pytest

from windtunnel.core.effects import FileEffect
from windtunnel.workspace.effects import describe


def effect(path, **more):
    return FileEffect(path=f"/workspace/{path}", kind=more.pop("kind", "file"), **more)


@pytest.mark.parametrize(("path", "litter"), [
    ("src/__pycache__/a.cpython-311.pyc", "bytecode cache"), (".pytest_cache/v/cache/lastfailed", "pytest cache"),
    (".coverage", "coverage data"), ("web/node_modules/.cache/x", "package cache"), ("target/debug/a", "build output"),
    (".venv/lib/python3.11/site-packages/a/__pycache__/b.pyc", "bytecode cache"), ("src/data.json", ""),
])
def test_expected_litter_is_known_by_its_place(path, litter):
    assert (describe(effect(path)).litter, describe(effect(path)).runs_later) == (litter, "")


@pytest.mark.parametrize(("path", "later"), [
    (".git/hooks/pre-commit", "git hook"), ("sub/.github/workflows/ci.yml", "CI"), (".bashrc", "shell start-up"),
    ("conftest.py", "test runner start-up"), ("tests/conftest.py", "test runner start-up"),
    (".venv/lib/python3.11/site-packages/evil.pth", "interpreter start-up"), ("Makefile", "build script"),
])
def test_what_would_run_later_is_named_and_never_folded_away(path, later):
    assert (describe(effect(path)).runs_later, describe(effect(path)).litter) == (later, "")


def test_a_new_folder_is_no_news_but_a_deleted_one_is():
    assert (describe(effect("out", kind="folder")).litter, describe(effect("out", kind="folder", act="deleted")).litter) == (
        "folder", "")
