"""Proofs that a log only grew between two signed checkpoints: nothing before the older one was changed or taken away.

What holds: with the public key of the log, the file and nothing else, anybody can check that all that the older
checkpoint was signed for is the beginning of what the newer one was signed for. What does not hold: it says nothing of
records after the newer one, and whoever holds the older checkpoint must compare it with their own copy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.store.audit import merkle
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.note import PublicKey
from windtunnel.store.audit.proof import MOST_PROOF, MOST_STEPS, decoded, encoded, text_of

FORM = "windtunnel-consistency-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyProof:
    """Of two checkpoints of one log."""

    older: str
    newer: str
    """Both as signed notes."""
    path: tuple[bytes, ...]

    def to_json(self) -> str:
        """As one JSON object, hashes as base64."""
        return json.dumps({"form": FORM, "older": self.older, "newer": self.newer,
                           "path": [encoded(step) for step in self.path]}, indent=1)


def is_consistency(text: str) -> bool:
    """Whether a text says of itself that it is such a proof."""
    return f'"{FORM}"' in text[:200]


def prove_growth(log: AuditLog, *, older: tuple[str, Checkpoint], newer: tuple[str, Checkpoint]) -> ConsistencyProof:
    """That the log of the newer checkpoint begins with that of the older; a typed error where it does not."""
    (old_note, old), (new_note, new) = older, newer
    if old.size > new.size:
        raise UsageError(f"since: the checkpoint is of {old.size} records, and the newest here is of {new.size}: the "
                         "log was cut (windtunnel audit verify --against)", field="since")
    made = ConsistencyProof(older=old_note, newer=new_note, path=tuple(log.consistency(old.size, new.size)))
    if not _holds(made, old, new):
        raise UsageError(f"since: this log does not begin with the {old.size} records that the checkpoint was signed "
                         "for (windtunnel audit verify --against)", field="since")
    return made


def read_consistency(text: str) -> ConsistencyProof:
    """A proof as it was written; a typed error for anything else."""
    try:
        return _read(json.loads(text) if len(text) <= MOST_PROOF else {})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"proof: not a proof of the form {FORM}: {error}", field="proof") from error


def _read(told: Mapping[str, Any]) -> ConsistencyProof:
    steps = told["path"]
    if told["form"] != FORM or not isinstance(steps, list) or len(steps) > 2 * MOST_STEPS:
        raise ValueError("another form, or no path")
    return ConsistencyProof(older=text_of(told["older"]), newer=text_of(told["newer"]),
                            path=tuple(decoded(step) for step in steps))


def check_consistency(
    proof: ConsistencyProof, keys: Sequence[PublicKey], *, against: Sequence[str] = (),
) -> tuple[Checkpoint, Checkpoint]:
    """The older and the newer checkpoint; a typed error where the log did not only grow between them.

    ``against`` are checkpoints of whoever checks: each must be one of the two.
    """
    old, new = read_checkpoint(proof.older, keys), read_checkpoint(proof.newer, keys)
    if old.origin != new.origin:
        raise UsageError(f"proof: the checkpoints are of two logs, {old.origin} and {new.origin}", field="proof")
    if not _holds(proof, old, new):
        raise UsageError(f"proof: the log of {new.size} records does not begin with that of {old.size}", field="proof")
    for note in against:
        mine = read_checkpoint(note, keys)
        if (mine.size, mine.root) not in ((old.size, old.root), (new.size, new.root)):
            raise UsageError(f"against: the checkpoint of {mine.size} records is neither of the two that the proof is "
                             f"about (of {old.size} and {new.size})", field="against")
    return old, new


def _holds(proof: ConsistencyProof, old: Checkpoint, new: Checkpoint) -> bool:
    return merkle.is_consistent(first=old.size, second=new.size, old=old.root, new=new.root, proof=proof.path)
