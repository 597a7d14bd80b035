"""Keys, signed checkpoints, and proofs that travel."""

import json
from dataclasses import replace

import pytest
from entries import HOSTILE, entry, filled

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit import form
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.keys import KeyRing
from windtunnel.store.audit.note import MOST_NOTE, PublicKey, SecretKey, open_note, public_key, sign_note
from windtunnel.store.audit.proof import check_proof, prove, read_proof

KNOWN = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SIGNED = ("If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
          "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n")


@pytest.fixture
def ring(tmp_path):
    return KeyRing(tmp_path / "keys", name="log.example")


def signed(log, ring):
    size, root = log.head()
    return size, Checkpoint(origin="log.example", size=size, root=root, time="now").signed(ring.current())


def test_a_note_of_another_program_is_read():
    """The example in the documentation of Go's package for signed notes."""
    text, key = open_note(SIGNED, [public_key(KNOWN)])

    assert (text.split("\n")[0], key.name, str(key)) == ("If you think cryptography is the answer to your problem,", "PeterNeumann", KNOWN)


def test_a_key_is_made_once_and_kept(ring):
    first = ring.current()

    assert (ring.current(), KeyRing(ring.folder, name="other").current()) == (first, first)
    assert public_key(str(first.public)) == first.public
    assert {path.stat().st_mode & 0o777 for path in ring.folder.iterdir()} == {0o600}


def test_what_an_older_key_signed_is_still_good(ring):
    old = ring.current()
    note = sign_note("text\n", old)
    new = ring.rotate()

    assert (ring.current(), ring.public()) == (new, [old.public, new.public])
    assert open_note(note, ring.public()) == ("text\n", old.public)


def test_a_key_that_others_may_read_is_refused(ring):
    ring.current()
    (path,) = ring.folder.glob("*.key")
    path.chmod(0o644)

    with pytest.raises(SandboxFailure, match="a secret key that others may read is none"):
        ring.current()


@pytest.mark.parametrize("content", ["", "PRIVATE+KEY+a+AAAA", "nothing", "PRIVATE+KEY+a b+" + "A" * 43 + "="])
def test_a_file_that_is_no_key_is_refused(ring, content):
    ring.current()
    (path,) = ring.folder.glob("*.key")
    path.write_text(content)

    with pytest.raises((SandboxFailure, UsageError)):
        ring.current()


@pytest.mark.parametrize("word", ["", "a+b+c", KNOWN[:-4] + "AAAA", KNOWN.replace("c74f20a3", "c74f20a4"), KNOWN.replace("Peter", "Pe ter"), "x" * 1000])
def test_other_words_are_no_public_keys(word):
    with pytest.raises(UsageError, match="not a public key"):
        public_key(word)


@pytest.mark.parametrize("bent", [
    SIGNED.replace("problem is", "problem was"), SIGNED.replace("PeterNeumann", "PeterNewmann"), SIGNED.replace("x08go", "x08gp"),
    SIGNED.partition("\n\n")[0], "", "\n\n", "\n\n— PeterNeumann !!!\n", "x" * MOST_NOTE + SIGNED])
def test_a_bent_note_is_none(bent):
    with pytest.raises(UsageError, match=r"^note: "):
        open_note(bent, [public_key(KNOWN)])


def test_a_note_is_worth_nothing_without_its_key(ring):
    with pytest.raises(UsageError, match=r"not signed by a key that is trusted here \(signed by PeterNeumann\)"):
        open_note(SIGNED, [ring.current().public])


@pytest.mark.parametrize("text", ["log\n", "log\n-1\nAAAA\n", "log\n1\nAAAA\n", "log\nx\n" + "A" * 43 + "=\n", "log\n01\n" + "A" * 43 + "=\n"])
def test_a_signed_text_that_is_no_checkpoint_is_refused(ring, text):
    with pytest.raises(UsageError, match="signed, but it is no checkpoint"):
        read_checkpoint(sign_note(text, ring.current()), ring.public())


def test_a_checkpoint_comes_back(ring):
    given = Checkpoint(origin="log.example", size=12, root=b"r" * 32, time="2026-01-01")

    assert read_checkpoint(given.signed(ring.current()), ring.public()) == given


@pytest.mark.parametrize("seq", [0, 4, 8])
def test_a_record_is_proven_offline(log, ring, seq):
    size, note = signed(filled(log, 9), ring)
    text = prove(log, seq, note=note, size=size).to_json()

    record, checkpoint = check_proof(read_proof(text), [public_key(str(ring.current().public))])

    assert (record, checkpoint.size) == (log.get(seq), 9)


def test_a_proof_stays_good_when_the_log_grows(log, ring):
    size, note = signed(filled(log, 9), ring)
    filled(log, 5)

    assert check_proof(prove(log, 8, note=note, size=size), ring.public())[0].seq == 8


def test_a_record_after_the_checkpoint_has_no_proof_yet(log, ring):
    size, note = signed(filled(log, 9), ring)
    log.append(entry())

    with pytest.raises(UsageError, match="came after the checkpoint of 9 records"):
        prove(log, 9, note=note, size=size)


def test_a_proof_with_a_detail_taken_out_is_still_one(log, ring):
    size, note = signed(filled(log, 9), ring)
    proof = prove(log, 3, note=note, size=size)

    record, _ = check_proof(replace(proof, details=form.redact(proof.details, frozenset(["text"]))), ring.public())

    assert (record.redacted, dict(record.entry.details)) == (("text",), {"number": 3})


def test_a_proof_of_something_else_is_none(log, ring):
    size, note = signed(filled(log, 9), ring)
    proof, other = (prove(log, seq, note=note, size=size) for seq in (3, 4))
    forged = proof.header.replace(b"ann", b"eve")
    stranger = SecretKey("log.example", b"s" * 32)
    head = Checkpoint(origin="log.example", size=9, root=log.head()[1])
    for bent, word in (
        (replace(proof, header=forged), "does not stand in the log"), (replace(proof, path=other.path), "does not stand in the log"),
        (replace(proof, details=other.details), "not those that the record vouches for"), (replace(proof, details=b"\x05"), "cannot be read"),
        (replace(proof, checkpoint=head.signed(stranger)), "not signed by a key that is trusted here"),
    ):
        with pytest.raises(UsageError, match=word):
            check_proof(bent, ring.public())


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"form": 1}', "[" * 100_000, HOSTILE.encode("utf-8", "replace").decode()])
def test_other_texts_are_no_proofs(text):
    with pytest.raises(UsageError, match=r"^proof: not a proof of the form"):
        read_proof(text)


@pytest.mark.parametrize(("field", "value"), [
    ("form", "other"), ("header", 1), ("header", "é"), ("details", "!"), ("details", 1), ("path", "x"), ("path", [1]), ("path", ["AA=="] * 65),
    ("checkpoint", None)])
def test_a_proof_with_a_wrong_field_is_none(log, ring, field, value):
    size, note = signed(filled(log, 3), ring)
    told = json.loads(prove(log, 1, note=note, size=size).to_json())

    with pytest.raises(UsageError, match=r"^proof: "):
        read_proof(json.dumps({**told, field: value}))


def test_a_public_key_knows_a_signature_that_is_none(ring):
    assert not ring.current().public.verifies(b"text", b"short")
    assert not PublicKey("a", b"bad").verifies(b"text", b"s" * 64)
