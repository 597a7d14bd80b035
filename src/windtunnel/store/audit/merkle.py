"""The hash tree of RFC 6962 over the records of a log: heads, proofs, and their checking.

What holds: two logs with one head hold the same records in the same order, as far as SHA-256 holds. A proof is checked
with nothing but itself and a head. What does not hold: a head says nothing of who made it; a signature does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

Node = Callable[[int, int], bytes]
"""The hash of a whole subtree: ``node(level, index)`` covers the records from ``index * 2**level`` on."""

Peaks = tuple[tuple[int, bytes], ...]
"""The whole subtrees that cover a log, from left to right, as level and hash."""
HASH_BYTES = 32
EMPTY = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """Of one record."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Of two subtrees; another prefix than a record's, so that none can pass for the other."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def peaks(size: int) -> list[tuple[int, int]]:
    """The whole subtrees that cover so many records, from left to right, as level and index."""
    found, start = [], 0
    for level in range(size.bit_length() - 1, -1, -1):
        if size >> level & 1:
            found.append((level, start >> level))
            start += 1 << level
    return found


def head(size: int, node: Node) -> bytes:
    """The hash of the whole tree."""
    return _joined([node(level, index) for level, index in peaks(size)]) if size else EMPTY


def grown(peaks: Peaks, leaf: bytes) -> tuple[Peaks, list[bytes]]:
    """The subtrees with one more record, and those that it completes, from level 1 up."""
    made, keep, level, top = [], len(peaks), 0, leaf
    while keep and peaks[keep - 1][0] == level:
        keep, level = keep - 1, level + 1
        top = node_hash(peaks[keep][1], top)
        made.append(top)
    return (*peaks[:keep], (level, top)), made


def inclusion(index: int, size: int, node: Node) -> list[bytes]:
    """The hashes that lead from one record to the head of a log of that size, lowest first."""
    return [_span(start, end, node) for start, end in reversed(_path(index, size))]


def consistency(first: int, second: int, node: Node) -> list[bytes]:
    """The hashes that show that the log of the second size begins with that of the first."""
    if first in (0, second):
        return []
    return _subproof(first, 0, second, node, whole=True)


def is_included(leaf: bytes, *, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the record stands at that place in the log with that head."""
    if not 0 <= index < size:
        return False
    position, last, made = index, size - 1, leaf
    for step in proof:
        if last == 0:
            return False
        if position & 1 or position == last:
            made = node_hash(step, made)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            made = node_hash(made, step)
        position, last = position >> 1, last >> 1
    return last == 0 and made == root


def is_consistent(*, first: int, second: int, old: bytes, new: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the log with the new head begins with all that the one with the old head holds."""
    if not 0 <= first <= second:
        return False
    if first == second:
        return not proof and old == new
    if first == 0:
        return not proof and old == EMPTY
    steps = [old, *proof] if first & (first - 1) == 0 else list(proof)
    if not steps:
        return False
    position, last = first - 1, second - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    before = after = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            before, after = node_hash(step, before), node_hash(step, after)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            after = node_hash(after, step)
        position, last = position >> 1, last >> 1
    return last == 0 and before == old and after == new


def _joined(hashes: list[bytes]) -> bytes:
    made = hashes[-1]
    for left in reversed(hashes[:-1]):
        made = node_hash(left, made)
    return made


def _span(start: int, end: int, node: Node) -> bytes:
    """The hash of the records from ``start`` up to ``end``, where ``start`` is where a subtree of that size begins."""
    return _joined([node(level, index + (start >> level)) for level, index in peaks(end - start)])


def _split(start: int, end: int) -> int:
    """Where the left side ends: the largest power of two below the number of records."""
    return start + (1 << (end - start - 1).bit_length() - 1)


def _path(index: int, size: int) -> list[tuple[int, int]]:
    """The siblings on the way from the head down to one record."""
    found, start, end = [], 0, size
    while end - start > 1:
        middle = _split(start, end)
        if index < middle:
            found.append((middle, end))
            end = middle
        else:
            found.append((start, middle))
            start = middle
    return found


def _subproof(first: int, start: int, end: int, node: Node, *, whole: bool) -> list[bytes]:
    if first == end:
        return [] if whole else [_span(start, end, node)]
    middle = _split(start, end)
    if first <= middle:
        return [*_subproof(first, start, middle, node, whole=whole), _span(middle, end, node)]
    return [*_subproof(first, middle, end, node, whole=False), _span(start, middle, node)]


