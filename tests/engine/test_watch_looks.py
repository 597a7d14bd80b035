"""Looking over a real log, telling whom it concerns, and going on after kill -9."""

import json
import os
import select
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from watch_receivers import HOSTILE, receiving, redaction, watch_in

from windtunnel.core.audit import AuditEntry, AuditQuery
from windtunnel.core.errors import SandboxFailure
from windtunnel.engine.watch import watch as watches
from windtunnel.store.audit.query import find

HERE = str(Path(__file__).parent)
LOG = "version: 1\ndestinations: [{{name: file, log: {}}}]"
KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from watch_receivers import watch_in
watch_in(Path(sys.argv[1]), Path(sys.argv[2]).read_text()).look()
"""


def file_rules(tmp_path):
    return LOG.format(tmp_path / "alerts.log")


def lines(tmp_path):
    path = tmp_path / "alerts.log"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def deliveries(watch):
    return [(record.entry.subject, record.entry.outcome, record.entry.details["alert"]["id"], record.entry.details["destination"])
            for record in find(watch.trail.log, AuditQuery(kind="alert"))]


def test_a_look_finds_what_is_new_delivers_it_and_writes_that_down(tmp_path):
    watch = watch_in(tmp_path, file_rules(tmp_path))
    record = watch.trail.log.append(redaction())

    looked = watch.look()

    (told,) = lines(tmp_path)
    (found,) = looked.alerts
    assert (looked.records, looked.delivered, looked.owed, looked.notes) == (1, 1, (), ())
    assert (told["rule"], told["records"], told["time"]) == ("log-acts", [{"seq": 0, "id": record.entry.id}], record.time)
    assert deliveries(watch) == [("log-acts", "delivered", found.id, "file")]


def test_a_second_look_tells_nothing_twice_and_alerts_make_no_alerts(tmp_path):
    watch = watch_in(tmp_path, file_rules(tmp_path))
    watch.trail.log.append_all([redaction() for _ in range(3)])
    watch.look()

    again = [watch_in(tmp_path, file_rules(tmp_path)).look() for _ in range(3)]

    assert [(one.records, one.alerts, one.delivered) for one in again] == [(3, (), 0), (0, (), 0), (0, (), 0)]
    assert (len(lines(tmp_path)), len(deliveries(watch))) == (3, 3)


def test_looks_one_by_one_find_what_one_look_over_all_finds(tmp_path):
    many, once = watch_in(tmp_path / "many"), watch_in(tmp_path / "once")
    entries = [redaction(id=f"{number:032x}", outcome=outcome, actor=actor, kind=kind)
               for number, (outcome, actor, kind) in enumerate(
                   (outcome, actor, kind) for outcome in ("done", "denied", "lost") for actor in ("ann", "bob")
                   for kind in ("run", "apply", "redact", "run") * 4)]

    found = []
    for entry in entries:
        many.trail.log.append(entry)
        found += watch_in(tmp_path / "many").look().alerts
    once.trail.log.append_all(entries)

    def known(alerts):
        return [(alert.rule, alert.subject, alert.message, alert.records) for alert in alerts]

    assert known(found) == known(once.look().alerts)
    assert {alert.rule for alert in found} == {"log-acts", "unproven-apply", "refusals", "losses"}


def test_hostile_records_stay_within_their_lines(tmp_path):
    watch = watch_in(tmp_path, file_rules(tmp_path))
    watch.trail.log.append(redaction(actor=HOSTILE, subject=HOSTILE, details={"names": [HOSTILE * 1000]}))

    watch.look()

    (told,) = lines(tmp_path)
    assert told["rule"] == "log-acts"
    assert told["message"].isprintable()


def test_a_destination_that_fails_is_said_and_gets_it_later(tmp_path):
    with receiving() as receiver:
        rules = f"version: 1\ndestinations: [{{name: hook, webhook: '{receiver.address}/', tries: 1}}, {{name: file, log: {tmp_path}/alerts.log}}]"
        watch = watch_in(tmp_path, rules)
        watch.trail.log.append_all([redaction(), redaction()])
        receiver.answers = [500]

        first, second = watch.look(), watch.look()

        ids = [alert.id for alert in first.alerts]
        assert [(one.destination, one.alerts) for one in first.owed] == [("hook", 2)]
        assert first.owed[0].error.endswith("answered 500: ")
        assert (first.delivered, second.delivered, second.owed) == (2, 2, ())
        assert [json.loads(body)["id"] for _, _, _, body in receiver.got] == [ids[0], *ids]
        assert sorted(deliveries(watch)) == sorted(("log-acts", "delivered", id_, name) for id_ in ids for name in ("hook", "file"))


def test_a_destination_that_failed_is_left_in_peace_for_longer_and_longer(tmp_path):
    now = [1_000_000.0]
    watch = watch_in(tmp_path, LOG.format(tmp_path / "missing" / "file"), clock=lambda: now[0])
    watch.trail.log.append(redaction())
    tries = []
    for _ in range(40):
        before = watch.store.waiting("file")[0][1] if watch.store.owed() else 0
        watch.look(at_once=False)
        if watch.store.waiting("file")[0][1] > before:
            tries.append(now[0] - 1_000_000)
        now[0] += 1

    assert tries == [0, 1, 3, 7, 15, 31]


def test_less_than_a_destination_asks_for_does_not_go_there(tmp_path):
    rules = f"version: 1\ndestinations: [{{name: file, log: {tmp_path}/alerts.log, least: high}}]"
    watch = watch_in(tmp_path, rules)
    watch.trail.log.append_all([redaction(), redaction(kind="apply")])

    looked = watch.look()

    assert [alert.rule for alert in looked.alerts] == ["log-acts", "unproven-apply"]
    assert [one["rule"] for one in lines(tmp_path)] == ["unproven-apply"]


def test_alerts_about_older_records_are_found_and_not_delivered(tmp_path):
    watch = watch_in(tmp_path, file_rules(tmp_path))
    watch.trail.log.append(redaction())
    later = watch.trail.log.append(redaction())

    looked = watch.look(since=later.time)

    assert len(looked.alerts) == 2
    assert [one["time"] for one in lines(tmp_path)] == [later.time]


def test_a_new_destination_gets_what_is_found_from_then_on(tmp_path):
    watch_in(tmp_path).trail.log.append(redaction())
    watch_in(tmp_path).look()

    watch = watch_in(tmp_path, file_rules(tmp_path))
    watch.trail.log.append(redaction(subject="later"))
    watch.look()

    assert [one["records"][0]["seq"] for one in lines(tmp_path)] == [1]


def test_other_rules_look_over_all_of_it_again_and_tell_only_what_is_new(tmp_path):
    watch_in(tmp_path, file_rules(tmp_path)).trail.log.append_all([redaction(), redaction(kind="run")])
    watch_in(tmp_path, file_rules(tmp_path)).look()

    looked = watch_in(tmp_path, file_rules(tmp_path) + "\nrules: {rate: {most: 0}}").look()

    assert [alert.rule for alert in looked.alerts] == ["rate", "rate"]
    assert [one["rule"] for one in lines(tmp_path)] == ["log-acts", "rate", "rate"]


def test_deliveries_that_cannot_be_written_down_are_said_and_written_later(tmp_path, monkeypatch):
    watch = watch_in(tmp_path, file_rules(tmp_path))
    watch.trail.log.append(redaction())

    def full(*_, **__):
        raise SandboxFailure("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(watch.trail.log, "append", full)
        first = watch.look()
    second = watch.look()

    assert (first.notes, second.notes) == (("deliveries are not in the audit log yet: the disk is full",), ())
    assert (len(lines(tmp_path)), len(deliveries(watch))) == (1, 1)


def test_a_delivery_is_written_down_once_though_the_watch_died_before_it_noted_that(tmp_path, monkeypatch):
    watch = watch_in(tmp_path, file_rules(tmp_path))
    watch.trail.log.append(redaction())
    with monkeypatch.context() as patched:
        patched.setattr(watch.store, "recorded", lambda *_: None)
        watch.look()

    watch.look()

    assert len(deliveries(watch)) == 1


def test_where_nothing_is_to_be_recorded_nothing_is(tmp_path):
    watch = watch_in(tmp_path, file_rules(tmp_path), record=False)
    watch.trail.log.append(redaction())

    watch.look()

    assert (len(lines(tmp_path)), watch.trail.log.size) == (1, 1)


# --- a log that is not what it was ---


def replaced(tmp_path, count):
    """Another log in the place of the one that was watched."""
    for path in tmp_path.glob("audit.*"):
        if path.is_file():
            path.unlink()
    watch = watch_in(tmp_path)
    watch.trail.log.append_all([redaction(kind="run") for _ in range(count)])
    return watch


@pytest.mark.parametrize(("count", "said"), [(2, "the log ends before record 4, which was there before"),
                                             (9, "record 4 is not the one that was there before")])
def test_a_log_that_was_cut_or_replaced_is_told_and_looked_over_again(tmp_path, count, said):
    first = watch_in(tmp_path)
    first.trail.log.append_all([redaction(kind="run") for _ in range(5)])
    first.look()
    first.trail.log.close()

    watch = replaced(tmp_path, count)
    looked, again = watch.look(), watch.look()

    assert [(alert.rule, alert.message) for alert in looked.alerts] == [("log-changed", said)]
    assert (looked.records, again.alerts) == (count, ())


def test_a_record_that_cannot_be_read_is_said_and_the_watch_stays_where_it_was(tmp_path, monkeypatch):
    watch = watch_in(tmp_path)
    watch.trail.log.append(redaction())

    def broken(*_):
        raise ValueError("not a record")

    with monkeypatch.context() as patched:
        patched.setattr(watches, "find", broken)
        with pytest.raises(SandboxFailure, match="a record cannot be read: not a record"):
            watch.look()

    assert len(watch.look().alerts) == 1


def test_a_look_that_fails_half_way_leaves_nothing_half_remembered(tmp_path, monkeypatch):
    rules = "version: 1\nrules: {rate: {most: 10}}"
    watch = watch_in(tmp_path, rules)
    watch.trail.log.append_all([redaction(kind="run") for _ in range(6)])
    watch.look()
    watch.trail.log.append_all([redaction(kind="run") for _ in range(3)])

    def full(*_, **__):
        raise SandboxFailure("the disk is full")

    for _ in range(3):
        with monkeypatch.context() as patched:
            patched.setattr(watch.store, "keep", full)
            with pytest.raises(SandboxFailure):
                watch.look()

    assert watch.look().alerts == ()
    watch.trail.log.append_all([redaction(kind="run") for _ in range(2)])
    assert [alert.figures["acts"] for alert in watch.look().alerts] == [11]


def test_checkpoints_of_our_own_key_count_and_others_do_not(tmp_path):
    rules = "version: 1\nrules: {checkpoints: {records: 3, from_start: true}}"
    watch = watch_in(tmp_path, rules)
    for _ in range(3):
        watch.trail.log.append_all([redaction(kind="run") for _ in range(3)])
        watch.trail.checkpoint()
    signed = watch.look()

    watch.trail.log.append_all([redaction(kind="run") for _ in range(2)])
    watch.trail.log.keep_checkpoint(11, "windtunnel/x\n11\nAAAA\n\n— x AAAA\n")
    watch.trail.log.append_all([redaction(kind="run") for _ in range(2)])

    assert (signed.alerts, [alert.rule for alert in watch.look().alerts]) == ((), ["checkpoints"])


# --- many at once, and death ---


def killed_in_the_middle(tmp_path, rules, ready):
    """A watch of its own process, killed as soon as its destination has begun."""
    path = tmp_path / "rules.yaml"
    path.write_text(rules)
    os.mkfifo(ready)
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), str(path), HERE])
    with ready.open() as file:
        told = file.read()
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    return told


def test_a_watch_that_is_killed_while_it_delivers_leaves_no_process_and_delivers_again(tmp_path):
    ready, taken = tmp_path / "ready", tmp_path / "taken"
    hangs = f"version: 1\ndestinations: [{{name: page, command: [/bin/sh, -c, 'cat > /dev/null; echo $$ > {ready}; sleep 600']}}]"
    goes_on = f"version: 1\ndestinations: [{{name: page, command: [/bin/sh, -c, 'cat >> {taken}']}}]"
    watch_in(tmp_path).trail.log.append(redaction())

    pid = int(killed_in_the_middle(tmp_path, hangs, ready))
    looked = watch_in(tmp_path, goes_on).look()
    again = watch_in(tmp_path, goes_on).look()

    assert ended(pid)
    assert (looked.alerts, looked.delivered, again.delivered) == ((), 1, 0)
    assert len(taken.read_text().splitlines()) == 1


def test_a_watch_that_is_killed_after_the_receiver_took_it_tells_it_again_with_the_same_id(tmp_path):
    ready = tmp_path / "ready"
    taken = tmp_path / "taken"
    hangs = f"version: 1\ndestinations: [{{name: page, command: [/bin/sh, -c, 'cat >> {taken}; echo > {ready}; sleep 600']}}]"
    goes_on = hangs.replace(f"; echo > {ready}; sleep 600", "")
    watch_in(tmp_path).trail.log.append(redaction())

    killed_in_the_middle(tmp_path, hangs, ready)
    watch = watch_in(tmp_path, goes_on)
    watch.look()

    first, second = (json.loads(line)["id"] for line in taken.read_text().splitlines())
    assert first == second
    assert deliveries(watch) == [("log-acts", "delivered", first, "page")]


def ended(pid):
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 60)[0])
    finally:
        os.close(handle)


def test_many_watches_at_once_tell_everything_once(tmp_path):
    rules = tmp_path / "rules.yaml"
    rules.write_text(file_rules(tmp_path))
    watch_in(tmp_path).trail.log.append_all([redaction(id=f"{number:032x}") for number in range(20)])

    many = [subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), str(rules), HERE]) for _ in range(4)]
    codes = [one.wait(150) for one in many]

    assert codes == [0] * 4
    assert [one["records"][0]["seq"] for one in lines(tmp_path)] == list(range(20))
    assert len(deliveries(watch_in(tmp_path))) == 20


def test_whoever_does_not_get_its_turn_is_told(tmp_path, monkeypatch):
    import fcntl

    monkeypatch.setattr(watches, "_TURN_SECONDS", 0.0)
    watch = watch_in(tmp_path)
    held = os.open(tmp_path / "alerts.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)

    try:
        with pytest.raises(SandboxFailure, match="another watch has been at work"):
            watch.look()
    finally:
        os.close(held)


def test_a_place_is_written_down_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr(watches, "_BATCH", 10)
    watch = watch_in(tmp_path)
    watch.trail.log.append_all([redaction(kind="run" if number % 10 else "redact") for number in range(95)])
    kept, keep = [], watch.store.keep

    def counted(rules, place, alerts, **options):
        kept.append((place.position, len(alerts)))
        return keep(rules, place, alerts, **options)

    monkeypatch.setattr(watch.store, "keep", counted)

    assert len(watch.look().alerts) == 10
    assert kept == [(number, 1) for number in [*range(9, 95, 10), 94]]


def test_an_entry_of_an_alert_names_the_record_it_is_about(tmp_path):
    watch = watch_in(tmp_path, file_rules(tmp_path))
    about = watch.trail.log.append(AuditEntry(kind="redact", outcome="done", actor="ann"))
    watch.look()

    (record,) = find(watch.trail.log, AuditQuery(kind="alert"))

    assert replace(record.entry, details={}, id="") == AuditEntry(
        kind="alert", outcome="delivered", actor="watch", subject="log-acts", parent=about.entry.id, id="")


def test_a_header_with_other_things_than_texts_is_said_and_is_no_crash(tmp_path, monkeypatch):
    watch = watch_in(tmp_path)
    record = watch.trail.log.append(redaction())
    odd = replace(record, entry=replace(record.entry, actor=["ann"]))
    monkeypatch.setattr(watches, "find", lambda *_: iter([odd]))

    with pytest.raises(SandboxFailure, match="record 0 holds list where a text belongs"):
        watch.look()
