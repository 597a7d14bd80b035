"""Makes an evidence pack: a report for people and machines, its records, and what proves them, signed as a whole.

What holds: with the pack and a public key that was got elsewhere, anybody can check without the log, without this
machine and without a network that no byte was changed, that the records are those of the signed log, that none is
missing in the stretch, and that the report says what they say. What does not hold is told in the report itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import IO

from windtunnel.core.audit import AuditEntry
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.plain import plain
from windtunnel.engine.audit import Trail
from windtunnel.engine.receipt import STATEMENT, Receipt, check_receipt
from windtunnel.engine.report.files import Writer, spooled, writing
from windtunnel.engine.report.page import page
from windtunnel.engine.report.summary import Tally, Wanted
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.envelope import seal
from windtunnel.store.audit.evidence import Stretch, pieces, stretch
from windtunnel.store.audit.export import jsonl
from windtunnel.store.audit.verify import Verdict

FORM = "windtunnel-audit-report-1"
PREDICATE = "urn:windtunnel:evidence:1"
MANIFEST, REPORT, PAGE, RECORDS, EVIDENCE, PROOF, NOTE, NOTES, KEYS = (
    "MANIFEST.json", "report.json", "index.html", "records.jsonl", "evidence.jsonl", "proof.json", "checkpoint.txt",
    "checkpoints.json", "keys.txt")
_MOST_NOTES = 1000
_MOST_RECEIPTS = 1000
_MOST_REMOVED = 100
CANNOT = (
    "what was done by other means than Windtunnel, or while nothing was written down (audit off or optional)",
    "whether the machine that wrote the log told the truth: records and report are its word, and worth as much as it",
    "a record far from this stretch whose clock was wrong, so that its time belongs into the span",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A pack that was written."""

    path: Path
    report: Mapping[str, object]
    manifest: str
    """SHA-256 of the signed manifest, which names the pack."""


@dataclass(slots=True)
class _Sums:
    """Writes files, and remembers their hashes and sizes."""

    writer: Writer
    hashes: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[_Summed]:
        with self.writer.open(name) as file:
            summed = _Summed(file)
            yield summed
        self.hashes[name], self.sizes[name] = summed.hashed.hexdigest(), summed.size

    def write(self, name: str, text: str) -> None:
        with self.open(name) as file:
            file.write(text.encode())


class _Summed:
    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.hashed, self.size = file, hashlib.sha256(), 0

    def write(self, data: bytes) -> int:
        self.hashed.update(data)
        self.size += len(data)
        return self._file.write(data)


def make_pack(
    trail: Trail, wanted: Wanted, target: Path, *, actor: str, outside: Sequence[str] = (),
    receipts: Sequence[str] = (),
) -> Made:
    """Write the evidence of a span; ``outside`` are checkpoints kept elsewhere, which the log is held against first.

    A log that is not whole where the report looks is refused; one that is not whole elsewhere is told in the report.
    """
    verdict = trail.verify(outside)
    note = trail.checkpoint()
    checkpoint = read_checkpoint(note, trail.keys.public())
    part = stretch(trail.log, since=wanted.since, until=wanted.until, size=checkpoint.size)
    fault = verdict.fault
    if fault is not None and part.begin <= fault.seq < part.stop:
        raise SandboxFailure(f"the log is not whole, so there is nothing to show: {fault.message}")
    tally = Tally(wanted)
    with writing(target) as writer:
        sums = _Sums(writer)
        _write_records(trail, part, tally, sums=sums, target=target)
        kept = _write_receipts(trail, tally, receipts, sums=sums)
        report = {**_head(wanted, checkpoint, part, actor=actor, key=str(trail.keys.current().public)),
                  "verification": _verification(verdict, outside=len(outside), wanted=wanted), "receipts": kept,
                  "content": tally.told()}
        _write_proof(trail, part, note, sums=sums, size=checkpoint.size)
        sums.write(REPORT, report_text(report))
        sums.write(PAGE, page(report))
        manifest = seal(_statement(report, sums), trail.keys.current())
        sums.write(MANIFEST, manifest)
    name = hashlib.sha256(manifest.encode()).hexdigest()
    trail.log.append(AuditEntry(kind="report", outcome="done", actor=actor, subject=name, details={
        "span": report["span"], "only": report["only"], "records": tally.told()["records"]}))
    return Made(path=target, report=report, manifest=name)


def report_text(report: Mapping[str, object]) -> str:
    """The report as it is written."""
    return f"{json.dumps(report, indent=1, default=plain)}\n"


def _head(
    wanted: Wanted, checkpoint: Checkpoint, part: Stretch, *, actor: str, key: str,
) -> dict[str, object]:
    return {
        "form": FORM, "windtunnel": metadata.version("windtunnel"),
        "made": datetime.now(UTC).isoformat(timespec="seconds"), "by": actor, "origin": checkpoint.origin, "key": key,
        "span": {"from": wanted.since, "to": wanted.until},
        "only": {"actor": wanted.actor, "projects": list(wanted.projects)},
        "log": {"size": checkpoint.size, "root": checkpoint.root.hex(), "time": checkpoint.time, "begin": part.begin,
                "stop": part.stop}}


def _verification(verdict: Verdict, *, outside: int, wanted: Wanted) -> dict[str, object]:
    fault = verdict.fault
    beside = ("what the records of others say: those that were not asked for are here by their headers alone",)
    return {
        "success": verdict.success, "records": verdict.size, "checkpoints": verdict.checkpoints, "outside": outside,
        "fault": None if fault is None else {"seq": fault.seq, "kind": fault.kind, "message": fault.message},
        "removed": list(verdict.removed[:_MOST_REMOVED]),
        "cannot_show": [*verdict.not_found, *CANNOT, *(beside if wanted.actor or wanted.projects else ())]}


def _write_records(trail: Trail, part: Stretch, tally: Tally, *, sums: _Sums, target: Path) -> None:
    """One look at each record, for the evidence, the readable copy and the report."""
    with spooled(target) as spool:
        with sums.open(EVIDENCE) as file:
            for piece in pieces(trail.log, part, tally.wanted.asked):
                file.write(f"{piece.line()}\n".encode())
                if (line := tally.look(piece)) is not None:
                    spool.write(f"{jsonl(line)}\n".encode())
        spool.seek(0)
        with sums.open(RECORDS) as file:
            shutil.copyfileobj(spool, file)


def _write_receipts(trail: Trail, tally: Tally, texts: Sequence[str], *, sums: _Sums) -> list[dict[str, object]]:
    if len(texts) > _MOST_RECEIPTS:
        raise UsageError(f"--receipt: more than {_MOST_RECEIPTS} receipts", field="--receipt")
    kept = []
    for text in texts:
        receipt = check_receipt(text, trail.keys.public())
        kept.append(receipt_row(receipt, tally))
        sums.write(receipt_file(receipt), text)
    return kept


def receipt_file(receipt: Receipt) -> str:
    """What it is called in a pack: by its trial."""
    return f"receipts/{hashlib.sha256(receipt.trial.encode()).hexdigest()[:16]}.json"


def receipt_row(receipt: Receipt, tally: Tally) -> dict[str, object]:
    """What the report says of a receipt; a typed error where the records do not know its trial, or say otherwise."""
    seen = tally.verdict(receipt.trial)
    if seen != receipt.verdict:
        known = f"the record says {seen!r}" if seen else "no record of the report is about its trial"
        raise UsageError(f"receipt: trial {receipt.trial[:64]!r}, {receipt.verdict[:20]!r}: {known}", field="receipt")
    return {"file": receipt_file(receipt), "trial": receipt.trial, "change": receipt.change, "tree": receipt.tree,
            "verdict": receipt.verdict, "time": receipt.time, "signer": receipt.signer}


def _write_proof(trail: Trail, part: Stretch, note: str, *, sums: _Sums, size: int) -> None:
    """How the records lead to the signed head, and how older heads do, for whoever kept one of them."""
    keys, log = trail.keys.public(), trail.log
    others = [(text, read_checkpoint(text, keys).size) for text in log.checkpoints()[-_MOST_NOTES:]]
    sums.write(PROOF, part.to_json())
    sums.write(NOTE, note)
    sums.write(NOTES, json.dumps([
        {"note": text, "proof": [step.hex() for step in log.consistency(older, size)]}
        for text, older in others if older <= size], indent=1))
    sums.write(KEYS, "".join(f"{key}\n" for key in keys))


def _statement(report: Mapping[str, object], sums: _Sums) -> bytes:
    """Of in-toto: these files, and what they are."""
    subjects = [{"name": name, "digest": {"sha256": hash_}} for name, hash_ in sorted(sums.hashes.items())]
    predicate = {name: report[name] for name in ("form", "windtunnel", "made", "origin", "span", "only", "log")}
    return json.dumps({"_type": STATEMENT, "subject": subjects, "predicateType": PREDICATE,
                       "predicate": {**predicate, "sizes": sums.sizes}}, separators=(",", ":"), sort_keys=True).encode()
