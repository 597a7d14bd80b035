"""Cutting a stream of records into batches."""

from collections.abc import Iterable, Iterator


def batches(records: Iterable[object], size: int) -> Iterator[list[object]]:
    """Lists of the given size, the last one shorter where it does not come out even; any iterable will do."""
    if size < 1:
        raise ValueError("a batch has at least one record")
    batch = []
    for record in records:
        batch.append(record)
        if len(batch) == size:
            yield batch
            batch = []
    if any(batch):
        yield batch


def count_batches(records: Iterable[object], size: int) -> int:
    """How many there are."""
    return sum(1 for _ in batches(records, size))
