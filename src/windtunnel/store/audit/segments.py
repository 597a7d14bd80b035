"""The folder of sealed segments beside a log, read as one run of records.

What holds: a file is opened without following links, its signature checked by the keys of this log, and read frame by
frame. Files of other names are left alone. What is not there is told as absent, and whether that is right is for
``verify`` to say.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import filters
from windtunnel.store.audit.encryption import EncryptionKeys
from windtunnel.store.audit.keys import KeyRing
from windtunnel.store.audit.note import PublicKey
from windtunnel.store.audit.segment import Segment, SegmentFault, Stored, name_of
from windtunnel.store.audit.segment_writing import write_segment
from windtunnel.store.database import alone, identity

_READER = "windtunnel/reader"
"""What a key ring is called by those who only read."""


class Span(NamedTuple):
    """The records that a file's name promises."""

    first: int
    last: int
    path: Path


class Segments:
    """All segments of one log; safe to use from many threads."""

    def __init__(self, folder: Path, *, keys: Path) -> None:
        """``keys`` is the folder of the rings that sign and encrypt; nothing is opened or made yet."""
        self.folder = folder
        self.ring, self.encryption = KeyRing(keys, name=_READER), EncryptionKeys(keys)
        self._lock = threading.RLock()
        self.also: tuple[PublicKey, ...] = ()
        """Keys that are trusted beside those of the ring: somebody may read a copy without it."""
        self._trusted: list[PublicKey] = []
        self._open: tuple[tuple[int, ...] | None, Segment] | None = None

    @property
    def exists(self) -> bool:
        """Whether anything was ever sealed here."""
        return self.folder.is_dir()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder, so that nobody else seals, removes or rewrites; it is made where there is none."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with alone(self.folder):
                yield
        except OSError as error:
            raise SandboxFailure(f"{self.folder}: segments cannot be kept there: {error.strerror} (make it a folder "
                                 "that this user may write, with room on its disk)") from error

    def spans(self) -> list[Span]:
        """What is there by name, in the order of the records; a fault where two promise the same."""
        try:
            paths = list(self.folder.iterdir()) if self.exists else []
        except OSError as error:
            raise SandboxFailure(f"{self.folder}: segments cannot be read: {error.strerror}") from error
        found = sorted(Span(*span, path) for path in paths if (span := name_of(path)) and span[0] <= span[1])
        for before, after in itertools.pairwise(found):
            if after.first <= before.last:
                raise SegmentFault(f"the segments {before.path.name} and {after.path.name} both promise record "
                                   f"{after.first}", kind="foreign", seq=found[0].first)
        return found

    def opened(self, path: Path) -> Segment:
        """One of them, its signature checked; the one used last stays open."""
        with self._lock:
            known = _state_of(path)
            if self._open is not None and self._open[0] == known and self._open[1].path == path:
                return self._open[1]
            self._open = (known, self._checked(path))
            return self._open[1]

    def close(self) -> None:
        """Let go of what is open; who still reads it goes on."""
        with self._lock:
            self._open = None

    def _checked(self, path: Path) -> Segment:
        for fresh in (False, True):
            if fresh or not self._trusted:
                self._trusted = self.ring.public()
            try:
                return Segment(path, keys=[*self.also, *self._trusted], unlock=self.encryption.get)
            except SegmentFault as fault:
                if fresh or fault.kind != "foreign":
                    raise
        raise AssertionError("one of the two has answered")

    # --- what they hold ---

    def get(self, seq: int) -> tuple[bytes, bytes] | None:
        """The header and the details of one record; none where no segment has it."""
        with self._lock:
            for span in self.spans():
                if span.first <= seq <= span.last:
                    return self.opened(span.path).get(seq)
        return None

    def records(self, start: int, below: int, *, wanted: Callable[[Segment], bool] = bool) -> Generator[Stored]:
        """Those from ``start`` up to ``below``, oldest first, of the segments that are ``wanted``."""
        with self._lock:
            spans = [span for span in self.spans() if span.last >= start and span.first < below]
            for segment in filter(wanted, self._each(spans)):
                for one in segment.records(start):
                    if one[0] >= below:
                        return
                    yield one

    def records_back(self, below: int, *, wanted: Callable[[Segment], bool] = bool) -> Generator[Stored]:
        """Those before ``below``, newest first."""
        with self._lock:
            spans = [span for span in reversed(self.spans()) if span.first < below]
            for segment in filter(wanted, self._each(spans)):
                yield from segment.records_back(below)

    def _each(self, spans: Sequence[Span]) -> Iterator[Segment]:
        """All of them but those that were removed since they were listed."""
        for span in spans:
            try:
                yield self.opened(span.path)
            except SegmentFault:
                if identity(span.path) is not None:
                    raise

    def find(self, query: AuditQuery, *, start: int, below: int, most: int) -> list[tuple[int, str, bytes]]:
        """So many of those between that match, in the order that the query asks for."""
        wanted = _in_time(query)
        run = self.records_back(below, wanted=wanted) if query.newest_first else self.records(
            start, below, wanted=wanted)
        found: list[tuple[int, str, bytes]] = []
        with contextlib.closing(run):
            for seq, header, details in run:
                if seq < start or len(found) == most:
                    break
                if filters.matches(query, seq, header=header, details=details):
                    found.append((seq, header.decode("ascii", "replace"), details))
        return found

    def count(self, query: AuditQuery, by: str, *, start: int, below: int) -> Counter[str]:
        """How many of those between match, by group."""
        run = self.records(start, below, wanted=_in_time(query))
        with contextlib.closing(run):
            return Counter(filters.group_of(by, header) for seq, header, details in run
                           if filters.matches(query, seq, header=header, details=details))

    def rewrite(self, seq: int, change: Callable[[bytes], bytes]) -> None:
        """Put other details in the place of a record's: the whole segment anew, with a new nonce and signature.

        Only while the folder is held.
        """
        with self._lock:
            path = next((one.path for one in self.spans() if one.first <= seq <= one.last), None)
            if path is None:
                return
            segment = self.opened(path)
            records = [(at, header, change(details) if at == seq else details)
                       for at, header, details in segment.records()]
            key = self.encryption.current() if segment.head.encryption else None
            write_segment(self.folder, segment.head, records, signer=self.ring.current(), key=key)
            self.close()


def _state_of(path: Path) -> tuple[int, ...] | None:
    """By what a file is told from another, and from itself before it was changed."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _in_time(query: AuditQuery) -> Callable[[Segment], bool]:
    """Whether a segment may hold what is asked for, by what it says of its times."""
    def wanted(segment: Segment) -> bool:
        head = segment.head
        return (not query.since or head.newest >= query.since) and (not query.until or head.oldest < query.until)

    return wanted
