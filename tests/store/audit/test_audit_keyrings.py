"""Keys are kept by their owner alone, follow each other, and the old ones stay good."""

import base64

import pytest

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit.encryption import EncryptionKeys, KeyMissing
from windtunnel.store.audit.keys import KeyRing, follow, read_chain
from windtunnel.store.audit.note import SecretKey, sign_note


@pytest.fixture
def ring(tmp_path):
    return KeyRing(tmp_path / "keys", name="log.example")


@pytest.fixture
def encryption(tmp_path):
    return EncryptionKeys(tmp_path / "keys")


def test_who_trusts_the_first_key_can_follow_to_the_last(ring):
    keys = [ring.current().public, ring.rotate().public, ring.rotate().public]

    assert (ring.public(), follow(keys[:1], ring.chain())) == (keys, keys)
    assert read_chain("\n".join(ring.chain())) == ring.chain()


def test_who_trusts_nobody_follows_nobody(ring):
    ring.current()
    ring.rotate()

    assert follow([], ring.chain()) == []


def test_a_key_that_the_old_one_did_not_sign_does_not_follow_it(ring):
    old, mallory = ring.current(), SecretKey("log.example", b"m" * 32)
    forged = sign_note(f"windtunnel key\n{mallory.public}\n{old.public}\n", mallory)

    with pytest.raises(UsageError, match="not signed by a key that is trusted here"):
        follow([old.public], [forged])


def test_a_key_that_did_not_sign_for_itself_does_not_follow(ring):
    """Else the owner of the old key could claim the key of somebody else."""
    old, other = ring.current(), SecretKey("log.example", b"o" * 32)
    claimed = sign_note(f"windtunnel key\n{other.public}\n{old.public}\n", old)

    with pytest.raises(UsageError, match="not signed by a key that is trusted here"):
        follow([old.public], [claimed])


@pytest.mark.parametrize("text", ["", "windtunnel key\n", "windtunnel key\nx\n-\n\n", "other\n" * 5])
def test_a_text_that_is_no_note_about_a_key_is_refused(ring, text):
    with pytest.raises(UsageError, match="key: not a "):
        follow([ring.current().public], [text])


def test_an_old_secret_can_be_removed_and_what_it_signed_is_still_checked(ring):
    keys = [ring.current().public, ring.rotate().public, ring.rotate().public]
    (ring.folder / "0001.key").unlink()
    (ring.folder / "0002.key").unlink()

    assert (ring.public(), ring.current().public) == (keys, keys[-1])


def test_a_ring_without_any_secret_makes_a_new_key_and_overwrites_nothing(ring):
    ring.current()
    ring.rotate()
    for path in ring.folder.glob("*.key"):
        path.unlink()
    before = {path.name: path.read_text() for path in ring.folder.iterdir()}

    made = ring.current()

    assert {name: (ring.folder / name).read_text() for name in before} == before
    assert (ring.current(), ring.public()) == (made, [made.public])


def test_a_public_key_that_the_next_does_not_vouch_for_is_none(ring):
    """The control: with the note that names it, it is one."""
    keys = [ring.current().public, ring.rotate().public]
    (ring.folder / "0001.key").unlink()
    assert ring.public() == keys
    mallory = SecretKey("log.example", b"m" * 32)
    (ring.folder / "0001.pub").write_text(sign_note(f"windtunnel key\n{mallory.public}\n-\n", mallory))

    assert ring.public() == keys[1:]


def test_a_note_of_a_key_that_was_never_finished_counts_for_nothing(ring):
    first = ring.current().public
    other = SecretKey("log.example", b"o" * 32)
    (ring.folder / "0002.pub").write_text(sign_note(f"windtunnel key\n{other.public}\n{first}\n", other))

    assert (ring.public(), len(ring.chain())) == ([first], 1)
    second = ring.rotate().public
    assert (ring.public(), follow([first], ring.chain())) == ([first, second], [first, second])


def test_keys_made_before_there_were_notes_stay_good(ring):
    first = ring.current().public
    (ring.folder / "0001.pub").unlink()

    second = ring.rotate().public

    assert (ring.public(), follow([first], ring.chain())) == ([first, second], [first, second])


@pytest.mark.parametrize("kind", ["ring", "encryption"])
def test_a_folder_that_others_may_write_to_is_refused(ring, encryption, kind):
    keys = ring if kind == "ring" else encryption
    keys.current()
    ring.folder.chmod(0o777)

    with pytest.raises(SandboxFailure, match="others may put keys there"):
        keys.current()


def test_files_are_made_for_their_owner_alone(ring, encryption):
    ring.current()
    encryption.current()

    assert {path.stat().st_mode & 0o777 for path in ring.folder.iterdir()} == {0o600}
    assert ring.folder.stat().st_mode & 0o777 == 0o700


def test_an_encryption_key_is_made_once_and_kept(encryption):
    assert encryption.is_empty

    first = encryption.current()

    assert (encryption.current(), encryption.ids(), encryption.is_empty, len(first.data)) == (first, [first.id], False, 32)


def test_an_encryption_key_is_rotated_and_the_old_one_stays(encryption):
    old, new = encryption.current(), encryption.rotate()

    assert (encryption.current(), encryption.get(old.id), encryption.ids()) == (new, old, [old.id, new.id])


def test_an_encryption_key_that_is_not_there_is_named(encryption):
    encryption.current()

    with pytest.raises(KeyMissing, match="the encryption key 0123456789abcdef is not in"):
        encryption.get("0123456789abcdef")


def test_an_encryption_key_that_others_may_read_is_refused(encryption):
    encryption.current()
    (path,) = encryption.folder.glob("encryption-*")
    path.chmod(0o640)

    with pytest.raises(SandboxFailure, match="a secret key that others may read is none"):
        encryption.current()


@pytest.mark.parametrize("content", ["", "x", "ENCRYPTION+KEY+a+b", "ENCRYPTION+KEY+" + "0" * 16 + "+" + base64.b64encode(b"k" * 32).decode()])
def test_a_file_that_is_no_encryption_key_is_refused(encryption, content):
    encryption.current()
    (path,) = encryption.folder.glob("encryption-*")
    path.write_text(content)

    with pytest.raises(SandboxFailure, match="not the encryption key"):
        encryption.current()


def test_a_key_says_nothing_of_itself_when_it_is_printed(encryption):
    key = encryption.current()

    assert (base64.b64encode(key.data).decode() in repr(key), key.data.hex() in repr(key), repr(key)) == (False, False, "EncryptionKey()")
