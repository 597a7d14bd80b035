"""``windtunnel audit verify|checkpoint|prove|check``: what the log can show for itself."""

from __future__ import annotations

import argparse
import stat
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
                      help="checkpoints kept elsewhere: a file, a folder of them or git:PATH#BRANCH; may be repeated")
    add_keys(made)
    made.set_defaults(act=_verify)
    made = acts.add_parser("checkpoint", help="sign what the log is now; keep what it prints elsewhere")
    made.add_argument("--to", action="append", default=[], metavar="PLACE",
                      help="file:FOLDER, https://HOST/PATH, git:PATH#BRANCH, or a file to add it to; may be repeated")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_checkpoint)
    made = acts.add_parser("prove", help="a proof of one record, or that the log only grew since a checkpoint, for "
                           "anybody who has our public key")
    made.add_argument("entry", nargs="?", help="its number, or the id of an act, a run or a trial")
    made.add_argument("--since", metavar="CHECKPOINT",
                      help="instead that nothing up to this checkpoint was changed or taken away since: a file; of "
                      "several in it the last")
    add_keys(made)
    made.set_defaults(act=_prove)
    made = acts.add_parser("check", help="check a proof or an evidence pack, with nothing but it and a public key")
    made.add_argument("proof", metavar="PROOF|PACK", help="the file or the folder; - for a proof on standard input")
    made.add_argument("--against", action="append", default=[], metavar="CHECKPOINT",
                      help="checkpoints of yours that the log of a pack must agree with, or that a proof of growth "
                      "must be about; may be repeated")
    add_keys(made)
    made.set_defaults(act=_check)
    made = acts.add_parser("redact", help="take details out of a record; every proof still holds")
    made.add_argument("entry", help="its number, or the id of an act, a run or a trial")
    made.add_argument("--detail", action="append", required=True, metavar="NAME", help="which; may be repeated")
    made.add_argument("--reason", required=True, metavar="WORDS", help="why; it is written down")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_redact)


def add_keys(made: argparse.ArgumentParser) -> None:
    """Whom to believe."""
    made.add_argument("--key", action="append", default=[], metavar="KEY",
                      help="a public key to trust, or a file of them (default: our own); may be repeated")
    made.add_argument("--json", action="store_true", help="as JSON")


def _verify(chosen: argparse.Namespace) -> int:
    outside = [note for place in chosen.against for note in notes(place)]
    verdict = trail(reading=True).verify(outside, keys=trusted(chosen.key))
    fault = verdict.fault
    if chosen.json:
        print(json_text({"success": verdict.success, "size": verdict.size, "root": verdict.root.hex(), "fault": fault,
                         "checkpoints": verdict.checkpoints, "removed": verdict.removed,
                         "not_found": verdict.not_found,
                         "newest": _newest(outside)}))
    elif fault is not None:
        which = f"record {fault.seq} {fault.kind}" if fault.seq >= 0 or fault.kind == "added" else fault.kind
        print(f"{colour('bad', 'red')}: {which}: {clean(fault.message)}")
    else:
        print(f"{colour('whole', 'green')}: {verdict.size} records, {verdict.checkpoints} checkpoints, "
              f"head {verdict.root.hex()}")
        if newest := _newest(outside):
            print(f"kept elsewhere: {len(outside)} checkpoints, the newest of {clean(newest)}")
        for line in verdict.removed:
            print(line)
        for line in verdict.not_found:
            print(f"cannot be found from here: {line}")
    return 0 if verdict.success else 1


def _checkpoint(chosen: argparse.Namespace) -> int:
    from windtunnel import config  # noqa: PLC0415
    from windtunnel.engine.checkpoints import send_all  # noqa: PLC0415
    from windtunnel.engine.record import user_name  # noqa: PLC0415
    from windtunnel.store.audit.destination import destination, is_destination  # noqa: PLC0415

    places = [destination(place) for place in chosen.to if is_destination(place)]
    found = trail()
    note = found.checkpoint()
    for place in chosen.to:
        if not is_destination(place):
            with Path(place).open("a", encoding="utf-8") as file:
                file.write(f"{note}\n")
    sent = send_all(found, note, places, actor=config.load().actor or user_name()) if places else []
    if chosen.json:
        print(json_text({"checkpoint": note, "sent": sent}))
    else:
        print(note, end="")
        for one in sent:
            word = colour("sent", "green") if one.success else colour("not sent", "red")
            print(f"{word} to {clean(one.to)}: {clean(one.told)}", file=sys.stderr)
    return 0 if all(one.success for one in sent) else 1


def _prove(chosen: argparse.Namespace) -> int:
    if (chosen.entry is None) == (chosen.since is None):
        raise UsageError("prove: name one record, or a checkpoint with --since", field="entry")
    found = trail(reading=True)
    if chosen.since is not None:
        print(found.prove_growth(notes(chosen.since)[-1], keys=trusted(chosen.key)).to_json())
        return 0
    print(found.prove(found.entry(chosen.entry)).to_json())
    return 0


def _check(chosen: argparse.Namespace) -> int:
    from windtunnel.engine.report.files import is_pack  # noqa: PLC0415
    from windtunnel.store.audit.consistency import is_consistency  # noqa: PLC0415
    from windtunnel.store.audit.export import plain_record  # noqa: PLC0415
    from windtunnel.store.audit.proof import check_proof, read_proof  # noqa: PLC0415

    if chosen.proof != "-":
        _check_plain(Path(chosen.proof))
    if chosen.proof != "-" and is_pack(Path(chosen.proof)):
        from windtunnel.cli import audit_report  # noqa: PLC0415 -- it uses what is here

        return audit_report.check(chosen)
    text = read(chosen.proof)
    if is_consistency(text):
        return _check_growth(text, chosen)
    if chosen.against:
        raise UsageError("--against: the proof of a record brings its own checkpoint; a pack and a proof of growth are "
                         "held against others", field="--against")
    record, checkpoint = check_proof(read_proof(text), _keys(chosen))
    if chosen.json:
        print(json_text({"success": True, "record": plain_record(record), "size": checkpoint.size,
                         "origin": checkpoint.origin, "time": checkpoint.time}))
    else:
        entry = record.entry
        print(f"{colour('proven', 'green')}: record {record.seq} of {checkpoint.size} in {clean(checkpoint.origin)}: "
              f"{clean(f'{entry.kind} {entry.outcome} by {entry.actor}')} at {record.time}")
    return 0


def _check_growth(text: str, chosen: argparse.Namespace) -> int:
    from windtunnel.store.audit.consistency import check_consistency, read_consistency  # noqa: PLC0415

    mine = [note for place in chosen.against for note in notes(place)]
    old, new = check_consistency(read_consistency(text), _keys(chosen), against=mine)
    if chosen.json:
        print(json_text({"success": True, "origin": new.origin, "since": {"size": old.size, "time": old.time},
                         "size": new.size, "time": new.time}))
    else:
        print(f"{colour('proven', 'green')}: {clean(new.origin)} only grew, from {old.size} records ({clean(old.time)})"
              f" to {new.size} ({clean(new.time)})")
        if not mine:
            print("hold it against the checkpoint that you kept yourself: --against CHECKPOINT")
    return 0


def _keys(chosen: argparse.Namespace) -> list[PublicKey]:
    return trusted(chosen.key) or trail().keys.public()


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


def trusted(given: list[str]) -> list[PublicKey]:
    """Public keys as they were given, by word or by file; the file of a chain adds those that follow them."""
    from windtunnel.store.audit.keys import follow, read_chain  # noqa: PLC0415
    from windtunnel.store.audit.note import public_key  # noqa: PLC0415

    texts = [read(one) if Path(one).is_file() else one for one in given]
    words = [word for text in texts if not read_chain(text) for word in text.split() or [text]]
    return follow([public_key(word) for word in words], [note for text in texts for note in read_chain(text)])


def notes(place: str) -> list[str]:
    """The checkpoints that were kept in a file, in a folder, or in a repository; all of them."""
    from windtunnel.store.audit.destination import kept  # noqa: PLC0415

    return kept(place) if place.startswith("git:") or Path(place).is_dir() else _notes(read(place))


def _newest(outside: list[str]) -> str:
    """The largest of them in words; they were checked already."""
    lines = [note.split("\n") for note in outside]
    newest = max(lines, key=lambda told: int(told[1]), default=None)
    return f"{newest[1]} records, at {newest[3] or 'no time'}" if newest else ""


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
        _check_plain(Path(path))
        with Path(path).open(encoding="utf-8") as file:
            return file.read(_MOST_FILE)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", field="file") from error


def _check_plain(path: Path) -> None:
    """Refuse what might never end, or never begin, such as a pipe; a folder is said by who reads it."""
    mode = path.stat().st_mode if path.exists() else stat.S_IFREG
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError(f"{path}: not a plain file (- is standard input)", field="file")
