"""``windtunnel vm boot``: what it understands, what it refuses before anything starts, and what it shows.

What it does with real disks is in tests/sandbox/vm/test_vm_boot_command.py.
"""

from __future__ import annotations

import io
import json

import pytest

from windtunnel.cli import vm
from windtunnel.cli.main import main, parser
from windtunnel.cli.vm_screen import Harmless, Screen
from windtunnel.core.result import Reason
from windtunnel.sandbox.vm.disk_boot import DiskBoot


@pytest.fixture
def boot(tmp_path, monkeypatch):
    """Does what the arguments say with these settings, in a folder of its own; its exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("VM_SETTINGS", raising=False)
    (tmp_path / "disk").write_bytes(bytes(510) + b"\x55\xaa")

    def run(*arguments, settings=None):
        if settings is not None:
            monkeypatch.setenv("VM_SETTINGS", settings)
        return main(["vm", "boot", *arguments])

    return run


# --- what it understands ---

def test_every_option_is_understood():
    chosen = vars(parser().parse_args([
        "vm", "boot", "--system", "macos", "--settings", "s", "--image", "i", "--memory", "4g", "--cores", "2", "--timeout",
        "1.5", "--firmware", "uefi", "--until", "ready", "--json"]))

    assert {name: chosen[name] for name in chosen if name != "act"} == {
        "command": "vm", "vm_act": "boot", "system": "macos", "settings": "s", "image": "i", "memory": "4g", "cores": 2,
        "timeout": 1.5, "firmware": "uefi", "until": "ready", "json": True, "failed": 2}


@pytest.mark.parametrize("arguments", [
    (), ("fly",), ("boot", "--system", "plan9"), ("boot", "--cores", "1.5"), ("boot", "--firmware", "coreboot"), ("boot", "--timeout", "soon")], ids=" ".join)
def test_what_is_not_understood_is_2(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(["vm", *arguments])

    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: windtunnel vm")


@pytest.mark.parametrize("arguments", [("vm", "--help"), ("vm", "boot", "--help")], ids=" ".join)
def test_there_is_help(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)

    assert (left.value.code, capsys.readouterr().out.startswith(f"usage: windtunnel {' '.join(arguments[:-1])} ")) == (0, True)


# --- what it refuses ---

@pytest.mark.parametrize(("arguments", "settings", "said"), [
    ((), None, "image: no disk: give one by --image DISK, or windows_image in VM_SETTINGS or --settings FILE"),
    (("--system", "macos"), None, "image: no disk: give one by --image DISK, or macos_image in VM_SETTINGS or --settings FILE"),
    (("--system", "macos"), '{"windows_image": "disk"}', "or macos_image in VM_SETTINGS"),
    ((), '{"windows_image": "a", "macos_image": "b"}', "system: the settings have disks for windows and macos (say which)"),
    ((), "{", "VM_SETTINGS: not JSON: "), ((), "[]", "VM_SETTINGS: not a JSON object"), ((), "nonsense", "VM_SETTINGS: not JSON"),
    ((), "[" * 60_000, "VM_SETTINGS: not JSON: nested too deep"), ((), " " * 70_000, "VM_SETTINGS: longer than 65536 bytes"),
    ((), '{"windows_image": "a", "windows_image": "b"}', "a key is there twice"),
    ((), '{"image": "disk"}', "VM_SETTINGS: there is no 'image' (there are windows_image, macos_image, "),
    ((), '{"windows_image": 7}', "windows_image is not the path of a QEMU disk file"),
    ((), '{"windows_image": ""}', "windows_image is not the path of a QEMU disk file"),
    ((), '{"windows_image": "disk", "memory": "much"}', "memory: not a size: 'much'"),
    ((), '{"windows_image": "disk", "memory": 1}', "memory: out of range (from 8m to "),
    ((), '{"windows_image": "disk", "memory": null}', "memory: not a size: NoneType"),
    ((), '{"windows_image": "disk", "cores": "two"}', "cores: 'two' is not a number of processors from 1 to 16"),
    ((), '{"windows_image": "disk", "cores": true}', "cores: True is not a number of processors from 1 to 16"),
    ((), '{"windows_image": "disk", "timeout": "soon"}', "timeout: not a number: 'soon'"),
    ((), '{"windows_image": "disk", "timeout": 1e999}', "timeout: out of range"),
    ((), '{"windows_image": "disk", "timeout": NaN}', "timeout: out of range"),
    ((), '{"windows_image": "disk", "timeout": 3601}', "timeout: 3601 is over the cap of 3600 (the operator can raise it"),
    ((), '{"windows_image": "disk", "firmware": "coreboot"}', "firmware: 'coreboot' is not bios or uefi"),
    ((), '{"windows_image": "disk", "firmware": ["uefi"]}', "firmware: ['uefi'] is not bios or uefi"),
    (("--image", "none"), None, "image: 'none' cannot be opened (No such file or directory)"),
    (("--image", ""), None, "image: not the path of a QEMU disk file"), (("--image", "."), None, "image: '.' is not a file"),
    (("--image", "/etc/passwd"), None, "image: '/etc/passwd' is not a disk that could start"),
    (("--image", "disk", "--cores", "0"), None, "cores: 0 is not a number of processors"),
    (("--image", "disk", "--memory", "lots"), None, "memory: not a size: 'lots'"),
    (("--image", "disk", "--timeout", "0"), None, "timeout: out of range"),
    (("--image", "disk", "--memory", "100g"), None, "memory_bytes: 1.07374e+11 is over the cap of"),
    (("--image", "disk", "--until", ""), None, "--until: an empty text is said by everyone"),
    (("--image", "disk", "--until", "x" * 5000), None, "until: not a text of at most 4096 bytes"),
    (("--settings", "none"), None, "--settings: cannot read 'none': No such file or directory"),
    (("--settings", "."), None, "--settings: '.' is not a plain file"),
])
def test_a_wrong_request_is_2_and_says_what_would_do(boot, capsys, arguments, settings, said):
    assert (boot(*arguments, settings=settings), said in capsys.readouterr().err) == (2, True)


def test_a_link_to_settings_is_not_followed(boot, capsys, tmp_path):
    (tmp_path / "link").symlink_to("/etc/passwd")

    assert (boot("--settings", "link"), capsys.readouterr().err) == (2, "windtunnel: --settings: cannot read 'link': it is a link\n")


def test_without_qemu_it_is_2_with_the_command_that_installs_it(boot, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("platform.machine", lambda: "x86_64")

    code = boot("--image", "disk", "--json")

    assert (code, json.loads(capsys.readouterr().out)["error"]) == (2, {
        "code": "isolation-unavailable", "message": "there is no qemu-system-x86_64 here: apt-get install qemu-system-x86"})


# --- what it shows ---

@pytest.mark.parametrize("cut", range(1, 14))
def test_a_serial_line_is_harmless_however_it_is_cut(cut):
    harmless, data = Harmless(), "a\x1b[2Jé\u202e\r\nb\t\x9b".encode()

    text = "".join(harmless(data[at:at + cut]) for at in range(0, len(data), cut))

    assert text == "a\ufffd[2Jé\ufffd\nb\t\ufffd"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_wait_is_shown_between_lines_and_never_in_one():
    out, waiting = Terminal(), Terminal()

    with Screen(silent=False, out=out, waiting=waiting) as screen:
        screen.wait(1.2)
        screen.say(b"half a ")
        screen.wait(2.2)
        screen.say(b"line\r\n")
        screen.wait(3.2)

    assert (out.getvalue(), waiting.getvalue()) == (
        "half a line\n", "\r\x1b[K1 s, 0 bytes said\r\x1b[K\r\x1b[K3 s, 13 bytes said\r\x1b[K")


def test_a_line_that_was_not_ended_is_ended_on_a_terminal():
    out = Terminal()

    with Screen(silent=False, out=out, waiting=io.StringIO()) as screen:
        screen.say(b"no end")

    assert out.getvalue() == "no end\n"


def test_bytes_that_are_no_text_are_told_twice():
    told = DiskBoot(serial=b"\xff", reason=Reason.TIMEOUT, wall_seconds=1.0, form="raw", machine="KVM")

    assert vm.plain_boot(told) == {
        "said": False, "reason": Reason.TIMEOUT, "wall_seconds": 1.0, "form": "raw", "machine": "KVM", "serial": "\ufffd",
        "serial_dropped": 0, "serial_base64": "/w=="}
