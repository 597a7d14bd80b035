"""Records are sealed and removed as the settings say, by whoever writes, and never against them."""

import os
from dataclasses import replace

import pytest

from windtunnel.config import load
from windtunnel.core.audit import AuditEntry, AuditQuery
from windtunnel.core.errors import UsageError
from windtunnel.core.span import Span
from windtunnel.engine import audit_keeping
from windtunnel.engine.acts import Acts
from windtunnel.engine.audit import trail_in
from windtunnel.engine.audit_keeping import keep_if_due, retain_records, seal_records
from windtunnel.store.audit.query import find
from windtunnel.store.audit.verify import verify

NOW, DAY = Span(0), 86_400


def entries(count):
    return [AuditEntry(kind="run", outcome="done", actor="ann", details={"number": number}) for number in range(count)]


@pytest.fixture
def trail(tmp_path):
    made = trail_in(tmp_path / "state")
    made.log.append_all(entries(10))
    yield made
    made.log.close()


@pytest.fixture
def settings(tmp_path):
    return load({"HOME": str(tmp_path), "WINDTUNNEL_STATE_DIR": str(tmp_path / "state"), "WINDTUNNEL_AUDIT_SEAL_AFTER": "0s"},
                operator=tmp_path / "none")


def segments(trail):
    return [span.path.name for span in trail.log.segments.spans()]


def test_young_records_are_not_sealed_unless_that_is_asked_for(trail):
    assert seal_records(trail, older=None, keep_live=None, encrypt=None, actor="ann").segments == ()
    assert seal_records(trail, older=None, keep_live=4, encrypt=None, actor="ann").segments == ("0-5.wtseg",)
    assert seal_records(trail, older=NOW, keep_live=None, encrypt=None, actor="ann").first == 6


def test_both_conditions_must_hold_where_both_are_given(trail):
    assert seal_records(trail, older=Span(DAY), keep_live=1, encrypt=None, actor="ann").segments == ()


def test_once_something_was_encrypted_the_rest_is_too_unless_that_is_refused_by_name(trail):
    made = []
    for encrypt, keep_live in ((None, 8), (True, 7), (None, 6), (False, 5)):
        name = seal_records(trail, older=None, keep_live=keep_live, encrypt=encrypt, actor="ann").segments[0]
        made.append(bool(trail.log.segments.opened(trail.log.segments.folder / name).head.encryption))

    assert made == [False, True, True, False]
    assert trail.verify().success


def test_records_are_kept_as_long_as_the_settings_say(trail):
    seal_records(trail, older=NOW, keep_live=None, encrypt=None, actor="ann")

    with pytest.raises(UsageError, match="older: 1d is less than the 400d that audit_retention says records are kept"):
        retain_records(trail, older=Span(DAY), at_least=Span(400 * DAY), actor="ann")

    assert (segments(trail), retain_records(trail, older=NOW, at_least=None, actor="ann").records) == (["0-9.wtseg"], 10)


def test_whoever_writes_seals_what_is_due(trail, settings):
    keep_if_due(trail.log, settings, actor="ann", tell=pytest.fail)

    assert (segments(trail), trail.verify().success) == (["0-9.wtseg"], True)


def test_nobody_looks_twice_a_day(trail, settings):
    keep_if_due(trail.log, settings, actor="ann", tell=pytest.fail)
    trail.log.append_all(entries(3))

    keep_if_due(trail.log, settings, actor="ann", tell=pytest.fail)

    assert segments(trail) == ["0-9.wtseg"]


@pytest.mark.parametrize("seconds", [-DAY - 60, DAY + 60])
def test_a_look_of_yesterday_or_by_a_wrong_clock_does_not_count(trail, settings, seconds):
    keep_if_due(trail.log, settings, actor="ann", tell=pytest.fail)
    trail.log.append_all(entries(3))
    stamp = trail.log.path.with_suffix(".kept")
    moment = stamp.stat().st_mtime + seconds
    os.utime(stamp, (moment, moment))

    keep_if_due(trail.log, settings, actor="ann", tell=pytest.fail)

    assert segments(trail) == ["0-9.wtseg", "10-13.wtseg"]


def test_what_is_too_much_for_one_time_is_gone_on_with_by_the_next(trail, settings, monkeypatch):
    monkeypatch.setattr(audit_keeping, "_MOST_UNASKED", 0)
    keep_if_due(trail.log, settings, actor="ann", tell=pytest.fail)
    monkeypatch.undo()
    assert segments(trail) == []

    keep_if_due(trail.log, settings, actor="ann", tell=pytest.fail)

    assert segments(trail) == ["0-9.wtseg"]


@pytest.mark.parametrize("seal_after", [NOW, None])
def test_old_segments_are_removed_as_the_settings_say(trail, settings, seal_after):
    keep_if_due(trail.log, replace(settings, audit_seal_after=seal_after, audit_retention=NOW), actor="ann", tell=pytest.fail)

    assert (segments(trail), [record.entry.kind for record in find(trail.log, AuditQuery())]) == ([], ["seal", "retain"])
    assert verify(trail.log).removed == ("records 0 to 9 were removed by retention, as record 11 says",)


def test_what_goes_wrong_is_told_and_keeps_nobody_from_anything(trail, settings):
    trail.log.segments.folder.write_text("in the way")
    told = []

    keep_if_due(trail.log, settings, actor="ann", tell=told.append)

    assert (len(told), told[0].startswith("the audit log could not be tidied: ")) == (1, True)
    assert (trail.log.size, trail.verify().success) == (10, True)


def test_nothing_is_looked_at_where_nothing_is_set(trail, settings):
    keep_if_due(trail.log, replace(settings, audit_seal_after=None), actor="ann", tell=pytest.fail)

    assert not trail.log.path.with_suffix(".kept").exists()


def test_an_act_is_followed_by_it(settings, tmp_path):
    acts = Acts(settings, session="s", tell=pytest.fail)
    with acts.act("run", dict):
        pass

    acts.close()

    assert segments(trail_in(tmp_path / "state")) == ["0-0.wtseg"]


# --- settings ---


def loaded(tmp_path, operator, **environ):
    path = tmp_path / "operator.toml"
    path.write_text(operator)
    path.chmod(0o644)
    return load({"HOME": str(tmp_path), **environ}, operator=path)


def test_spans_are_read_from_the_settings(tmp_path):
    found = loaded(tmp_path, 'audit_seal_after = "30d"\naudit_retention = "400d"\n')

    assert (found.audit_seal_after, found.audit_retention) == (Span(30 * DAY), Span(400 * DAY))


def test_what_the_operator_keeps_nobody_keeps_for_less_long(tmp_path):
    with pytest.raises(UsageError, match="1d is looser than the 400d already set"):
        loaded(tmp_path, 'audit_retention = "400d"\n', WINDTUNNEL_AUDIT_RETENTION="1d")

    assert loaded(tmp_path, 'audit_retention = "400d"\n', WINDTUNNEL_AUDIT_RETENTION="500d").audit_retention == Span(500 * DAY)


@pytest.mark.parametrize("key", ["audit_retention", "audit_seal_after"])
def test_a_project_cannot_have_records_removed(tmp_path, key):
    project = tmp_path / "project"
    project.mkdir()
    (project / ".windtunnel.toml").write_text(f'{key} = "1s"\n')

    with pytest.raises(UsageError, match="not for a project to set"):
        load({"HOME": str(tmp_path)}, project, operator=tmp_path / "none")


@pytest.mark.parametrize("value", ["30", "true", '"soon"', '"-1d"', "[]"])
def test_a_span_that_is_none_is_refused(tmp_path, value):
    with pytest.raises(UsageError, match=r"audit_retention: .* is not a span of time"):
        loaded(tmp_path, f"audit_retention = {value}\n")
