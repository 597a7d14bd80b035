"""Checks an evidence pack with nothing but the pack and public keys that were got elsewhere.

What is found: any byte that was changed, any file that was added or taken away, any record that was edited, left out,
moved or doubled, a report or a page that says other things than the records, a pack for another log than a checkpoint
that was kept elsewhere. Nothing of a pack is read before a trusted signature vouches for it, but for the manifest.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, Any

from windtunnel.core.errors import UsageError
from windtunnel.engine.receipt import STATEMENT, check_receipt
from windtunnel.engine.report import pack
from windtunnel.engine.report.files import Packed, reading
from windtunnel.engine.report.page import page
from windtunnel.engine.report.summary import Tally, Wanted
from windtunnel.store.audit import merkle
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.envelope import PAYLOAD_TYPE, read, unseal
from windtunnel.store.audit.evidence import MOST_LINE, Piece, Walk, read_stretch
from windtunnel.store.audit.export import jsonl
from windtunnel.store.audit.note import PublicKey

_MOST_SMALL = 64 * 1024**2
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a pack was found to be."""

    signer: str
    report: Mapping[str, Any]
    files: int
    checkpoint: Checkpoint
    agrees: int = 0
    """How many checkpoints of the reader's own it agrees with."""
    not_checked: tuple[str, ...] = ()
    """What could not be held against anything here, and why."""


def check_pack(path: Path, keys: Sequence[PublicKey], *, against: Sequence[str] = ()) -> Checked:
    """What it says, if all of it holds; a typed error that says what does not."""
    with reading(path) as packed:
        try:
            return _Check(packed, keys).done(against)
        except UsageError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise _wrong(f"signed, but not a pack of the form {pack.FORM}: {error!r}") from error


class _Check:
    def __init__(self, packed: Packed, keys: Sequence[PublicKey]) -> None:
        self.packed, self.keys = packed, keys
        self.skipped: list[str] = []

    def done(self, against: Sequence[str]) -> Checked:
        names = self.packed.names()
        if pack.MANIFEST not in names:
            raise _wrong(f"there is no {pack.MANIFEST} in it")
        statement, signer = _manifest(self._small(pack.MANIFEST), self.keys)
        self._sums(statement, set(names) - {pack.MANIFEST})
        report = self._json(pack.REPORT)
        checkpoint = read_checkpoint(self._small(pack.NOTE), self.keys)
        tally = self._records(report, checkpoint)
        self._report(report, tally, checkpoint)
        agrees = sum(self._agrees(note, checkpoint) for note in against)
        return Checked(signer=signer, report=report, files=len(names), checkpoint=checkpoint, agrees=agrees,
                       not_checked=tuple(self.skipped))

    # --- every byte ---

    def _sums(self, statement: Mapping[str, Any], names: set[str]) -> None:
        wanted = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
        for name in sorted(names ^ wanted.keys()):
            raise _wrong(f"{name} is {'missing' if name in wanted else 'not in the manifest'}")
        for name, digest in wanted.items():
            most = int(statement["predicate"]["sizes"][name])
            with self.packed.open(name) as file:
                if _sum(file, most=most) != digest:
                    raise _wrong(f"{name} was changed: its hash is not that of the manifest")

    def _small(self, name: str) -> str:
        with self.packed.open(name) as file:
            data = file.read(_MOST_SMALL + 1)
        if len(data) > _MOST_SMALL:
            raise _wrong(f"{name} is longer than {_MOST_SMALL} bytes")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise _wrong(f"{name} is not text") from error

    def _json(self, name: str) -> Any:  # noqa: ANN401 -- JSON that a trusted key signed
        try:
            return json.loads(self._small(name))
        except (ValueError, RecursionError) as error:
            raise _wrong(f"{name} is not JSON: {error}") from error

    # --- every record ---

    def _records(self, report: Mapping[str, Any], checkpoint: Checkpoint) -> Tally:
        walk = Walk(read_stretch(self._small(pack.PROOF)))
        tally = Tally(_wanted(report))
        last: Piece | None = None
        with self.packed.open(pack.EVIDENCE) as evidence, self.packed.open(pack.RECORDS) as records:
            readable = _lines(records, pack.RECORDS)
            for line in _lines(evidence, pack.EVIDENCE):
                last = walk.add(line)
                if last.seq == walk.part.begin > 0:
                    _edge(last, tally.wanted, "before")
                _same_as_asked(last, tally.wanted)
                record = tally.look(last)
                if record is not None and next(readable, None) != jsonl(record):
                    raise _wrong(f"{pack.RECORDS} does not say what record {last.seq} says")
            if next(readable, None) is not None:
                raise _wrong(f"{pack.RECORDS} holds more than the records")
        walk.end(checkpoint)
        if last is not None and walk.part.stop < checkpoint.size:
            _edge(last, tally.wanted, "after")
        return tally

    # --- every statement ---

    def _report(self, report: Mapping[str, Any], tally: Tally, checkpoint: Checkpoint) -> None:
        said = report["log"]
        if (said["size"], said["root"]) != (checkpoint.size, checkpoint.root.hex()):
            raise _wrong("the report is about another log than the checkpoint")
        kept = [name for name in self.packed.names() if name.startswith("receipts/")]
        receipts = [pack.receipt_row(check_receipt(self._small(name), self.keys), tally) for name in kept]
        if sorted(receipts, key=str) != sorted(report["receipts"], key=str):
            raise _wrong("the report does not say what the receipts say")
        if report["windtunnel"] != metadata.version("windtunnel"):
            self.skipped.append(f"whether report and page say what the records say: they were made by version "
                                f"{str(report['windtunnel'])[:40]}, and this is another")
            return
        if report["content"] != json.loads(json.dumps(tally.told())):
            raise _wrong("the report does not say what the records say")
        if self._small(pack.PAGE) != page(report):
            raise _wrong("the page does not say what the report says")

    def _agrees(self, note: str, checkpoint: Checkpoint) -> bool:
        """Hold the log of the pack against a checkpoint that the reader has from elsewhere."""
        own = read_checkpoint(note, self.keys)
        if own.size > checkpoint.size:
            self.skipped.append(f"a checkpoint of {own.size} records: it is later than the pack")
            return False
        for one in self._json(pack.NOTES):
            known = read_checkpoint(one["note"], self.keys)
            proof = [bytes.fromhex(step) for step in one["proof"]]
            if known.size == own.size:
                return _held(own, checkpoint, proof)
        if own.size == checkpoint.size:
            return _held(own, checkpoint, [])
        self.skipped.append(f"a checkpoint of {own.size} records: the pack has no proof for it")
        return False


def _held(own: Checkpoint, checkpoint: Checkpoint, proof: Sequence[bytes]) -> bool:
    if not merkle.is_consistent(first=own.size, second=checkpoint.size, old=own.root, new=checkpoint.root, proof=proof):
        raise _wrong(f"it is about another log than your checkpoint of {own.size} records: the log was rewritten or "
                     "replaced in between")
    return True


def _manifest(text: str, keys: Sequence[PublicKey]) -> tuple[Mapping[str, Any], str]:
    """What is signed, and by whom; also that the envelope is written as we write it, so that no byte of it is free."""
    try:
        _, signatures = read(text)
        payload, key = unseal(text, keys)
        statement = json.loads(payload)
        exact = json.dumps({
            "payloadType": PAYLOAD_TYPE, "payload": base64.b64encode(payload).decode(),
            "signatures": [{"keyid": str(key), "sig": base64.b64encode(signatures[0][1]).decode()}]}, indent=1)
        if (statement["_type"], statement["predicateType"]) != (STATEMENT, pack.PREDICATE):
            raise ValueError("a statement of another kind")  # noqa: TRY301 -- one way out for all that is wrong with it
    except UsageError as error:
        raise _wrong(f"{pack.MANIFEST}: {str(error).removeprefix('receipt: ')}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _wrong(f"{pack.MANIFEST} is not the manifest of a pack: {error}") from error
    if text != exact:
        raise _wrong(f"{pack.MANIFEST} is not as it was written")
    return statement, str(key)


def _wanted(report: Mapping[str, Any]) -> Wanted:
    span, only = report["span"], report["only"]
    return Wanted(since=span["from"], until=span["to"], actor=only["actor"], projects=tuple(only["projects"]))


def _edge(piece: Piece, wanted: Wanted, where: str) -> None:
    """The neighbour of the stretch must not belong into it; else more of its kind could have been left out."""
    if piece.record is not None and wanted.in_span(piece.record):
        raise _wrong(f"record {piece.seq} at the edge belongs into the span, so that one {where} it may be left out")


def _same_as_asked(piece: Piece, wanted: Wanted) -> None:
    record = piece.record
    if record is not None and wanted.asked(record) != (piece.details is not None):
        raise _wrong(f"record {piece.seq} was asked for, and its details are not here, or the other way round")


def _lines(file: IO[bytes], name: str) -> Iterator[str]:
    while line := file.readline(MOST_LINE):
        if not line.endswith(b"\n") or not line.isascii():
            raise _wrong(f"{name}: a line is cut off, too long or not ASCII")
        yield line[:-1].decode("ascii")


def _sum(file: IO[bytes], *, most: int) -> str:
    """The hash of it; of one that is longer than it should be, that of no more than one byte beyond."""
    hashed, left = hashlib.sha256(), most + 1
    while left > 0 and (data := file.read(min(left, _CHUNK))):
        hashed.update(data)
        left -= len(data)
    return hashed.hexdigest()


def _wrong(why: str) -> UsageError:
    return UsageError(f"pack: {why}", field="pack")
