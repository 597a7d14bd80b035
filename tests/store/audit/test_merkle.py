"""The hash tree, beside the definition in RFC 6962 and the vectors of its first implementation."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.store.audit.merkle import (
    EMPTY,
    consistency,
    grown,
    head,
    inclusion,
    is_consistent,
    is_included,
    leaf_hash,
    node_hash,
)

LEAVES = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")]
HEADS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def by_definition(leaves):
    """MTH of RFC 6962, section 2.1."""
    if len(leaves) <= 1:
        return leaf_hash(leaves[0]) if leaves else EMPTY
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(by_definition(leaves[:split]), by_definition(leaves[split:]))


def nodes(leaves):
    """A lookup of whole subtrees that refuses those which do not exist yet."""
    def node(level, index):
        span = leaves[index << level:(index + 1) << level]
        assert len(span) == 1 << level
        return by_definition(span)

    return node


def numbered(count):
    return [str(number).encode() for number in range(count)]


@pytest.mark.parametrize(("size", "expected"), list(enumerate(HEADS, start=1)))
def test_heads_are_those_of_the_known_vectors(size, expected):
    assert head(size, nodes(LEAVES[:size])).hex() == expected


def test_an_empty_log_has_the_hash_of_nothing():
    assert head(0, nodes([])) == hashlib.sha256(b"").digest()


@given(st.integers(1, 130), st.data())
def test_every_record_is_proven_in_every_log_and_in_no_other_place(size, data):
    leaves = numbered(size)
    index, other = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
    root, proof = head(size, nodes(leaves)), inclusion(index, size, nodes(leaves))

    assert root == by_definition(leaves)
    assert is_included(leaf_hash(leaves[index]), index=index, size=size, root=root, proof=proof)
    assert is_included(leaf_hash(leaves[index]), index=other, size=size, root=root, proof=proof) is (other == index)
    assert not is_included(leaf_hash(b"another"), index=index, size=size, root=root, proof=proof)


@given(st.integers(1, 130), st.data())
def test_every_log_is_proven_to_begin_with_its_older_self_alone(size, data):
    first = data.draw(st.integers(1, size))
    leaves = numbered(size)
    forged = [*leaves[:first - 1], b"forged"]
    old, new = by_definition(leaves[:first]), by_definition(leaves)
    proof = consistency(first, size, nodes(leaves))

    assert is_consistent(first=first, second=size, old=old, new=new, proof=proof)
    assert not is_consistent(first=first, second=size, old=by_definition(forged), new=new, proof=proof)
    assert not is_consistent(first=first, second=size, old=old, new=by_definition([*leaves, b"more"]), proof=proof)


@given(st.integers(2, 130), st.data())
def test_a_proof_with_a_step_more_less_or_other_is_none(size, data):
    index = data.draw(st.integers(0, size - 1))
    leaves = numbered(size)
    root, proof = by_definition(leaves), inclusion(index, size, nodes(leaves))
    place = data.draw(st.integers(0, len(proof) - 1))
    for bent in ([*proof, EMPTY], proof[:place] + proof[place + 1:], [*proof[:place], EMPTY, *proof[place + 1:]]):
        assert not is_included(leaf_hash(leaves[index]), index=index, size=size, root=root, proof=bent)


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_places_outside_a_log_hold_nothing(index, size):
    assert not is_included(EMPTY, index=index, size=size, root=EMPTY, proof=[])


@pytest.mark.parametrize("case", [
    (0, 5, EMPTY, b"", [], True), (0, 5, b"x", b"", [], False), (0, 5, EMPTY, b"", [b"x"], False), (3, 3, b"a", b"a", [], True),
    (3, 3, b"a", b"b", [], False), (4, 3, b"a", b"a", [], False), (-1, 3, b"a", b"a", [], False), (3, 5, b"a", b"b", [], False)])
def test_the_edges_of_consistency(case):
    first, second, old, new, proof, holds = case
    assert is_consistent(first=first, second=second, old=old, new=new, proof=proof) is holds


def test_the_subtrees_that_a_record_completes_are_those_of_the_definition():
    leaves, peaks = numbered(70), ()
    for index in range(70):
        peaks, made = grown(peaks, leaf_hash(leaves[index]))
        assert made == [by_definition(leaves[index + 1 - (1 << level):index + 1]) for level in range(1, len(made) + 1)]
        assert len(made) == ((index + 1) & -(index + 1)).bit_length() - 1
        assert head(index + 1, lambda level, _, known=dict(peaks): known[level]) == by_definition(leaves[:index + 1])
