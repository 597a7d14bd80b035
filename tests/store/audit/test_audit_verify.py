"""Every way to bend a log is found, and a whole one never is."""

import random
import shutil

import pytest
from entries import bend, entry, filled, flipped, looked

from windtunnel.store.audit import form, merkle
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.verify import verify

COLUMNS = ("header", "details", "leaf", "nodes")


def checkpoint(log):
    size, root = log.head()
    return Checkpoint(origin="o", size=size, root=root)


def found(log, *checkpoints):
    fault = verify(log, checkpoints).fault
    return None if fault is None else (fault.seq, fault.kind)


def test_a_whole_log_is_found_whole(log):
    filled(log, 37)

    verdict = verify(log, [checkpoint(log)], outside=True)

    assert (verdict.success, verdict.size, verdict.root, verdict.checkpoints, verdict.not_found) == (True, 37, log.head()[1], 1, ())


def test_what_cannot_be_found_without_a_checkpoint_is_said(log):
    (told,) = verify(filled(log, 3)).not_found

    assert "cut off from the end" in told
    assert "rewritten" in told


def test_an_empty_log_is_whole(log):
    assert (verify(log).success, verify(log, [checkpoint(log)]).checkpoints) == (True, 1)


@pytest.mark.parametrize(("statements", "expected"), [
    ([("UPDATE records SET header = replace(header, 'ann', 'eve') WHERE seq = 4",)], (4, "edited")),
    ([("UPDATE records SET details = (SELECT details FROM records WHERE seq = 5) WHERE seq = 4",)], (4, "edited")),
    ([("UPDATE records SET details = x'00' WHERE seq = 4",)], (4, "damaged")),
    ([("UPDATE records SET header = '\"nothing\"' WHERE seq = 4",)], (4, "damaged")),
    ([("UPDATE records SET leaf = zeroblob(32) WHERE seq = 4",)], (4, "edited")),
    ([("UPDATE records SET nodes = zeroblob(32) WHERE seq = 4",)], (4, "edited")),
    ([("DELETE FROM records WHERE seq = 4",)], (4, "deleted")),
    ([("DELETE FROM records WHERE seq = 0",)], (0, "deleted")),
    ([("DELETE FROM records WHERE seq = 4",), ("UPDATE records SET seq = seq - 1 WHERE seq > 4",)], (4, "moved")),
    ([("UPDATE records SET seq = -1 WHERE seq = 4",), ("UPDATE records SET seq = 4 WHERE seq = 6",),
      ("UPDATE records SET seq = 6 WHERE seq = -1",)], (4, "moved")),
    ([("INSERT INTO records (seq, header, details, leaf, nodes) SELECT 9, header, details, leaf, nodes FROM records WHERE seq = 3",)],
     (9, "doubled")),
])
def test_the_first_bad_record_is_named(log, statements, expected):
    filled(log, 9)

    bend(log, *statements)

    assert found(log) == expected


def test_a_log_cut_short_is_found_by_a_checkpoint_alone(log):
    whole = checkpoint(filled(log, 9))

    bend(log, ("DELETE FROM records WHERE seq >= 7",))

    assert (found(log), found(log, whole)) == (None, (7, "cut"))


def test_a_log_rewritten_as_a_whole_is_found_by_a_checkpoint_alone(log, make_log):
    whole = checkpoint(filled(log, 9))
    other = make_log("other")
    other.append_all([entry(number, actor="eve") for number in range(12)])

    assert (found(other), found(other, whole)) == (None, (8, "replaced"))


def test_a_record_rewritten_with_all_its_hashes_is_found_by_the_next(log):
    """The attack of one who knows the form: the header, its leaf and the subtree are all made anew."""
    filled(log, 9)
    header, packed = log.raw(4)
    forged = header.replace(b"ann", b"eve")
    leaf = merkle.leaf_hash(forged)
    assert forged.endswith(form.suffix_of(form.hash_of(packed)))

    bend(log, ("UPDATE records SET header = ?, leaf = ? WHERE seq = 4", (forged.decode(), leaf)))

    assert found(log) == (5, "edited")


def tampered(log, chance, size):
    """One random act of somebody who may write the file."""
    seq = chance.randrange(size)
    act = chance.choice(("edit", "delete", "swap", "double", "cut"))
    if act == "edit":
        column = chance.choice(COLUMNS[:3] if seq % 2 == 0 else COLUMNS)
        ((value,),) = looked(log, f"SELECT {column} FROM records WHERE seq = {seq}")
        bent = flipped(value.encode("latin-1") if isinstance(value, str) else value, chance)
        bend(log, (f"UPDATE records SET {column} = ? WHERE seq = {seq}", (bent.decode("latin-1") if isinstance(value, str) else bent,)))
    elif act == "delete":
        bend(log, (f"DELETE FROM records WHERE seq = {seq}",))
    elif act == "swap":
        other = (seq + 1 + chance.randrange(size - 1)) % size
        bend(log, (f"UPDATE records SET seq = -1 WHERE seq = {seq}",), (f"UPDATE records SET seq = {seq} WHERE seq = {other}",),
             (f"UPDATE records SET seq = {other} WHERE seq = -1",))
    elif act == "double":
        bend(log, (f"INSERT INTO records (seq, header, details, leaf, nodes) SELECT {size}, header, details, leaf, nodes FROM records WHERE seq = {seq}",))
    else:
        bend(log, (f"DELETE FROM records WHERE seq >= {seq}",))


def is_found(log, seed):
    chance = random.Random(seed)
    size = chance.randrange(2, 40)
    filled(log, size)
    whole = checkpoint(log)
    tampered(log, chance, size)
    return not verify(log, [whole]).success


@pytest.mark.parametrize("seed", range(60))
def test_random_tampering_is_found(file_log, seed):
    assert is_found(file_log, seed)


@pytest.mark.parametrize("seed", range(60, 70))
def test_random_tampering_of_a_server_is_found(server_log, seed):
    assert is_found(server_log, seed)


def test_a_copy_of_the_file_is_as_good_as_the_file(file_log, tmp_path):
    filled(file_log, 5)
    whole = checkpoint(file_log)
    file_log.close()
    shutil.copy(file_log.path, tmp_path / "copy.db")

    assert verify(AuditLog(tmp_path / "copy.db"), [whole]).success
