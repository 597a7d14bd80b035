"""Signed statements of trials, checked with nothing but the file and the key."""

import base64
import json
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.core.trial import Delta, SandboxResult, TamperFinding, Verdict
from windtunnel.engine.receipt import check_receipt, sign_receipt
from windtunnel.store.audit.envelope import PAYLOAD_TYPE, seal
from windtunnel.store.audit.note import SecretKey, public_key

KEY, STRANGER = SecretKey("here", b"k" * 32), SecretKey("here", b"s" * 32)
CHANGES = ChangeSet(changes=(FileChange("calc.py", "modify", "x = 1\n"), FileChange("old.py", "delete")))
RESULT = SandboxResult(
    verdict=Verdict.NOT_GOOD, reasons=("1 test broken",), delta=Delta(broken=("t::a",), still_passing=4), changes=CHANGES, tree="a" * 64,
    tamper=(TamperFinding(rule="r", message="m"),), enforced={"memory": "cgroup v2"})


def keys(*made):
    return [public_key(str(key.public)) for key in made]


def test_a_receipt_says_what_was_tried_and_what_was_found():
    receipt = check_receipt(sign_receipt(RESULT, KEY), keys(KEY))

    predicate = receipt.statement["predicate"]
    assert (receipt.trial, receipt.change, receipt.tree, receipt.verdict) == (RESULT.id, CHANGES.digest(), "a" * 64, "not good")
    assert (predicate["delta"]["broken"], predicate["controls"], predicate["tamper"][0]["rule"]) == (["t::a"], {"memory": "cgroup v2"}, "r")
    assert [one["name"] for one in receipt.statement["subject"]] == ["change", "tree", "calc.py"]


def test_another_program_can_check_it():
    """By the words of the DSSE specification alone."""
    told = json.loads(sign_receipt(RESULT, KEY))
    payload, signature = base64.b64decode(told["payload"]), base64.b64decode(told["signatures"][0]["sig"])
    signed = b" ".join([b"DSSEv1", str(len(PAYLOAD_TYPE)).encode(), PAYLOAD_TYPE.encode(), str(len(payload)).encode(), payload])

    Ed25519PublicKey.from_public_bytes(KEY.public.data).verify(signature, signed)
    assert json.loads(payload)["_type"] == "https://in-toto.io/Statement/v1"


def test_a_receipt_is_worth_nothing_without_its_key():
    with pytest.raises(UsageError, match="not signed by a key that is trusted here"):
        check_receipt(sign_receipt(RESULT, STRANGER), keys(KEY))


def test_a_bent_receipt_is_none():
    told = json.loads(sign_receipt(RESULT, KEY))
    told["payload"] = base64.b64encode(base64.b64decode(told["payload"]).replace(b"not good", b"good")).decode()

    with pytest.raises(UsageError, match="not signed by a key"):
        check_receipt(json.dumps(told), keys(KEY))


def test_a_receipt_for_another_change_is_refused():
    text = sign_receipt(RESULT, KEY)
    other = ChangeSet(changes=(FileChange("calc.py", "modify", "x = 2\n"),))

    assert check_receipt(text, keys(KEY), changes=CHANGES).trial == RESULT.id
    with pytest.raises(UsageError, match="about another change"):
        check_receipt(text, keys(KEY), changes=other)


@pytest.mark.parametrize("payload", [b"{}", b"[]", b"x", b'{"_type": "other", "predicateType": "x", "predicate": {}}', b"[" * 100_000])
def test_something_else_that_is_signed_is_no_receipt(payload):
    with pytest.raises(UsageError, match="signed, but not the receipt of a trial"):
        check_receipt(seal(payload, KEY), keys(KEY))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "[" * 100_000, '{"payloadType": "x", "payload": "", "signatures": []}',
                                  json.dumps({"payloadType": PAYLOAD_TYPE, "payload": "!", "signatures": []}),
                                  json.dumps({"payloadType": PAYLOAD_TYPE, "payload": "", "signatures": [1]}),
                                  json.dumps({"payloadType": PAYLOAD_TYPE, "payload": "", "signatures": [{"sig": ""}] * 17})])
def test_other_texts_are_no_receipts(text):
    with pytest.raises(UsageError, match="not a signed statement"):
        check_receipt(text, keys(KEY))


def test_hostile_names_stay_inside():
    named = replace(RESULT, changes=ChangeSet(changes=(FileChange('a"},{\n\u2028', "create", ""),)))

    assert check_receipt(sign_receipt(named, KEY), keys(KEY)).statement["subject"][2]["name"] == 'a"},{\n\u2028'
