"""Alerts and what is owed to whom, as durable rows."""

import sqlite3

import pytest

from windtunnel.core.alert import Alert, Evidence, Severity
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.alerts import AlertStore, Owed, Place


def alert(number=0, **fields):
    return Alert(**{"rule": "rate", "severity": Severity.HIGH, "subject": f"ann {number}", "message": "too many",
                    "records": (Evidence(seq=number, id="a"), Evidence(seq=number + 1, id="b")),
                    "figures": {"acts": 7, "share": 0.5, "kind": "run"}, "time": f"2026-01-0{number + 1}", **fields})


def place(position=0, memory='{"a": 1}'):
    return Place(position=position, hash="h", memory=memory)


@pytest.fixture
def store(tmp_path):
    made = AlertStore(tmp_path / "alerts.db")
    yield made
    made.close()


def both(_):
    return ["one", "two"]


def test_a_watch_finds_its_place_again(store):
    store.keep("rules", place(7), [], owed=both)

    assert (store.place("rules"), store.place("other rules")) == (place(7), None)


def test_an_alert_comes_back_as_it_was(store):
    store.keep("rules", place(), [alert()], owed=both)

    assert store.waiting("one") == [(alert(), 0)]


def test_an_alert_that_is_known_is_not_owed_again(store):
    assert store.keep("rules", place(), [alert()], owed=both) == [alert()]
    store.delivered(alert().id, "one")

    assert store.keep("rules", place(1), [alert(), alert(1)], owed=both) == [alert(1)]
    assert [one for one, _ in store.waiting("one")] == [alert(1)]


def test_the_oldest_alerts_are_forgotten_but_none_that_somebody_is_owed(store, monkeypatch):
    monkeypatch.setattr("windtunnel.store.alerts.MOST_ALERTS", 1)
    store.keep("rules", place(), [alert(0), alert(1), alert(2)], owed=lambda one: ["one"] if one == alert(1) else [])

    assert store.since("") == [alert(1), alert(2)]
    store.delivered(alert(1).id, "one")
    store.recorded(alert(1).id, "one")
    store.keep("rules", place(1), [], owed=both)
    assert store.since("") == [alert(2)]


def test_an_alert_and_the_place_are_kept_together_or_not_at_all(store):
    def broken(_):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.keep("rules", place(), [alert()], owed=broken)

    assert (store.place("rules"), store.since("")) == (None, [])


def test_what_is_owed_is_told_oldest_first_and_when_it_is_due(store):
    store.keep("rules", place(), [alert(1), alert(0)], owed=both)
    store.failed(alert(1).id, "one", error="no room", not_before=50.0)

    assert store.waiting("one") == [(alert(1), 1), (alert(0), 0)]
    assert store.waiting("one", now=49.0) == [(alert(0), 0)]
    assert store.owed() == [Owed(destination="one", alerts=2, error="no room"), Owed(destination="two", alerts=2, error="")]


def test_what_was_delivered_waits_for_its_record(store):
    store.keep("rules", place(), [alert()], owed=both)
    store.delivered(alert().id, "two")

    assert store.unrecorded() == [(alert(), "two")]
    store.recorded(alert().id, "two")
    assert store.unrecorded() == []


def test_alerts_are_found_by_the_time_of_their_records(store):
    store.keep("rules", place(), [alert(2), alert(0), alert(1)], owed=both)

    assert store.since("2026-01-02") == [alert(2), alert(1)]


def test_places_of_rules_that_nobody_uses_any_more_are_forgotten(store):
    for number in range(20):
        store.keep(f"rules {number}", place(number), [], owed=both)

    assert [number for number in range(20) if store.place(f"rules {number}")] == list(range(12, 20))


def test_a_foreign_file_is_refused_and_stays(tmp_path):
    path = tmp_path / "alerts.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    connection.close()
    before = path.read_bytes()

    with pytest.raises(SandboxFailure, match="a database of another program"):
        AlertStore(path).place("rules")

    assert path.read_bytes() == before


def test_the_file_is_for_its_owner_alone(store):
    store.keep("rules", place(), [], owed=both)

    assert store.database.path.stat().st_mode & 0o777 == 0o600
