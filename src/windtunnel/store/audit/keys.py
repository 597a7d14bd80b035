"""The ring of keys that sign: one current, the older ones kept so that what they signed can still be checked.

What holds: secret keys lie in files that their owner alone may read, each made whole or not at all, and a file that
others may read is refused. With every new key goes a note that the old key and the new one both signed, so that whoever
trusts the old one can tell that the new one follows it; with it the old secret may be removed, and what it signed can
still be checked. What does not hold: whoever has the user's rights has the keys; keep checkpoints elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit.note import PublicKey, SecretKey, check_name, open_note, public_key, sign_note
from windtunnel.store.audit.private import checked_folder, private_folder, read_private, write_private
from windtunnel.store.database import alone

_HEAD = "PRIVATE+KEY"
_FIRST_LINE = "windtunnel key"
_NOBODY = "-"
_MOST_NOTE = 16 * 1024
_MOST_CHAIN = 1024**2
_INSTEAD = "make a new one: windtunnel audit keys rotate; then remove this file"


class KeyRing:
    """Secret keys in a folder, by number; the last is the current one."""

    def __init__(self, folder: Path, *, name: str) -> None:
        """``name`` is what keys made here are called."""
        self.folder, self.name = folder, check_name(name)

    def current(self) -> SecretKey:
        """The key that signs; the first is made when it is first asked for."""
        files = self._files("key")
        return _read(files[-1]) if files else self.rotate(first=True)

    def rotate(self, *, first: bool = False) -> SecretKey:
        """A new current key; the others stay. With ``first``, only where there is none yet."""
        private_folder(self.folder)
        with alone(self.folder):
            files = self._files("key")
            if first and files:
                return _read(files[-1])
            old = _read(files[-1]) if files else None
            key = SecretKey(self.name, secrets.token_bytes(32))
            taken = max([0, *(int(path.stem) for path in (*files, *self._files("pub")))])
            path = self.folder / f"{taken + 1:04d}.key"
            # The note goes first: a secret without one would have no past.
            write_private(path.with_suffix(".pub"), _introduced(key, old))
            write_private(path, f"{_HEAD}+{key.name}+{base64.b64encode(key.seed).decode()}\n")
        return key

    def public(self) -> list[PublicKey]:
        """All public keys, oldest first; one whose secret was removed counts when the next key vouches for it."""
        files = {path.stem: path for path in self._files("key")}
        found: list[PublicKey] = []
        expected = _NOBODY
        notes = {path.stem: path for path in self._files("pub")}
        for stem in sorted({*files, *notes}, reverse=True):
            new, old = _told(notes[stem]) if stem in notes else (None, _NOBODY)
            if stem in files:
                found.append(_public(files[stem], new))
            elif new is not None and str(new) == expected:
                found.append(new)
            else:
                continue  # the note of a key that was never finished, or that nobody vouches for
            expected = old
        return found[::-1]

    def exposed(self) -> list[Path]:
        """The secret keys that others may read: whoever did can sign as we do."""
        return [path for path in self._files("key") if path.lstat().st_mode & 0o077]

    def chain(self) -> list[str]:
        """The notes that lead from each key to the next, oldest first; see ``follow``."""
        known = set(self.public())
        return [_text(path) for path in self._files("pub") if _told(path)[0] in known]

    def _files(self, kind: str) -> list[Path]:
        return sorted(checked_folder(self.folder).glob(f"[0-9][0-9][0-9][0-9].{kind}"))


def follow(keys: Sequence[PublicKey], chain: Iterable[str]) -> list[PublicKey]:
    """The trusted keys and those that follow them: each signed by one before it and by itself."""
    trusted = list(keys)
    for note in chain:
        text = open_note(note, [_subject(note)])[0]
        old = text.split("\n")[2]
        if old in map(str, trusted) and _subject(note) not in trusted:
            open_note(note, [public_key(old)])
            trusted.append(_subject(note))
    return trusted


def read_chain(text: str) -> list[str]:
    """The notes in a text of several; empty where it begins with none."""
    if not text.startswith(f"{_FIRST_LINE}\n"):
        return []
    return [f"{_FIRST_LINE}\n{part.rstrip()}\n" for part in text[:_MOST_CHAIN].split(f"{_FIRST_LINE}\n")[1:]]


def _introduced(key: SecretKey, old: SecretKey | None) -> str:
    """A note about a new key, signed by itself and by the one before."""
    text = f"{_FIRST_LINE}\n{key.public}\n{old.public if old else _NOBODY}\n"
    note = sign_note(text, key)
    return note if old is None else note + sign_note(text, old).removeprefix(f"{text}\n")


def _subject(note: str) -> PublicKey:
    """The key that a note is about."""
    lines = note[:_MOST_NOTE].split("\n")
    if lines[0] != _FIRST_LINE or len(lines) < 4:  # noqa: PLR2004 -- its three lines and an empty one
        raise UsageError("key: not a note about a key (windtunnel audit keys chain prints them)", field="key")
    return public_key(lines[1])


def _told(path: Path) -> tuple[PublicKey | None, str]:
    """The key that a note introduces and the word of the one before; nothing where the note is not good."""
    try:
        key = _subject(note := _text(path))
        text, _ = open_note(note, [key])
    except UsageError:
        return None, _NOBODY
    return key, text.split("\n")[2]


def _text(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(_MOST_NOTE)


def _public(path: Path, told: PublicKey | None) -> PublicKey:
    """Of a secret key; by its note where the secret must not be used, which is no matter to who only checks."""
    try:
        return _read(path).public
    except SandboxFailure:
        if told is None:
            raise
        return told


def _read(path: Path) -> SecretKey:
    text = read_private(path, instead=_INSTEAD)
    name, _, encoded = text.rstrip("\n").removeprefix(f"{_HEAD}+").partition("+")
    try:
        seed = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        seed = b""
    if not text.startswith(f"{_HEAD}+") or len(seed) != 32:  # noqa: PLR2004 -- the bytes of a seed
        raise SandboxFailure(f"{path}: not a secret key; put it back as it was, or remove it")
    return SecretKey(check_name(name), seed)
