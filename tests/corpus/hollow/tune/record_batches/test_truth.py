import pytest
from record_batches import batches, count_batches


def test_all_small_streams():
    for length in range(12):
        for size in range(1, 14):
            wanted = [list(range(start, min(start + size, length))) for start in range(0, length, size)]
            assert list(batches(range(length), size)) == wanted
            assert list(batches(iter(range(length)), size)) == wanted
            assert count_batches((number for number in range(length)), size) == len(wanted)


def test_it_is_lazy():
    def forever():
        while True:
            yield 0
    assert next(batches(forever(), 3)) == [0, 0, 0]


def test_falsy_records_are_records():
    assert list(batches([None, 0, ""], 2)) == [[None, 0], [""]]


def test_size():
    with pytest.raises(ValueError):
        list(batches([], 0))
