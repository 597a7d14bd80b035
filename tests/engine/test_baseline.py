"""The unchanged project is run once, and again when anything that it depends on is another."""

import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from trials import CALC, ONE_RUNNER, OTHER, QUICK, SHOP, write

from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact, Reason
from windtunnel.core.trial import Channel, Check, CheckReport, Checks, ExecutionTestResult, Kind, Status
from windtunnel.engine.baseline import baseline, key_of, surroundings
from windtunnel.engine.course import not_run

CHECK = Check(kind=Kind.TEST, tool="pytest", argv=("pytest",))
REPORT = CheckReport(
    check=CHECK, exit_code=1, reason=Reason.EXITED, execution_time=0.5, channel=Channel.LIVE, stdout="words", touched={"a": ("a.py:1",)},
    tests=(ExecutionTestResult(id="a", status=Status.FAILED, message="caf\xe9 \udcff", duration_seconds=0.25, line=3),))
KEY = "a" * 64


class Shelf:
    """Keeps in memory."""

    def __init__(self):
        self.kept = {}

    def get(self, key):
        return self.kept.get(key)

    def put(self, key, products):
        self.kept[key] = products


@pytest.fixture
def shelf():
    return Shelf()


@pytest.fixture
def kept_rig(rig, shelf):
    return replace(rig, builds=shelf)


def test_what_was_kept_comes_back_whole(kept_rig):
    first = baseline(kept_rig, KEY, lambda: (REPORT,))
    second = baseline(kept_rig, KEY, lambda: pytest.fail("it was run again"))

    assert (first, second) == (((REPORT,), False), ((REPORT,), True))


def test_a_run_that_was_stopped_is_not_kept(kept_rig, shelf):
    baseline(kept_rig, KEY, lambda: (REPORT, not_run(CHECK, Reason.TIMEOUT)))

    assert shelf.kept == {}


@pytest.mark.parametrize("data", [b"", b"{}", b"[5]", b"\xff\xfe", b'[{"check": 1}]', b'[{"unknown": 1}]', b"null", b"5", b"[" * 50_000])
def test_what_cannot_be_read_is_run_again(kept_rig, shelf, data):
    shelf.kept[KEY] = {"reports.json": Artifact(data=data)}

    assert baseline(kept_rig, KEY, lambda: (REPORT,)) == ((REPORT,), False)


def test_products_of_a_build_are_not_kept_with_it(kept_rig):
    built = replace(REPORT, products={"big.bin": Artifact(data=b"\xff" * 100)})
    baseline(kept_rig, KEY, lambda: (built,))

    assert baseline(kept_rig, KEY, lambda: ())[0] == (REPORT,)


def test_without_a_shelf_it_is_run_each_time(rig: Rig):
    runs = []

    def run():
        runs.append(1)
        return (REPORT,)

    assert [baseline(rig, KEY, run)[1], baseline(rig, KEY, run)[1], len(runs)] == [False, False, 2]


@pytest.mark.parametrize("other", [
    {"tree": "other"}, {"argv": ("pytest", "-q")}, {"tool": "command"}, {"kind": Kind.LINT}, {"surroundings": {"limits": "other"}}], ids=str)
def test_the_key_is_another_when_anything_is(other):
    def key(*, tree="tree", surroundings=None, **check):
        return key_of(tree, Checks(checks=(replace(CHECK, **check),)), surroundings=surroundings or {"limits": "same"})

    assert key() == key()
    assert key(**other) != key()


def test_a_package_that_comes_to_an_environment_is_seen(tmp_path):
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    before = surroundings((str(tmp_path / "lib"),), {})

    (packages / "further-1.0.dist-info").mkdir()

    assert surroundings((str(tmp_path / "lib"),), {}) != before


def test_a_program_that_is_replaced_is_seen(tmp_path):
    program = tmp_path / "runner"
    program.write_text("1")
    before = surroundings((str(program),), {})

    (tmp_path / "new").write_text("2")
    (tmp_path / "new").replace(program)

    assert surroundings((str(program),), {}) != before


# --- in the real sandbox ---

@pytest.fixture
def cached(tunnel, tmp_path):
    """Asks whether the baseline of a project was at hand."""
    project = write(tmp_path / "project", {**SHOP, "own.txt": str(tmp_path)})

    def ask(**options):
        return tunnel.try_change(project, [], **{**ONE_RUNNER, "test": "true", **options}).baseline_cached

    ask.project = project
    return ask


def test_the_second_trial_uses_what_the_first_one_ran(cached):
    assert [cached(), cached()] == [False, True]


def test_a_file_that_changes_or_comes_runs_it_again_and_the_old_state_is_still_known(cached):
    cached()
    write(cached.project, {"calc.py": OTHER})
    changed = cached()
    write(cached.project, {"calc.py": CALC, "notes.txt": "new"})
    came = cached()
    (cached.project / "notes.txt").unlink()

    assert (changed, came, cached()) == (False, False, True)


def test_another_mode_of_a_file_runs_it_again(cached):
    cached()
    (cached.project / "calc.py").chmod(0o755)

    assert not cached()


def test_caches_in_the_project_do_not(cached):
    cached()
    write(cached.project, {"__pycache__/calc.pyc": "x", ".pytest_cache/v": "x", ".coverage": "x"})

    assert cached()


@pytest.mark.parametrize("options", [
    {"test": "true -q"}, {"limits": Limits(wall_seconds=40)}, {"env": {**QUICK, "A": "1"}}, {"pattern": "add"}, {"network_enabled": True}], ids=str)
def test_another_command_limit_variable_pattern_or_network_runs_it_again(cached, options):
    cached()

    assert not cached(**options)


def test_other_hosts_for_the_build_run_it_again(cached):
    write(cached.project, {"build.sh": "true\n"})
    cached(build="sh build.sh")

    assert not cached(build="sh build.sh", build_hosts=["index.example"])


def test_a_package_that_comes_to_the_environment_of_a_project_runs_it_again(cached):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", cached.project / ".venv"], check=True)
    cached(test="python -c 1")
    (packages,) = (cached.project / ".venv" / "lib").glob("python3*/site-packages")
    write(packages, {"further.py": "x = 1\n"})

    assert not cached(test="python -c 1")


def test_a_damaged_cache_is_a_miss(cached, tunnel):
    cached()
    for entry in (tunnel.settings.cache_dir / "builds").iterdir():
        entry.chmod(0o600)
        entry.write_bytes(entry.read_bytes()[:-1])
    shutil.rmtree(tunnel.settings.cache_dir / "trees")

    assert not cached()
