"""Proofs that travel: one record, its way to the head of the log, and the checkpoint somebody signed for that head.

What holds: with the public key of the log and nothing else, anybody can check that the record stood at that place in
the log when the checkpoint was signed. What does not hold: a proof says nothing of what was recorded around it; that
the log between two checkpoints only grew is shown by the other kind (``consistency``).
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.core.audit import AuditRecord
from windtunnel.core.errors import UsageError
from windtunnel.store.audit import form, merkle
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.note import PublicKey

FORM = "windtunnel-proof-1"
MOST_PROOF = 64 * 1024**2
MOST_STEPS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Of one record."""

    header: bytes
    details: bytes
    path: tuple[bytes, ...]
    checkpoint: str
    """A signed note for a log that holds the record."""

    def to_json(self) -> str:
        """As one JSON object; the header as it is read by people, hashes as base64."""
        return json.dumps({
            "form": FORM, "header": self.header.decode(), "details": encoded(self.details),
            "path": [encoded(step) for step in self.path], "checkpoint": self.checkpoint}, indent=1)


def prove(log: AuditLog, seq: int, *, note: str, size: int) -> Proof:
    """That the record stands in the log which the signed note is about."""
    if not 0 <= seq < size:
        raise UsageError(f"entry: record {seq} came after the checkpoint of {size} records (sign a new one: "
                         "windtunnel audit checkpoint)", field="entry")
    found = log.raw(seq)
    if found is None:
        raise UsageError(f"entry: there is no record {seq}", field="entry")
    return Proof(header=found[0], details=found[1], path=tuple(log.inclusion(seq, size)), checkpoint=note)


def read_proof(text: str) -> Proof:
    """A proof as it was written; a typed error for anything else."""
    try:
        return _proof(json.loads(text) if len(text) <= MOST_PROOF else {})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"proof: not a proof of the form {FORM}: {error}", field="proof") from error


def _proof(told: Mapping[str, Any]) -> Proof:
    steps = told["path"]
    if told["form"] != FORM or not isinstance(steps, list) or len(steps) > MOST_STEPS:
        raise ValueError("another form, or no path")
    header, checkpoint = (text_of(told[name]) for name in ("header", "checkpoint"))
    return Proof(header=header.encode("ascii"), details=decoded(told["details"]),
                 path=tuple(decoded(step) for step in steps), checkpoint=checkpoint)


def check_proof(proof: Proof, keys: Sequence[PublicKey]) -> tuple[AuditRecord, Checkpoint]:
    """The record and the checkpoint that it is proven by; a typed error where it is not."""
    checkpoint = read_checkpoint(proof.checkpoint, keys)
    try:
        record = form.record_of(proof.header, proof.details)
        details = form.hash_of(proof.details)
    except ValueError as error:
        raise UsageError(f"proof: the record cannot be read: {error}", field="proof") from error
    if not proof.header.endswith(form.suffix_of(details)):
        raise UsageError("proof: the details are not those that the record vouches for", field="proof")
    if not merkle.is_included(merkle.leaf_hash(proof.header), index=record.seq, size=checkpoint.size,
                              root=checkpoint.root, proof=proof.path):
        raise UsageError(f"proof: record {record.seq} does not stand in the log that the checkpoint is about",
                         field="proof")
    return record, checkpoint


def encoded(data: bytes) -> str:
    """As a proof writes bytes."""
    return base64.b64encode(data).decode()


def decoded(text: object) -> bytes:
    """What ``encoded`` made; a ValueError or TypeError for anything else."""
    try:
        return base64.b64decode(text_of(text), validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error


def text_of(value: object) -> str:
    """It, if it is text."""
    if not isinstance(value, str):
        raise TypeError("not text")
    return value
