"""``windtunnel audit verify|checkpoint|prove|check|keys``: what the log can show for itself."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.audit_log import trail
from windtunnel.cli.render import clean, colour, json_text
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.store.audit.note import PublicKey

_MOST_FILE = 64 * 1024**2


def add(acts: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Their arguments."""
    made = acts.add_parser("verify", help="read all of the log, and name the first bad record if there is one")
    made.add_argument("--against", action="append", default=[], metavar="CHECKPOINT",
                      help="a checkpoint that was kept elsewhere; may be repeated")
    add_keys(made)
    made.set_defaults(act=_verify)
    made = acts.add_parser("checkpoint", help="sign what the log is now; keep what it prints elsewhere")
    made.add_argument("--to", metavar="FILE", help="add it to this file, as well")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_checkpoint)
    made = acts.add_parser("prove", help="a proof of one record, for anybody who has our public key")
    made.add_argument("entry", help="its number, or the id of an act, a run or a trial")
    made.add_argument("--json", action="store_true", help="as JSON (so it is anyway)")
    made.set_defaults(act=_prove)
    made = acts.add_parser("check", help="check a proof, with nothing but the file and a public key")
    made.add_argument("proof", metavar="PROOF", help="the file; - for standard input")
    add_keys(made)
    made.set_defaults(act=_check)
    made = acts.add_parser("redact", help="take details out of a record; every proof still holds")
    made.add_argument("entry", help="its number, or the id of an act, a run or a trial")
    made.add_argument("--detail", action="append", required=True, metavar="NAME", help="which; may be repeated")
    made.add_argument("--reason", required=True, metavar="WORDS", help="why; it is written down")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_redact)
    made = acts.add_parser("keys", help="our public keys, the current one last")
    made.add_argument("--rotate", action="store_true", help="make a new current key; the others stay good")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_keys)


def add_keys(made: argparse.ArgumentParser) -> None:
    """Whom to believe."""
    made.add_argument("--key", action="append", default=[], metavar="KEY",
                      help="a public key to trust, or a file of them (default: our own); may be repeated")
    made.add_argument("--json", action="store_true", help="as JSON")


def _verify(chosen: argparse.Namespace) -> int:
    outside = [note for path in chosen.against for note in _notes(read(path))]
    verdict = trail().verify(outside, keys=trusted(chosen.key))
    fault = verdict.fault
    if chosen.json:
        print(json_text({"success": verdict.success, "size": verdict.size, "root": verdict.root.hex(), "fault": fault,
                         "checkpoints": verdict.checkpoints, "not_found": verdict.not_found}))
    elif fault is not None:
        print(f"{colour('bad', 'red')}: record {fault.seq} {fault.kind}: {clean(fault.message)}")
    else:
        print(f"{colour('whole', 'green')}: {verdict.size} records, {verdict.checkpoints} checkpoints, "
              f"head {verdict.root.hex()}")
        for line in verdict.not_found:
            print(f"cannot be found from here: {line}")
    return 0 if verdict.success else 1


def _checkpoint(chosen: argparse.Namespace) -> int:
    note = trail().checkpoint()
    if chosen.to:
        with Path(chosen.to).open("a", encoding="utf-8") as file:
            file.write(f"{note}\n")
    print(json_text({"checkpoint": note}) if chosen.json else note, end="\n" if chosen.json else "")
    return 0


def _prove(chosen: argparse.Namespace) -> int:
    found = trail()
    print(found.prove(found.entry(chosen.entry)).to_json())
    return 0


def _check(chosen: argparse.Namespace) -> int:
    from windtunnel.store.audit.export import plain_record  # noqa: PLC0415
    from windtunnel.store.audit.proof import check_proof, read_proof  # noqa: PLC0415

    keys = trusted(chosen.key) or trail().keys.public()
    record, checkpoint = check_proof(read_proof(read(chosen.proof)), keys)
    if chosen.json:
        print(json_text({"success": True, "record": plain_record(record), "size": checkpoint.size,
                         "origin": checkpoint.origin, "time": checkpoint.time}))
    else:
        entry = record.entry
        print(f"{colour('proven', 'green')}: record {record.seq} of {checkpoint.size} in {clean(checkpoint.origin)}: "
              f"{clean(f'{entry.kind} {entry.outcome} by {entry.actor}')} at {record.time}")
    return 0


def _redact(chosen: argparse.Namespace) -> int:
    from windtunnel import config  # noqa: PLC0415
    from windtunnel.engine.record import user_name  # noqa: PLC0415
    from windtunnel.store.audit.redaction import redact  # noqa: PLC0415

    found = trail()
    seq = found.entry(chosen.entry).seq
    made = redact(found.log, seq, chosen.detail, actor=config.load().actor or user_name(), reason=chosen.reason)
    told = {"redacted": seq, "details": chosen.detail, "record": made.seq}
    print(json_text(told) if chosen.json else f"taken out of record {seq}: {clean(', '.join(chosen.detail))}")
    return 0


def _keys(chosen: argparse.Namespace) -> int:
    ring = trail().keys
    if chosen.rotate:
        ring.rotate()
    ring.current()
    words = [str(key) for key in ring.public()]
    print(json_text(words) if chosen.json else "\n".join(words))
    return 0


def trusted(given: list[str]) -> list[PublicKey]:
    """Public keys as they were given, by word or by file."""
    from windtunnel.store.audit.note import public_key  # noqa: PLC0415

    words = [word for one in given for word in (read(one).split() if Path(one).is_file() else [one])]
    return [public_key(word) for word in words]


def _notes(text: str) -> list[str]:
    """The checkpoints in a file, which ``checkpoint --to`` parted by an empty line more."""
    parts = [part for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]
    return [f"{body.lstrip(chr(10))}\n\n{signature.rstrip(chr(10))}\n"
            for body, signature in zip(parts[::2], parts[1::2], strict=False)] or [text]


def read(path: str) -> str:
    """A file, or standard input, within bounds."""
    try:
        if path == "-":
            return sys.stdin.read(_MOST_FILE)
        with Path(path).open(encoding="utf-8") as file:
            return file.read(_MOST_FILE)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", field="file") from error
