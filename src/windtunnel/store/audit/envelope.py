"""Signed statements in the envelope of DSSE: a payload, its type, and signatures over both.

What holds: the payload is what the named key signed, byte for byte, as a payload of that type and no other. Other tools
read it: the form is that of the Dead Simple Signing Envelope, version 1, with Ed25519.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.store.audit.note import PublicKey, SecretKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_MOST_BYTES = 64 * 1024**2
_MOST_SIGNATURES = 16


def seal(payload: bytes, key: SecretKey) -> str:
    """The envelope, as JSON."""
    return json.dumps({
        "payloadType": PAYLOAD_TYPE, "payload": base64.b64encode(payload).decode(),
        "signatures": [{"keyid": str(key.public), "sig": base64.b64encode(key.sign(_signed(payload))).decode()}]},
        indent=1)


def unseal(text: str, keys: Sequence[PublicKey]) -> tuple[bytes, PublicKey]:
    """The payload and who signed it; a typed error unless one of the keys did."""
    payload, signatures = read(text)
    for _, signature in signatures:
        for key in keys:
            if key.verifies(_signed(payload), signature):
                return payload, key
    signers = ", ".join(sorted({name for name, _ in signatures})) or "nobody"
    raise UsageError(f"receipt: not signed by a key that is trusted here (signed by {signers[:500]})", field="receipt")


def read(text: str) -> tuple[bytes, list[tuple[str, bytes]]]:
    """The payload and the signatures of an envelope, unchecked."""
    try:
        if len(text) > _MOST_BYTES:
            raise ValueError("too long")  # noqa: TRY301 -- one way out for all that is wrong with it
        told = json.loads(text)
        return decoded(told["payload"]), [
            (str(one.get("keyid", ""))[:500], decoded(one["sig"])) for one in _list(told)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"receipt: not a signed statement: {error}", field="receipt") from error


def _list(told: Any) -> list[Any]:  # noqa: ANN401 -- JSON of a stranger
    signatures = told["signatures"]
    if told["payloadType"] != PAYLOAD_TYPE or not isinstance(signatures, list) or len(signatures) > _MOST_SIGNATURES:
        raise ValueError(f"not of the type {PAYLOAD_TYPE}")
    return signatures


def _signed(payload: bytes) -> bytes:
    """The pre-authentication encoding: lengths stand before both parts, so that neither can run into the other."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def decoded(text: object) -> bytes:
    """What was written in base 64; a TypeError or ValueError where nothing was."""
    if not isinstance(text, str):
        raise TypeError("not text")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
