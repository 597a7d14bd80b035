"""A tree made of this host's own files: complete enough to run, and with nothing of the host's that is private."""

import io
import os
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from windtunnel.languages import LanguageTable
from windtunnel.sandbox import debian, elf, rootfs
from windtunnel.sandbox.root import ETC

TABLE = LanguageTable()
PRIVATE = ("/home", "/root", "/var", "/srv", "/opt", "/tmp", "/run", "/boot", "/proc", "/sys", "/dev", "/mnt", "/media")


def installed(name):
    toolchain = TABLE.get(name).find(shutil.which)
    if toolchain is None:
        pytest.skip(f"{name} is not installed here")
    return toolchain


def given_for(toolchain):
    words = (*toolchain.run[:1], *(toolchain.build or ())[:1])
    return [*toolchain.paths, *(word for word in words if word.startswith("/"))]


@pytest.mark.parametrize("language", ["sh", "python", "c", "ruby", "perl"])
def test_nothing_private_goes_in_but_what_the_toolchain_names(language):
    given = given_for(installed(language))
    allowed = tuple({*given, *map(os.path.realpath, given)})

    found = [path for path in rootfs.closure(given)
             if path.startswith(tuple(f"{place}/" for place in PRIVATE)) and not any(
                 path == place or path.startswith(f"{place}/") for place in allowed)]

    assert found == []


def test_of_etc_only_neutral_files_and_alternatives_go_in():
    found = {path for path in rootfs.closure(["/bin/sh"]) if path.startswith("/etc/")}

    assert {path for path in found if not path.startswith("/etc/alternatives/")} <= {"/etc/ld.so.cache"}


def test_every_library_of_every_program_is_there():
    found = set(rootfs.closure(["/bin/sh"]))

    lacking = {library for path in found for library in elf.libraries(path)
               if os.path.realpath(library) not in found}
    assert lacking == set()


def test_every_link_leads_to_something_in_the_tree():
    found = {entry.path: entry for entry in rootfs.entries(rootfs.closure(["/bin/sh"]))}

    broken = [path for path, entry in found.items()
              if entry.kind == "link" and Path(path).exists() and os.path.realpath(path) not in found]
    assert broken == []


def test_libraries_are_those_that_the_loader_itself_would_take():
    said = subprocess.run(["ldd", sys.executable], capture_output=True, text=True, check=True).stdout
    expected = {os.path.realpath(word) for word in said.split() if word.startswith("/")}

    found, pending = set(), [os.path.realpath(sys.executable)]
    while pending:
        for library in map(os.path.realpath, elf.libraries(pending.pop())):
            if library not in found:
                found.add(library)
                pending.append(library)

    assert found == expected


@pytest.mark.parametrize("data", [
    b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 200, b"#!/bin/sh\n", b"\x7fELF\x01\x01" + bytes(60), b"\x7fELF\x02\x01" + bytes(58)])
def test_a_file_that_is_no_program_has_no_libraries(tmp_path, data):
    path = tmp_path / "file"
    path.write_bytes(data)

    assert elf.libraries(str(path)) == []


def test_a_link_out_of_a_given_folder_into_a_private_place_is_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    folder = tmp_path / "tool"
    folder.mkdir()
    (folder / "escape").symlink_to(secret)

    assert str(secret) not in rootfs.closure([str(folder)])


def test_without_an_own_look_at_site_packages_those_below_are_left_out(tmp_path):
    base = tmp_path / "base"
    (base / "bin").mkdir(parents=True)
    (base / "lib/python3.11/site-packages/big").mkdir(parents=True)
    (base / "lib/python3.11/os.py").write_text("")
    settings = tmp_path / "pyvenv.cfg"
    given = [str(settings), str(base / "lib/python3.11")]

    settings.write_text(f"home = {base}/bin\ninclude-system-site-packages = false\n")
    alone = rootfs.closure(given)
    settings.write_text(f"home = {base}/bin\ninclude-system-site-packages = true\n")
    shared = rootfs.closure(given)

    packages = str(base / "lib/python3.11/site-packages/big")
    assert (packages in alone, packages in shared, str(base / "lib/python3.11/os.py") in alone) == (False, True, True)


def test_the_archive_is_roots_and_nothing_in_it_is_setuid():
    file = io.BytesIO()
    rootfs.write_tar(rootfs.closure(["/bin/sh"]), file)
    file.seek(0)

    with tarfile.open(fileobj=file) as archive:
        members = archive.getmembers()
        passwd = archive.extractfile("etc/passwd").read().decode()

    assert {(member.uid, member.gid) for member in members} == {(0, 0)}
    assert [member.name for member in members if member.mode & 0o6000] == []
    assert [member.name for member in members if not member.mode & 0o004] == []
    assert passwd == ETC["passwd"]


def test_the_tree_runs_where_it_stands(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root may change the root of a process")
    rootfs.write_tree(rootfs.closure(["/bin/sh"]), tmp_path)

    done = subprocess.run(["chroot", str(tmp_path), "/bin/sh", "-c", "ls /; cat /etc/hostname"],
                          capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.splitlines()[-1], stat.S_IMODE((tmp_path / "tmp").stat().st_mode)) == (
        0, "sandbox", 0o1777)


def test_a_package_brings_what_it_depends_on_and_not_what_installed_it(tmp_path):
    (tmp_path / "info").mkdir()
    for name, paths in {"tool": "/usr/bin/tool", "part:amd64": "/usr/lib/part", "headers-dev": "/usr/include/h",
                        "debconf": "/usr/bin/debconf", "extra": "/usr/bin/extra", "other": "/usr/bin/other"}.items():
        (tmp_path / "info" / f"{name}.list").write_text(f"/.\n/usr\n{paths}\n")
    (tmp_path / "status").write_text(
        "Package: tool\nDepends: virtual (>= 1), debconf | cdebconf\nRecommends: extra, headers-dev\n\n"
        "Package: part\nProvides: virtual (= 2)\n\nPackage: headers-dev\n\nPackage: debconf\n\nPackage: extra\n")

    assert debian.package_files(["/usr/bin/tool"], records=tmp_path) == [
        "/.", "/usr", "/usr/bin/tool", "/usr/include/h", "/usr/lib/part"]


def test_without_records_of_packages_nothing_is_added(tmp_path):
    assert debian.package_files(["/usr/bin/tool"], records=Path(tmp_path)) == []
