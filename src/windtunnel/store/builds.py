"""Products of compile stages, kept by the content of what they were made from.

Each entry is one file named by its key. It begins with the SHA-256 of the key and of all that follows,
so an entry that was changed, cut short or renamed is discarded and counts as a miss. This finds damage;
it does not stop a process of the same user, who could write a right digest.

A cache never fails a run: what cannot be read is a miss, what cannot be kept is not kept, and
``notices`` says why.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.core.result import Artifact

_KEY = re.compile(r"[0-9a-f]{64}")
_NEW = ".new-"
_MAGIC = b"windtunnel build 1\n"
_DIGEST_BYTES = 32
_LENGTH_BYTES = 8
_MOST_NAME = 1024
_MOST_NOTICES = 20


def key(*parts: bytes | str) -> str:
    """The name of what is made from these parts; no two lists of parts share one.

    Each part goes in with its kind and its length, so ``("ab", "c")`` and ``("a", "bc")`` differ.
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update((b"s" if isinstance(part, str) else b"b") + len(data).to_bytes(_LENGTH_BYTES, "big"))
        digest.update(data)
    return digest.hexdigest()


class Builds:
    """A folder of build products that never holds more than so many bytes; the least recently used go first."""

    key = staticmethod(key)

    def __init__(self, folder: str | os.PathLike[str], *, most_bytes: int = 512 * MIB) -> None:
        """Remember where; the folder is made when the first product is kept."""
        self.folder = Path(folder).absolute()
        self.most_bytes = most_bytes
        self.notices: list[str] = []
        """Why something was discarded or not kept, the first few reasons."""

    def get(self, key: str) -> dict[str, Artifact] | None:
        """The products kept under the key, verified; None when there are none to trust."""
        path = self._path(key)
        try:
            content = _read(path, self.most_bytes)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._notice(f"{path}: not read: {error.strerror}")
            return None
        products = _decode(key, content)
        if products is None:
            self._notice(f"{path}: changed since it was written; discarded")
            _remove(path)
        return products

    def put(self, key: str, products: Mapping[str, Artifact]) -> None:
        """Keep the products, or say in ``notices`` why not. Readers see all of them or none."""
        path = self._path(key)
        hostile = next((name for name in products if not _is_plain(name)), None)
        if hostile is not None:
            self._notice(f"{path}: not kept: not a relative path: {hostile[:80]!r}")
            return
        content = _encode(key, products)
        if len(content) > self.most_bytes:
            self._notice(f"{path}: not kept: {len(content)} bytes, and the whole cache may hold {self.most_bytes}")
            return
        try:
            self._write(path, content)
            self._tidy()
        except OSError as error:
            self._notice(f"{path}: not kept: {error.strerror}")

    def _path(self, key: str) -> Path:
        if _KEY.fullmatch(key) is None:
            raise UsageError(f"key: not a key: {key[:80]!r} (make one with key())", field="key")
        return self.folder / key

    def _write(self, path: Path, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if stat.S_IMODE(self.folder.stat().st_mode) & 0o022:
            raise PermissionError(None, "others may write to the folder (chmod 700 it)")
        with _new_file(self.folder) as (descriptor, name):
            with open(descriptor, "wb", closefd=False) as file:
                file.write(content)
            os.fchmod(descriptor, 0o400)
            Path(name).replace(path)

    def _tidy(self) -> None:
        """Remove what dead writers left, then the least recently used until the rest fits."""
        kept: list[tuple[int, int, Path]] = []
        for entry in os.scandir(self.folder):
            if entry.name.startswith(_NEW):
                _sweep(Path(entry.path))
            elif _KEY.fullmatch(entry.name):
                with contextlib.suppress(FileNotFoundError):
                    found = entry.stat(follow_symlinks=False)
                    kept.append((found.st_mtime_ns, found.st_size, Path(entry.path)))
        excess = sum(size for _, size, _ in kept) - self.most_bytes
        for _, size, path in sorted(kept):
            if excess <= 0:
                break
            _remove(path)
            excess -= size

    def _notice(self, text: str) -> None:
        if text not in self.notices and len(self.notices) < _MOST_NOTICES:
            self.notices.append(text)


@contextlib.contextmanager
def _new_file(folder: Path) -> Iterator[tuple[int, str]]:
    """A file under a passing name, locked while its writer lives, so that a sweeper can tell; gone on failure."""
    while True:
        descriptor, name = tempfile.mkstemp(prefix=_NEW, dir=folder)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            break
        os.close(descriptor)  # a sweeper took it in the moment before it was locked
    try:
        yield descriptor, name
    finally:
        _remove(Path(name))
        os.close(descriptor)


def _sweep(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(path)
    except BlockingIOError:
        pass  # its writer is alive
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _read(path: Path, most_bytes: int) -> bytes:
    """The whole entry, marked as just used; empty, and so not verified, for what is no entry of ours."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_size > most_bytes:
            return b""
        os.utime(descriptor)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most_bytes + 1)
    finally:
        os.close(descriptor)


def _encode(key: str, products: Mapping[str, Artifact]) -> bytes:
    rows = [[name, len(product.data), product.executable] for name, product in products.items()]
    listing = json.dumps(rows).encode()
    data = (product.data for product in products.values())
    payload = b"".join((len(listing).to_bytes(_LENGTH_BYTES, "big"), listing, *data))
    return _MAGIC + _digest(key, payload) + payload


def _decode(key: str, content: bytes) -> dict[str, Artifact] | None:
    start = len(_MAGIC) + _DIGEST_BYTES
    payload = content[start:]
    if content[:start] != _MAGIC + _digest(key, payload):
        return None
    position = _LENGTH_BYTES + int.from_bytes(payload[:_LENGTH_BYTES], "big")
    products = {}
    for name, size, executable in json.loads(payload[_LENGTH_BYTES:position]):
        products[name] = Artifact(data=payload[position : position + size], executable=executable)
        position += size
    return products


def _digest(key: str, payload: bytes) -> bytes:
    return hashlib.sha256(key.encode() + payload).digest()


def _is_plain(name: str) -> bool:
    """Whether it is a relative path without tricks; products are named by programs nobody trusts."""
    hostile = "\0" in name or "\\" in name or len(name) > _MOST_NAME
    return not hostile and not any(part in {"", ".", ".."} for part in name.split("/"))
