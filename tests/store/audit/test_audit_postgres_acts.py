"""Acts that are written down in PostgreSQL: as in a file, also when the server is away."""

import contextlib
from dataclasses import replace

import pytest
from entries import entry, live
from postgres_server import PostgresServer

from windtunnel import Tunnel, config
from windtunnel.core.address import DatabaseAddress
from windtunnel.core.audit import Auditing, AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.engine.audit import trail_in
from windtunnel.store import postgres
from windtunnel.store.audit.proof import check_proof
from windtunnel.store.audit.query import find
from windtunnel.store.audit.verify import verify


@pytest.fixture
def make(address, tmp_path):
    """Makes tunnels that are closed after the test."""
    with contextlib.ExitStack() as made:
        yield lambda **fields: made.enter_context(Tunnel(replace(config.load(), **{
            "state_dir": tmp_path / "state", "cache_dir": tmp_path / "cache", "pool_size": 0, "actor": "ann", "audit_store": address, **fields})))


def acts(log):
    return [(record.entry.kind, record.entry.outcome, record.entry.actor) for record in find(log, AuditQuery())]


def test_a_run_is_written_down_on_the_server_and_in_no_file(make, address, tmp_path):
    tunnel = make()
    tunnel.run("print('hello')")

    trail = trail_in(tmp_path / "state", address)
    assert (acts(tunnel.audit), acts(trail.log), verify(trail.log).success) == ([("run", "done", "ann")], [("run", "done", "ann")], True)
    assert not (tmp_path / "state" / "audit.db").exists()
    assert "windtunnel@" not in str(live(trail.log).find(AuditQuery(), last=None, most=9))
    trail.log.close()


def test_two_machines_share_one_log(make, tmp_path):
    one, other = make(), make(state_dir=tmp_path / "other", actor="bob")
    for tunnel in (one, other, one):
        tunnel.run("print(1)")
        tunnel.audit.settle()

    assert acts(other.audit) == [("run", "done", "ann"), ("run", "done", "bob"), ("run", "done", "ann")]


def test_machines_that_share_a_log_prove_by_their_own_checkpoints(address, tmp_path):
    one, other = (trail_in(tmp_path / name, address) for name in ("one", "other"))
    for number in range(3):
        one.log.append(entry(number))
    one.checkpoint()

    proof = other.prove(other.entry("1"))

    assert check_proof(proof, other.keys.public())[0].seq == 1
    assert other.verify(keys=one.keys.public()).checkpoints >= 1
    with pytest.raises(UsageError, match="not signed by a key that is trusted here"):
        other.verify()
    one.log.close()
    other.log.close()


def test_an_act_is_refused_while_the_server_is_away(make, server):
    tunnel = make(audit_store=DatabaseAddress("postgresql:///log?host=/nowhere"))

    with pytest.raises(SandboxFailure, match="start the server, or mend audit_store"):
        tunnel.run("print(1)")


def test_where_the_operator_chose_so_it_goes_on_and_says_it_was_not_written_down(make, server):
    tunnel = make(audit_store=DatabaseAddress("postgresql:///log?host=/nowhere"), audit=Auditing.OPTIONAL)

    result = tunnel.run("print(1)")

    assert (result.stdout, "cannot be reached" in result.enforced["record"]) == ("1\n", True)


def test_what_was_handed_in_while_the_server_was_away_is_written_once_by_the_next(tmp_path, monkeypatch, make, server):
    monkeypatch.setattr(postgres, "BUSY_SECONDS", 0)
    own = PostgresServer()
    try:
        store = DatabaseAddress(own.fresh())
        tunnel = make(audit_store=store)
        tunnel.run("print(1)")
        tunnel.audit.settle()
        live(tunnel.audit).wait()
        own.tell("kill")
        with contextlib.suppress(SandboxFailure):
            tunnel.run("print(2)")
        own.tell("start")

        tunnel.audit.settle()

        found = [record.entry.id for record in find(tunnel.audit, AuditQuery())]
        assert (len(found), len(set(found)), verify(tunnel.audit).success) == (2, 2, True)
        tunnel.close()
    finally:
        own.close()
