"""The file of rules: what it may say, and what is refused with its place."""

import re
from pathlib import Path
from zoneinfo import available_timezones

import pytest

from windtunnel.core.alert import Severity
from windtunnel.core.errors import UsageError
from windtunnel.engine.watch.command import Command
from windtunnel.engine.watch.lines import LineFile, Stdout, Syslog
from windtunnel.engine.watch.reading import read_rules, usual
from windtunnel.engine.watch.table import RULES
from windtunnel.engine.watch.webhook import Webhook

zones = pytest.mark.skipif("Europe/Vienna" not in available_timezones(), reason="no time zones here (the tzdata package)")


def read(text):
    return read_rules(text.encode(), file="rules.yaml")


def rules(text):
    return {one.rule.id: one for one in read(f"version: 1\nrules:\n  {text}\n").active}


def destination(text):
    (one,) = read(f"version: 1\ndestinations:\n  - {text}\n").destinations
    return one


def test_a_file_without_rules_has_the_usual_ones():
    assert read("version: 1") == usual()


def test_rules_are_switched_off_and_on():
    found = rules("{rate: false, off-hours: true}")

    assert set(found) == {rule.id for rule in RULES} - {"rate"}


def test_bounds_are_set_and_the_others_stay():
    found = rules("{rate: {window: 10m, most: 50, severity: high, again: 0}}")["rate"]

    assert (found.options["window"], found.options["most"], found.options["learn"]) == (600.0, 50, 48)
    assert (found.severity, found.again) == (Severity.HIGH, 0.0)


@zones
def test_hours_days_and_zone_are_set():
    options = rules("{off-hours: {hours: '08:00-18:30', days: [mon, sat], zone: Europe/Vienna}}")["off-hours"].options

    assert (options["hours"], options["days"], options["zone"]) == ("08:00-18:30", ("mon", "sat"), "Europe/Vienna")


def test_destinations_alone_do_not_make_a_watch_begin_anew():
    assert read("version: 1\ndestinations: [{name: out, stdout: true}]").digest == usual().digest
    assert read("version: 1\nrules: {rate: {most: 5}}").digest != usual().digest


def test_every_kind_of_destination_is_read():
    assert destination("{name: pager, command: [/bin/page, --now], seconds: 5, least: high}") == Command(
        name="pager", least=Severity.HIGH, argv=("/bin/page", "--now"), seconds=5.0)
    assert destination("{name: hook, webhook: 'https://alerts.example/x', secret_file: /etc/key, tries: 1}") == Webhook(
        name="hook", least=Severity.LOW, address="https://alerts.example/x", secret_file=Path("/etc/key"), tries=1)
    assert destination("{name: file, log: /var/log/a}") == LineFile(name="file", least=Severity.LOW, path=Path("/var/log/a"))
    assert destination("{name: sys, syslog: true}") == Syslog(name="sys", least=Severity.LOW)
    assert destination("{name: out, stdout: true}") == Stdout(name="out", least=Severity.LOW)


@pytest.mark.parametrize(("text", "said"), [
    ("", "rules.yaml:1:1: not a table of rules"),
    ("[]", "rules.yaml:1:1: not a table of rules"),
    ("rules: {}", "version: missing"),
    ("version: 2", "rules.yaml:1:10: version: not 1"),
    ("version: 1\nalarms: {}", "rules.yaml:2:1: alarms: unknown (known: version, rules, destinations)"),
    ("version: 1\nrules: {speed: true}", "rules.yaml:2:9: rules.speed: unknown (known: rate, "),
    ("version: 1\nrules: {rate: {mots: 1}}", "rules.yaml:2:16: rules.rate.mots: unknown (known: window, most,"),
    ("version: 1\nrules:\n  rate:\n    most: lots", "rules.yaml:4:11: rules.rate.most: not a number"),
    ("version: 1\nrules: {rate: {most: -1}}", "rules.rate.most: not a number of 0 or more"),
    ("version: 1\nrules: {rate: {most: true}}", "rules.rate.most: not a number"),
    ("version: 1\nrules: {rate: {window: 0}}", "rules.rate.window: not a time: 0"),
    ("version: 1\nrules: {rate: {window: .nan}}", "rules.rate.window: not a time"),
    ("version: 1\nrules: {rate: {severity: worst}}", "rules.rate.severity: not one of low, medium, high"),
    ("version: 1\nrules: {rate: 7}", "rules.rate: not a table: 7"),
    ("version: 1\nrules: {losses: {most: 0}}", "rules.losses.most: not from 1 to 1000"),
    ("version: 1\nrules: {refusals: {row: 100000}}", "rules.refusals.row: not from 1 to 1000"),
    ("version: 1\nrules: {off-hours: {hours: 9-5}}", "rules.off-hours.hours: not hours: 9-5 (try '08:00-18:00')"),
    ("version: 1\nrules: {off-hours: {hours: '08:00-25:00'}}", "rules.off-hours.hours: not hours"),
    ("version: 1\nrules: {off-hours: {days: [monday]}}", "rules.off-hours.days[0]: not a day: monday"),
    ("version: 1\nrules: {off-hours: {zone: Mars/Phobos}}", "knows no time zone Mars/Phobos"),
    ("version: 1\nrules: {off-hours: {zone: ../../etc/passwd}}", "knows no time zone ../../etc/passwd"),
    ("version: 1\nversion: 1", "rules.yaml:2:1: version: there twice"),
    ("version: 1\ndestinations: {}", "destinations: not a list"),
    ("version: 1\ndestinations: [{name: a}]", "destinations[0]: say exactly one of command, webhook, log, syslog, stdout"),
    ("version: 1\ndestinations: [{name: a, log: /a, stdout: true}]", "destinations[0]: say exactly one of"),
    ("version: 1\ndestinations: [{name: a, log: /a, tries: 3}]", "destinations[0].tries: not for log"),
    ("version: 1\ndestinations: [{log: /a}]", "destinations[0].name: missing"),
    ("version: 1\ndestinations: [{name: 'a b', log: /a}]", "destinations[0].name: not a name: a b"),
    ("version: 1\ndestinations: [{name: a, log: /a}, {name: a, log: /b}]", "destinations[1].name: a is there twice"),
    ("version: 1\ndestinations: [{name: a, log: a.log}]", "destinations[0].log: not an absolute path"),
    ("version: 1\ndestinations: [{name: a, log: /var/../etc/x}]", "destinations[0].log: not an absolute path"),
    ("version: 1\ndestinations: [{name: a, stdout: false}]", "destinations[0].stdout: leave it out"),
    ("version: 1\ndestinations: [{name: a, command: page}]", "destinations[0].command: not a list"),
    ("version: 1\ndestinations: [{name: a, command: [page]}]", "not a program by its whole path"),
    ("version: 1\ndestinations: [{name: a, command: []}]", "not a program by its whole path"),
    ("version: 1\ndestinations: [{name: a, command: [/bin/x], seconds: 1h}]", "seconds: more than 300"),
    ("version: 1\ndestinations: [{name: a, webhook: 'ftp://x/'}]", "destinations[0].webhook: not an address"),
    ("version: 1\ndestinations: [{name: a, webhook: 'https://u:p@x/'}]", "a secret goes into secret_file"),
    ("version: 1\ndestinations: [{name: a, webhook: 'https://x:99999999/'}]", "destinations[0].webhook: not an address"),
    ("version: 1\ndestinations: [{name: a, webhook: 'http://alerts.example/'}]", "everybody on the way can read plain http"),
    ("version: 1\ndestinations: [{name: a, webhook: 'https://x/', tries: 99}]", "destinations[0].tries: not from 1 to 5"),
    ("version: 1\ndestinations: [{name: a, webhook: 'https://x/', secret_file: key}]", "secret_file: not an absolute path"),
    ("version: 1\nrules: &a {rate: true}", "anchors and aliases"),
])
def test_what_is_wrong_is_refused_with_its_place(text, said):
    with pytest.raises(UsageError) as refusal:
        read(text)

    assert said in str(refusal.value)
    assert str(refusal.value).startswith("rules.yaml:")
    assert refusal.value.field == "audit_watch"


@zones
def test_the_file_that_the_page_shows_is_a_good_one():
    page = (Path(__file__).parents[2] / "docs" / "audit-watch.md").read_text()
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)

    found = read(text)

    assert [one.name for one in found.destinations] == ["pager", "team", "file", "system", "journal"]
    assert {one.rule.id for one in found.active} == {rule.id for rule in RULES} - {"losses"}


def test_the_page_has_a_row_for_every_rule():
    page = (Path(__file__).parents[2] / "docs" / "audit-watch.md").read_text()

    assert [rule.id for rule in RULES if f"\n| `{rule.id}` | " not in page] == []


def test_plain_http_goes_to_this_machine_or_where_it_is_asked_for():
    assert destination("{name: a, webhook: 'http://127.0.0.1:9/x'}").address == "http://127.0.0.1:9/x"
    assert destination("{name: a, webhook: 'http://alerts.example/', plain_http: true}").address == "http://alerts.example/"
