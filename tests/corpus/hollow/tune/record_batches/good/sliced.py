"""Cutting a stream of records into batches."""

from collections.abc import Iterable, Iterator
from itertools import islice


def batches(records: Iterable[object], size: int) -> Iterator[list[object]]:
    """Lists of the given size, the last one shorter where it does not come out even; any iterable will do."""
    if size < 1:
        raise ValueError("a batch has at least one record")
    source = iter(records)
    while batch := list(islice(source, size)):
        yield batch


def count_batches(records: Iterable[object], size: int) -> int:
    """How many there are."""
    return sum(1 for _ in batches(records, size))
