"""Disk files before QEMU sees them: what is one, what is not, and what would read other files of the host."""

import os
import subprocess

import pytest
from boot_sector import boot_sector
from qcow2_disk import qcow2_disk
from vm_here import missing

from windtunnel.core.errors import UsageError
from windtunnel.sandbox.vm.disk_boot import boot_disk
from windtunnel.sandbox.vm.disk_file import open_disk

pytestmark = [pytest.mark.timeout(120), pytest.mark.xdist_group("vm")]
needs_machine = pytest.mark.skipif(missing() is not None, reason=str(missing()))
SECRET = b"a secret of the host"
SECTOR = boot_sector(SECRET, power_off=True)


@pytest.fixture
def file(tmp_path):
    def make(content, name="disk"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return make


def refused(path):
    with pytest.raises(UsageError) as told:
        open_disk(path)
    assert told.value.field == "image"
    return str(told.value)


@pytest.mark.parametrize(("content", "form"), [
    (SECTOR, "raw"), (SECTOR.ljust(1 << 20, b"\0"), "raw"), (qcow2_disk(SECTOR), "qcow2"),
    (qcow2_disk(SECTOR, version=2), "qcow2"), (SECTOR.ljust(32769, b"\0") + b"CD001", "raw"),
], ids=["sector", "raw", "qcow2", "qcow2 of version 2", "hybrid"])
def test_a_disk_is_opened_and_its_format_told_by_its_content(file, content, form):
    disk = open_disk(file(content))
    os.close(disk.descriptor)

    assert disk.form == form


@pytest.mark.parametrize(("content", "said"), [
    (b"", "not a disk that could start"), (b"\0" * 4096, "not a disk that could start"), (b"text\n" * 1000, "not a disk that could start"),
    (b"KDMV" + bytes(4096), "is VMDK"), (b"vhdxfile" + bytes(4096), "is VHDX"), (bytes(64) + b"\x7f\x10\xda\xbe" + bytes(4096), "is VDI"),
    (bytes(32769) + b"CD001" + bytes(4096), "is ISO 9660"), (b"QFI\xfb", "cut short"), (b"QFI\xfb" + bytes(60), "cut short"),
    (qcow2_disk(version=1), "version 1"), (qcow2_disk(version=9), "version 9"), (qcow2_disk(encrypted=2), "is encrypted"),
    (qcow2_disk(cluster_bits=60), "not a qcow2 disk as QEMU makes them"), (qcow2_disk(cluster_bits=0), "not a qcow2 disk as QEMU makes them"),
    (qcow2_disk(size=2**63 - 1), "not a qcow2 disk as QEMU makes them"), (qcow2_disk(size=0), "not a qcow2 disk as QEMU makes them"),
    (qcow2_disk(table_size=2**32 - 1), "not a qcow2 disk as QEMU makes them"), (qcow2_disk(backing=b"/etc/passwd"), "from another file"),
    (qcow2_disk(backing=b"/etc/passwd", version=2), "from another file"), (qcow2_disk(backing_offset=1), "from another file"),
    (qcow2_disk(external=b"/etc/passwd"), "in another file"), (qcow2_disk(incompatible=4), "in another file"),
])
def test_what_is_no_disk_of_its_own_is_refused_with_what_would_do(file, content, said):
    assert said in refused(file(content))


def test_a_link_is_refused_and_what_it_leads_to_named(file, tmp_path):
    file(SECTOR, "real")
    (tmp_path / "link").symlink_to("real")

    assert refused(tmp_path / "link").endswith(f"is a link (give the disk file itself: '{tmp_path}/real')")


def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert [refused(path).partition(" (")[0].rpartition("' ")[2] for path in (tmp_path / "pipe", tmp_path, tmp_path / "none", "/dev/null")] == [
        "is not a file", "is not a file", "cannot be opened", "is not a file"]


def test_a_name_that_is_no_path_is_refused():
    assert refused("a\0b") == "image: 'a\\x00b' is not a path"


def test_no_descriptor_is_left_of_a_refused_disk(file, tmp_path, no_leak):
    with no_leak():
        refused(file(b"text"))
        refused(tmp_path)


# --- the attack, without the check and with it ---

@pytest.fixture
def reaching(file, tmp_path):
    """Disks whose content is another file of the host, by name."""
    file(SECTOR.ljust(1 << 20, b"\0"), "private")
    name = os.fsencode(tmp_path / "private")
    return {"backing": file(qcow2_disk(backing=name), "one"), "external": file(qcow2_disk(external=name), "other")}


@needs_machine
@pytest.mark.parametrize("how", ["backing", "external"])
def test_a_disk_that_reaches_for_another_file_gets_it_from_a_plain_machine(reaching, tmp_path, how):
    subprocess.run(
        ["qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-nodefaults", "-display", "none", "-serial", f"file:{tmp_path}/said",
         "-drive", f"if=none,id=disk,file={reaching[how]},format=qcow2,snapshot=on", "-device", "ide-hd,drive=disk,bus=ide.0"],
        check=True, timeout=60)

    assert SECRET in (tmp_path / "said").read_bytes()


@pytest.mark.parametrize("how", ["backing", "external"])
def test_a_disk_that_reaches_for_another_file_is_not_started(reaching, how):
    with pytest.raises(UsageError, match="which is not given to a machine"):
        boot_disk(reaching[how])


@needs_machine
@pytest.mark.parametrize("how", ["backing", "external"])
def test_even_unchecked_such_a_disk_finds_no_other_file_behind_the_walls(reaching, how, monkeypatch):
    monkeypatch.setattr("windtunnel.sandbox.vm.disk_file._check_qcow2", lambda *_, **__: None)

    with pytest.raises(RuntimeError, match="No such file or directory"):
        boot_disk(reaching[how], seconds=20)
