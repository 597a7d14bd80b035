"""What a program sees, says and leaves, with the real sandbox."""

import base64
import hashlib
import json
import os
import socket
import subprocess
import sys
import threading

import pytest

from windtunnel.core.effects import BlockedCall, FileEffect, NetworkAttempt
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.plain import plain, plain_result
from windtunnel.core.result import Reason

CONNECT = """
import socket
try:
    socket.create_connection(({host!r}, {port}), timeout=5).close()
    print("reached")
except OSError as error:
    print("not reached")
"""
OWN_LOOPBACK = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].sendall(b"hello")
print(client.recv(5).decode())
"""


@pytest.fixture
def listener():
    """A server on the host's own loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def bare(code):
    """The same program without walls."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30).stdout


# --- what it sees ---

def test_the_given_files_are_below_sandbox(tunnel):
    code = "import os\nprint(open('data/in.txt').read(), open('/sandbox/raw', 'rb').read(), os.getcwd())\nimport helper\n"

    result = tunnel.run(code, files={"data/in.txt": "größe", "raw": b"\xff\0", "helper.py": "print('helped')"})

    assert (result.stdout, result.stderr) == ("größe b'\\xff\\x00' /sandbox\nhelped\n", "")


def test_the_sandbox_folder_is_read_only_unless_asked(tunnel):
    code = "open('/sandbox/new', 'w').write('x')\nprint('written')\n"

    refused, allowed = tunnel.run(code), tunnel.run(code, read_only=False)

    assert (refused.exit_code, refused.stdout, "Read-only file system" in refused.stderr) == (1, "", True)
    assert (allowed.exit_code, allowed.stdout) == (0, "written\n")
    assert FileEffect(path="/sandbox/new", kind="file", size=1, mode=0o644) in allowed.effects.files


@pytest.mark.parametrize("target", ["/sandbox/main.py", "/usr/bin/new", "/etc/passwd", "/new", "/dev/new", "/run/new"])
def test_nothing_else_can_be_written_to(tunnel, target):
    result = tunnel.run(f"open({target!r}, 'w')")

    assert result.exit_code == 1
    assert any(said in result.stderr for said in ("Read-only file system", "Permission denied"))


def test_the_private_folder_starts_empty_and_is_not_the_hosts(tunnel, tmp_path, in_tmp):
    assert str(tmp_path).startswith("/tmp/")

    result = tunnel.run("import os\nprint(os.listdir('/tmp'))\nopen('/tmp/mine', 'w').write('abc')\n")

    assert (result.stdout, result.stderr) == (f"{in_tmp}\n", "")
    assert result.effects.files == (FileEffect(path="/tmp/mine", kind="file", size=3, mode=0o644),)
    assert not os.path.exists("/tmp/mine")  # noqa: PTH110


def test_a_file_of_the_host_is_not_there(tunnel, tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("sing")
    canary.chmod(0o666)
    code = f"try:\n    print(open({str(canary)!r}).read())\nexcept OSError as error:\n    print(error.strerror)\n"

    assert (bare(code), tunnel.run(code).stdout) == ("sing\n", "No such file or directory\n")


def test_the_environment_of_the_host_is_not_there(tunnel, monkeypatch):
    monkeypatch.setenv("API_KEY", "sesame")
    code = "import os\nprint('sesame' in str(os.environ), sorted(os.environ))\n"

    result = tunnel.run(code, env_vars={"MINE": "1"})

    assert bare(code).startswith("True")
    assert result.stdout == ("False ['GOMAXPROCS', 'HOME', 'LANG', 'MINE', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', "
                             "'PATH', 'PYTHONDONTWRITEBYTECODE', 'TMPDIR']\n")


def test_arguments_arrive_as_they_are(tunnel):
    result = tunnel.run("import sys\nprint(sys.argv)\n", args=["a b", "", "--x", "{source}", "größe"])

    assert result.stdout == "['/sandbox/main.py', 'a b', '', '--x', '{source}', 'größe']\n"


# --- what it says and is told ---

def test_output_that_is_not_text_survives_byte_by_byte(tunnel):
    result = tunnel.run("import sys\nsys.stdout.buffer.write(bytes(range(256)))\nsys.stderr.buffer.write(b'\\xff')\n")
    told = json.loads(json.dumps(plain_result(result), default=plain))

    assert (result.stdout_bytes, result.stderr_bytes) == (bytes(range(256)), b"\xff")
    assert base64.b64decode(told["stdout_base64"]) == bytes(range(256))


def test_output_arrives_while_the_program_runs_and_can_be_answered(tunnel):
    reader, writer = os.pipe()
    heard = []

    def answer(data):
        heard.append(data)
        if data == b"name?\n":
            os.write(writer, b"Ada\n")

    with os.fdopen(reader, "rb", buffering=0) as live:
        result = tunnel.run("print('name?', flush=True)\nprint('hello', input())\n", live_stdin=live, on_stdout=answer,
                            limits=Limits(wall_seconds=10))
    os.close(writer)

    assert (result.reason, heard, result.stdout) == (Reason.EXITED, [b"name?\n", b"hello Ada\n"], "name?\nhello Ada\n")


def test_both_streams_are_handed_on_apart(tunnel):
    out, err = [], []

    tunnel.run("import sys\nprint('o')\nprint('e', file=sys.stderr)\n", on_stdout=out.append, on_stderr=err.append)

    assert (b"".join(out), b"".join(err)) == (b"o\n", b"e\n")


def test_an_error_in_a_callback_is_the_callers_and_ends_the_run(tunnel):
    def fall(data):
        raise KeyError(data)

    with pytest.raises(KeyError, match="up"):
        tunnel.run("import time\nprint('up', flush=True)\ntime.sleep(60)\n", on_stdout=fall)

    assert tunnel.run("print('next')").stdout == "next\n"


def test_live_input_that_stays_open_does_not_keep_a_finished_run(tunnel):
    reader, writer = os.pipe()

    with os.fdopen(reader, "rb", buffering=0) as live:
        result = tunnel.run("print('done')", live_stdin=live, limits=Limits(wall_seconds=10))
    os.close(writer)

    assert (result.reason, result.stdout) == (Reason.EXITED, "done\n")


@pytest.mark.parametrize(("stdin", "expected"), [
    (b"\xff\0x", b"\xff\0x"), ("größe", "größe".encode()), (b"", b""), (b"x" * (8 * MIB), b"x" * (8 * MIB)),
], ids=lambda value: f"{len(value)}")
def test_input_arrives_whole_and_ends(tunnel, stdin, expected):
    code = "import sys, hashlib\ndata = sys.stdin.buffer.read()\nprint(len(data), hashlib.sha256(data).hexdigest())\n"

    result = tunnel.run(code, stdin=stdin)

    assert result.stdout == f"{len(expected)} {hashlib.sha256(expected).hexdigest()}\n"


def test_input_that_is_never_read_does_no_harm(tunnel):
    result = tunnel.run("print('done')", stdin=b"x" * (8 * MIB), limits=Limits(wall_seconds=10))

    assert (result.reason, result.exit_code, result.stdout, result.stderr) == (Reason.EXITED, 0, "done\n", "")


def test_input_that_is_never_read_does_not_hold_off_the_deadline(tunnel):
    result = tunnel.run("import time\ntime.sleep(60)", stdin=b"x" * (8 * MIB), limits=Limits(wall_seconds=0.5))

    assert (result.reason, result.exit_code) == (Reason.TIMEOUT, 124)


# --- what it touches ---

def test_processes_left_behind_are_named_and_ended(tunnel):
    code = "import subprocess\nsubprocess.Popen(['sleep', '60'], start_new_session=True)\nprint('done')\n"

    result = tunnel.run(code, limits=Limits(wall_seconds=20))

    assert (result.reason, result.stdout, result.effects.processes_left) == (Reason.EXITED, "done\n", ("sleep",))
    assert result.execution_time < 10


def test_a_refused_system_call_is_counted(tunnel):
    code = "import ctypes\nlibc = ctypes.CDLL(None)\nprint(libc.unshare(0x10000000), libc.unshare(0x10000000))\n"

    result = tunnel.run(code)

    assert (result.stdout, result.effects.blocked) == ("-1 -1\n", (BlockedCall(name="unshare", count=2),))


def test_the_own_loopback_works_and_is_no_effect(tunnel):
    result = tunnel.run(OWN_LOOPBACK)

    assert (result.stdout, result.stderr, result.effects.network) == ("hello\n", "", ())


@pytest.mark.parametrize("given", [{}, {"allow_hosts": []}], ids=["by default", "an empty allow-list"])
def test_the_outside_is_refused_and_the_attempt_recorded(tunnel, given):
    result = tunnel.run(CONNECT.format(host="192.0.2.1", port=80) * 2, **given)

    assert (result.stdout, result.enforced["network"]) == ("not reached\nnot reached\n", "none")
    assert result.effects.network == (
        NetworkAttempt(target="192.0.2.1:80", outcome="refused", rule="no network", count=2),)


def test_the_hosts_loopback_is_reached_only_when_asked(tunnel, listener):
    code = CONNECT.format(host="127.0.0.1", port=listener)

    assert [tunnel.run(code, network_enabled=asked).stdout for asked in (False, True)] == ["not reached\n", "reached\n"]


def test_an_allow_list_does_not_open_the_hosts_loopback(tunnel, listener):
    code = CONNECT.format(host="127.0.0.1", port=listener)

    result = tunnel.run(code, allow_hosts=["example.org"])

    assert (result.stdout, result.enforced["network"]) == ("not reached\n", "allow-list")


def test_a_profile_names_the_functions_that_took_the_time(tunnel):
    code = "import time\ndef spin():\n    end = time.monotonic() + 0.4\n    while time.monotonic() < end: pass\nspin()\nprint('done')\n"

    result = tunnel.run(code, profile=True)

    assert (result.stdout, result.stderr) == ("done\n", "")
    assert any("spin" in line.rpartition(" ")[0] and int(line.rpartition(" ")[2]) > 0 for line in result.profile.splitlines())


def test_a_run_without_a_profile_has_none(tunnel):
    assert tunnel.run("print(1)").profile is None


# --- a workspace ---

@pytest.fixture
def project(tmp_path):
    """A folder that only its owner may enter, with files that only the owner may read."""
    folder = tmp_path / "project"
    (folder / "deep").mkdir(parents=True)
    for name, text in (("a.txt", "one"), ("deep/b.txt", "two"), ("gone.txt", "three")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o600)
        os.utime(folder / name, ns=(1_000_000_000_000_000_000, 1_000_000_000_000_000_000))
    (folder / "deep").chmod(0o700)
    folder.chmod(0o700)
    return folder


def picture(folder):
    return {str(path.relative_to(folder)): (
        path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_uid, path.lstat().st_ino,
        path.read_bytes() if path.is_file() else None) for path in [folder, *folder.rglob("*")]}


def test_a_workspace_can_be_read_though_it_is_its_owners_alone(tunnel, project):
    code = "import os\nprint(os.getcwd(), sorted(os.listdir()), open('a.txt').read(), open('deep/b.txt').read())\n"

    result = tunnel.run(code, workspace=str(project))

    assert (result.stdout, result.stderr) == ("/workspace ['a.txt', 'deep', 'gone.txt'] one two\n", "")


def test_a_program_sees_its_changes_of_the_workspace_and_the_host_does_not(tunnel, project):
    code = """
import os
open("a.txt", "a").write("!")
open("deep/new.txt", "w").write("new")
os.remove("gone.txt")
os.rename("deep/b.txt", "moved.txt")
os.chmod("a.txt", 0o755)
print(sorted(os.listdir()), os.listdir("deep"), open("a.txt").read(), open("moved.txt").read())
"""
    before = picture(project)

    result = tunnel.run(code, workspace=str(project))

    assert (result.stdout, result.stderr) == ("['a.txt', 'deep', 'moved.txt'] ['new.txt'] one! two\n", "")
    assert picture(project) == before


def test_the_next_run_sees_the_workspace_as_it_was(tunnel, project):
    tunnel.run("import os\nos.remove('a.txt')", workspace=str(project)).check()

    assert tunnel.run("print(open('a.txt').read())", workspace=str(project)).stdout == "one\n"


def test_a_workspace_shows_nothing_beside_it(tunnel, project):
    (project.parent / "secret").write_text("x")
    (project / "link").symlink_to(project.parent / "secret")

    result = tunnel.run("import os\nprint(os.path.exists('link'), os.path.exists('../secret'))", workspace=str(project))

    assert result.stdout == "False False\n"


# --- many at once ---

def test_twenty_threads_get_their_own_answers(tunnel):
    answers = {}

    def act(number):
        answers[number] = tunnel.run(f"print({number} ** 2)", stdin=b"x").stdout

    threads = [threading.Thread(target=act, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert answers == {number: f"{number ** 2}\n" for number in range(20)}
