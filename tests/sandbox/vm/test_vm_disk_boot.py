"""Disks of a caller's own: booted behind the same walls, and never written."""

import hashlib
import subprocess

import pytest
from boot_sector import boot_sector
from vm_here import missing

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.result import Reason
from windtunnel.sandbox.vm import disk_trial
from windtunnel.sandbox.vm.arguments import Hardware
from windtunnel.sandbox.vm.disk_boot import boot_disk, boot_settings, disk_arguments
from windtunnel.sandbox.vm.disk_trial import trial
from windtunnel.sandbox.vm.firmware import firmware_file

pytestmark = [pytest.mark.timeout(120), pytest.mark.xdist_group("vm")]
needs_machine = pytest.mark.skipif(missing() is not None, reason=str(missing()))
LINE = b"hello from the disk\r\n"


@pytest.fixture
def disk(tmp_path):
    def make(**options):
        path = tmp_path / "disk.img"
        path.write_bytes(boot_sector(LINE, **options).ljust(1 << 20, b"\0"))
        path.chmod(0o600)
        return path

    return make


@needs_machine
def test_a_disk_boots_speaks_and_powers_off(disk):
    result = boot_disk(disk(power_off=True), seconds=60)

    assert (result.reason, result.serial.endswith(LINE)) == (Reason.EXITED, True)


@needs_machine
def test_a_disk_is_stopped_when_it_has_said_what_was_waited_for(disk):
    result = boot_disk(disk(power_off=False), seconds=60, until=b"from the disk")

    assert (result.reason, result.said) == (Reason.EXITED, True)


@needs_machine
def test_a_disk_that_goes_on_is_switched_off_in_time(disk):
    result = boot_disk(disk(power_off=False), seconds=3)

    assert (result.reason, result.said, 3 <= result.wall_seconds < 10) == (Reason.TIMEOUT, False, True)


@needs_machine
def test_a_disk_that_writes_to_itself_is_not_changed_on_the_host(disk):
    path = disk(power_off=True, writes=True)
    before = hashlib.sha256(path.read_bytes()).digest()

    result = boot_disk(path, seconds=60)

    assert (result.serial.endswith(LINE), hashlib.sha256(path.read_bytes()).digest()) == (True, before)


@needs_machine
def test_the_same_disk_would_be_changed_by_a_machine_that_may_write(disk):
    path = disk(power_off=True, writes=True)

    subprocess.run(["qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-nodefaults", "-display", "none", "-drive",
                    f"if=none,id=disk,file={path},format=raw", "-device", "ide-hd,drive=disk,bus=ide.0"], check=True, timeout=60)

    assert path.read_bytes()[512:1024] == path.read_bytes()[:512]


@needs_machine
def test_settings_name_the_disk_of_a_system(disk):
    result = boot_settings({"windows_image": str(disk(power_off=True)), "memory": "256m", "timeout": 60}, system="windows")

    assert (result.reason, result.serial.endswith(LINE)) == (Reason.EXITED, True)


@pytest.mark.parametrize(("settings", "field"), [
    ({}, "macos_image"), ({"macos_image": "/nowhere/disk.img"}, "image"), ({"macos_image": "/tmp"}, "image"),
    ({"macos_image": "/dev/null", "memmory": 1}, "memmory"), ({"macos_image": "/etc/hostname", "cores": 99}, "cores"),
])
def test_settings_that_are_none_are_refused_by_name(settings, field):
    with pytest.raises(UsageError) as refused:
        boot_settings(settings, system="macos")

    assert refused.value.field == field


def test_a_firmware_that_is_not_there_is_refused_with_the_command_that_installs_it(tmp_path):
    with pytest.raises(IsolationUnavailable, match=r"apt-get install ovmf$"):
        firmware_file("uefi", places=(str(tmp_path / "none"),))


def test_the_first_firmware_that_is_there_is_taken(tmp_path):
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "link").symlink_to("real")

    assert firmware_file("uefi", places=(str(tmp_path / "none"), str(tmp_path / "link"))) == tmp_path / "real"


@needs_machine
def test_the_disk_that_kvm_is_tried_with_speaks():
    assert trial("tcg") is None


@needs_machine
def test_a_trial_that_stays_silent_is_a_failure(monkeypatch):
    monkeypatch.setattr(disk_trial, "_CODE", b"\xf4\xeb\xfd")
    monkeypatch.setattr(disk_trial, "_SECONDS", 1.5)

    with pytest.raises(SandboxFailure, match="it did not start a disk in time"):
        trial("tcg")


def test_the_disk_is_given_by_descriptor_and_its_format_is_stated():
    words = disk_arguments(Hardware(memory_mib=512, processors=1, accelerator="tcg"), disk=9, form="qcow2", console=8)

    assert words[words.index("-add-fd") + 1] == "fd=9,set=1"
    assert words[words.index("-drive") + 1] == (
        "if=none,id=disk,file.filename=/dev/fdset/1,file.locking=off,driver=qcow2,snapshot=on")
    assert [word for word in words if "net" in word or "virtfs" in word] == []
