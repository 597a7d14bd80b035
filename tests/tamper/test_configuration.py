"""Changes of the runner's configuration: what silences is blocked, the rest is shown."""

from __future__ import annotations

import json

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import scan

INI = "[pytest]\naddopts = -ra\ntestpaths = tests\ntimeout = 10\nxfail_strict = true\n"
TOML = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = ["-ra"]\ntestpaths = ["tests"]\n'
PACKAGE = {"name": "a", "scripts": {"test": "jest", "build": "tsc"}, "jest": {"testTimeout": 1000}}
TOX = "[tox]\nenvlist = py311\n[testenv]\ncommands = pytest\n"
MAKE = "test:\n\tpytest\n\nclean:\n\trm -rf build\n"
JEST = "module.exports = { testEnvironment: 'node', testTimeout: 1000 };\n"
FIXTURE = "import pytest\n\n@pytest.fixture\ndef shop():\n    return 1\n"


def package(**parts: object) -> str:
    return json.dumps(PACKAGE | parts)


BLOCKED = [
    ("pytest.ini", INI, INI.replace("-ra", "-ra --collect-only")),
    ("pytest.ini", INI, INI.replace("-ra", "-ra -k easy")),
    ("pytest.ini", INI, INI.replace("-ra", "-p myplugin")),
    ("pytest.ini", INI, INI.replace("-ra", "--deselect tests/test_a.py::test_b")),
    ("pytest.ini", INI, INI.replace("= tests", "= tests/easy")),
    ("pytest.ini", INI, INI.replace("= 10", "= 100")),
    ("pytest.ini", INI, INI.replace("timeout = 10\n", "")),
    ("pytest.ini", INI, INI.replace("true", "false")),
    ("pytest.ini", INI, INI + "norecursedirs = tests\n"),
    ("pytest.ini", INI, None),
    ("pytest.ini", None, "[pytest]\naddopts = --ignore=tests\n"),
    ("pyproject.toml", TOML, TOML.replace('"-ra"', '"--ignore=tests/test_a.py"')),
    ("pyproject.toml", TOML, TOML + '\n[project.entry-points.pytest11]\nx = "a.b"\n'),
    ("package.json", package(), package(scripts={"test": "true", "build": "tsc"})),
    ("package.json", package(), package(scripts={"test": "jest || true", "build": "tsc"})),
    ("package.json", package(), package(scripts={"test": "jest --passWithNoTests", "build": "tsc"})),
    ("package.json", package(), package(scripts={"test": "jest -t easy", "build": "tsc"})),
    ("package.json", package(), package(scripts={"test": "echo ok", "build": "tsc"})),
    ("package.json", package(), package(jest={"testTimeout": 60000})),
    ("package.json", package(), package(jest={"testTimeout": 1000, "testPathIgnorePatterns": ["add"]})),
    ("package.json", package(), package(scripts={"test": "jest", "pretest": "node tools/prepare.js"})),
    ("package.json", package(), package(scripts={"test": "jest", "posttest": "sh ./tidy.sh"})),
    ("package.json", package(), package(scripts={"test": "npm run unit", "unit": "jest src/easy.test.js"})),
    ("package.json", package(), package(scripts={"test": "npm run unit", "unit": "npm run quick", "quick": "true"})),
    ("package.json", package(), package(scripts={"test": "node tools/tests.js"})),
    ("package.json", package(), package(scripts={"test": "node test/easy.js"})),
    ("package.json", package(), package(scripts={"build": "tsc"})),
    (".npmrc", None, "node-options=--import=./tools/setup.mjs\n"),
    (".npmrc", "save-exact=true\n", "save-exact=true\nscript-shell = /bin/true\n"),
    ("pyproject.toml", TOML, TOML.replace('testpaths = ["tests"]', 'testpaths = ["tests/easy"]')),
    ("pytest.ini", INI, INI + "norecursedirs = .* build unit_tests\n"),
    ("tox.ini", TOX, TOX.replace("= pytest", "= - pytest")),
    ("tox.ini", TOX, TOX.replace("= pytest", "= true")),
    ("Makefile", MAKE, MAKE.replace("\tpytest", "\tpytest || true")),
    ("jest.config.js", JEST, JEST.replace("testEnvironment", "testPathIgnorePatterns: ['add'], testEnvironment")),
    ("jest.config.js", JEST, JEST.replace("1000", "100000")),
    ("jest.config.js", None, "module.exports = { testPathIgnorePatterns: ['add'] };\n"),
    (
        "conftest.py",
        FIXTURE,
        FIXTURE + "def pytest_runtest_makereport(item, call):\n    r = 1\n    r.outcome = 'passed'\n",
    ),
    ("conftest.py", FIXTURE, FIXTURE + "def pytest_collection_modifyitems(items):\n    items[:] = []\n"),
    (
        "conftest.py",
        FIXTURE,
        FIXTURE
        + "def pytest_collection_modifyitems(items):\n    for i in items:\n        i.add_marker(pytest.mark.skip)\n",
    ),
    ("conftest.py", FIXTURE, FIXTURE + "collect_ignore = ['test_a.py']\n"),
    ("conftest.py", FIXTURE, FIXTURE + "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"),
    ("conftest.py", None, "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"),
    ("conftest.py", FIXTURE, FIXTURE + "import _pytest.assertion\n_pytest.assertion.rewrite = None\n"),
    ("sitecustomize.py", None, "x = 1\n"),
    ("src/usercustomize.py", None, "x = 1\n"),
    ("a.pth", None, "import os\n"),
    ("pytest.py", None, "def main():\n    return 0\n"),
    ("unittest/__init__.py", None, ""),
    ("src/_pytest/__init__.py", None, ""),
    ("node_modules/jest/index.js", None, "module.exports = {};\n"),
    (".venv/lib/python3.11/site-packages/a.py", None, ""),
    (".git/hooks/pre-commit", None, "true\n"),
]
SHOWN = [
    ("pytest.ini", INI, INI.replace("-ra", "-ra --strict-markers")),
    ("pytest.ini", INI, INI.replace("-ra", "-ra --cov=shop -n auto")),
    ("pytest.ini", INI, INI + "markers =\n    slow: slow\n"),
    ("pytest.ini", INI, INI.replace("= tests", "= tests integration")),
    ("pytest.ini", INI, INI.replace("= 10", "= 5")),
    ("pytest.ini", INI, INI + "filterwarnings =\n    ignore::DeprecationWarning\n"),
    ("pytest.ini", None, "[pytest]\ntestpaths = tests\n"),
    ("pyproject.toml", TOML, TOML.replace('"a"', '"b"')),
    ("pyproject.toml", TOML, TOML + "\n[tool.ruff]\nline-length = 100\n"),
    ("pyproject.toml", TOML, TOML + 'asyncio_mode = "auto"\n'),
    ("pyproject.toml", TOML, TOML + "\n[tool.coverage.run]\nbranch = true\n"),
    ("package.json", package(), package(version="1.0.1")),
    ("package.json", package(), package(scripts={"test": "jest --coverage", "build": "tsc"})),
    ("package.json", package(), package(scripts={"test": "jest", "test:watch": "jest --watch", "build": "tsc"})),
    ("package.json", package(), package(jest={"testTimeout": 500, "testEnvironment": "jsdom"})),
    ("package.json", package(), package(dependencies={"left-pad": "1.0.0"})),
    ("package.json", package(), package(scripts={"test": "jest", "pretest": "npm run build", "build": "tsc"})),
    ("package.json", package(), package(scripts={"test": "jest", "pretest": "eslint . && tsc --noEmit"})),
    ("package.json", package(), package(scripts={"test": "npm run unit", "unit": "jest"})),
    ("package.json", package(), package(scripts={"test": "vitest run", "build": "tsc"})),
    ("package.json", package(), package(scripts={"test": "jest", "test:one": "jest src/one.test.js"})),
    (
        "package.json",
        package(scripts={"test": "jest && node test/web/a.mjs"}),
        package(scripts={"test": "jest && node test/web/a.mjs && node test/web/b.mjs"}),
    ),
    (
        "package.json",
        package(scripts={"test": "node scripts/version 18 || (jest && node test/web/a.mjs)"}),
        package(scripts={"test": "jest && node test/web/a.mjs"}),
    ),
    (".npmrc", None, "save-exact=true\n"),
    ("pytest.ini", INI, INI + "norecursedirs = .* build dist\n"),
    ("tox.ini", TOX + "[testenv:docs]\ncommands = pytest docs\n", TOX),
    ("tox.ini", TOX, TOX.replace("py311", "py311, py312")),
    ("tox.ini", TOX, TOX.replace("= pytest", "= pytest --cov")),
    ("Makefile", MAKE, MAKE + "\nlint:\n\truff check\n"),
    ("Makefile", MAKE, MAKE.replace("\tpytest", "\tpytest -q")),
    ("jest.config.js", JEST, JEST.replace("'node'", "'jsdom'")),
    ("jest.config.js", None, "module.exports = { testEnvironment: 'node', testMatch: ['**/*.test.js'] };\n"),
    ("conftest.py", FIXTURE, FIXTURE + "\n@pytest.fixture\ndef cart(shop):\n    return [shop]\n"),
    ("tests/conftest.py", None, FIXTURE),
    (
        "conftest.py",
        FIXTURE,
        FIXTURE + "def pytest_addoption(parser):\n    parser.addoption('--slow')\n"
        "def pytest_collection_modifyitems(config, items):\n    for i in items:\n        if 'slow' in i.keywords and not config.getoption('--slow'):\n"
        "            i.add_marker(pytest.mark.skip)\n",
    ),
    (
        "conftest.py",
        FIXTURE,
        FIXTURE + "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    result = yield\n    item.report = result.get_result()\n",
    ),
    (".github/workflows/ci.yml", None, "on: push\n"),
    ("calendar.py", None, "def days():\n    return 7\n"),
    ("src/shop/json.py", None, "def dumps():\n    return ''\n"),
]


def blocked(path: str, old: str | None, new: str | None) -> bool:
    change = FileChange(path, "delete" if new is None else "create" if old is None else "modify", new)
    before = {} if old is None else {path: old.encode()}
    return any(each.severity == "block" for each in scan(ChangeSet(changes=(change,)), before=before.get))


def outcome(changes: dict[str, str | None], *, old: dict[str, str], tests: dict[str, bytes]) -> bool:
    """Whether a change of several files is blocked, when these tests are there."""
    made = tuple(FileChange(path, "delete" if text is None else "modify", text) for path, text in changes.items())
    before = {path: text.encode() for path, text in old.items()}
    found = scan(ChangeSet(changes=made), before=before.get, tests=tests)
    return any(each.severity == "block" for each in found)


def test_a_configuration_may_move_to_another_file():
    moved = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-ra"\ntestpaths = "tests"\n'
    old = {"setup.cfg": "[tool:pytest]\naddopts = -ra\ntestpaths = tests\n", "pyproject.toml": '[project]\nname = "a"\n'}

    assert not outcome({"setup.cfg": None, "pyproject.toml": moved}, old=old, tests={})


def test_a_configuration_that_loses_something_by_moving_is_blocked():
    moved = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-ra"\ntestpaths = "tests/easy"\n'
    old = {"setup.cfg": "[tool:pytest]\naddopts = -ra\ntestpaths = tests\n", "pyproject.toml": '[project]\nname = "a"\n'}

    assert outcome({"setup.cfg": None, "pyproject.toml": moved}, old=old, tests={"tests/test_a.py": b""})


@pytest.mark.parametrize(("tests", "is_blocked"), [({"tests/test_a.py": b""}, False), ({"shop/test_a.py": b""}, True)])
def test_a_folder_without_tests_need_not_be_searched(tests, is_blocked):
    old = {"pytest.ini": "[pytest]\ntestpaths = tests shop\n"}

    assert outcome({"pytest.ini": "[pytest]\ntestpaths = tests\n"}, old=old, tests=tests) is is_blocked


@pytest.mark.parametrize(("tests", "is_blocked"), [({"docs/a/test_a.py": b""}, False), ({"docs/new/test_a.py": b""}, True)])
def test_a_folder_that_has_no_tests_yet_may_be_ignored(tests, is_blocked):
    old = {"docs/conftest.py": "collect_ignore = ['old']\n"}

    assert outcome({"docs/conftest.py": "collect_ignore = ['old', 'new']\n"}, old=old, tests=tests) is is_blocked


@pytest.mark.parametrize("row", BLOCKED, ids=lambda row: f"{row[0]}: {(row[2] or 'deleted')[-50:]!r}")
def test_a_configuration_that_silences_is_blocked(row):
    assert blocked(*row)


@pytest.mark.parametrize("row", SHOWN, ids=lambda row: f"{row[0]}: {row[2][-50:]!r}")
def test_a_configuration_that_does_not_is_let_through(row):
    assert not blocked(*row)
