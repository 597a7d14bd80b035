"""Proofs that a log only grew."""

import json

import pytest
from entries import bend, entry, filled

from windtunnel.core.errors import UsageError
from windtunnel.engine.audit import Trail, keys_in
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.consistency import check_consistency, is_consistency, read_consistency
from windtunnel.store.audit.note import SecretKey, public_key


@pytest.fixture
def trail(log):
    return Trail(log=filled(log, 5), keys=keys_in(log.path.parent))


def grown(trail, more=4):
    """A proof from five records to nine, and the checkpoint of the five."""
    since = trail.checkpoint()
    trail.log.append_all([entry(number) for number in range(more)])
    return trail.prove_growth(since), since


def test_growth_is_proven_offline(trail):
    proof, since = grown(trail)
    text = proof.to_json()

    old, new = check_consistency(read_consistency(text), [public_key(str(trail.keys.current().public))], against=[since])

    assert (old.size, new.size, is_consistency(text)) == (5, 9, True)


@pytest.mark.parametrize("more", [0, 1, 2, 3, 11])
def test_growth_by_any_number_is_proven(trail, more):
    proof, _ = grown(trail, more)

    assert check_consistency(proof, trail.keys.public())[1].size == 5 + more


def test_growth_is_proven_to_the_newest_checkpoint_that_there_is(trail):
    since = trail.checkpoint()
    filled(trail.log, 4)
    newest = trail.checkpoint()
    filled(trail.log, 4)

    assert trail.prove_growth(since).newer == newest


def test_a_rewritten_log_has_no_proof(trail, make_log):
    other = make_log("other")
    other.append_all([entry(number, actor="eve") for number in range(9)])
    forged = Trail(log=other, keys=trail.keys)

    with pytest.raises(UsageError, match="does not begin with the 5 records"):
        forged.prove_growth(trail.checkpoint())


def test_a_log_that_was_cut_has_no_proof(trail):
    since = trail.checkpoint()
    bend(trail.log, ("DELETE FROM records WHERE seq >= 3",))

    with pytest.raises(UsageError, match="the log was cut"):
        trail.prove_growth(since)


@pytest.mark.parametrize("field", ["older", "newer", "path"])
def test_a_bent_proof_is_none(trail, field):
    told = json.loads(grown(trail)[0].to_json())
    bent = {"older": told["newer"], "newer": told["newer"].replace("\n9\n", "\n8\n"), "path": told["path"][:-1]}

    with pytest.raises(UsageError, match=r"^(proof|note): "):
        check_consistency(read_consistency(json.dumps({**told, field: bent[field]})), trail.keys.public())


def test_a_proof_about_other_checkpoints_than_mine_is_refused(trail):
    proof, _ = grown(trail)
    mine = Checkpoint(origin="o", size=4, root=b"r" * 32).signed(trail.keys.current())

    with pytest.raises(UsageError, match="of 4 records is neither of the two"):
        check_consistency(proof, trail.keys.public(), against=[mine])


def test_a_proof_of_a_stranger_is_refused(trail):
    with pytest.raises(UsageError, match="not signed by a key that is trusted here"):
        check_consistency(grown(trail)[0], [SecretKey("stranger", b"s" * 32).public])


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"form": 1}', "[" * 100_000, '{"form": "windtunnel-consistency-1", "path": [1]}'])
def test_other_texts_are_no_proofs_of_growth(text):
    with pytest.raises(UsageError, match=r"^proof: not a proof of the form"):
        read_consistency(text)
