"""The watch over what real runs and trials write down."""

from dataclasses import replace

import pytest
from trials import ONE_RUNNER, OTHER, SHOP, WRONG, modify, write
from watch_receivers import watch_in

from windtunnel.core.errors import UsageError
from windtunnel.core.trial import TamperFinding, Verdict

ESCAPE = """
import ctypes, os, socket
ctypes.CDLL(None).mount(b"none", b"/tmp", b"tmpfs", 0, None)
try:
    socket.create_connection(("169.254.169.254", 80), timeout=5)
except OSError:
    pass
os.makedirs("/tmp/.ssh")
open("/tmp/.ssh/authorized_keys", "w").close()
print("-----BEGIN RSA PRIVATE " + "KEY-----")
"""


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "project", SHOP)


def rules(tunnel):
    tunnel.audit.settle()
    looked = watch_in(tunnel.settings.state_dir).look()
    return [(alert.rule, alert.message) for alert in looked.alerts]


def test_a_program_that_tries_to_get_out_is_told(new_tunnel):
    tunnel = new_tunnel(actor="eve")

    tunnel.run(ESCAPE)

    told = dict(rules(tunnel))
    assert set(told) == {"escape", "secrets"}
    assert "mount" in told["escape"]
    assert told["secrets"] == "a program of eve printed or left what looks like a secret: private key, /tmp/.ssh/authorized_keys"


def test_honest_runs_and_an_apply_after_a_good_trial_are_nothing_to_tell(new_tunnel, project):
    tunnel = new_tunnel(actor="ann")
    for code in ("print(1)", "raise SystemExit(2)", "open('/tmp/x', 'w').write('y')", "import socket; socket.socket()"):
        tunnel.run(code)
    tunnel.apply(project, tunnel.try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER))
    tunnel.undo(project)
    tunnel.try_change(project, [modify("calc.py", WRONG)], **ONE_RUNNER)

    assert rules(tunnel) == []


def test_a_verdict_that_was_forged_in_between_is_told(new_tunnel, project):
    """Whoever changes the result in memory before it is applied is found by the record of the trial."""
    tunnel = new_tunnel(actor="eve")
    bad = tunnel.try_change(project, [modify("calc.py", WRONG)], **ONE_RUNNER)
    with pytest.raises(UsageError):
        tunnel.apply(project, bad)

    tunnel.apply(project, replace(bad, verdict=Verdict.GOOD))

    assert rules(tunnel) == [("unproven-apply", "eve applied a change whose trial was not good")]


def test_another_change_under_the_name_of_a_good_trial_is_told(new_tunnel, project):
    tunnel = new_tunnel(actor="eve")
    good = tunnel.try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER)
    other = tunnel.try_change(project, [modify("calc.py", WRONG)], **ONE_RUNNER)

    tunnel.apply(project, replace(good, changes=other.changes, tamper=(TamperFinding(rule="x", message="y"),)))

    assert rules(tunnel) == [("unproven-apply", "eve applied another change than the one that was tried")]


def test_a_trial_that_nobody_recorded_is_told(new_tunnel, project):
    tunnel = new_tunnel(actor="eve")
    good = tunnel.try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER)

    tunnel.apply(project, replace(good, id="0" * 32))

    assert rules(tunnel) == [("unproven-apply", "eve applied a change of which no trial is on record")]
