"""The receipt of a trial: a signed statement of what was tried, under what walls, and what was found.

What holds: with the file and the public key alone, anybody can check who signed it, for which change to which project,
and whether a change they hold is that one. The form is an in-toto statement in a DSSE envelope. What does not hold: a
receipt is the word of the machine that ran the trial; it proves nothing about a machine that lies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError
from windtunnel.core.trial import SandboxResult
from windtunnel.engine import particulars
from windtunnel.store.audit.envelope import seal, unseal
from windtunnel.store.audit.note import PublicKey, SecretKey

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:windtunnel:trial:1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a receipt says, once its signature was checked."""

    signer: str
    trial: str
    change: str
    """The digest of the change, as ``ChangeSet.digest`` makes it."""
    tree: str
    """The hash of the unchanged project."""
    verdict: str
    time: str
    statement: Mapping[str, Any]
    """All of it."""


def sign_receipt(result: SandboxResult, key: SecretKey) -> str:
    """The receipt of one trial."""
    predicate = {
        "trial": result.id, "change": result.changes.digest(), "windtunnel": metadata.version("windtunnel"),
        "time": datetime.now(UTC).isoformat(timespec="seconds"), "baseline_cached": result.baseline_cached,
        "workspace": result.workspace, "files": particulars.of_changes(result.changes),
        **particulars.of_verdict(result)}
    statement = {"_type": STATEMENT, "subject": _subjects(result), "predicateType": PREDICATE, "predicate": predicate}
    return seal(json.dumps(statement, separators=(",", ":")).encode(), key)


def check_receipt(text: str, keys: Sequence[PublicKey], *, changes: ChangeSet | None = None) -> Receipt:
    """What it says, if one of the keys signed it, and if it is about these changes where some are given."""
    payload, signer = unseal(text, keys)
    try:
        statement = json.loads(payload)
        predicate = statement["predicate"]
        if (statement["_type"], statement["predicateType"]) != (STATEMENT, PREDICATE):
            raise ValueError("a statement of another kind")  # noqa: TRY301 -- one way out for all that is wrong with it
        receipt = Receipt(signer=str(signer), statement=statement, **{
            name: _text(predicate[name]) for name in ("trial", "change", "tree", "verdict", "time")})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"receipt: signed, but not the receipt of a trial: {error}", field="receipt") from error
    if changes is not None and changes.digest() != receipt.change:
        raise UsageError("receipt: it is about another change than this one", field="receipt")
    return receipt


def _subjects(result: SandboxResult) -> list[dict[str, object]]:
    """The change, the tree it was tried on, and every file as it becomes."""
    files: list[dict[str, object]] = [{"name": one.relative_path, "digest": {"sha256": particulars.digest(one.data)}}
             for one in result.changes if one.operation != "delete"]
    return [{"name": "change", "digest": {"sha256": result.changes.digest()}},
            {"name": "tree", "digest": {"sha256": result.tree}}, *files]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value
