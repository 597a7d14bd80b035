"""The change with the unchanged project's tests and runner configuration laid over it."""

from __future__ import annotations

import json

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import Sides, is_runner, is_test, pristine

TOML = b'[project]\nname = "a"\nversion = "1"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'
PACKAGE = b'{\n  "name": "a",\n  "version": "1.0.0",\n  "scripts": {\n    "build": "tsc",\n    "test": "jest"\n  }\n}\n'
MAKE = b"PYTHON = python3\n\ntest: build\n\t$(PYTHON) -m pytest\n\nbuild:\n\ttrue\n\nclean:\n\trm -rf build\n"
OLD = {
    "calc.py": b"x = 1\n",
    "tests/test_calc.py": b"def test_a():\n    assert 1\n",
    "pyproject.toml": TOML,
    "package.json": PACKAGE,
    "Makefile": MAKE,
    "tests/conftest.py": b"",
    "setup.cfg": b"[metadata]\nname = a\n",
    "conftest.py": b"",
}


def laid(path: str, new: str | None) -> tuple[list[str], tuple[str, ...], tuple[str, ...]]:
    operation = "delete" if new is None else "modify" if path in OLD else "create"
    made = pristine(ChangeSet(changes=(FileChange(path, operation, new),)), before=OLD.get)
    return [each.relative_path for each in made.changes], made.laid_over, made.dropped


@pytest.mark.parametrize("path", [
    "tests/test_new.py", "conftest.py.d/conftest.py", "sub/conftest.py", "pytest.ini", ".pytest.ini", "sitecustomize.py", "usercustomize.py",
    "a.pth", "pytest.py", "src/pytest.py", "_pytest/__init__.py", "unittest.py", "unittest/__init__.py", "os.py", "src/inspect.py",
    "jest.config.js", "vitest.config.ts", ".mocharc.json", "babel.config.js", "node_modules/jest/index.js", ".venv/lib/x.py",
    "__pycache__/calc.cpython-311.pyc", "tests/helper.py", "a.test.js", "src/__tests__/a.js", "tox.ini", ".git/hooks/pre-commit",
    ".coveragerc", "noxfile.py", "tests/data/x.json", "pluggy/__init__.py",
])  # fmt: skip
def test_a_new_file_that_could_bend_the_run_is_dropped(path):
    assert laid(path, "") == ([], (), (path,))


@pytest.mark.parametrize("path", [
    "new.py", "src/pkg/types.py", "src/pkg/json.py", "src/pkg/os.py", "calendar.py", "docs/a.md", "src/app.ts", "shop/testing.py", "README.md",
    "contest.py", "latest.py", "src/spec/openapi.py", "requirements.txt", "attestation/main.py",
])  # fmt: skip
def test_a_new_file_of_the_product_stays(path):
    assert laid(path, "") == ([path], (), ())


@pytest.mark.parametrize(("path", "new"), [
    ("tests/test_calc.py", ""), ("tests/test_calc.py", None), ("tests/conftest.py", "x = 1\n"), ("conftest.py", None),
    ("pyproject.toml", None), ("package.json", None),
    ("pyproject.toml", TOML.decode().replace('"tests"', '"tests/easy"')), ("pyproject.toml", "not toml ["),
    ("setup.cfg", "[metadata]\nname = a\n[tool:pytest]\naddopts = -k none\n"),
    ("Makefile", MAKE.decode().replace("-m pytest", "-c pass")), ("Makefile", MAKE.decode().replace("python3", "true")),
    ("Makefile", MAKE.decode().replace("\ttrue", "\tfalse")),
])  # fmt: skip
def test_a_changed_test_or_runner_file_stays_as_it_was(path, new):
    assert laid(path, new) == ([], (path,), ())


@pytest.mark.parametrize(("path", "new"), [
    ("calc.py", "x = 2\n"), ("calc.py", None), ("pyproject.toml", TOML.decode().replace('"1"', '"2"')),
    ("package.json", PACKAGE.decode().replace("1.0.0", "1.1.0")), ("setup.cfg", "[metadata]\nname = b\n"),
    ("Makefile", MAKE.decode().replace("rm -rf build", "rm -rf build dist")), ("package.json", PACKAGE.decode().replace("tsc", "tsc -b")),
])  # fmt: skip
def test_a_change_outside_the_test_configuration_stays(path, new):
    assert laid(path, new) == ([path], (), ())


def test_a_package_keeps_its_own_changes_and_gets_the_old_test_script_back():
    new = PACKAGE.decode().replace("1.0.0", "1.1.0").replace('"jest"', '"true"').replace('"tsc",', '"tsc -b",')
    made = pristine(ChangeSet(changes=(FileChange("package.json", "modify", new),)), before=OLD.get)

    assert made.laid_over == ("package.json",)
    assert made.changes.changes[0].data.decode() == PACKAGE.decode().replace("1.0.0", "1.1.0").replace(
        '"tsc"', '"tsc -b"'
    )


def test_a_new_package_comes_without_its_test_configuration():
    text = '{"name": "a", "jest": {"testMatch": []}}'
    made = pristine(ChangeSet(changes=(FileChange("web/package.json", "create", text),)), before=OLD.get)

    assert json.loads(made.changes.changes[0].data) == {"name": "a"}


def test_a_new_project_file_with_test_configuration_is_dropped():
    made = pristine(ChangeSet(changes=(FileChange("pyproject.toml", "create", TOML),)), before={}.get)

    assert made.dropped == ("pyproject.toml",)


def test_the_project_says_itself_what_else_is_a_test():
    old = {"pytest.ini": b"[pytest]\npython_files = check_*.py\n", "check_a.py": b""}
    made = pristine(ChangeSet(changes=(FileChange("check_a.py", "modify", "x"),)), before=old.get)

    assert made.laid_over == ("check_a.py",)


def test_both_sides_of_a_change_can_be_read():
    sides = Sides.of(
        ChangeSet(changes=(FileChange("calc.py", "modify", "x = 2\n"), FileChange("setup.cfg", "delete"))),
        before=OLD.get,
    )

    assert (sides.before("calc.py"), sides.after("calc.py"), sides.after("setup.cfg"), sides.after("Makefile")) == (
        b"x = 1\n",
        b"x = 2\n",
        None,
        MAKE,
    )


@pytest.mark.parametrize(("path", "test", "runner"), [
    ("tests/test_a.py", True, False), ("src/a_test.go", True, False), ("src/test/java/ATest.java", True, False), ("a.spec.tsx", True, False),
    ("pkg/conftest.py", False, True), ("package.json", False, True), ("jest.config.ts", False, True), (".mocharc.yml", False, True),
    ("src/a.py", False, False), ("testing.py", False, False), ("src/contest/a.py", False, False), ("x/__snapshots__/a.snap", True, False),
])  # fmt: skip
def test_files_are_told_apart_by_their_names(path, test, runner):
    assert (is_test(path), is_runner(path)) == (test, runner)
