"""Images of packages: the machine's own sources, mmdebstrap's command line, and its end in every case."""

from __future__ import annotations

import io
import os
import select
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from image_engine import members

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.sandbox.container.image_packages import (
    PATH,
    arguments,
    environment,
    machine_identity,
    sources_list,
    write_packages,
)

DEBIAN = {"distribution": "debian", "codename": "bookworm"}
MAIN = "http://mirror.example/debian/|bookworm|main|amd64|Debian"

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can install packages into an image")


# --- sources ---

def test_the_sources_are_those_of_the_machine_for_its_own_release():
    targets = f"""{MAIN}
{MAIN}
http://mirror.example/debian-security/|bookworm-security|main|amd64|Debian
https://other.example/node/|nodistro|main|amd64|Other
https://other.example/apt/|bookworm|stable|amd64|Docker
http://mirror.example/debian/|trixie|main|amd64|Debian"""

    assert sources_list(targets, **DEBIAN) == (
        "deb [arch=amd64] http://mirror.example/debian/ bookworm main\n"
        "deb [arch=amd64] http://mirror.example/debian-security/ bookworm-security main\n")


@pytest.mark.parametrize("origin", ["", "$(ORIGIN)"])
def test_a_source_that_was_never_read_is_taken(origin):
    assert sources_list(f"http://mirror.example/debian/|bookworm|main|amd64|{origin}", **DEBIAN) == (
        "deb [arch=amd64] http://mirror.example/debian/ bookworm main\n")


@pytest.mark.parametrize("targets", [
    "", "nonsense", "a|b", "http://m/ [trusted=yes]|bookworm|main|amd64|Debian", "http://m/|bookworm|ma in|amd64|Debian",
    "http://m/|bookworm|main|amd64]|Debian", "|bookworm|main|amd64|Debian"])
def test_without_a_source_that_makes_sense_the_refusal_names_another_way(targets):
    with pytest.raises(IsolationUnavailable, match="--from files"):
        sources_list(targets, **DEBIAN)


def test_the_release_is_read_as_the_machine_says_it():
    assert machine_identity('NAME="Debian"\nVERSION_CODENAME=bookworm\nID=debian\nID_LIKE=x\n') == ("debian", "bookworm")


@pytest.mark.parametrize("text", ["", "ID=arch\n", "VERSION_CODENAME=--help\nID=debian\n"])
def test_a_machine_without_such_packages_is_refused(text):
    with pytest.raises(IsolationUnavailable, match="no Debian or Ubuntu"):
        machine_identity(text)


# --- the command line ---

def test_the_command_line_names_packages_and_settings_and_no_mirror():
    assert arguments("/usr/bin/mmdebstrap", ("ruby", "g++"), codename="bookworm", settings=['Acquire::Retries "3";']) == [
        "/usr/bin/mmdebstrap", "--mode=root", "--variant=essential", "--format=tar", "--dpkgopt=force-unsafe-io", "--include=ruby,g++",
        "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/info/*",
        "--dpkgopt=path-exclude=/usr/share/locale/*", '--aptopt=Acquire::Retries "3"',
        '--aptopt=APT::Install-Recommends "false"', "--", "bookworm", "-", "-"]


@pytest.mark.parametrize("name", ["--setup-hook=id", "a,b", "a b", "A", "a;b", "", "~n."])
def test_what_is_no_package_is_refused(name):
    with pytest.raises(SandboxFailure, match="not the name of a package"):
        arguments("mmdebstrap", (name,), codename="bookworm", settings=[])


def test_nothing_of_our_environment_is_handed_on_but_the_way_to_the_mirror():
    assert environment({"SECRET": "x", "LD_PRELOAD": "y", "http_proxy": "http://p:1"}, path="/bin", folder="/f") == {
        "PATH": "/bin", "LC_ALL": "C.UTF-8", "TMPDIR": "/f", "DEBIAN_FRONTEND": "noninteractive", "http_proxy": "http://p:1"}


# --- a run of it, with a stand-in for mmdebstrap ---

@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Makes a search path on which mmdebstrap is this script; archives are put together below its own folder."""
    if os.geteuid() != 0:
        pytest.skip("only root can install packages into an image")
    programs, place = tmp_path / "programs", tmp_path / "place"
    programs.mkdir()
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))

    def make(script):
        for name, text in {"mmdebstrap": script, "apt-get": f"echo '{this_release()}'", "apt-config": "echo"}.items():
            (programs / name).write_text(f"#!/bin/sh\n{text}\n")
            (programs / name).chmod(0o755)
        return f"{programs}:{PATH}"

    make.place = place
    return make


def this_release():
    """The machine's own source under another address."""
    try:
        distribution, codename = machine_identity(Path("/etc/os-release").read_text())
    except IsolationUnavailable as reason:
        pytest.skip(str(reason))
    return f"http://mirror.example/|{codename}|main|amd64|{distribution}"


def archive(path):
    with tarfile.open(path, "w") as tar:
        member = tarfile.TarInfo("./usr/bin/tool")
        member.size = 4
        tar.addfile(member, io.BytesIO(b"code"))
    return path


def written(path, **options):
    out, told = io.BytesIO(), []
    write_packages(("tool",), out, tell=told.append, path=path, **options)
    return out.getvalue(), told


def test_the_archive_comes_out_cleaned_and_progress_is_told(stand_in, tmp_path):
    path = stand_in(f"cat >{tmp_path}/sources; printf 'I: working\\033[2J\\n\\n' >&2; cat {archive(tmp_path / 'tar')}")

    data, told = written(path)

    assert told == ["I: working [2J"]
    assert ("usr/bin/tool", tarfile.REGTYPE, 0o644, b"code") in members(data)
    assert (tmp_path / "sources").read_text() == f"deb [arch=amd64] http://mirror.example/ {this_release().split('|')[1]} main\n"


def test_a_failure_is_told_in_its_own_words_and_leaves_nothing_behind(stand_in):
    path = stand_in("touch $TMPDIR/half; mkdir -p $TMPDIR/deep/er; echo 'E: no such package\\033[31m' >&2; seq 9 >&2; exit 1")

    with pytest.raises(SandboxFailure) as failed:
        written(path)

    assert str(failed.value) == "mmdebstrap could not install the packages: E: no such package [31m"
    assert list(stand_in.place.iterdir()) == []


def test_a_failure_without_a_word_of_error_is_told_by_the_last_words(stand_in):
    with pytest.raises(SandboxFailure, match=r"could not install the packages: 7; 8; 9$"):
        written(stand_in("seq 9 >&2; exit 1"))


def test_an_archive_that_breaks_off_is_a_failure_even_when_all_seems_well(stand_in, tmp_path):
    path = stand_in(f"head -c 700 {archive(tmp_path / 'tar')}")

    with pytest.raises(SandboxFailure, match="did not make a whole archive"):
        written(path)


def test_one_that_never_ends_is_ended_with_all_its_processes(stand_in, tmp_path):
    os.mkfifo(tmp_path / "alive")
    reader = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    path = stand_in(f"exec 9>{tmp_path}/alive; trap '' TERM; (trap '' TERM; echo x >&9; sleep 600) & sleep 600")

    with pytest.raises(SandboxFailure, match=r"took more than 0\.5 seconds"):
        written(path, seconds=0.5)

    assert (os.read(reader, 9), list(stand_in.place.iterdir())) == (b"x\n", [])  # and then its end: no writer is left
    assert os.read(reader, 9) == b""
    os.close(reader)


def test_its_mounts_are_never_the_machines(stand_in, tmp_path):
    path = stand_in(f"mkdir $TMPDIR/m; mount -t tmpfs wt-image-test $TMPDIR/m; cp /proc/mounts {tmp_path}/seen; exit 1")

    with pytest.raises(SandboxFailure):
        written(path)

    assert "wt-image-test" in (tmp_path / "seen").read_text()
    assert "wt-image-test" not in Path("/proc/mounts").read_text()


KILLED = """
import sys, tempfile
from windtunnel.sandbox.container.image_packages import write_packages
tempfile.tempdir = sys.argv[1]
write_packages((), open("/dev/null", "wb"), tell=print, path=sys.argv[2])
"""


def test_when_we_are_killed_its_processes_go_with_us_and_the_next_build_removes_its_folder(stand_in, tmp_path):
    os.mkfifo(tmp_path / "alive")
    reader = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    path = stand_in(f"exec 9>{tmp_path}/alive; mkdir $TMPDIR/half; echo x >&9; sleep 600 & wait")
    ours = subprocess.Popen([sys.executable, "-c", KILLED, str(stand_in.place), path])
    try:
        assert select.select([reader], [], [], 30)[0]
        assert os.read(reader, 9) == b"x\n"
        ours.send_signal(signal.SIGKILL)
        ended = select.select([reader], [], [], 30)[0] and os.read(reader, 9)
    finally:
        ours.kill()
        ours.wait()
        os.close(reader)
    left = [[inner.name for inner in folder.iterdir()] for folder in stand_in.place.iterdir()]

    with pytest.raises(SandboxFailure):
        written(stand_in("exit 1"))

    assert (ended, left, list(stand_in.place.iterdir())) == (b"", [["half"]], [])


def test_without_the_walls_of_its_own_namespaces_its_processes_would_outlive_us(tmp_path):
    """The attack that the two namespaces are there against: mmdebstrap finishes, or mounts, after we are gone."""
    os.mkfifo(tmp_path / "alive")
    reader = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    tool = f"exec 9>{tmp_path}/alive; echo x >&9; read -r go <{tmp_path}/go; echo still here >&9"
    os.mkfifo(tmp_path / "go")
    ours = subprocess.Popen([sys.executable, "-c", f"import subprocess; subprocess.run(['/bin/sh', '-c', {tool!r}])"])
    assert select.select([reader], [], [], 30)[0]
    assert os.read(reader, 9) == b"x\n"
    ours.kill()
    ours.wait()

    (tmp_path / "go").write_text("go\n")

    assert select.select([reader], [], [], 30)[0]
    assert os.read(reader, 99) == b"still here\n"
    os.close(reader)


@needs_root
def test_a_missing_mmdebstrap_says_what_to_install(tmp_path):
    with pytest.raises(IsolationUnavailable, match=r"mmdebstrap is not installed.*apt-get install mmdebstrap; or take"):
        write_packages((), io.BytesIO(), tell=print, path=str(tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="only an ordinary user is refused")
def test_an_ordinary_user_is_told_that_only_root_can():
    with pytest.raises(IsolationUnavailable, match="only root can install packages"):
        write_packages((), io.BytesIO(), tell=print)
