"""The parts of a machine, as data: its command line, its first file system, its modules, its memory, its cache."""

import errno
import itertools
import json
import lzma
import os
import platform
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.limits import GIB, MIB, Limits
from windtunnel.core.ports import Network
from windtunnel.sandbox.root import Root
from windtunnel.sandbox.vm import arguments, confine, disks, initramfs, kernel, request
from windtunnel.sandbox.vm.accelerator import Accelerator, find_accelerator
from windtunnel.sandbox.vm.arguments import Hardware
from windtunnel.sandbox.vm.cache import Cache
from windtunnel.sandbox.vm.level import VirtualMachine
from windtunnel.sandbox.vm.pool import Pool
from windtunnel.sandbox.vm.probe import probe

SMALL = Hardware(memory_mib=512, processors=1, accelerator="tcg")
SOCKETS = {"control": 3, "stdin": 4, "stdout": 5, "stderr": 6, "console": 7}


# --- the command line ---

def test_a_machine_has_nothing_that_was_not_asked_for():
    words = arguments.guest(SMALL, SOCKETS)

    assert {"-nodefaults", "-no-user-config", "-no-reboot"} <= set(words)
    assert words[words.index("-sandbox") + 1] == "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"
    assert [word for word in words if "net" in word or "monitor" in word or "virtfs" in word or "usb" in word] == []
    assert [word.partition(",")[0] for name, word in itertools.pairwise(words) if name == "-device"] == [
        "virtio-blk-pci", "virtio-blk-pci", "virtio-serial-pci", *["virtserialport"] * 4]


def test_both_disks_are_read_only_and_of_a_stated_format():
    words = arguments.guest(SMALL, SOCKETS)

    assert [word for name, word in itertools.pairwise(words) if name == "-drive"] == [
        f"if=none,id={name},file=/machine/{name},format=raw,readonly=on,file.locking=off" for name in ("root", "project")]


def test_only_what_executes_the_guest_differs_with_kvm():
    plain, kvm = arguments.machine(SMALL), arguments.machine(replace(SMALL, accelerator="kvm"))

    assert [pair for pair in zip(plain, kvm, strict=True) if pair[0] != pair[1]] == [("tcg,tb-size=256", "kvm"), ("max", "host")]


def test_the_walls_of_qemu_share_nothing_with_the_host():
    words = confine.walls(Root(binds=(), links=(), files=()), [("/a", "/b")], kvm=False)

    assert words[:14] == ["--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--uid", "1000", "--gid", "1000",
                          "--cap-drop", "ALL", "--clearenv", "--hostname", "machine", "--ro-bind"]
    assert "/dev/kvm" not in words
    assert "--share-net" not in words


# --- the job ---

@pytest.mark.parametrize(("memory", "size"), [(8 * MIB, 512), (128 * MIB, 512), (512 * MIB, 1024), (2 * GIB, 4096)])
def test_the_guest_has_room_for_the_program_its_files_and_its_kernel(memory, size):
    assert request.memory_mib(Limits(memory_bytes=memory)) == size


def test_more_memory_than_a_guest_can_have_is_refused(sh):
    with pytest.raises(UsageError, match="memory_bytes"):
        request.check(replace(sh("true"), limits=Limits(memory_bytes=200 * GIB)))


@pytest.mark.parametrize("network", [Network(host=True), Network(allow_hosts=("example.org",))])
def test_any_network_is_refused(sh, network):
    with pytest.raises(IsolationUnavailable, match="no network device"):
        request.check(replace(sh("true"), network=network))


def test_a_message_holds_the_limits_file_by_file(sh):
    job = replace(sh("true"), limits=Limits(memory_bytes=64 * MIB, processes=7, cores=0.5, cpu_seconds=2.5))

    message = request.message_for(job)

    assert message["group"] == {
        "memory.max": "67108864", "memory.oom.group": "1", "pids.max": "8", "cpu.max": "50000 100000"}
    assert message["cpu_microseconds"] == 2_500_000


@pytest.mark.parametrize(("workspace", "alias", "link"), [
    ("/tmp/project", "/tmp/project", None), ("/srv/project", None, "/srv/project"), ("/run/project", None, None)])
def test_a_project_is_also_found_by_its_name_on_the_host(sh, workspace, alias, link):
    job = sh("true")

    order = request.message_for(replace(job, command=replace(job.command, workspace=workspace)))["order"]

    assert (order["workspace"], order["alias"], order["link"]) == (True, alias, link)


def test_processors_are_those_asked_for_and_never_more_than_there_are():
    made = [request.hardware_for(Limits(cores=cores), accelerator="tcg", processors=2).processors for cores in (0.5, 1.5, 8)]

    assert made == [1, 2, 2]


# --- the kernel ---

def module(name, *depends, soft=""):
    data = b"\0name=" + name.encode() + b"\0depends=" + ",".join(depends).encode() + b"\0"
    return data + (b"softdep=pre: " + soft.encode() + b"\0" if soft else b"")


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "modules/6.1"
    (folder / "kernel").mkdir(parents=True)
    for name, data in {"virtio_blk": module("virtio_blk", "virtio-ring"), "virtio-ring": module("virtio_ring"),
                       "virtio_console": module("virtio_console"), "overlay": module("overlay"),
                       "erofs": module("erofs", "libcrc32c"), "libcrc32c": module("libcrc32c", soft="crc32c"),
                       "crc32c_generic": module("crc32c_generic"), "unneeded": module("unneeded")}.items():
        (folder / f"kernel/{name}.ko.xz").write_bytes(lzma.compress(b"\x7fELF" + data))
    (folder / "modules.builtin").write_text("kernel/virtio_pci.ko\n")
    return folder


def test_a_toolchain_below_a_private_folder_is_taken_whole_and_the_programs_own_files_are_not(sh, tmp_path):
    program = tmp_path / "bin" / "python"
    program.parent.mkdir()
    program.touch()
    job = sh("true")
    toolchain = replace(job.toolchain, run=(str(program), "{source}"), paths=(str(program.parent),))

    found = request.toolchain_paths(replace(job, toolchain=toolchain, command=replace(job.command, argv=(str(program), "/sandbox/main.sh"))))

    assert str(tmp_path).startswith("/tmp/")
    assert found == (str(program.parent), str(program))


def test_modules_come_after_what_they_depend_on(tree):
    assert [path.name.partition(".")[0] for path in kernel.module_order(tree)] == [
        "virtio-ring", "virtio_blk", "virtio_console", "crc32c_generic", "libcrc32c", "erofs", "overlay"]


def test_a_kernel_of_the_host_that_fits_is_taken_before_any_other(tree, tmp_path):
    boot = tmp_path / "boot"
    boot.mkdir()
    for release in ("6.1", "5.10", "7.0"):
        (boot / f"vmlinuz-{release}").write_bytes(b"kernel")
        (boot / f"vmlinuz-{release}").chmod(0o644)

    found = kernel.find_kernel(Cache(tmp_path / "cache"), boot=boot, modules=tree.parent)

    assert (found.image, found.release) == (boot / "vmlinuz-6.1", "6.1")


def test_where_no_kernel_can_be_had_the_command_that_brings_one_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel.shutil, "which", lambda _: None)

    with pytest.raises(IsolationUnavailable, match="apt-get install linux-image-cloud-amd64"):
        kernel.find_kernel(Cache(tmp_path / "cache"), boot=tmp_path, modules=tmp_path)


def test_without_a_package_manager_a_kernel_from_before_will_do(tree, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel.shutil, "which", lambda _: None)
    kept = tmp_path / "cache/kernel-linux-image-6.1"
    kept.mkdir(parents=True)
    (kept / "vmlinuz").write_bytes(b"kernel")
    (kept / "vmlinuz").chmod(0o644)
    tree.parent.rename(kept / "modules")

    assert kernel.find_kernel(Cache(tmp_path / "cache"), boot=tmp_path, modules=tmp_path).image == kept / "vmlinuz"


# --- the first file system ---

def unpacked(data):
    """Names with modes and contents of an archive, read by the letter of the format."""
    found, place = {}, 0
    while True:
        fields = [int(data[place + 6 + 8 * number:place + 14 + 8 * number], 16) for number in range(13)]
        start = place + 110
        name = data[start:start + fields[11] - 1].decode()
        body = -(-(start + fields[11]) // 4) * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (fields[1], fields[2], data[body:body + fields[6]])
        place = -(-(body + fields[6]) // 4) * 4


def test_the_archive_is_read_back_as_it_was_packed():
    data = b"".join(initramfs.packed([("/init", 0o100755, b"start"), ("/a/b/link", 0o120777, b"target"), ("/a", 0o040700, b"")]))

    assert unpacked(data) == {
        "a": (0o040700, 0, b""), "a/b": (0o040755, 0, b""), "a/b/link": (0o120777, 0, b"target"), "init": (0o100755, 0, b"start")}


def test_the_agent_brings_its_interpreter_with_everything_that_one_is_linked_to(tmp_path, tree):
    made = kernel.Kernel(image=tmp_path, modules=kernel.module_order(tree), release="6.1")

    archive = initramfs.initramfs(Cache(tmp_path / "cache"), made)
    found = unpacked(archive.read_bytes())

    assert {"init", "agent/guest.pyc", "agent/windtunnel/sandbox/harvest.pyc", "modules/000", "proc", "lower"} <= set(found)
    assert any(Path(name).name.startswith("libc.so") for name in found)
    assert initramfs.initramfs(Cache(tmp_path / "cache"), made) == archive


# --- what executes it ---

def refuse():
    raise SandboxFailure("it hung")


@pytest.mark.parametrize(("flags", "device", "trial", "expected"), [
    ("flags : fpu vmx", True, lambda: None, Accelerator(name="kvm", told="KVM")),
    ("flags : fpu", True, lambda: None, Accelerator(name="tcg", told="emulation (the processor does not show vmx or svm)")),
    ("flags : fpu svm", True, refuse, Accelerator(name="tcg", told="emulation (a trial of KVM failed: it hung)")),
], ids=["works", "no flag", "hangs"])
def test_kvm_is_taken_only_after_a_trial(tmp_path, flags, device, trial, expected):
    (tmp_path / "cpuinfo").write_text(f"processor : 0\n{flags}\n")
    (tmp_path / "kvm").write_text("")

    assert find_accelerator(trial, processor=tmp_path / "cpuinfo", device=tmp_path / "kvm") == expected


def test_a_device_that_is_not_there_is_named(tmp_path):
    (tmp_path / "cpuinfo").write_text("flags : svm\n")

    found = find_accelerator(refuse, processor=tmp_path / "cpuinfo", device=tmp_path / "kvm")

    assert found.told == f"emulation (there is no {tmp_path}/kvm)"


# --- what is missing ---

def test_without_qemu_the_command_that_installs_it_is_told(tmp_path, sh, monkeypatch):
    monkeypatch.setattr(confine.shutil, "which", lambda _: None)

    with pytest.raises(IsolationUnavailable, match="apt-get install qemu-system-x86"):
        VirtualMachine(cache_dir=tmp_path).run(sh("true"))


def test_another_kind_of_processor_is_refused(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")

    with pytest.raises(IsolationUnavailable, match="this machine is riscv64"):
        confine.find_program()


# --- the cache ---

def test_a_cache_that_cannot_be_written_is_refused_with_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file/cache")

    with pytest.raises(IsolationUnavailable, match="set WINDTUNNEL_CACHE_DIR"), cache.making(cache.folder("thing")):
        pass


def test_a_cache_that_is_full_is_refused_with_what_to_do(tmp_path):
    cache = Cache(tmp_path)

    with pytest.raises(IsolationUnavailable, match=r"is full .* free some gigabytes"), cache.making(cache.folder("thing")):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_maker_left_is_swept_by_the_next(tmp_path):
    (tmp_path / ".part-999999999-1-abc").mkdir()
    cache = Cache(tmp_path)

    with cache.making(cache.folder("thing")) as made:
        (made / "file").write_text("whole")

    assert {path.name for path in tmp_path.iterdir()} == {"thing"}


def test_of_two_who_make_the_same_one_stays_and_nothing_else(tmp_path):
    cache = Cache(tmp_path)

    with cache.making(cache.folder("thing")) as first:
        (first / "file").write_text("first")
        with cache.making(cache.folder("thing")) as second:
            (second / "file").write_text("second")

    assert [(path.name, (path / "file").read_text()) for path in tmp_path.iterdir()] == [("thing", "second")]


def test_only_the_newest_are_kept(tmp_path):
    for number in range(4):
        (tmp_path / f"disk-{number}").mkdir()
        os.utime(tmp_path / f"disk-{number}", (number, number))

    Cache(tmp_path).keep_newest("disk-*", 2)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk-2", "disk-3"]


def test_a_root_disk_is_made_once_and_again_when_a_file_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(disks, "_TRUST_SECONDS", 0.0)
    tool = tmp_path / "tool"
    tool.mkdir()
    (tool / "program").write_text("one")
    roots = disks.Roots(Cache(tmp_path / "cache"))

    first, same = (roots.disk([str(tool)]) for _ in range(2))
    (tool / "program").write_text("another")
    changed = roots.disk([str(tool)])

    assert (first == same, first == changed) == (True, False)


def test_special_files_of_a_project_are_left_out(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("/etc/passwd")

    assert [(entry.path, entry.kind) for entry, _ in disks.project_entries(str(tmp_path))] == [("/file", "file"), ("/link", "link")]


# --- the pool ---

class Thing:
    def __init__(self):
        self.dead = False

    def alive(self):
        return not self.dead

    def discard(self):
        self.dead = True


def test_a_pool_keeps_some_waiting_and_ends_them_when_it_is_closed():
    made = []
    pool = Pool(2, lambda kind: made.append(Thing()) or made[-1])
    pool.refill("kind")
    pool.flush()
    taken = pool.take("kind")

    pool.close()

    assert (len(made), taken is made[0], [thing.dead for thing in made]) == (2, True, [False, True])


def test_a_dead_one_is_not_given_out():
    made = []
    pool = Pool(2, lambda kind: made.append(Thing()) or made[-1])
    pool.refill("kind")
    pool.flush()
    made[0].dead = True

    taken = pool.take("kind")
    pool.close()

    assert taken is made[1]


def test_only_the_kinds_used_last_are_kept_waiting():
    made = {}
    pool = Pool(1, lambda kind: made.setdefault(kind, Thing()))
    for kind in range(6):
        pool.refill(kind)
    pool.flush()

    waiting = pool.waiting()
    pool.close()

    assert waiting == [made[kind] for kind in (2, 3, 4, 5)]


def test_a_pool_that_cannot_make_one_has_none():
    def fail(kind):
        raise SandboxFailure(kind)

    pool = Pool(1, fail)
    pool.refill("kind")
    pool.flush()

    assert pool.take("kind") is None
    pool.close()


def test_no_thread_is_left_by_a_closed_pool():
    pool = Pool(1, lambda kind: Thing())
    pool.refill("kind")
    pool.close()

    assert [thread for thread in threading.enumerate() if thread.name == "windtunnel-machines"] == []


def test_an_index_of_another_format_is_not_read(tmp_path):
    (tmp_path / "paths").write_text(json.dumps([0, "/bin/sh"]))

    assert disks._listed(tmp_path / "paths") is None


# --- what the doctor asks ---

def test_a_host_without_qemu_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(confine.shutil, "which", lambda _: None)

    machine, kernel_found, _ = probe(tmp_path)

    assert (machine.ready, machine.remedy) == (False, "apt-get install qemu-system-x86")
    assert (kernel_found.ready, kernel_found.remedy) == (False, "apt-get install linux-image-cloud-amd64")


def test_looking_writes_nothing(tmp_path):
    probe(tmp_path / "cache")

    assert not (tmp_path / "cache").exists()
