"""Which files are tests."""

from __future__ import annotations

import fnmatch
import re
from pathlib import PurePosixPath

_TEST_FOLDERS = {
    "tests",
    "test",
    "__tests__",
    "__snapshots__",
    "__mocks__",
    "__fixtures__",
    "testdata",
    "test-data",
    "test_data",
    "e2e",
    "cypress",
    "goldens",
    "golden",
}
_SPEC_FOLDERS = {"spec", "specs"}
_TEST_NAME = re.compile(
    r"^(test_.*|.*_tests?|tests?)\.pyi?$|\.(test|spec|e2e|cy)\.[cm]?[jt]sx?$|^tests?\.[cm]?[jt]sx?$|_test\.(go|rb|exs|dart|c|cc|cpp)$|"
    r"^(Test\w*|\w+(Tests?|TestCase|IT|Spec|Specs))\.(java|kt|kts|groovy|scala|cs|swift|php)$|_spec\.rb$|^tests\.rs$|"
    r"\.(snap|ambr|approved\.\w+|golden)$|^test-.*\.[cm]?js$"
)
_SCRIPTS = re.compile(r"\.[cm]?[jt]sx?$")


def is_test(path: str, *, patterns: tuple[str, ...] = ()) -> bool:
    """Whether a file is a test, or belongs to one: fixtures, snapshots, data.

    ``patterns`` are further names of test files that the project's own configuration gives (``check_*.py``).
    """
    parts = PurePosixPath(path).parts
    if not parts:
        return False
    name, folders = parts[-1], set(parts[:-1])
    if folders & _TEST_FOLDERS or _TEST_NAME.search(name):
        return True
    if ("fixtures" in folders and not path.endswith(".py")) or (
        folders & _SPEC_FOLDERS and (_SCRIPTS.search(name) or name.endswith(".rb"))
    ):
        return True
    return any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path, pattern) for pattern in patterns)
