"""``windtunnel vm boot`` with real disks, as a person starts it."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest
from boot_sector import boot_sector
from processes_below import alive, below, wait_until
from qcow2_disk import qcow2_disk
from uefi_disk import uefi_disk
from vm_here import missing, missing_uefi

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import UsageError
from windtunnel.core.result import Reason
from windtunnel.store.audit.query import find

pytestmark = [
    pytest.mark.timeout(180), pytest.mark.xdist_group("vm"), pytest.mark.skipif(missing() is not None, reason=str(missing()))]
needs_uefi = pytest.mark.skipif(missing_uefi() is not None, reason=str(missing_uefi()))
LINE = b"hello from the disk\r\n"
NASTY = b"\x1b]0;owned\x07\x1b[2J\rover\b\x9b\xe2\x80\xaeback\tkept\r\n"


@pytest.fixture
def disk(tmp_path):
    """A disk file that says a line, then powers off, halts, or goes on for ever."""

    def make(line=LINE, *, form="raw", name="disk", power_off=True, for_ever=False):
        sector = boot_sector(line, power_off=power_off, for_ever=for_ever)
        path = tmp_path / name
        path.write_bytes(qcow2_disk(sector) if form == "qcow2" else sector.ljust(1 << 20, b"\0"))
        return str(path)

    return make


def on_terminal(cli, *arguments, stream):
    """The exit code, and what a terminal got that is the stream of this name; the other stream leads nowhere."""
    leader, follower = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: follower}
    with cli.start(*arguments, **streams) as process:
        os.close(follower)
        got = b""
        while select.select([leader], [], [], 60)[0]:
            try:
                got += os.read(leader, 4096)
            except OSError:
                break
    os.close(leader)
    return process.returncode, got


# --- it starts, speaks and ends ---

@pytest.mark.parametrize("form", ["raw", "qcow2"])
def test_a_disk_starts_speaks_and_powers_off(cli, disk, form):
    ended = cli("vm", "boot", "--image", disk(form=form), "--memory", "64m")

    assert (ended.returncode, ended.stdout.endswith("hello from the disk\n")) == (0, True)
    assert ended.stderr.startswith(f"starting disk ({form}) with 64 MiB and 1 processor, by ")
    assert "it ended by itself after" in ended.stderr


@pytest.mark.parametrize("form", ["raw", "qcow2"])
def test_a_disk_is_only_read(cli, disk, form):
    path = Path(disk(form=form))
    before = path.read_bytes()

    cli("vm", "boot", "--image", str(path))

    assert path.read_bytes() == before


def test_it_ends_when_the_serial_line_says_what_was_waited_for(cli, disk):
    ended = cli("vm", "boot", "--image", disk(power_off=False), "--until", "from the disk")

    assert (ended.returncode, "it said 'from the disk' after" in ended.stderr) == (0, True)


def test_a_disk_that_goes_on_is_1_when_its_time_is_over(cli, disk):
    ended = cli("vm", "boot", "--image", disk(power_off=False), "--timeout", "2")

    assert ended.returncode == 1
    assert re.fullmatch(r"windtunnel: it did not end in \d+\.\d\d s \(raise it with --timeout\)", ended.stderr.splitlines()[-1])


def test_a_disk_that_ends_without_saying_it_is_1(cli, disk):
    ended = cli("vm", "boot", "--image", disk(), "--until", "goodbye")

    assert (ended.returncode, ended.stderr.splitlines()[-1].endswith(", without saying 'goodbye'")) == (1, True)


def test_a_disk_that_speaks_for_ever_is_stopped_in_time_and_kept_within_bounds(cli, disk):
    ended = cli("vm", "boot", "--image", disk(b"x" * 400, for_ever=True), "--timeout", "6", "--json")

    told = json.loads(ended.stdout)
    assert (ended.returncode, told["reason"], told["said"]) == (1, "timeout", False)
    assert 6 <= told["wall_seconds"] < 15
    assert 1000 < len(told["serial"]) < 1 << 21


def test_as_json_all_is_told_at_the_end(cli, disk):
    ended = cli("vm", "boot", "--image", disk(b"\xff\r\n", form="qcow2"), "--memory", "64m", "--json")

    told = json.loads(ended.stdout)
    assert {name: type(value) for name, value in told.items()} == {
        "said": bool, "reason": str, "wall_seconds": float, "form": str, "machine": str, "serial": str, "serial_dropped": int,
        "serial_base64": str}
    assert (ended.returncode, told["said"], told["reason"], told["form"]) == (0, False, "exited", "qcow2")
    assert told["machine"] == "KVM" or told["machine"].startswith("emulation (")


# --- by UEFI ---

@needs_uefi
@pytest.mark.slow
def test_a_disk_that_starts_by_uefi_starts_with_that_firmware(cli, tmp_path):
    (tmp_path / "disk").write_bytes(uefi_disk(LINE))

    ended = cli("vm", "boot", "--image", str(tmp_path / "disk"), "--firmware", "uefi", "--memory", "256m", "--timeout", "50")

    assert (ended.returncode, ended.stdout.endswith("hello from the disk\n")) == (0, True)


def test_a_disk_that_starts_by_uefi_does_not_start_without_it(cli, tmp_path):
    (tmp_path / "disk").write_bytes(uefi_disk(LINE))

    ended = cli("vm", "boot", "--image", str(tmp_path / "disk"), "--timeout", "3")

    assert (ended.returncode, "hello" in ended.stdout) == (1, False)


# --- the library and the record ---

def test_the_library_boots_the_same_disk_and_writes_it_down(disk, new_tunnel):
    pieces = []
    tunnel = new_tunnel()

    told = tunnel.boot_disk(disk(form="qcow2"), memory="64m", on_serial=pieces.append)

    assert (told.reason, told.said, told.form, told.serial.endswith(LINE), b"".join(pieces)) == (
        Reason.EXITED, False, "qcow2", True, told.serial)
    last = next(find(tunnel.audit, AuditQuery(newest_first=True, limit=1))).entry
    assert (last.kind, last.outcome, last.details["result"]["form"]) == ("boot", "done", "qcow2")


def test_the_library_refuses_an_option_that_there_is_not(new_tunnel):
    with pytest.raises(UsageError, match="speed: not an option of a disk"):
        new_tunnel().boot_disk("disk", speed=1)


# --- settings ---

@pytest.mark.parametrize("system", ["windows", "macos"])
def test_the_variable_names_the_disk_of_a_system(cli, disk, system):
    cli.env["VM_SETTINGS"] = json.dumps({
        "windows_image": disk(b"from windows", name="w"), "macos_image": disk(b"from macos", name="m"), "memory": "64m"})

    ended = cli("vm", "boot", "--system", system)

    assert (ended.returncode, ended.stdout.endswith(f"from {system}")) == (0, True)
    assert "with 64 MiB" in ended.stderr


def test_a_file_of_settings_goes_before_the_variable_and_options_before_both(cli, disk, tmp_path):
    cli.env["VM_SETTINGS"] = "{}"
    (tmp_path / "settings").write_text(json.dumps({"windows_image": disk(), "memory": "64m", "cores": 1, "timeout": 30}))

    ended = cli("vm", "boot", "--settings", str(tmp_path / "settings"), "--memory", "96m", "--cores", "2")

    assert (ended.returncode, "with 96 MiB and 2 processors, by " in ended.stderr, "for at most 30 s" in ended.stderr) == (
        0, True, True)


# --- what a person sees ---

def test_nothing_that_a_terminal_would_obey_reaches_it(cli, disk):
    code, got = on_terminal(cli, "vm", "boot", "--image", disk(NASTY), stream="stdout")

    assert (code, [byte for byte in (b"\x1b", b"\x07", b"\b", b"\x9b", b"\xe2\x80\xae") if byte in got]) == (0, [])
    assert got.endswith("\ufffd]0;owned\ufffd\ufffd[2Jover\ufffd\ufffd\ufffdback\tkept\r\n".encode())


def test_elsewhere_every_byte_comes_as_it_was_said(cli, disk):
    with cli.start("vm", "boot", "--image", disk(NASTY), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        said = process.stdout.read()

    assert said.endswith(NASTY)


def test_who_waits_sees_the_time_pass(cli, disk):
    code, got = on_terminal(
        cli, "vm", "boot", "--image", disk(power_off=False), "--timeout", "3", "--json", stream="stderr")

    assert (code, b" s, " in got, b" bytes said" in got) == (1, True, True)


def test_who_stops_reading_ends_the_machine(cli, disk):
    with cli.start("vm", "boot", "--image", disk(b"x" * 400, for_ever=True), stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL) as process:
        process.stdout.read(100)
        process.stdout.close()

        assert process.wait(timeout=30) == 141


def test_who_does_not_read_does_not_keep_the_machine_beyond_its_time(cli, disk):
    with cli.start("vm", "boot", "--image", disk(b"x" * 400, for_ever=True), "--timeout", "3", stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL) as process:
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        process.stdout.read(1)
        machines = below(process.pid)

        gone = wait_until(lambda: not alive(machines), seconds=20)

        assert (bool(machines), gone, process.poll()) == (True, True, None)
        process.stdout.read()
        assert process.wait(timeout=30) == 1


# --- nothing is left ---

@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_however_the_command_ends_its_machine_ends_with_it(cli, disk, sent, code):
    with cli.start("vm", "boot", "--image", disk(power_off=False), stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL) as process:
        said, deadline = b"", time.monotonic() + 60
        while LINE not in said and time.monotonic() < deadline:
            said += os.read(process.stdout.fileno(), 4096)
        machines = below(process.pid)

        process.send_signal(sent)

        assert (process.wait(timeout=30), bool(machines)) == (code, True)
        assert wait_until(lambda: not alive(machines), seconds=10), alive(machines)


# --- refusals that need QEMU to be there ---

def test_more_than_the_operator_allows_is_refused(cli, disk):
    cli.env["WINDTUNNEL_MAX_MEMORY"] = "1g"

    ended = cli("vm", "boot", "--image", disk(), "--memory", "2g")

    assert (ended.returncode, "memory_bytes: 2.14748e+09 is over the cap of" in ended.stderr) == (2, True)


def test_a_disk_that_qemu_cannot_read_is_our_failure_with_its_words(cli, tmp_path):
    (tmp_path / "disk").write_bytes(qcow2_disk(b"x", table_offset=12345))

    ended = cli("vm", "boot", "--image", str(tmp_path / "disk"), "--json")

    told = json.loads(ended.stdout)["error"]
    assert (ended.returncode, told["code"], "QEMU could not run the disk" in told["message"]) == (2, "sandbox-failure", True)
