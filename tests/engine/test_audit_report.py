"""What a report says of a trail: all of it from the records, bounded, and in a form that is written down."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from audit_trails import HOSTILE, POLICY, act, hostile_acts, run, trail_in, work, worked
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.span import Span
from windtunnel.engine.audit_keeping import retain_records, seal_records
from windtunnel.engine.report.check import check_pack
from windtunnel.engine.report.pack import make_pack
from windtunnel.engine.report.page import page
from windtunnel.engine.report.parts import element
from windtunnel.engine.report.summary import MOST_NAMES, MOST_ROWS, OTHERS, Tally, Wanted
from windtunnel.store.audit.evidence import pieces, stretch

SCHEMA = Path(__file__).parents[2] / "docs" / "audit-report.schema.json"
ALL = Wanted(until="9999")


def content(trail, wanted=ALL):
    """The content of a report, without a pack around it."""
    tally = Tally(wanted)
    for piece in pieces(trail.log, stretch(trail.log, since=wanted.since, until=wanted.until, size=trail.log.size), wanted.asked):
        tally.look(piece)
    return tally.told()


def only(rows, *names):
    return [tuple(row[name] for name in names) for row in rows["rows"]]


def packed(trail, target, wanted=ALL, **options):
    return make_pack(trail, wanted, target, actor="ann", **options)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return content(worked(tmp_path_factory.mktemp("told")))


def test_acts_are_counted_by_who_what_how_and_where(told):
    counts = {name: {row["name"]: row["count"] for row in rows} for name, rows in told["counts"].items() if name != "day"}

    assert counts == {
        "actor": {"ann": 6, "bot": 3, "ci": 2, "bob": 1},
        "kind": {"run": 5, "apply": 2, "trial": 2, "approve": 1, "checkpoint": 1, "redact": 1},
        "outcome": {"done": 5, "denied": 1, "failed": 1, "good": 1, "lost": 1, "not good": 1, "refused": 1, "waiting": 1},
        "project": {"/srv/shop": 10, "": 2}}
    assert sum(row["count"] for row in told["counts"]["day"]) == told["records"] == 12


def test_an_apply_is_told_with_change_verdict_approver_rule_and_policy(told):
    assert only(told["applies"], "seq", "change", "verdict", "approver", "approval_seen", "rule", "policy") == [
        (6, "c4" * 32, "good", "bob", True, "ask-apply", POLICY)]


def test_an_approver_is_whoever_decided_and_not_whoever_a_reason_names(tmp_path):
    trail = trail_in(tmp_path / "state")
    asked, said, done = work()[4:7]
    trail.log.append_all([asked, replace(said, actor="mallory"), done])

    assert only(content(trail)["applies"], "approver", "approval_seen") == [("mallory", True)]


def test_an_approval_from_before_the_span_is_told_as_such(tmp_path):
    trail = trail_in(tmp_path / "state")
    trail.log.append(work()[6])

    assert only(content(trail)["applies"], "approver", "approval_seen", "verdict") == [("bob", False, "")]


def test_what_was_held_back_is_told_with_its_reason(told):
    assert only(told["refusals"], "actor", "outcome", "why", "rule") == [
        ("bot", "denied", "refused by policy: no shells here (no-shell)", "no-shell"),
        ("bot", "refused", "language: unknown: 'cobol'", "")]


def test_approvals_are_told_as_asked_and_as_decided(told):
    assert only(told["asked"], "actor", "approval", "reason") == [("ann", "0123456789ab", "a person looks at every change")]
    assert only(told["decided"], "actor", "decision", "requester", "approval", "note") == [
        ("bob", "approve", "ann", "0123456789ab", "looks right")]


def test_policies_in_force_are_told_with_the_rules_that_decided(told):
    found = [(one["hash"], one["records"], one["rules"]) for one in told["policies"]["in_force"]]

    assert found == [
        (POLICY, 6, [{"name": "default", "count": 3}, {"name": "ask-apply", "count": 2}, {"name": "no-shell", "count": 1}]),
        ("a1" * 32, 1, [{"name": "default", "count": 1}])]
    assert told["policies"]["without"] == 5


def test_levels_and_controls_that_held_are_counted(told):
    assert told["isolation"]["levels"] == [{"name": "process", "count": 2}, {"name": "container", "count": 1}]
    assert told["isolation"]["controls"]["network"] == [{"name": "none", "count": 4}]


def test_redactions_losses_and_sent_checkpoints_are_told(told):
    assert only(told["redactions"], "of", "names", "reason") == [("1", ["result"], "a token was printed")]
    assert only(told["taken_out"], "seq", "names") == [(1, ["result"])]
    assert only(told["lost"], "seq", "why") == [(9, "its process ended before it was over")]
    assert only(told["checkpoints"], "seq", "to") == [(10, "git:/srv/notes.git#checkpoints")]


def test_a_clock_that_went_back_is_told_also_of_records_that_were_not_asked_for(tmp_path):
    trail = trail_in(tmp_path / "state")
    trail.log.append_all([run(1), run(2)])
    part = stretch(trail.log, since="", until="", size=2)
    tally = Tally(Wanted(actor="nobody"))
    for piece in pieces(trail.log, part, tally.wanted.asked):
        tally.look(replace(piece, record=replace(piece.record, clock_back=5.0)))

    assert [(row["seq"], row["seconds"]) for row in tally.told()["clock"]["rows"]] == [(0, 5.0), (1, 5.0)]


def test_a_report_of_one_actor_knows_the_others_by_number_alone(tmp_path):
    found = content(worked(tmp_path / "state"), Wanted(until="9999", actor="bot"))

    assert (found["records"], found["beside"], [row["name"] for row in found["counts"]["actor"]]) == (3, 9, ["bot"])


def test_a_report_of_one_project_takes_any_of_its_names(tmp_path):
    found = content(worked(tmp_path / "state"), Wanted(until="9999", projects=("shop", "/srv/shop")))

    assert (found["records"], found["beside"]) == (10, 2)


def test_many_rows_and_many_names_are_bounded_and_said(tmp_path):
    trail = trail_in(tmp_path / "state")
    trail.log.append_all([act("run", "denied", f"actor {number}") for number in range(MOST_ROWS + 5)])

    found = content(trail)

    assert (found["refusals"]["count"], len(found["refusals"]["rows"])) == (MOST_ROWS + 5, MOST_ROWS)
    assert len(found["counts"]["actor"]) == MOST_NAMES + 1
    assert {"name": OTHERS, "count": MOST_ROWS + 5 - MOST_NAMES} in found["counts"]["actor"]


def test_details_of_other_shapes_are_no_trouble(tmp_path):
    trail = trail_in(tmp_path / "state")
    odd = {"policy": ["x"], "inputs": 7, "error": "text", "controls": "none", "result": None, "after": 3, "tamper": {}, "names": 4,
           "level": 9, "trial": {"a": 1}}
    trail.log.append_all([act(kind, outcome, details=odd) for kind in ("apply", "trial", "approve", "redact", "checkpoint", "run")
                          for outcome in ("done", "denied", "waiting", "lost")])

    assert content(trail)["records"] == 24


def checker():
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))


@pytest.mark.parametrize("entries", [[], work(), hostile_acts()], ids=["empty", "work", "hostile"])
def test_a_report_is_of_the_form_that_is_written_down(entries, tmp_path):
    trail = trail_in(tmp_path / "state")
    trail.log.append_all(entries)

    packed(trail, tmp_path / "pack")

    report = json.loads((tmp_path / "pack" / "report.json").read_text())
    assert [f"{error.json_path}: {error.message}" for error in checker().iter_errors(report)] == []


def test_the_written_form_refuses_other_reports(tmp_path):
    made = packed(worked(tmp_path / "state"), tmp_path / "pack")
    other = {**json.loads(json.dumps(made.report)), "more": 1, "made": 7}

    assert sorted(error.validator for error in checker().iter_errors(other)) == ["additionalProperties", "type"]


def test_an_empty_span_has_a_pack_that_proves_it(tmp_path):
    trail = worked(tmp_path / "state")

    packed(trail, tmp_path / "pack", Wanted(since="1999", until="2000"))

    found = check_pack(tmp_path / "pack", trail.keys.public())
    assert (found.report["content"]["records"], found.report["content"]["beside"]) == (0, 1)
    assert "There is no record in this span." in (tmp_path / "pack" / "index.html").read_text()


def test_an_empty_log_has_a_pack(tmp_path):
    trail = trail_in(tmp_path / "state")

    packed(trail, tmp_path / "pack")

    assert check_pack(tmp_path / "pack", trail.keys.public()).report["log"]["size"] == 0


def test_sealed_records_are_evidence_as_before(tmp_path):
    trail = worked(tmp_path / "state")
    seal_records(trail, older=None, keep_live=4, encrypt=True, actor="ann")

    packed(trail, tmp_path / "pack")

    found = check_pack(tmp_path / "pack", trail.keys.public()).report["content"]
    assert (found["records"], only(found["keeping"], "kind", "outcome")) == (13, [("seal", "done")])


def test_records_that_retention_removed_are_evidence_by_their_hashes(tmp_path):
    trail = worked(tmp_path / "state")
    seal_records(trail, older=None, keep_live=4, encrypt=False, actor="ann")
    retain_records(trail, older=Span(0), at_least=None, actor="ann")

    whole = packed(trail, tmp_path / "pack", Wanted(since="", until="9999"))

    found = check_pack(tmp_path / "pack", trail.keys.public()).report
    assert (found["content"]["removed"], found["verification"]["success"]) == ({"count": 1, "rows": [{"seq": 7}]}, True)
    assert whole.report["verification"]["removed"] == ["records 0 to 7 were removed by retention, as record 13 says"]


def test_a_pack_that_was_made_is_written_down(tmp_path):
    trail = worked(tmp_path / "state")

    made = packed(trail, tmp_path / "pack.zip")

    record = trail.log.get(trail.log.size - 1)
    assert (record.entry.kind, record.entry.subject, record.entry.details["records"]) == ("report", made.manifest, 12)


def test_a_log_that_is_not_whole_in_the_span_is_refused_and_nothing_is_left(tmp_path):
    trail = worked(tmp_path / "state")
    trail.log.shelf.overwrite(3, lambda details: details.replace(b"container", b"machine! "))

    with pytest.raises(SandboxFailure, match="the log is not whole, so there is nothing to show"):
        packed(trail, tmp_path / "pack.zip")

    assert not (tmp_path / "pack.zip").exists()


def test_a_log_that_is_not_whole_elsewhere_is_told_in_the_report(tmp_path):
    trail = worked(tmp_path / "state")
    trail.log.shelf.overwrite(3, lambda details: details.replace(b"container", b"machine! "))

    made = packed(trail, tmp_path / "pack", Wanted(since="9998", until="9999"))

    assert made.report["verification"]["fault"]["seq"] == 3
    assert "The log is not whole: record 3 edited" in (tmp_path / "pack" / "index.html").read_text()


@pytest.mark.parametrize("name", ["full", "full.zip"])
def test_what_is_there_already_is_not_written_over(name, tmp_path):
    trail = worked(tmp_path / "state")
    packed(trail, tmp_path / name)

    with pytest.raises(UsageError, match=r"is not empty|is there already"):
        packed(trail, tmp_path / name)


def test_hostile_fields_are_shown_by_letters_and_numbers(tmp_path):
    trail = trail_in(tmp_path / "state")
    trail.log.append_all(hostile_acts())

    made = packed(trail, tmp_path / "pack")

    html = (tmp_path / "pack" / "index.html").read_text()
    assert [mark for mark in ("<script", "<img", "<svg onload", "\x1b", "\u2028", "\u202e", "\x00", "\ud800") if mark in html] == []
    assert "&lt;script&gt;document.title=&#x27;owned&#x27;&lt;/script&gt;" in html
    assert "\\u001b[31mred\\u001b[0m \\u2028\\u2029 line\\u000abreak \\u202etxt.exe \\ud800 \\u0000 &amp;amp; é" in html
    assert (tmp_path / "pack" / "records.jsonl").read_text().count("\n") == made.report["content"]["records"] == 11


class Tags(HTMLParser):
    """What a browser would make of a text."""

    def __init__(self):
        super().__init__()
        self.found, self.words = [], []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data):
        self.words.append(data)


@settings(deadline=None)
@given(hostile=st.text(max_size=60) | st.text(alphabet="<>&\"'=/ abonclickscript!-\n\x00\u2028", max_size=60))
def test_whatever_a_field_holds_it_makes_no_element_and_no_attribute(hostile):
    tags = Tags()
    tags.feed(element("td", hostile, of=hostile or "x", title=hostile))

    inner = [("bdi", ())] if hostile else []
    assert tags.found == [("td", ("class", "title")), *inner]
    assert "".join(tags.words) == "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in hostile)


def test_the_page_asks_nobody_for_anything_and_runs_nothing(tmp_path):
    made = packed(worked(tmp_path / "state"), tmp_path / "pack")

    html = page(made.report)
    assert "default-src &#x27;none&#x27;; style-src &#x27;sha256-" in html
    assert [word for word in ("http://", "https://", "<script", "url(", "@import", " style=", "javascript:", "src=") if word in html] == []


def test_memory_does_not_grow_with_the_span(tmp_path, monkeypatch):
    import tracemalloc

    monkeypatch.setattr("windtunnel.store.audit.log._BATCH", 50)

    def peak(name, count):
        trail = trail_in(tmp_path / name)
        for _ in range(0, count, 100):
            trail.log.append_all([act("run", "done", details={"text": "x" * 10_000}) for _ in range(100)])
        tracemalloc.start()
        packed(trail, tmp_path / f"{name}.zip")
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    # The longer span has 9 MB more of details; all of that is read and written, none of it is kept but two batches of rows.
    assert peak("large", 1200) < peak("small", 300) + 3 * 1024**2


def test_hostile_names_of_that_length_are_cut(tmp_path):
    trail = trail_in(tmp_path / "state")
    trail.log.append(act("run", "denied", actor=HOSTILE * 30))

    assert len(content(trail)["refusals"]["rows"][0]["actor"]) == 301
