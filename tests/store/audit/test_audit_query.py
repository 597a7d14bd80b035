"""Finding records, and handing them to other systems."""

import csv
import io
import json
import re

import pytest
from entries import HOSTILE, entry

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import UsageError
from windtunnel.store.audit import export
from windtunnel.store.audit.query import count, find

CLEAN = HOSTILE.replace("\ud800", "?")


@pytest.fixture
def full(log):
    log.append_all([
        entry(0), entry(1, actor="bob", kind="trial", outcome="not good", subject="trial-1"), entry(2, project="/q", parent="p1"),
        entry(3, session="s2", details={"text": "a needle in it"}), entry(4, actor="bob", id="abc*def", outcome="failed")])
    return log


def places(log, **query):
    return [record.seq for record in find(log, AuditQuery(**query))]


@pytest.mark.parametrize(("query", "expected"), [
    ({}, [0, 1, 2, 3, 4]), ({"actor": "bob"}, [1, 4]), ({"kind": "trial"}, [1]), ({"outcome": "failed"}, [4]), ({"project": "/q"}, [2]),
    ({"parent": "p1"}, [2]), ({"session": "s2"}, [3]), ({"text": "needle"}, [3]), ({"text": "bob"}, [1, 4]), ({"id": "trial-1"}, [1]),
    ({"id": "abc*"}, [4]), ({"id": "abc?"}, []), ({"limit": 2}, [0, 1]), ({"limit": 2, "newest_first": True}, [4, 3]), ({"after": 2}, [3, 4]),
    ({"actor": "bob", "outcome": "failed"}, [4]), ({"actor": "nobody"}, []), ({"since": "2999"}, []), ({"until": "2999"}, [0, 1, 2, 3, 4]),
    ({"limit": 0}, [])])
def test_records_are_found_by_what_is_asked(full, query, expected):
    assert places(full, **query) == expected


def test_time_narrows_from_one_moment_up_to_another(full):
    moments = [full.get(seq).time for seq in range(5)]

    assert places(full, since=moments[1], until=moments[3]) == [1, 2]


def test_batches_miss_nothing(log):
    log.append_all([entry(number) for number in range(1203)])

    assert places(log) == list(range(1203))
    assert places(log, newest_first=True, limit=1100) == list(range(1202, 102, -1))


def test_records_are_counted_by_group(full):
    assert count(full, AuditQuery(), "actor") == {"ann": 3, "bob": 2}
    assert count(full, AuditQuery(actor="bob"), "outcome") == {"failed": 1, "not good": 1}
    assert list(count(full, AuditQuery(), "day").values()) == [5]


def test_an_unknown_group_is_refused(full):
    with pytest.raises(UsageError, match="'nothing' is none of actor"):
        count(full, AuditQuery(), "nothing")


@pytest.mark.parametrize("form", list(export.FORMS))
def test_a_hostile_record_is_one_line_in_every_form(log, form):
    log.append(entry(actor=CLEAN, project=CLEAN, kind=CLEAN, details={CLEAN[:20]: CLEAN}))

    *_, line = export.lines(find(log, AuditQuery()), form)

    assert line.isascii()
    assert not re.search(r"[\x00-\x1f\x7f]", line)


def test_json_lines_say_all_of_it(full):
    told = [json.loads(line) for line in export.lines(find(full, AuditQuery()), "jsonl")]

    assert [(one["seq"], one["actor"], one["hash"]) for one in told] == [(seq, full.get(seq).entry.actor, full.get(seq).hash) for seq in range(5)]


def test_comma_separated_values_have_a_head_and_no_formulas(log):
    log.append(entry(actor="=cmd()", project='a,"b"'))

    rows = list(csv.DictReader(io.StringIO("\n".join(export.lines(find(log, AuditQuery()), "csv")))))

    assert [(row["actor"], row["project"], json.loads(row["details"])["number"]) for row in rows] == [("'=cmd()", 'a,"b"', 0)]


def test_cef_escapes_what_parts_its_fields(log):
    log.append(entry(kind="a|b\\c", actor="x=y", outcome="failed"))

    (line,) = export.lines(find(log, AuditQuery()), "cef")

    assert line.startswith(r"CEF:0|Windtunnel|Windtunnel|1|a\|b\\c|a\|b\\c failed|6|rt=")
    assert r" suser=x\=y " in line


def test_syslog_escapes_what_parts_its_fields(log):
    log.append(entry(actor='q"]\\', kind="two words"))

    (line,) = export.lines(find(log, AuditQuery()), "syslog")

    assert re.match(r"<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z - windtunnel - two\?words \[record@32473 seq=\"0\" actor=\"q\\\"\\\]\\\\\" ", line)


def test_ocsf_says_who_did_what(full):
    told = [json.loads(line) for line in export.lines(find(full, AuditQuery()), "ocsf")]

    assert (told[1]["actor"]["user"]["name"], told[1]["api"]["operation"], told[1]["status_id"], told[0]["status_id"]) == ("bob", "trial", 2, 1)
    assert {one["type_uid"] for one in told} == {600301, 600302}
