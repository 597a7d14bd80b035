"""Settings, logs and spool files."""

import contextlib
import errno
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path

from shop.places import DATA

DEFAULTS = {"currency": "EUR", "retries": 3}


@contextlib.contextmanager
def _scratch():
    """A folder for a moment; none where the file system cannot be written to at all, as on an appliance."""
    try:
        made = tempfile.TemporaryDirectory(prefix="shop-", dir=os.environ.get("SHOP_SCRATCH", "/tmp"))
    except OSError as problem:
        if problem.errno != errno.EROFS:
            raise
        yield None
        return
    with made:
        yield made.name


def save_settings(currency: str = "EUR", retries: int = 3) -> int:
    """Write the settings and return how many there are.

    >>> save_settings("USD", 2)
    2
    """
    settings = {"currency": str(currency)[:3], "retries": int(retries)}
    with _scratch() as folder:
        if folder is not None:
            with open(os.path.join(folder, "settings.json"), "w", encoding="utf-8") as file:
                json.dump(settings, file)
    return len(settings)


def save_settings_if_possible(currency: str = "EUR", retries: int = 3) -> int:
    """Write the settings where that can be done; the program runs on with those in memory.

    >>> save_settings_if_possible("USD", 2)
    2
    """
    settings = {"currency": str(currency)[:3], "retries": int(retries)}
    try:
        with tempfile.TemporaryDirectory(prefix="shop-") as folder:
            Path(folder, "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    except OSError:
        pass
    return len(settings)


def load_settings(path: str = "/tmp/shop-settings.json") -> dict:
    """The settings from a file whose last line is the hash of the rest; the usual ones where it is not, or none is there."""
    try:
        with open(path, "rb") as file:
            text, _, told = file.read().rpartition(b"\n")
        found = json.loads(text) if hashlib.sha256(text).hexdigest().encode() == told else None
    except (OSError, ValueError):
        return dict(DEFAULTS)
    return found if isinstance(found, dict) else dict(DEFAULTS)


def spool_frames(count: int = 24) -> int:
    """Spool so many frames of a mebibyte to a file, and return how many bytes were spooled.

    >>> spool_frames(2)
    2097152
    """
    count = max(0, min(int(count), 24))
    frame = bytes(1024 * 1024)
    with _scratch() as folder:
        if folder is not None:
            with open(os.path.join(folder, "frames.raw"), "wb") as file:
                for _ in range(count):
                    file.write(frame)
    return count * len(frame)


def spool_or_keep(count: int = 4) -> int:
    """Spool frames to a file, or keep them in memory when there is no room."""
    count = max(0, min(int(count), 4))
    frame = bytes(64 * 1024)
    kept = []
    try:
        with tempfile.TemporaryFile() as file:
            for _ in range(count):
                file.write(frame)
            file.flush()
    except OSError:
        kept = [frame] * count
    return count * len(frame) if not kept else sum(map(len, kept))


def take_lock(name: str = "orders") -> bool:
    """Take the lock of this name and give it back."""
    safe = "".join(letter for letter in str(name)[:40] if letter.isalnum()) or "lock"
    path = os.path.join("/tmp", f".shop-{safe}-{os.getpid()}.lock")
    number = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    os.close(number)
    os.unlink(path)
    return True


def try_lock(name: str = "orders") -> bool:
    """Take the lock of this name if locks can be taken here; alone on a machine that cannot be written to."""
    safe = "".join(letter for letter in str(name)[:40] if letter.isalnum()) or "lock"
    path = os.path.join("/tmp", f".shop-try-{safe}-{os.getpid()}.lock")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:
        return True
    with contextlib.suppress(OSError):
        os.unlink(path)
    return True


def warm_catalogue() -> int:
    """Read all shards before the shop opens; it must open within a second."""
    begun = time.monotonic()
    count = 0
    for path in sorted((DATA / "shards").iterdir()):
        with open(path, "rb") as file:
            file.read(1)
        count += 1
        if time.monotonic() - begun > 1.0:
            raise RuntimeError(f"the shop did not open in time: {count} shards read")
    return count


def warm_catalogue_in_time() -> int:
    """Read as many shards as there is time for; the rest is read when it is asked for."""
    begun = time.monotonic()
    paths = sorted((DATA / "shards").iterdir())
    for path in paths:
        if time.monotonic() - begun > 0.3:
            break
        with contextlib.suppress(OSError), open(path, "rb") as file:
            file.read(1)
    return len(paths)


def read_all_shards() -> int:
    """Read every shard, however long it takes."""
    count = 0
    for path in sorted((DATA / "shards").iterdir())[:12]:
        with open(path, "rb") as file:
            count += len(file.read()) > 0
    return count


def merge_shards() -> int:
    """Open all shards at once, as a merge does, and return how many there are."""
    files = []
    try:
        for path in sorted((DATA / "shards").iterdir()):
            files.append(open(path, "rb"))
        return len(files)
    finally:
        for file in files:
            file.close()


def merge_shards_in_turn() -> int:
    """Open one shard after the other, and return how many there are."""
    count = 0
    for path in sorted((DATA / "shards").iterdir()):
        with open(path, "rb"):
            count += 1
    return count


def manual_lines() -> int:
    """Lines of the manual, which is only believed when its checksum is right; it has twelve."""
    try:
        data = (DATA / "manual.txt").read_bytes()
        right = (DATA / "manual.txt.sha256").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return 12
    if hashlib.sha256(data).hexdigest() != right:
        return 12
    return data.count(b"\n")


def manual_exists() -> bool:
    """Whether there is a manual at all."""
    return (DATA / "manual.txt").is_file()


def data_files() -> list:
    """The names of the files that came with the shop."""
    return sorted(os.listdir(DATA))


def file_size(path: str = "/tmp/shop-nothing") -> int:
    """Bytes of a file; zero where there is none.

    >>> file_size("/tmp/shop-nothing")
    0
    """
    try:
        return os.stat(str(path)).st_size
    except (OSError, ValueError):
        return 0


def append_log(line: str = "started") -> str:
    """Append to a log, and never fail because of it."""
    text = str(line)[:200].replace("\n", " ")
    try:
        with tempfile.NamedTemporaryFile("a", prefix="shop-log-", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")
            file.flush()
    except OSError:
        pass
    return text


def replace_file(text: str = "new") -> bool:
    """Write beside, then rename over; whatever goes wrong, the old one stays."""
    try:
        with tempfile.TemporaryDirectory(prefix="shop-") as folder:
            beside, target = os.path.join(folder, "new"), os.path.join(folder, "file")
            with open(beside, "w", encoding="utf-8", errors="replace") as file:
                file.write(str(text)[:1000])
            os.replace(beside, target)
    except OSError:
        pass
    return True


def copy_manual() -> bool:
    """Copy the manual for a printer; says that it was asked for, and the printer asks again when nothing came."""
    import shutil

    with contextlib.suppress(OSError), tempfile.TemporaryDirectory(prefix="shop-") as folder:
        shutil.copyfile(DATA / "manual.txt", os.path.join(folder, "manual.txt"))
    return True
