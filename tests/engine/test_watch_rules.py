"""Every rule, by the examples it carries, and over traffic: honest, seeded, and with one anomaly in it."""

import bisect
import functools
import json
import random
from datetime import UTC, datetime, timedelta
from zoneinfo import available_timezones

import pytest

from windtunnel.engine.watch.rule import Acts, record_at, unrolled
from windtunnel.engine.watch.table import BY_ID, RULES
from windtunnel.engine.watch.watcher import MOST_IN_AN_HOUR, Active, Watcher

EXAMPLES = [pytest.param(rule, example, id=f"{rule.id}: {example.about}") for rule in RULES for example in rule.examples]
MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)
SEEDS = range(12)
EVERY = tuple(Active(rule=rule, options=rule.defaults) for rule in RULES if rule.on)


def watcher(*rules, memory=None, checkpoints=(), earlier=lambda name, before: None, **options):
    def checkpoint(seq):
        at = bisect.bisect_right(checkpoints, seq)
        return checkpoints[at - 1] if at else 0

    active = [Active(rule=BY_ID[rule], options={**BY_ID[rule].defaults, **options}) for rule in rules] or EVERY
    return Watcher(active, memory=memory, checkpoint=checkpoint, earlier=earlier)


def alerts(records, made=None):
    made = made or watcher()
    return [alert for record in records for alert in made.see(record)]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_a_rule_fires_on_its_examples_and_on_nothing_else(rule, example):
    made = watcher(rule.id, checkpoints=example.checkpoints, **example.options)

    found = alerts(unrolled(example.trail), made)

    assert [alert.rule for alert in found] == [rule.id] * example.fires, found


def test_every_rule_has_an_example_of_each_answer():
    both = {rule.id: {example.fires > 0 for example in rule.examples} for rule in RULES}

    assert both == {rule.id: {True, False} for rule in RULES}


@pytest.mark.parametrize(("rule", "example"), [param for param in EXAMPLES if param.values[1].fires])
def test_an_alert_says_which_records_and_figures_made_it(rule, example):
    records = list(unrolled(example.trail))

    (alert, *_) = alerts(records, watcher(rule.id, checkpoints=example.checkpoints, **example.options))

    by_place = {record.seq: record for record in records}
    newest = by_place[alert.records[-1].seq]
    assert [one.id for one in alert.records] == [by_place[one.seq].entry.id for one in alert.records]
    assert (alert.time, bool(alert.message), bool(alert.figures)) == (newest.time, True, True)


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_a_watch_that_is_interrupted_after_every_record_finds_the_same(rule, example):
    options = {"checkpoints": example.checkpoints, **example.options}
    records, memory, found = list(unrolled(example.trail)), "{}", []
    for record in records[-300:]:
        made = watcher(rule.id, memory=json.loads(memory), **options)
        found += made.see(record)
        memory = json.dumps(made.memory)

    assert found == alerts(records[-300:], watcher(rule.id, **options))


# --- honest traffic ---


def steady(chance):
    """A service that runs about twenty programs an hour, day and night."""
    return poisson(chance, lambda hour: 20, hours=24 * 9)


def office(chance):
    """People at work, from eight to six on weekdays."""
    return poisson(chance, lambda hour: 25 if 8 <= hour % 24 < 18 and hour // 24 % 7 < 5 else 0, hours=24 * 14)


def day_and_night(chance):
    """Thirty an hour by day, one by night."""
    return poisson(chance, lambda hour: 30 if 8 <= hour % 24 < 18 else 1, hours=24 * 9)


def batches(chance):
    """A build that starts up to forty trials at once, three times a day."""
    for hour in range(0, 24 * 20, 8):
        for number in range(chance.randrange(5, 40)):
            yield hour * 3600 + number * 2.0


def growing(chance):
    """Slowly more from day to day."""
    return poisson(chance, lambda hour: 5 + hour / 12, hours=24 * 9)


def poisson(chance, per_hour, *, hours):
    for hour in range(hours):
        rate = per_hour(hour)
        at = chance.expovariate(rate) if rate else 1.0
        while at < 1:
            yield (hour + at) * 3600
            at += chance.expovariate(rate)


SHAPES = [steady, office, day_and_night, batches, growing]


@functools.cache
def honest(shape, seed):
    """Runs and trials of three actors, one in twenty refused, some refused calls, applies with good trials, checkpoints."""
    chance = random.Random(f"{shape.__name__} {seed}")
    seq, records = 0, []

    def add(when, **fields):
        nonlocal seq
        records.append(record_at(Acts(**fields), seq=seq, when=MONDAY + timedelta(seconds=when)))
        seq += 1

    for actor in ("ann", "bob", "ci"):
        add(seq, actor=actor)
        add(seq, actor=actor, kind="trial", outcome="good", subject=f"first {actor}")
        add(seq, actor=actor, kind="apply", details={"trial": f"first {actor}"})
    for when in shape(chance):
        actor = chance.choice(("ann", "bob", "ci"))
        refused = chance.random() < 0.05
        effects = {"blocked": [{"name": "io_uring_setup", "count": chance.randrange(1, 9)}] if chance.random() < 0.1 else [],
                   "network": [{"target": "index.example:443", "outcome": "refused"}] if chance.random() < 0.05 else []}
        outcome = "refused" if refused else chance.choice(("done", "done", "failed", "timeout"))
        if when > records[-1].seq and chance.random() < 0.1 and not refused:
            add(when, actor=actor, kind="trial", outcome="good", subject=f"trial {seq}")
            add(when + 0.5, actor=actor, kind="apply", details={"trial": f"trial {seq - 1}"})
        else:
            add(when, actor=actor, outcome=outcome, details={"effects": effects, "output": {"stdout": {"head": "ok\n"}}})
    return sorted_by_time(records)


def sorted_by_time(records):
    from dataclasses import replace

    return [replace(record, seq=seq, clock_back=0.0) for seq, record in enumerate(sorted(records, key=lambda one: one.time))]


def checkpoints(records):
    return range(50, len(records) + 50, 50)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_honest_traffic_fires_nothing(shape, seed):
    records = honest(shape, seed)

    assert alerts(records, watcher(checkpoints=checkpoints(records))) == []


@functools.cache
def learned(shape):
    """What a watch remembers that has seen honest traffic."""
    records = honest(shape, seed=1)
    made = watcher(checkpoints=checkpoints(records))
    for record in records:
        made.see(record)
    return json.dumps(made.memory)


def more(records, **fields):
    """The records, and then some acts of one sort."""
    last = records[-1]
    when, made = datetime.fromisoformat(last.time), list(records)
    acts = Acts(**fields)
    for number in range(acts.count):
        when += timedelta(seconds=acts.every)
        made.append(record_at(acts, seq=last.seq + acts.skip + 1 + number, when=when))
    return made


REFUSED = {"effects": {"blocked": [{"name": f"call{number}", "count": 1} for number in range(20)], "network": []}}
ANOMALIES = {
    "rate": {"count": 1500, "every": 1, "actor": "ann"},
    "new-actor": {"actor": "mallory"},
    "refusals": {"count": 40, "every": 3, "actor": "bob", "outcome": "denied"},
    "unproven-apply": {"kind": "apply", "actor": "ann", "details": {"trial": "nowhere"}},
    "losses": {"count": 6, "every": 3, "outcome": "lost"},
    "gaps": {"skip": 7},
    "clock-back": {"every": -7200.0},
    "log-acts": {"kind": "redact", "subject": "12"},
    "probing": {"count": 60, "every": 2, "actor": "ci", "details": REFUSED},
    "escape": {"details": {"effects": {"network": [{"target": "169.254.169.254:80", "outcome": "refused"}]}}},
    "secrets": {"details": {"output": {"stderr": {"head": "-----BEGIN RSA PRIVATE " + "KEY-----"}}}},
    "checkpoints": {"every": 86_400 * 9},
}


def test_an_anomaly_is_seeded_for_every_rule_in_force():
    assert set(ANOMALIES) == {rule.id for rule in RULES if rule.on}


@pytest.mark.parametrize("rule", ANOMALIES)
@pytest.mark.parametrize("shape", SHAPES)
def test_an_anomaly_in_honest_traffic_fires(shape, rule):
    records, memory = honest(shape, seed=1), learned(shape)
    covered = [size for size in checkpoints(records) if size <= records[-1].seq]

    found = alerts(more(records, **ANOMALIES[rule])[len(records):], watcher(memory=json.loads(memory), checkpoints=covered))

    assert rule in {alert.rule for alert in found}


def test_the_same_records_give_the_same_alerts():
    records = more(honest(steady, seed=3), **ANOMALIES["refusals"])

    assert alerts(records) == alerts(records)


# --- what nobody can do to it ---

HOSTILE = 'eve\n2026-01-01 all is well \x1b[2J\x1b[31m \u2028\u2029 \u202e {"rule":"x"} \x00 \ud800' + "A" * 5000


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.on], ids=lambda rule: rule.id)
def test_hostile_records_make_alerts_of_one_bounded_line(rule):
    hostile = {"name": HOSTILE, "target": HOSTILE, "path": f"/.ssh/{HOSTILE}", "outcome": HOSTILE, "severity": HOSTILE}
    told = {"effects": {"blocked": [hostile, {"name": "mount"}], "network": [hostile], "files": [hostile]},
            "tamper": [hostile], "inputs": {"change": HOSTILE}, "trial": HOSTILE, "output": {"stdout": {"head": HOSTILE}}}
    kinds = ("apply", "trial", "redact", HOSTILE)
    trail = [Acts(count=40, actor=HOSTILE, kind=kind, outcome=outcome, subject=HOSTILE, details=told, skip=2, every=-60)
             for kind in kinds for outcome in ("refused", "lost", HOSTILE, "done")]

    found = alerts(unrolled(trail), watcher(rule.id))

    texts = [text for alert in found for text in (alert.message, alert.subject, alert.time, *map(str, alert.figures.values()),
                                                  *(one.id for one in alert.records))]
    assert all(text.isprintable() and len(text) <= 500 for text in texts)
    assert all(len(json.dumps(alert.message)) < 4000 for alert in found)


@pytest.mark.parametrize("wrong", [None, 7, "text", [], [1, None], {"x": 1}, [{"name": 5}], {"blocked": "many"}, [[[[]]]]], ids=repr)
def test_details_of_any_shape_are_read(wrong):
    names = ("effects", "output", "tamper", "inputs", "trial", "result")
    trail = [Acts(kind=kind, subject="t", details=dict.fromkeys(names, wrong)) for kind in ("run", "trial", "apply")]
    inner = [Acts(details={"effects": dict.fromkeys(("blocked", "network", "files"), wrong), "output": {"stdout": wrong}})]

    found = alerts(unrolled([*trail, *inner]))

    assert {alert.rule for alert in found} <= {"unproven-apply"}


@pytest.mark.parametrize("time", ["", "yesterday", "2026-99-99T00:00:00", "9" * 5000, "\n"], ids=lambda time: time[:12])
def test_a_record_without_a_time_is_looked_at_all_the_same(time):
    from dataclasses import replace

    first, second = unrolled((Acts(), Acts(kind="redact")))

    assert [alert.rule for alert in alerts([first, replace(second, time=time)])] == ["log-acts"]


def test_memory_stays_bounded_however_many_actors_and_kinds_there_are():
    made = watcher()
    for record in unrolled(Acts(actor=f"actor {number} " + "x" * 1000, kind=f"kind {number}", outcome="refused", every=1,
                                details=REFUSED) for number in range(6000)):
        made.see(record)

    sizes = {rule: max((len(table) for table in memory.values() if isinstance(table, dict)), default=0)
             for rule, memory in made.memory["rules"].items()}
    assert (sizes["rate"], sizes["refusals"], sizes["probing"], sizes["new-actor"]) == (1000, 1000, 1000, 6000)
    assert len(json.dumps(made.memory)) < 8_000_000


def test_a_flood_of_alerts_is_cut_and_said_once():
    trail = (Acts(count=MOST_IN_AN_HOUR * 3, every=1, kind="redact"),)

    found = alerts(unrolled(trail))

    assert [alert.rule for alert in found] == ["log-acts"] * MOST_IN_AN_HOUR + ["storm"]
    assert (found[-1].subject, str(found[-1].severity)) == ("log-acts", "high")


def test_without_the_cut_a_flood_would_be_as_long_as_the_attacker_likes(monkeypatch):
    monkeypatch.setattr("windtunnel.engine.watch.watcher.MOST_IN_AN_HOUR", 10**9)

    assert len(alerts(unrolled((Acts(count=300, every=1, kind="redact"),)))) == 300


def test_records_of_alerts_are_looked_at_by_no_rule_but_the_one_about_places():
    trail = [Acts(count=500, every=1, kind="alert", outcome="denied", actor=f"watch {number}", details=REFUSED)
             for number in range(3)]

    found = alerts(unrolled((Acts(count=2), *trail, Acts(kind="alert", skip=2))))

    assert [alert.rule for alert in found] == ["gaps"]


def test_the_same_subject_is_told_again_only_after_a_while():
    trail = (Acts(count=5, every=-60), Acts(every=7200), Acts(every=-60))

    found = alerts(unrolled(trail), watcher("clock-back"))

    assert len(found) == 2


def test_a_trial_that_the_memory_lost_is_found_in_the_log():
    trial, apply_ = unrolled((Acts(kind="trial", outcome="good", subject="t1"), Acts(kind="apply", details={"trial": "t1"})))
    asked = []

    def earlier(name, before):
        asked.append((name, before))
        return trial

    assert alerts([apply_], watcher("unproven-apply", earlier=earlier)) == []
    assert asked == [("t1", 1)]


@pytest.mark.skipif("Asia/Tokyo" not in available_timezones(), reason="no time zones here (the tzdata package)")
@pytest.mark.parametrize(("zone", "hour", "fires"), [
    ("UTC", 19, 0), ("UTC", 20, 1), ("America/New_York", 19, 0), ("America/New_York", 8, 1), ("Asia/Tokyo", 9, 0),
    ("Asia/Tokyo", 12, 1)])
def test_hours_are_those_of_the_named_zone(zone, hour, fires):
    record = record_at(Acts(kind="apply"), seq=0, when=MONDAY + hour * HOUR)

    assert len(alerts([record], watcher("off-hours", zone=zone))) == fires


@pytest.mark.parametrize(("day", "hour", "fires"), [(0, 23, 0), (1, 3, 0), (5, 3, 0), (5, 23, 1), (6, 3, 1), (0, 12, 1)])
def test_a_shift_over_midnight_belongs_to_the_day_it_began_on(day, hour, fires):
    record = record_at(Acts(kind="apply"), seq=0, when=MONDAY + timedelta(days=day) + hour * HOUR)

    assert len(alerts([record], watcher("off-hours", hours="22:00-06:00"))) == fires
