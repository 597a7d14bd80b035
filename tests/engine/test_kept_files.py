"""Files before and after an act, as its record has them."""

from __future__ import annotations

import hashlib

import pytest

from windtunnel.engine.keeping import looked_at

MIB = 1024**2


@pytest.mark.parametrize("size", [0, 5, 4 * MIB - 1])
def test_a_file_is_told_by_its_hash_and_kept(tmp_path, size):
    data = b"x" * size
    (tmp_path / "a").write_bytes(data)

    assert looked_at(tmp_path, ["a", "gone"]) == ({"a": hashlib.sha256(data).hexdigest(), "gone": None}, [data])


@pytest.mark.parametrize("size", [4 * MIB, 4 * MIB + 1, 9 * MIB])
def test_a_large_file_is_told_by_the_hash_of_all_of_it_and_not_kept(tmp_path, size):
    data = b"x" * size
    (tmp_path / "a").write_bytes(data)

    assert looked_at(tmp_path, ["a"]) == ({"a": {"hash": hashlib.sha256(data).hexdigest(), "kept": False}}, [])
