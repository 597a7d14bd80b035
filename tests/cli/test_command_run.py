import base64
import json
import signal
import subprocess

import pytest

WAIT = "import time\nprint('up', flush=True)\ntime.sleep(60)\n"


def ended(done):
    return done.returncode, done.stdout, done.stderr


def test_code_is_run_and_its_output_passed_on(cli):
    assert ended(cli("run", "-c", "import sys\nprint('out')\nprint('err', file=sys.stderr)")) == (0, "out\n", "err\n")


def test_a_file_is_run_in_the_language_of_its_ending_with_its_arguments(cli, tmp_path):
    (tmp_path / "hello.sh").write_text("echo hello $1 $2\n")

    assert ended(cli("run", str(tmp_path / "hello.sh"), "a", "--", "--b")) == (0, "hello a --b\n", "")


@pytest.mark.parametrize("arguments", [("run",), ("run", "-")])
def test_standard_input_is_the_program_when_no_other_is_named(cli, arguments):
    assert ended(cli(*arguments, stdin="print('from input')")) == (0, "from input\n", "")


def test_a_language_can_be_named(cli):
    assert ended(cli("run", "-l", "sh", "-c", "echo $0 $1", "x")) == (0, "/sandbox/main.sh x\n", "")


@pytest.mark.parametrize("code", [3, 124, 125, 137])
def test_the_programs_exit_code_is_ours(cli, code):
    assert ended(cli("run", "-c", f"raise SystemExit({code})")) == (code, "", "")


def test_a_timeout_is_124_and_says_which_option_raises_it(cli):
    done = cli("run", "--seconds", "0.5", "-c", WAIT)

    assert ended(done) == (124, "up\n", "windtunnel: stopped: the time limit was reached (raise it with --seconds)\n")


@pytest.mark.parametrize(("option", "value", "code", "said"), [
    ("--memory", "64m", "x = b'x' * (200 << 20)", "memory limit was reached (raise it with --memory)"),
    ("--disk", "1m", "open('/tmp/x', 'wb').write(b'x' * (2 << 20))", "disk limit was reached (raise it with --disk)"),
    ("--cpu-seconds", "0.2", "while True: pass", "processor time limit was reached (raise it with --cpu-seconds)"),
])
def test_a_limit_that_ended_the_run_is_named_with_its_option(cli, option, value, code, said):
    done = cli("run", option, value, "-c", code)

    assert done.returncode != 0
    assert said in done.stderr.splitlines()[-1]


def test_output_is_bounded_by_option_but_streamed_whole(cli):
    streamed = cli("run", "--output", "10", "-c", "print('x' * 99)")
    told = cli("run", "--output", "10", "--json", "-c", "print('x' * 99)")

    assert streamed.stdout == "x" * 99 + "\n"
    assert json.loads(told.stdout)["stdout_dropped"] == 90


def test_the_result_as_json_has_every_field(cli):
    done = cli("run", "--json", "-c", "import sys\nsys.stdout.buffer.write(b'a\\xff')\nsys.exit(3)")

    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (3, "")
    assert {name: told[name] for name in (
        "success", "exit_code", "reason", "stdout", "stderr", "timeout", "error_message", "language", "level", "warm")} == {
        "success": False, "exit_code": 3, "reason": "exited", "stdout": "a\N{REPLACEMENT CHARACTER}", "stderr": "",
        "timeout": False, "error_message": "exit code 3", "language": "python", "level": "process", "warm": False}
    assert base64.b64decode(told["stdout_base64"]) == b"a\xff"
    assert {"id", "timestamp", "execution_time", "limits", "usage", "effects", "stages", "enforced"} <= set(told)


@pytest.mark.parametrize(("arguments", "said"), [
    (("-l", "klingon", "-c", "1"), "language: 'klingon' is not known"),
    (("-c", ""), "code: empty"),
    (("--seconds", "0", "-c", "1"), "wall_seconds: out of range"),
    (("--seconds", "-1", "-c", "1"), "wall_seconds: out of range"),
    (("--seconds", "nan", "-c", "1"), "wall_seconds: out of range"),
    (("--seconds", "inf", "-c", "1"), "wall_seconds: out of range"),
    (("--seconds", "31", "-c", "1"), "wall_seconds: 31 is over the cap of 30"),
    (("--memory", "lots", "-c", "1"), "--memory: not a size: 'lots'"),
    (("--env", "LD_PRELOAD=/tmp/x", "-c", "1"), "env_vars: LD_PRELOAD would change the runner"),
    (("--env", "NOTHING", "-c", "1"), "--env: not NAME=VALUE: 'NOTHING'"),
    (("--file", "../x=/dev/null", "-c", "1"), "files: '../x' leads upward or nowhere"),
    (("--file", "x=/no/such/file", "-c", "1"), "--file: cannot read '/no/such/file': No such file or directory"),
    (("/no/such/file.py",), "file: cannot read '/no/such/file.py': No such file or directory"),
    (("--workspace", "/", "-c", "1"), "workspace: '/' is too wide"),
    (("--workspace", "/no/such", "-c", "1"), "workspace: '/no/such' is not a folder"),
    (("--allow-host", "bad host!", "-c", "1"), "allow_hosts: not a host: 'bad host!'"),
    (("--net", "host", "--allow-host", "example.org", "-c", "1"), "allow_hosts: give either"),
    (("-l", "sh", "--profile", "x.svg", "-c", "true"), "profile: sh has no profiler here"),
], ids=lambda value: " ".join(value)[:30] if isinstance(value, tuple) else "")
def test_a_wrong_request_is_2_and_says_why(cli, arguments, said):
    done = cli("run", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("windtunnel: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_wrong_request_is_json_too_when_json_was_asked_for(cli):
    done = cli("run", "--json", "-l", "klingon", "-c", "1")

    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "usage")


def test_an_ending_that_says_nothing_is_refused(cli, tmp_path):
    (tmp_path / "program").write_text("echo")

    done = cli("run", str(tmp_path / "program"))

    assert done.returncode == 2
    assert "language: cannot be told from" in done.stderr


def test_walls_that_cannot_be_had_are_125_and_nothing_runs(cli, no_engine):
    cli.env |= no_engine
    done = cli("run", "--min-isolation", "container", "-c", "print('ran')")

    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.startswith("windtunnel: no container engine is installed (apt-get install docker.io")
    assert json.loads(cli("history", "--json").stdout) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_an_interruption_ends_the_program_and_is_130(cli, number, code):
    process = cli.start("run", "-c", WAIT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"up\n"

    process.send_signal(number)

    assert process.communicate(timeout=30) == (b"", b"windtunnel: interrupted; the sandbox was ended\n")
    assert process.returncode == code
    assert [record["reason"] for record in json.loads(cli("history", "--json").stdout)] == ["cancelled"]


def test_a_reader_that_goes_away_is_no_crash(cli):
    process = cli.start("run", "-c", "while True: print('x' * 9999)", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.read(1) == b"x"

    process.stdout.close()

    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    assert process.wait(30) != 0


def test_live_input_reaches_the_program_while_it_runs(cli):
    process = cli.start("run", "--input", "-", "-c", "print('name?', flush=True)\nprint('hello', input())",
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"name?\n"

    said, _ = process.communicate(b"Ada\n", timeout=30)

    assert (said, process.returncode) == (b"hello Ada\n", 0)


def test_live_input_that_nobody_reads_does_not_hold_off_the_deadline(cli, tmp_path):
    (tmp_path / "much").write_bytes(b"x" * (4 << 20))

    with (tmp_path / "much").open("rb") as much:
        process = cli.start("run", "--seconds", "0.5", "--input", "-", "-c", WAIT, stdin=much, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
        try:
            said, _ = process.communicate(timeout=20)
        finally:
            process.kill()

    assert (said, process.returncode) == (b"up\n", 124)


def test_input_comes_from_a_file(cli, tmp_path):
    (tmp_path / "in").write_text("words")

    assert cli("run", "--input", str(tmp_path / "in"), "-c", "print(input())").stdout == "words\n"


def test_input_and_program_cannot_both_be_standard_input(cli):
    done = cli("run", "--input", "-", stdin="print(1)")

    assert done.returncode == 2
    assert "standard input is the program already" in done.stderr


def test_files_variables_and_a_writable_folder_are_given_by_option(cli, tmp_path):
    (tmp_path / "data").write_text("from the host")

    done = cli("run", "--file", f"in/data={tmp_path / 'data'}", "--env", "A=b=c", "--writable", "-c",
               "import os\nopen('new', 'w')\nprint(open('in/data').read(), os.environ['A'])")

    assert ended(done) == (0, "from the host b=c\n", "")


def test_a_workspace_stays_as_it_is(cli, tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a").write_text("before")

    done = cli("run", "--workspace", str(folder), "-c", "open('a', 'w').write('after')\nprint(open('a').read())")

    assert ended(done) == (0, "after\n", "")
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("a", "before")]


@pytest.mark.parametrize(("arguments", "network"), [
    ((), "none"), (("--net", "none"), "none"), (("--net", "host"), "host"), (("--allow-host", "example.org"), "allow-list")])
def test_the_network_is_what_was_asked_for(cli, arguments, network):
    assert json.loads(cli("run", "--json", *arguments, "-c", "1").stdout)["enforced"]["network"] == network


def test_stages_are_run_in_turn(cli):
    done = cli("run", "-l", "sh", "-c", "x", "--stage", "echo 1 > {build}/one", "--stage", "cat {previous}/one {source}")

    assert ended(done) == (0, "1\nx", "")


def test_whole_streams_are_kept_in_a_folder(cli, tmp_path):
    cli("run", "--spill", str(tmp_path / "kept"), "--output", "10", "-c", "print('x' * 99)")

    assert (tmp_path / "kept" / "stdout").read_text() == "x" * 99 + "\n"


def test_a_folder_that_cannot_be_made_is_a_wrong_request(cli):
    done = cli("run", "--spill", "/proc/nothing", "-c", "1")

    assert done.returncode == 2
    assert done.stderr.startswith("windtunnel: ")
    assert "spill: " in done.stderr


def test_a_report_tells_what_was_enforced_and_touched_without_escapes(cli):
    done = cli("run", "--report", "-c", "import socket\ntry: socket.create_connection(('192.0.2.1', 80))\nexcept OSError: pass")

    assert done.stdout == ""
    assert "ended    exited, exit code 0" in done.stderr
    assert "         192.0.2.1:80: refused, no network" in done.stderr
    assert "at the process level by" in done.stderr


@pytest.mark.parametrize("arguments", [
    ("/no/\x1b[31msuch.py",), ("-l", "\x1b]0;title\x07", "-c", "1"), ("--env", "\x1b[2J=1", "-c", "1"),
    ("--memory", "\x1b[31m", "-c", "1"), ("--workspace", "/\x1b[31m", "-c", "1"), ("--allow-host", "\x1b[31m", "-c", "1"),
], ids=lambda arguments: arguments[0][:10])
def test_our_own_messages_carry_no_terminal_escapes(cli, arguments):
    done = cli("run", *arguments)

    assert done.returncode == 2
    assert [char for char in done.stderr.rstrip("\n") if not char.isprintable()] == []


def test_names_from_a_program_are_cleaned_before_they_are_shown(cli, tmp_path):
    spin = "import time\nend = time.monotonic() + 0.4\nwhile time.monotonic() < end: pass\n"
    code = f"exec(compile({spin!r}, '\\x1b[31mevil', 'exec'))"

    done = cli("run", "--profile", str(tmp_path / "flame.svg"), "-c", code)

    assert "evil" in done.stderr
    assert "\x1b" not in done.stderr + (tmp_path / "flame.svg").read_text()
