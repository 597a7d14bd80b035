"""The guest's kernel: one of this host's own, or the distribution's small one for virtual machines."""

from __future__ import annotations

import gzip
import lzma
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.vm.cache import Cache
from windtunnel.spawn import ask

NEEDED = ("virtio_pci", "virtio_blk", "virtio_console", "erofs", "overlay")
"""What the guest cannot do without; each is built in or a module."""
_META = ("linux-image-cloud-amd64", "linux-image-amd64")
"""Packages that depend on the newest kernel; the first is made for guests, and small."""
INSTALL = "apt-get install linux-image-cloud-amd64"
_DOWNLOAD_SECONDS = 300.0
_KEPT = 2
_BOOT, _MODULES = Path("/boot"), Path("/lib/modules")
_MODULE = re.compile(r"(.+)\.ko(\.xz|\.gz)?")
_UNPACK: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".xz": lzma.decompress, ".gz": gzip.decompress}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel that can start our guests."""

    image: Path
    modules: tuple[Path, ...]
    """In the order in which they are loaded."""
    release: str


def find_kernel(cache: Cache, *, boot: Path = _BOOT, modules: Path = _MODULES) -> Kernel:
    """One from the host's /boot that fits, the newest first; else the distribution's, kept in the cache."""
    return _of_host(boot, modules) or _downloaded(cache)


def known_kernel(cache: Cache) -> Kernel | None:
    """One that is here already; nothing is downloaded."""
    kept = sorted(cache.path.glob("kernel-*"), key=_version)
    return _of_host(_BOOT, _MODULES) or (_kept(kept[-1]) if kept else None)


def _of_host(boot: Path, modules: Path) -> Kernel | None:
    images = sorted(boot.glob("vmlinuz-*"), key=_version, reverse=True)
    found = (_fitting(image, modules / image.name.removeprefix("vmlinuz-")) for image in images)
    return next((kernel for kernel in found if kernel is not None), None)


def _kept(place: Path) -> Kernel | None:
    return _fitting(place / "vmlinuz", next(iter(place.glob("modules/*")), place))


def _version(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.name)]


def _fitting(image: Path, tree: Path) -> Kernel | None:
    """None for a kernel that we may not read, or that lacks something; no message, because another may fit."""
    try:
        # The machine runs as a user who owns nothing here, so it must be readable by all.
        if not image.stat().st_mode & stat.S_IROTH:
            return None
        return Kernel(image=image, modules=module_order(tree), release=tree.name)
    except (OSError, LookupError):
        return None


# --- modules ---

def module_order(tree: Path) -> tuple[Path, ...]:
    """The modules that the guest needs and those they depend on, first things first; LookupError if one is nowhere."""
    files = {_name(path): path for path in tree.rglob("*.ko*") if _MODULE.fullmatch(path.name)}
    built_in = {_name(Path(line)) for line in (tree / "modules.builtin").read_text().split()}
    order: dict[str, Path] = {}

    def add(name: str, *, optional: bool = False) -> None:
        if name in order or name in built_in or (optional and name not in files):
            return
        if name not in files:
            raise LookupError(name)
        data = module_bytes(files[name])
        for wanted in _soft(data):
            add(wanted, optional=True)
        for wanted in _told(data, b"depends"):
            add(wanted)
        order[name] = files[name]

    for name in NEEDED:
        add(name)
    return tuple(order.values())


def module_bytes(path: Path) -> bytes:
    """A module as the kernel takes it."""
    match = _MODULE.fullmatch(path.name)
    assert match is not None
    return _UNPACK[match[2] or ""](path.read_bytes())


def _name(path: Path) -> str:
    match = _MODULE.fullmatch(path.name)
    return (match[1] if match else path.name).replace("-", "_")


def _told(data: bytes, field: bytes) -> list[str]:
    found = re.search(rb"\0" + field + rb"=([^\0]*)\0", data)
    return [name.replace("-", "_") for name in found[1].decode("ascii", "replace").split(",") if name] if found else []


def _soft(data: bytes) -> Iterator[str]:
    """What a module would like to find loaded; a checksum by its general name means the plain one."""
    for found in re.finditer(rb"\0softdep=pre: ([^\0]*)\0", data):
        for name in found[1].decode("ascii", "replace").split():
            yield {"crc32c": "crc32c_generic"}.get(name, name.replace("-", "_"))


# --- from the distribution ---

def _downloaded(cache: Cache) -> Kernel:
    try:
        place = cache.folder(f"kernel-{_newest_package()}")
    except IsolationUnavailable:
        kept = sorted(cache.path.glob("kernel-*"), key=_version)
        if not kept:
            raise
        place = kept[-1]
    package = place.name.removeprefix("kernel-")
    if not (place / "vmlinuz").is_file():
        with cache.making(place) as made:
            _unpack(package, made)
        cache.keep_newest("kernel-*", _KEPT)
    found = _kept(place)
    if found is None:
        raise IsolationUnavailable(
            f"the kernel in {place} cannot be used; remove that folder, and it is made again")
    return found


def _newest_package() -> str:
    for name in _META if shutil.which("apt-cache") else ():
        code, said = ask(["apt-cache", "depends", "--important", name], seconds=30)
        found = re.findall(r"Depends: (linux-image-\S+)", said) if code == 0 else []
        if found:
            return str(found[0])
    raise IsolationUnavailable(
        "the vm level needs a kernel for its guests, and neither /boot nor the package manager has one: "
        f"{INSTALL} (or put a vmlinuz-RELEASE with {', '.join(NEEDED)} into /boot and its modules into /lib/modules)")


def _unpack(package: str, place: Path) -> None:
    """Download, and keep the kernel and its few modules; apt checks the signature of what it brings."""
    with tempfile.TemporaryDirectory(dir=place) as folder:
        _must(["/bin/sh", "-c", 'cd "$1" && exec apt-get download -qq "$2"', "sh", folder, package])
        (archive,) = Path(folder).glob("*.deb")
        _must(["dpkg-deb", "-x", str(archive), f"{folder}/all"])
        (image,) = Path(folder).glob("all/boot/vmlinuz-*")
        release = image.name.removeprefix("vmlinuz-")
        trees = [path for path in Path(folder).glob(f"all/**/modules/{release}") if (path / "modules.builtin").exists()]
        try:
            order = module_order(trees[0])
        except LookupError as error:
            raise IsolationUnavailable(f"the kernel of {package} has no {error} for the guest: {INSTALL}") from error
        shutil.copyfile(image, place / "vmlinuz")
        _keep(order, trees[0], place / "modules" / release)


def _keep(order: Iterable[Path], tree: Path, place: Path) -> None:
    place.mkdir(parents=True)
    for path in (*order, tree / "modules.builtin"):
        shutil.copyfile(path, place / path.name)


def _must(command: list[str]) -> None:
    code, said = ask(command, seconds=_DOWNLOAD_SECONDS)
    if code:
        raise IsolationUnavailable(
            f"the guest's kernel cannot be fetched ({said.strip()[-300:]}): apt-get update, or {INSTALL}")
