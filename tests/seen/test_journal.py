"""The journal of a long run: finished cycles are kept, half ones are not, damage is not taken for a crash."""

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from windtunnel.core.errors import NotFound, SandboxFailure, UsageError
from windtunnel.engine.recovery import journal as journals
from windtunnel.engine.recovery.journal import Head, Journal, finished_in, head_of
from windtunnel.engine.recovery.records import MOST_RECORD
from windtunnel.engine.recovery.resuming import resume, seed_of


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


@pytest.fixture
def three(folder):
    """A run with three finished cycles, closed."""
    with Journal.begin(folder, seed=7) as journal:
        for number in range(3):
            journal.append({"value": number})
    return folder


def test_a_run_is_found_as_it_was_begun(folder):
    with Journal.begin(folder, seed=7, options={"preset_count": 3}) as journal:
        begun = journal.head

    assert head_of(folder) == begun == Head(id=begun.id, seed=7, options={"preset_count": 3})


def test_finished_cycles_are_there_when_it_is_opened_again(three):
    with Journal(three) as journal:
        assert (journal.records, journal.cut_bytes) == (({"value": 0}, {"value": 1}, {"value": 2}), 0)


def test_its_folder_and_files_are_for_its_user_alone(three):
    assert [oct(path.stat().st_mode & 0o777) for path in (three, three / "run.json", three / "cycles.jsonl")] == [
        "0o700", "0o600", "0o600"]


def test_wherever_the_last_line_is_torn_only_that_cycle_is_lost(three):
    path = three / "cycles.jsonl"
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    found = set()
    for end in range(start + 1, len(whole)):
        path.write_bytes(whole[:end])
        with Journal(three) as journal:
            found.add((journal.finished, journal.cut_bytes - (end - start), path.stat().st_size))

    assert found == {(2, 0, start)}


@pytest.mark.parametrize("tail", [b"\0" * 4096, b"{}\n", b"\n", b"\xff" * 10, b'{"check":"0000000000000000","cycle":3}\n'])
def test_a_tail_that_is_no_record_is_cut_off(three, tail):
    path = three / "cycles.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + tail)

    with Journal(three) as journal:
        journal.append({"value": 3})

    assert (path.read_bytes()[:len(whole)], len(finished_in(three))) == (whole, 4)


def test_looking_at_a_run_of_another_process_cuts_nothing(three):
    path = three / "cycles.jsonl"
    with path.open("ab") as file:
        file.write(b'{"check":"half')
    before = path.read_bytes()

    assert (len(finished_in(three)), path.read_bytes()) == (3, before)


def test_damage_in_the_middle_is_not_taken_for_a_crash(three):
    path = three / "cycles.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"value":1', b'"value":9'))

    with pytest.raises(SandboxFailure, match="the record of cycle 1 is damaged and others stand behind it"):
        Journal(three)


def test_a_cycle_that_stands_there_twice_is_refused(three):
    path = three / "cycles.jsonl"
    with path.open("ab") as file:
        file.write(path.read_bytes().splitlines(keepends=True)[2])

    with pytest.raises(SandboxFailure, match="cycle 2 stands where 3 should"):
        Journal(three)


@pytest.mark.parametrize("body", [b'"cycle":3}', b'"cycle":3,"told":[]}', b'"cycle":"3","told":{}}', b"nothing}",
                                  b'"cycle":3,"told":' + b"[" * 100_000 + b"}"], ids=range(5))
def test_a_line_that_was_made_up_is_refused(three, body):
    check = hashlib.sha256(b"{" + body).hexdigest()[:16].encode()
    with (three / "cycles.jsonl").open("ab") as file:
        file.write(b'{"check":"' + check + b'",' + body + b"\n")

    with pytest.raises(SandboxFailure, match="stands where 3 should"):
        Journal(three)


def test_a_run_is_begun_once_and_then_gone_on_with(folder):
    found = []
    for _ in range(2):
        with Journal.go_on(folder, seed=7, options={"a": (1, 2)}) as journal:
            found.append((journal.head.id, journal.finished))
            journal.append({})

    assert found == [(found[0][0], 0), (found[0][0], 1)]


@pytest.mark.parametrize("other", [{"seed": 8}, {"options": {"a": 1}}])
def test_another_run_is_not_gone_on_with(three, other):
    with pytest.raises(UsageError, match="holds a run with another seed or other options"):
        Journal.go_on(three, **{"seed": 7, **other})


def test_of_two_who_begin_a_run_at_once_one_gets_it(folder):
    def begin(_):
        try:
            with Journal.begin(folder, seed=7) as journal:
                return journal.head.id
        except UsageError:
            return None

    with ThreadPoolExecutor(8) as pool:
        found = [name for name in pool.map(begin, range(8)) if name]

    assert (found, sorted(path.name for path in folder.iterdir())) == ([head_of(folder).id], ["cycles.jsonl", "run.json"])


def test_a_folder_that_cannot_be_made_is_our_failure(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(SandboxFailure, match="a run cannot be begun there: Not a directory"):
        Journal.begin(tmp_path / "file" / "run", seed=1)


def test_a_scratch_folder_that_is_a_link_is_refused(three, tmp_path):
    (three / "scratch").symlink_to(tmp_path)

    with Journal(three) as journal, pytest.raises(SandboxFailure, match="cannot be emptied for a cycle: File exists"):
        journal.scratch()


def test_two_cannot_work_on_one_run(three):
    with Journal(three), pytest.raises(UsageError, match="another process is at work on this run"):
        Journal(three, wait_seconds=0)


def test_a_folder_with_a_run_is_not_begun_again(three):
    with pytest.raises(UsageError, match="holds the journal of a run already"):
        Journal.begin(three, seed=1)


def test_a_folder_without_a_run_is_said_to_be_one(tmp_path):
    with pytest.raises(NotFound, match=r"there is no run\.json"):
        Journal(tmp_path)


@pytest.mark.parametrize("text", [
    "", "[]", '{"id": "a", "seed": 1}', '{"id": 1, "seed": 1, "options": {}, "version": 1}',
    '{"id": "a", "seed": true, "options": {}, "version": 1}', '{"id": "a", "seed": 1, "options": [], "version": 1}',
    '{"id": "a", "seed": 1, "options": {}, "version": 2}', '{"id": "a", "seed": 1, "options": {}, "version": 1, "x": 0}',
    "[" * 100_000], ids=range(9))
def test_a_head_that_is_none_is_refused(three, text):
    (three / "run.json").write_text(text)

    with pytest.raises(UsageError, match=r"run\.json: not the head of a run"):
        Journal(three)


@pytest.mark.parametrize("told", [{"value": float("nan")}, {"value": object()}, {"value": "x" * MOST_RECORD}, {1: 2, "a": 3}])
def test_a_record_that_cannot_be_kept_is_refused_and_nothing_is_written(three, told):
    before = (three / "cycles.jsonl").read_bytes()

    with Journal(three) as journal, pytest.raises(UsageError, match="record: cycle 3"):
        journal.append(told)

    assert (three / "cycles.jsonl").read_bytes() == before


class FullDisk:
    """The system, with room for ten bytes more."""

    def __getattr__(self, name):
        return getattr(os, name)

    def write(self, descriptor, data):
        if len(data) > 10:
            return os.write(descriptor, data[:10])
        raise OSError(28, "No space left on device")


def test_a_full_disk_leaves_the_journal_as_it_was(three, monkeypatch):
    before = (three / "cycles.jsonl").read_bytes()
    with Journal(three) as journal:
        monkeypatch.setattr(journals, "os", FullDisk())
        with pytest.raises(SandboxFailure, match="cycle 3 cannot be written: No space left on device"):
            journal.append({"value": 3})

    assert (three / "cycles.jsonl").read_bytes() == before


def test_a_run_ends_after_its_cycles(folder):
    with Journal.begin(folder, seed=7) as journal:
        given = resume(journal, lambda cycle: {"seed": cycle.seed}, most_cycles=4)

    assert given == tuple({"seed": seed_of(7, number)} for number in range(4))


def test_a_run_ends_when_enough_is_done(folder):
    with Journal.begin(folder, seed=7) as journal:
        given = resume(journal, lambda cycle: {"n": cycle.number}, most_cycles=100, until=lambda done: len(done) >= 2)

    assert given == ({"n": 0}, {"n": 1})


def test_a_cycle_that_raises_is_not_finished_and_is_done_again_with_the_same_chances(folder):
    seeds = []

    def step(cycle):
        seeds.append(cycle.seed)
        (cycle.scratch / "left").write_text(str(len(list(cycle.scratch.iterdir()))))
        if len(seeds) == 2:
            raise ZeroDivisionError
        return {"found": (cycle.scratch / "left").read_text()}

    with Journal.begin(folder, seed=7) as journal:
        with pytest.raises(ZeroDivisionError):
            resume(journal, step, most_cycles=2)
        given = resume(journal, step, most_cycles=2)

    assert (given, seeds) == (({"found": "0"}, {"found": "0"}), [seed_of(7, 0), seed_of(7, 1), seed_of(7, 1)])


def test_numbers_as_names_are_kept_as_texts(folder):
    with Journal.begin(folder, seed=7) as journal:
        journal.append({"by": {2: "b", 10: "a"}})

    assert finished_in(folder) == [{"by": {"2": "b", "10": "a"}}]


def test_what_a_cycle_gave_is_not_changed_by_whoever_reads_it_later(folder):
    told = {"list": [1]}
    with Journal.begin(folder, seed=7) as journal:
        journal.append(told)
        told["list"].append(2)

        assert journal.records == ({"list": [1]},)


def test_each_line_is_json(three):
    lines = [json.loads(line) for line in (three / "cycles.jsonl").read_text().splitlines()]

    assert [(line["cycle"], line["told"]) for line in lines] == [(n, {"value": n}) for n in range(3)]
