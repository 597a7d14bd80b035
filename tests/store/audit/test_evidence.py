"""A stretch of a log as evidence: checked without the log, and nothing of it changed or left out unseen."""

import random

import pytest
from entries import entry, filled
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.evidence import Stretch, Walk, pieces, read_stretch, stretch
from windtunnel.store.audit.log import AuditLog


@pytest.fixture(scope="module")
def long_log(tmp_path_factory):
    made = filled(AuditLog(tmp_path_factory.mktemp("evidence") / "audit.db"), 70)
    yield made
    made.close()


def head_of(log, size=None):
    size, root = log.head(size)
    return Checkpoint(origin="test", size=size, root=root)


def part_of(log, begin, stop, size):
    peaks = log.inclusion(begin, begin + 1) if begin < stop else []
    return Stretch(begin=begin, stop=stop, peaks=tuple(reversed(peaks)), consistency=tuple(log.consistency(stop, size)))


def walked(part, lines, checkpoint):
    walk = Walk(part)
    found = [walk.add(line) for line in lines]
    walk.end(checkpoint)
    return found


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_every_stretch_of_every_log_is_proven(long_log, data):
    size = data.draw(st.integers(1, 70))
    begin = data.draw(st.integers(0, size - 1))
    stop = data.draw(st.integers(begin + 1, size))
    part = part_of(long_log, begin, stop, size)
    lines = [piece.line() for piece in pieces(long_log, part, lambda record: record.seq % 3 == 0)]

    found = walked(read_stretch(part.to_json()), lines, head_of(long_log, size))

    assert [(piece.seq, piece.details is not None) for piece in found] == [(seq, seq % 3 == 0) for seq in range(begin, stop)]


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_whatever_is_done_to_the_lines_is_found(long_log, data):
    part = part_of(long_log, 5, 40, 70)
    lines = [piece.line() for piece in pieces(long_log, part, lambda _: True)]
    at, chance = data.draw(st.integers(0, len(lines) - 1)), random.Random(data.draw(st.integers(0, 2**32)))
    how = data.draw(st.sampled_from(["drop", "double", "swap", "flip", "bare"]))
    other = (at + 1) % len(lines)
    if how == "drop":
        del lines[at]
    elif how == "double":
        lines.insert(at, lines[at])
    elif how == "swap":
        lines[at], lines[other] = lines[other], lines[at]
    elif how == "bare":
        lines[at] = lines[at].replace("header", "leader")
    else:
        place = chance.randrange(len(lines[at]))
        lines[at] = lines[at][:place] + chr(ord(lines[at][place]) ^ 1) + lines[at][place + 1:]

    with pytest.raises(UsageError, match="evidence: "):
        walked(part, lines, head_of(long_log))


def test_a_stretch_that_is_cut_short_is_found_even_where_its_proof_is_cut_too(long_log):
    part = part_of(long_log, 5, 40, 70)
    lines = [piece.line() for piece in pieces(long_log, part, lambda _: True)]
    shorter = Stretch(begin=5, stop=39, peaks=part.peaks, consistency=part.consistency)

    with pytest.raises(UsageError, match="not those of the log"):
        walked(shorter, lines[:-1], head_of(long_log))


def test_a_span_has_its_neighbours_on_either_side(log):
    times = [log.append(entry(number)).time for number in range(6)]

    part = stretch(log, since=times[2], until=times[4], size=6)

    assert (part.begin, part.stop) == (1, 5)


@pytest.mark.parametrize(("since", "until", "places"), [
    ("", "", (0, 3)), ("0001", "0002", (0, 1)), ("9998", "9999", (2, 3)), ("9998", "", (2, 3))])
def test_an_empty_span_lies_between_two_records(log, since, until, places):
    filled(log, 3)

    part = stretch(log, since=since, until=until, size=3)

    assert (part.begin, part.stop) == places


def test_an_empty_log_is_an_empty_stretch(log):
    part = stretch(log, since="", until="", size=0)

    assert (part, walked(part, [], head_of(log))) == (Stretch(begin=0, stop=0, peaks=(), consistency=()), [])


def test_records_that_came_after_the_checkpoint_are_not_in_it(log):
    filled(log, 4)
    log.append(entry(9))

    part = stretch(log, since="", until="", size=4)

    assert [piece.seq for piece in pieces(log, part, lambda _: True)] == [0, 1, 2, 3]


def test_a_record_that_retention_removed_stands_there_by_its_hash(log):
    filled(log, 6)
    log.shelf.clear(0, 3)
    part = part_of(log, 1, 6, 6)
    lines = [piece.line() for piece in pieces(log, part, lambda _: True)]

    found = walked(part, lines, head_of(log))

    assert [piece.record is None for piece in found] == [True, True, True, False, False]


def test_a_log_that_ends_too_early_is_no_evidence(log):
    filled(log, 3)

    with pytest.raises(SandboxFailure, match="ends before record 3"):
        list(pieces(log, Stretch(begin=0, stop=5, peaks=(), consistency=()), lambda _: True))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"form": "other"}', '{"form": "windtunnel-evidence-1", "begin": 2, "stop": 1}',
                                  '{"form": "windtunnel-evidence-1", "begin": 0, "stop": 1, "peaks": "x", "consistency": []}',
                                  "[" * 100_000])
def test_what_is_no_stretch_is_refused(text):
    with pytest.raises(UsageError, match="not a stretch of the form"):
        read_stretch(text)


def test_a_stretch_with_other_subtrees_before_it_is_refused():
    with pytest.raises(UsageError, match="not as many as there must be"):
        Walk(Stretch(begin=3, stop=4, peaks=(b"x" * 32,), consistency=()))
