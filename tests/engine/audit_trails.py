"""Trails for the tests of reports: what a few weeks of work leave, and what an attacker would like to leave."""

from __future__ import annotations

from windtunnel.core.audit import AuditEntry
from windtunnel.engine.audit import Trail
from windtunnel.store.audit.keys import KeyRing
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.redaction import redact

POLICY = "5f" * 32
OTHER_POLICY = "a1" * 32
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "\"'><svg onload=document.title='owned'> \x1b[31mred\x1b[0m \u2028\u2029 line\nbreak \u202etxt.exe \ud800 \x00 &amp; é")
CONTROLS = {"user namespace": "own", "network": "none", "system calls": "allow-list", "memory": "cgroup v1"}


def trail_in(folder):
    folder.mkdir(exist_ok=True)
    return Trail(log=AuditLog(folder / "audit.db"), keys=KeyRing(folder / "keys", name="windtunnel/test"))


def act(kind="run", outcome="done", actor="ann", **fields):
    return AuditEntry(**{"kind": kind, "outcome": outcome, "actor": actor, "session": "s1", "project": "/srv/shop", **fields})


def ruled(rule="default", effect="allow", reason="nothing forbids it", hash_=POLICY):
    return {"effect": effect, "rule": rule, "reason": reason, "hash": hash_}


def run(number=0, **fields):
    return act(subject=f"run{number:04}", details={
        "inputs": {"code": "c" * 64}, "result": {"level": "process", "exit_code": 0}, "controls": CONTROLS,
        "policy": ruled(), "number": number}, **fields)


def work():
    """A day's work: runs, a trial, an apply that somebody approved, what was held back."""
    trial, change, tree = "7a" * 16, "c4" * 32, "7e" * 32
    approval = "0123456789ab"
    asked = f"policy: a person must approve this first: why (ask-apply; windtunnel approvals approve {approval})"
    return [
        run(1), run(2, outcome="failed", actor="ci"),
        act("trial", "good", subject=trial, details={
            "inputs": {"change": change}, "tree": tree, "level": "process", "controls": CONTROLS, "tamper": [],
            "policy": ruled()}),
        act("trial", "not good", subject="7b" * 16, actor="bot", details={
            "inputs": {"change": "c5" * 32}, "tree": tree, "level": "container", "controls": CONTROLS, "tamper": ["x"],
            "policy": ruled(hash_=OTHER_POLICY)}),
        act("apply", "waiting", details={"policy": ruled("ask-apply", "ask", "a person looks at every change"),
                                         "error": {"kind": "ApprovalNeeded", "message": asked}}),
        act("approve", "done", actor="bob", project="", subject=approval, details={
            "inputs": {"note": "looks right"}, "requester": "ann", "digest": "d1" * 32, "rule": "ask-apply"}),
        act("apply", "done", subject="j0001", details={
            "inputs": {"change": change, "trial": trial, "tree": tree}, "trial": trial, "after": {"calc.py": {"hash": "f" * 64, "kept": False}},
            "policy": ruled("ask-apply", "allow", f"approved by bob, {approval}")}),
        act("run", "denied", actor="bot", details={
            "policy": ruled("no-shell", "deny", "no shells here"),
            "error": {"kind": "Refused", "message": "refused by policy: no shells here (no-shell)"}}),
        act("run", "refused", actor="bot", details={"error": {"kind": "UsageError", "message": "language: unknown: 'cobol'"}}),
        act("run", "lost", actor="ci", details={"why": "its process ended before it was over"}),
        act("checkpoint", "done", subject="git:/srv/notes.git#checkpoints", details={"size": 3}),
    ]


def hostile():
    return act(HOSTILE[:30], HOSTILE, HOSTILE, project=HOSTILE, subject=HOSTILE, details={
        "policy": ruled(HOSTILE, "deny", HOSTILE, HOSTILE), "level": HOSTILE, "controls": {HOSTILE: HOSTILE},
        "error": {"message": HOSTILE}, "inputs": {"change": HOSTILE}})


def hostile_acts():
    """One of each kind that a report lists, with the worst in every field."""
    kinds = (("apply", "done"), ("run", "refused"), ("apply", "waiting"), ("approve", "done"), ("trial", "good"),
             ("run", "lost"), ("checkpoint", "done"), ("redact", "done"), ("seal", "done"), ("alert", "done"))
    details = {"inputs": {"change": HOSTILE, "tree": HOSTILE, "note": HOSTILE}, "trial": HOSTILE, "tree": HOSTILE, "level": HOSTILE,
               "controls": {HOSTILE: HOSTILE}, "policy": ruled(HOSTILE, HOSTILE, HOSTILE, HOSTILE), "why": HOSTILE,
               "error": {"message": HOSTILE}, "requester": HOSTILE, "digest": HOSTILE, "rule": HOSTILE, "names": [HOSTILE],
               "reason": HOSTILE, "result": {"level": HOSTILE}}
    return [hostile(), *(act(kind, outcome, HOSTILE, project=HOSTILE, subject=HOSTILE, details=details) for kind, outcome in kinds)]


def worked(folder):
    """A trail with a day's work in it, and something taken out of it."""
    trail = trail_in(folder)
    trail.log.append_all(work())
    redact(trail.log, 1, ["result"], actor="ann", reason="a token was printed")
    return trail
