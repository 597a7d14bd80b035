"""The page of a report: one file that needs nothing else, asks nobody for anything, and runs no program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windtunnel.engine.report.document import document, rules_of
from windtunnel.engine.report.parts import (
    Column,
    Markup,
    code,
    counts,
    days,
    element,
    joined,
    moment,
    table,
    tag,
)
from windtunnel.engine.report.style import STYLE

_RULES = rules_of(STYLE)
_Row = Mapping[str, Any]
_SEQ, _WHEN = Column("record", "number"), Column("when (UTC)", "tight")


def page(report: Mapping[str, Any]) -> str:
    """All of it, as HTML; the same report gives the same page."""
    sections = [(name, title, body) for name, title, body in _sections(report) if body]
    links = [element("a", title, href=f"#{name}") for name, title, _ in sections]
    body = element(
        "main", _top(report), _tiles(report), element("nav", *_spaced(links), aria_label="sections"),
        *(element("section", element("h2", title), body, id=name) for name, title, body in sections))
    return document("Audit report", style=STYLE, rules=_RULES, body=body)


def _sections(report: Mapping[str, Any]) -> list[tuple[str, str, Markup]]:
    told = report["content"]
    return [
        ("who", "Who did what", _who(told)), ("applied", "Changes applied", _applied(told)),
        ("held", "Refused, denied and failed", _held(told)), ("approvals", "Approvals", _approvals(told)),
        ("policies", "Policies in force", _policies(told)), ("isolation", "Isolation", _isolation(told)),
        ("trials", "Trials and receipts", _trials(report)),
        ("irregular", "The log itself, and what was out of the ordinary", _irregular(report)),
        ("proof", "Proof", _proof(report)), ("limits", "What this cannot show", _limits(report))]


def _top(report: Mapping[str, Any]) -> Markup:
    span, only, checked = report["span"], report["only"], report["verification"]
    names = [f"actor {only['actor']}"] if only["actor"] else []
    names += [f"project {name}" for name in only["projects"][:1]]
    about = joined(
        "From ", moment(span["from"]) if span["from"] else "the first record", " to ",
        moment(span["to"]) if span["to"] else "the last", " (UTC), of ", element("b", report["origin"]),
        joined("; only ", element("b", ", ".join(names)), ".") if names else ".")
    fault = checked["fault"]
    verdict = (
        f"The log was whole when this was made: {_agreeing(checked)}." if fault is None else
        f"The log is not whole: record {fault['seq']} {fault['kind']}: {fault['message']}")
    return joined(
        element("h1", "Audit report"), element("p", about, of="lead"),
        element("div", verdict, of="banner good" if fault is None else "banner bad", role="status"))


def _agreeing(checked: _Row) -> str:
    if not checked["checkpoints"]:
        return f"all {checked['records']} records agree with one another"
    outside = f", {checked['outside']} of them kept elsewhere" if checked["outside"] else ""
    return f"all {checked['records']} records agree with {checked['checkpoints']} signed checkpoints{outside}"


def _tiles(report: Mapping[str, Any]) -> Markup:
    told = report["content"]
    outcomes = {row["name"]: row["count"] for row in told["counts"]["outcome"]}
    numbers = (
        ("records", told["records"]), ("actors", len(told["counts"]["actor"])),
        ("applied or undone", told["applies"]["count"]), ("denied by policy", outcomes.get("denied", 0)),
        ("refused", outcomes.get("refused", 0)), ("lost", told["lost"]["count"]))
    return element("ul", *(element("li", element("b", number), element("span", name)) for name, number in numbers),
                   of="tiles")


def _who(told: _Row) -> Markup:
    if not told["records"]:
        return element("p", "There is no record in this span. The records on either side of it are in the evidence, "
                            "and show that none was left out.")
    tables = [element("div", element("h3", f"By {name}"), counts(name, told["counts"][name][:20]), _cut(
        told["counts"][name], most=20)) for name in ("actor", "kind", "outcome", "project")]
    return joined(element("h3", "By day"), days(told["counts"]["day"]), element("div", *tables, of="columns"))


def _applied(told: _Row) -> Markup:
    columns = (_SEQ, _WHEN, Column("act"), Column("by"), Column("project"), Column("change"), Column("verdict"),
               Column("approved by"), Column("rule"), Column("policy"))
    return _listed(
        told["applies"], "Nothing was applied or taken back.", columns, lambda row: (
            row["seq"], moment(row["time"]), row["kind"], row["actor"], row["project"], code(row["change"]),
            tag(row["verdict"]) if row["verdict"] else code(row["trial"]), _approver(row), row["rule"],
            code(row["policy"])),
        under="A change is applied only after a good verdict. Where the trial came before this span, its id stands in "
              "place of the verdict.")


def _approver(row: _Row) -> object:
    if not row["approver"]:
        return ""
    return row["approver"] if row["approval_seen"] else joined(row["approver"], " (decided before this span)")


def _held(told: _Row) -> Markup:
    columns = (_SEQ, _WHEN, Column("act"), Column("outcome"), Column("by"), Column("project"), Column("why"),
               Column("rule"))
    return _listed(told["refusals"], "Nothing was refused or denied, and nothing failed on our side.", columns,
                   lambda row: (row["seq"], moment(row["time"]), row["kind"], tag(row["outcome"]), row["actor"],
                                row["project"], row["why"], row["rule"]))


def _approvals(told: _Row) -> Markup:
    asked = _listed(
        told["asked"], "Nobody was asked.", (_SEQ, _WHEN, Column("act"), Column("asked by"), Column("approval"),
                                             Column("why"), Column("rule")),
        lambda row: (row["seq"], moment(row["time"]), row["kind"], row["actor"], code(row["approval"]), row["reason"],
                     row["rule"]))
    decided = _listed(
        told["decided"], "Nobody decided anything.", (
            _SEQ, _WHEN, Column("decision"), Column("decided by"), Column("asked by"), Column("approval"),
            Column("what, by hash"), Column("note")),
        lambda row: (row["seq"], moment(row["time"]), tag(row["decision"]), row["actor"], row["requester"],
                     code(row["approval"]), code(row["digest"]), row["note"]))
    return joined(element("h3", "Asked"), asked, element("h3", "Decided"), decided)


def _policies(told: _Row) -> Markup:
    found, without = told["policies"]["in_force"], told["policies"]["without"]
    rows = [(code(one["hash"]), moment(one["first"]), moment(one["last"]), one["records"],
             ", ".join(f"{rule['name']} ({rule['count']})" for rule in one["rules"])) for one in found]
    columns = (Column("policy, by hash"), Column("first used", "tight"), Column("last used", "tight"),
               Column("records", "number"), Column("rules that decided"))
    none = element("p", f"{without} records are of acts that no policy was asked about.", of="note")
    return joined(table(columns, rows) if rows else "", none)


def _isolation(told: _Row) -> Markup:
    levels, controls = told["isolation"]["levels"], told["isolation"]["controls"]
    if not levels and not controls:
        return element("p", "No program ran in this span.")
    rows = [(name, joined(*_spaced([tag(f"{value['name']} x {value['count']}") for value in values])))
            for name, values in controls.items()]
    return joined(counts("level", levels), element("h3", "Controls that held, and in how many records"),
                  table((Column("control"), Column("held by")), rows))


def _trials(report: Mapping[str, Any]) -> Markup:
    kept = {row["trial"]: row for row in report["receipts"]}
    columns = (_SEQ, _WHEN, Column("verdict"), Column("by"), Column("project"), Column("trial"), Column("change"),
               Column("level"), Column("tamper findings", "number"), Column("receipt"))
    return _listed(
        report["content"]["trials"], "No change was tried.", columns, lambda row: (
            row["seq"], moment(row["time"]), tag(row["verdict"]), row["actor"], row["project"], code(row["trial"]),
            code(row["change"]), row["level"], row["tamper"], code(kept[row["trial"]]["file"]) if row["trial"] in kept
            else ""))


def _irregular(report: Mapping[str, Any]) -> Markup:
    told = report["content"]
    kinds: tuple[tuple[str, str, tuple[Column, ...], Callable[[_Row], Sequence[object]]], ...] = (
        ("lost", "Acts whose process ended before they did",
         (_SEQ, _WHEN, Column("act"), Column("by"), Column("project")),
         lambda row: (row["seq"], moment(row["time"]), row["kind"], row["actor"], row["project"])),
        ("redactions", "Details taken out",
         (_SEQ, _WHEN, Column("by"), Column("of record"), Column("details"), Column("why")),
         lambda row: (row["seq"], moment(row["time"]), row["actor"], row["of"], ", ".join(row["names"]),
                      row["reason"])),
        ("taken_out", "Records here without some of their details", (_SEQ, _WHEN, Column("details")),
         lambda row: (row["seq"], moment(row["time"]), ", ".join(row["names"]))),
        ("clock", "The clock went back", (_SEQ, _WHEN, Column("seconds", "number")),
         lambda row: (row["seq"], moment(row["time"]), row["seconds"])),
        ("removed", "Removed by retention; only their hashes are left", (_SEQ,), lambda row: (row["seq"],)),
        ("alerts", "Alerts", (_SEQ, _WHEN, Column("rule"), Column("outcome")),
         lambda row: (row["seq"], moment(row["time"]), row["about"], tag(row["outcome"]))),
        ("keeping", "Sealed, removed, held and released",
         (_SEQ, _WHEN, Column("act"), Column("by"), Column("what"), Column("outcome")),
         lambda row: (row["seq"], moment(row["time"]), row["kind"], row["actor"], row["about"], tag(row["outcome"]))))
    found = [joined(element("h3", f"{title} ({told[name]['count']})"), _listed(told[name], "", columns, cells))
             for name, title, columns, cells in kinds if told[name]["count"]]
    removed = [element("li", line) for line in report["verification"]["removed"]]
    if removed:
        found.append(joined(element("h3", "Removed from the log"), element("ul", *removed, of="plain")))
    none = "No act was lost, nothing was taken out, sealed or removed, no alert was raised, the clock did not go back."
    return joined(*found) if found else element("p", none)


def _proof(report: Mapping[str, Any]) -> Markup:
    log = report["log"]
    held = f"{report['content']['records']} records of this report, {report['content']['beside']} beside them by header"
    facts = (
        ("log", report["origin"]), ("signed for", f"{log['size']} records, at {log['time']}"), ("head", log["root"]),
        ("evidence", f"records {log['begin']} to {log['stop'] - 1}: {held}" if log["stop"] > log["begin"]
         else "the log is empty"),
        ("signed by", report["key"]),
        ("made", f"{report['made']} by {report['by']}, windtunnel {report['windtunnel']}"))
    listed = element("dl", *(part for name, value in facts
                             for part in (element("dt", name), element("dd", value, of="mono"))))
    return joined(
        listed, element("p", "Check the pack without the log and without a network, by a public key that you have from "
                             "its owner and not from here. It finds any byte that was changed and any record that was "
                             "left out."),
        element("pre", "windtunnel audit check PACK --key KEY"), element("h3", "Checkpoints sent elsewhere"),
        _listed(report["content"]["checkpoints"], "None was sent in this span.",
                (_SEQ, _WHEN, Column("to"), Column("outcome")),
                lambda row: (row["seq"], moment(row["time"]), row["to"], tag(row["outcome"]))))


def _limits(report: Mapping[str, Any]) -> Markup:
    return element("ul", *(element("li", line) for line in report["verification"]["cannot_show"]), of="plain")


def _listed(
    rows: _Row, none: str, columns: Sequence[Column], cells: Callable[[_Row], Sequence[object]], *, under: str = "",
) -> Markup:
    if not rows["count"]:
        return element("p", none)
    note = element("p", under, of="note") if under else ""
    return joined(table(columns, [cells(row) for row in rows["rows"]]), _more(rows["count"] - len(rows["rows"])), note)


def _cut(rows: Sequence[object], *, most: int) -> Markup:
    return _more(len(rows) - most, what="in report.json")


def _more(number: int, *, what: str = "in records.jsonl") -> Markup:
    return element("p", f"and {number} more {what}", of="note") if number > 0 else Markup("")


def _spaced(parts: Sequence[Markup]) -> list[Markup]:
    return [Markup(f"{part} ") for part in parts]
