"""Each wall of the process level is needed: taken away alone, or with those that back it, an attack succeeds.

The table names the walls that must *all* be gone before the attack succeeds. So a line with one wall shows that this
wall alone holds the attack, and a line with several shows how deep the defence is: any one of them still holds.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import wall_acts as acts
from test_crash import descendants, wait_until
from wall_acts import ROWS, in_var, shares
from walls import WALLS, changed, no_flag, without

from windtunnel.sandbox.attacks import Attack, Outcome, processes
from windtunnel.sandbox.attacks.bare import BareRunner
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.selfcheck import run_attack
from windtunnel.sandbox.stems import landlock_version
from windtunnel.testing import python_maker

ROOT = os.geteuid() == 0


def root_alone():
    return None if ROOT else "an ordinary user is refused this whatever the walls"


def switch(path, *, most):
    def needs():
        file = Path("/proc/sys", path)
        value = int(file.read_text()) if file.exists() else 0
        return f"{path} is {value}: the kernel refuses this to every ordinary process" if value > most else None

    return needs


def typing():
    file = Path("/proc/sys/dev/tty/legacy_tiocsti")
    return "typing into terminals is switched off here" if file.exists() and file.read_text().strip() == "0" else None


@dataclass(frozen=True, kw_only=True)
class Control:
    attack: Attack
    walls: tuple[str, ...]
    warm: bool = False
    """Whether it runs in an interpreter that was loaded before, which no execve stands before."""
    grouped: bool = True
    """False for what the supervisor does where there are no control groups."""
    scoped: bool = False
    """Whether Landlock holds it by scopes, which came with its version 6."""
    needs: Callable[[], str | None] = lambda: None

    def __str__(self):
        return f"{self.attack.row or self.attack.title.replace(' ', '-')}: {' + '.join(self.walls)}"

    @property
    def standing(self):
        """Those of the walls that there are on this machine, for this user."""
        absent = {"throw-away user"} if not ROOT else set()
        absent |= {"Landlock"} if landlock_version() < (6 if self.scoped else 1) else set()
        return tuple(name for name in self.walls if name not in absent)


def of(attack, *walls, **fields):
    return Control(attack=ROWS[attack] if isinstance(attack, str) else attack, walls=walls, **fields)


def namespace(kind, name):
    return of(shares(kind), f"{name} namespace of the stem", f"{name} namespace of the run")


PROCESSES = ("process namespace of the stem", "process namespace of the run")
NETWORKS = ("network namespace of the stem", "network namespace of the run")
SESSIONS = ("session of the run", "session of the stem", "session of the supervisor's child")

CONTROLS = (
    # The host's user, files and secrets.
    of(acts.IS_ROOT, "throw-away user", needs=root_alone),
    of("S04", "minimal root"),
    of(in_var("S05"), "minimal root", "throw-away user"),
    of(acts.WRITES_HOST_FOLDER, "minimal root", "read-only root", "Landlock"),
    of("F09", "read-only root", "Landlock", "throw-away user", needs=root_alone),
    of("F10", "read-only /proc", "Landlock"),
    of(acts.OPENS_CORE_PATTERN, "read-only /proc", "Landlock", "throw-away user", needs=root_alone),
    of(acts.DIES_LAST, "read-only /proc", "Landlock"),
    of(acts.WRITES_SANDBOX, "read-only /sandbox"),
    of("S12", "private /tmp"),
    of("S11", "file system of the run"),
    of("S11", "IPC namespace of the run"),
    of("S03", "own /proc"),
    of("S01", "empty environment of the supervisor", "cleared environment of the stem", "environment of the request"),
    of("S01", "empty environment of the supervisor", "cleared environment of the stem", warm=True),
    of("S07", "closed descriptors"),
    of("S08", "host-name namespace of the stem", "host name of the run"),
    # Namespaces.
    of(shares("user"), "user namespace of the stem", "user namespace of the run", needs=root_alone),
    namespace("pid", "process"),
    namespace("net", "network"),
    namespace("ipc", "IPC"),
    namespace("uts", "host-name"),
    namespace("cgroup", "control-group"),
    of("K01", *PROCESSES, "Landlock", "throw-away user", scoped=True),
    of("R14", "process namespace of the run"),
    of("N01", *NETWORKS),
    of("N02", *NETWORKS),
    of("N03", *NETWORKS, "Landlock", scoped=True),
    of("N08", *NETWORKS),
    # Powers and calls.
    of("K10", "dropped capabilities", warm=True),
    of("K10", "bounded capabilities"),
    of("F07", "filter: mount", "dropped capabilities", "Landlock", warm=True),
    of("N05", "filter: sockets", "dropped capabilities", warm=True),
    of("N06", "filter: sockets"),
    of("K03", "filter: namespaces", "no nested user namespaces"),
    of("K04", "filter: io_uring_setup"),
    of("K05", "filter: userfaultfd"),
    of("K06", "filter: perf_event_open", needs=switch("kernel/perf_event_paranoid", most=2)),
    of("K06", "filter: bpf", needs=switch("kernel/unprivileged_bpf_disabled", most=0)),
    of("K07", "filter: add_key"),
    of("K07", "filter: keyctl"),
    of("K11", "filter: other conventions"),
    of("K14", "system-call filter"),
    of(acts.TRACES, "filter: ptrace", needs=switch("kernel/yama/ptrace_scope", most=1)),
    of(acts.LIMITS_INIT, "filter: limits of others"),
    of(acts.WIDENS_PIPE, "filter: pipe sizes"),
    of(acts.READS_INIT, "untraceable init", "Landlock"),
    of(acts.IN_OUR_SESSION, *SESSIONS),
    of("K09", "filter: terminal requests", *SESSIONS, needs=typing),
    # Limits.
    of(acts.MANY_FILES, "size of the file system"),
    of("R08", "size of the file system", "size of one file"),
    of("R09", "inodes of the file system"),
    of("R01", "memory of the group"),
    of("R01", "memory of the tree", grouped=False),
    of("R05", "processes of the group"),
    of("R05", "processes of the user", grouped=False),
    of("R16", "processor time of the group"),
    of("R16", "processor time of the tree", grouped=False),
    of(acts.BURNS, "processors of the group"),
    of("R07", "open files"),
    of("R12", "wall time"),
    of("R11", "output bound"),
    # Reading back.
    of(acts.LEAVES_LINK, "plain files alone are read back", "no link is opened"),
)

PARTLY = [(control, kept) for control in CONTROLS for kept in control.standing if len(control.standing) > 1]

AT_DEATH = ("death with the supervisor", "end with the control socket")
KEPT_BY_BUBBLEWRAP = {"no new privileges of the stem": "F13"}
"""Bubblewrap sets it too and cannot be told not to; ``test_controls`` has the attack without any wall."""
ELSEWHERE = {
    "the address that an allowed name leads to is checked":
        ("test_egress.py", "test_a_loopback_server_is_reached_by_name_only_when_its_address_is_exempt"),
    "only listed hosts are reached": ("test_allow_hosts.py", "test_another_host_is_refused_and_recorded"),
}
"""Walls of a run with an allow-list; the tests named have both sides."""


def refused_anyway(attack):
    """Why a row of the suite is refused where no wall stands at all; None where it is not."""
    if attack not in ROWS.values():
        return None
    verdict = run_attack(attack, sandbox=BareRunner(), make_job=python_maker())
    return f"the kernel refuses this even without any wall: {verdict.evidence}" if verdict.outcome is Outcome.HELD else None


@pytest.fixture
def attacked():
    """The verdict on a control's attack with every wall but those named."""
    def run(control, *names):
        with without(*names):
            sandbox = Bubblewrap(pool_size=0, groups=control.grouped)
            try:
                return run_attack(control.attack, sandbox=sandbox, make_job=python_maker(warm=control.warm))
            finally:
                sandbox.close()

    return run


@pytest.fixture
def fit(request):
    """Skips what this machine or user cannot show, and says why."""
    def check(control):
        if reason := control.attack.needs() or control.needs():
            pytest.skip(reason)
        if any("of the group" in name for name in control.walls):
            request.getfixturevalue("grouped")

    return check


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_attack_is_held_with_every_wall(control, attacked, fit):
    fit(control)

    verdict = attacked(control)

    assert verdict.outcome is Outcome.HELD, verdict.evidence


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_attack_succeeds_without_the_walls(control, attacked, fit):
    fit(control)
    if sys.prefix.startswith("/tmp/") and {"private /tmp", "file system of the run"} & set(control.standing):
        pytest.skip("the interpreter itself lies below /tmp, and cannot be shown there without this wall")

    verdict = attacked(control, *control.standing)

    if verdict.outcome is Outcome.HELD and (refused := refused_anyway(control.attack)):
        pytest.skip(refused)
    assert verdict.outcome is Outcome.NOT_HELD, verdict.evidence


@pytest.mark.parametrize(("control", "kept"), PARTLY, ids=str)
def test_the_attack_is_held_by_each_of_the_walls_that_back_one_another(control, kept, attacked, fit):
    fit(control)

    verdict = attacked(control, *(name for name in control.standing if name != kept))

    assert verdict.outcome is Outcome.HELD, verdict.evidence


@pytest.mark.parametrize(("wall", "row"), KEPT_BY_BUBBLEWRAP.items())
def test_what_bubblewrap_does_as_well_holds_without_our_own_line(wall, row, attacked):
    verdict = attacked(of(row, wall), wall)

    assert verdict.outcome is Outcome.HELD, verdict.evidence


# Without control groups, because the next supervisor on the machine ends the members of a dead one's (see test_crash).
SUPERVISOR = """
from walls import without
with without(*{names}):
    sandbox = Bubblewrap(pool_size=0, groups=False)
    sandbox.run(python_job("import ctypes, time\\nctypes.CDLL(None).prctl(15, {token})\\ntime.sleep(20)", limits=Limits(wall_seconds=30)))
"""


@pytest.mark.parametrize(("names", "dies"), [((), True), (AT_DEATH[:1], True), (AT_DEATH[1:], True), (AT_DEATH, False)])
def test_a_program_outlives_its_killed_supervisor_only_without_both_walls(names, dies, supervisor, tmp_path):
    token = f"wt{os.urandom(5).hex()}"
    process = supervisor(SUPERVISOR.format(names=names, token=token.encode()), TMPDIR=str(tmp_path))
    assert wait_until(lambda: processes.marked(token)), "the program did not start"

    with ended_afterwards(descendants(process.pid)):
        process.kill()
        process.wait()

        assert wait_until(lambda: not processes.marked(token), seconds=3) is dies


@contextmanager
def ended_afterwards(pids):
    """What a control lets live on is ended all the same, by handles that no other process can come to bear."""
    handles = [os.pidfd_open(pid) for pid in pids]
    try:
        yield
    finally:
        for handle in handles:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            os.close(handle)


def test_every_wall_is_in_a_control():
    used = {name for control in CONTROLS for name in control.walls} | set(AT_DEATH) | set(KEPT_BY_BUBBLEWRAP)

    assert used == set(WALLS)


@pytest.mark.parametrize(("file", "test"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_the_controls_of_a_run_with_an_allow_list_are_where_they_are_said_to_be(file, test):
    assert f"def {test}(" in Path(__file__).with_name(file).read_text()


@pytest.mark.parametrize("text", ["", "wall", "wall wall wall"])
def test_a_control_whose_text_is_gone_or_no_longer_alone_is_an_error(text):
    before = "wall" if text != "wall" else "gate"

    with pytest.raises(AssertionError, match="must follow the code"):
        changed(text, before, "")


def test_a_control_whose_flag_is_gone_is_an_error():
    with pytest.raises(AssertionError, match="must follow the code"):
        no_flag("--new-session").change(["--clearenv"])
