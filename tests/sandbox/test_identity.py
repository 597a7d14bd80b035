"""Whose name a sandbox runs under on the host."""

import os
import pwd
import subprocess
import sys

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox import identity
from windtunnel.sandbox.identity import HostUser

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root leases users")
HOLD = "from windtunnel.sandbox.identity import HostUser\nuser = HostUser()\nprint(user.uid, flush=True)\ninput()\n"


@pytest.fixture
def lease():
    taken = []

    def take():
        taken.append(HostUser())
        return taken[-1]

    yield take
    for user in taken:
        user.release()


@as_root
def test_two_supervisors_never_share_a_user(lease):
    users = [lease() for _ in range(5)]

    assert len({user.uid for user in users}) == 5
    assert all(user.dropped for user in users)


@as_root
def test_a_leased_user_is_neither_root_nor_anyone_known(lease):
    uid = lease().uid

    assert 61184 <= uid < 65520
    with pytest.raises(KeyError):
        pwd.getpwuid(uid)


@as_root
def test_a_known_user_is_passed_over(lease, monkeypatch):
    first = lease()
    first.release()
    known = pwd.getpwuid(0)
    monkeypatch.setattr(identity.pwd, "getpwuid", lambda uid: known if uid == first.uid else pwd_missing())

    assert lease().uid != first.uid


def pwd_missing():
    raise KeyError


@as_root
def test_a_released_user_can_be_had_again(lease):
    def released_and_had():
        first = lease()
        uid = first.uid
        first.release()
        first.release()
        return lease().uid == uid and not first.dropped

    assert any(released_and_had() for _ in range(20))  # another process of this machine may be quicker now and then


@as_root
def test_the_lease_of_a_killed_supervisor_is_free_again(lease):
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    uid = int(process.stdout.readline())
    during = [lease().uid for _ in range(3)]

    process.kill()
    process.communicate()

    assert uid not in during
    assert uid in [lease().uid for _ in range(3)]


@as_root
def test_when_none_is_free_it_is_our_failure(lease, monkeypatch):
    uid = lease().uid
    monkeypatch.setattr(identity, "_FIRST", uid)
    monkeypatch.setattr(identity, "_LAST", uid + 1)

    with pytest.raises(SandboxFailure, match="no throw-away user id is free"):
        lease()


@as_root
def test_the_program_runs_under_the_leased_user(sandbox, job):
    result = sandbox.run(job("import os; print(os.getuid(), os.geteuid())"))

    (grown,) = sandbox._stems.values()
    assert result.enforced["host user"] == f"uid {grown.stem.user.uid}"
    assert result.stdout == "1000 1000\n"


def test_an_ordinary_user_is_itself():
    code = "from windtunnel.sandbox.identity import HostUser\nuser = HostUser()\nprint(user.uid, user.dropped)"
    if os.geteuid() == 0:
        code = "import os\nfrom windtunnel.sandbox.identity import HostUser\nos.setresuid(12345, 12345, 12345)\n" + code.partition("\n")[2]

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)

    assert done.stdout == f"{os.geteuid() or 12345} False\n", done.stderr
