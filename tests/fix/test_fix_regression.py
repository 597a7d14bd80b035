"""A fault that no test saw gets a test, which is shown to see it."""

import subprocess
import sys

import pytest
from fixing import ONE_FAULT, PYTEST, write

from windtunnel.config import Settings
from windtunnel.core.repair import FixState
from windtunnel.tunnel import Tunnel

pytestmark = pytest.mark.slow
SCRIPT = {"main.py": 'import json\n\nprint(jsn.dumps({"a": 1}))\n', "tests/test_other.py": "def test_other(): pass\n"}


@pytest.fixture
def tunnel(tmp_path):
    with Tunnel(Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache"), pool_size=0) as made:
        yield made


def test_a_command_that_failed_becomes_a_test_that_fails_without_the_fix_and_passes_with_it(tunnel, tmp_path):
    project = write(tmp_path / "project", SCRIPT)

    result = tunnel.fix(project, test="python main.py", build="", lint="")

    assert (result.state, "json.dumps" in result.diff) == (FixState.FIXED, True), result
    assert "+++ b/tests/test_main_py.py" in result.regression_test
    ends = []
    for patch in (result.regression_test, result.diff):
        subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=project, check=True)
        done = subprocess.run([sys.executable, "-m", "unittest", "discover", "-s", "tests", "-p", "test_main_py.py"],
                              cwd=project, capture_output=True, text=True, check=False)
        ends.append((done.returncode, "Ran 1 test" in done.stderr))
    assert ends == [(1, True), (0, True)]


def test_where_a_test_saw_the_fault_none_is_written(tunnel, tmp_path):
    result = tunnel.fix(write(tmp_path / "project", ONE_FAULT), **PYTEST)

    assert (result.state, result.regression_test) == (FixState.FIXED, "")
