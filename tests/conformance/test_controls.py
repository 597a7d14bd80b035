"""Every attack must succeed where no wall stands; one that cannot is worth nothing when it fails inside."""

import os
from pathlib import Path

import pytest

from windtunnel.sandbox.attacks import ALL, Outcome
from windtunnel.sandbox.attacks.bare import BareRunner
from windtunnel.sandbox.attacks.honest import HONEST
from windtunnel.sandbox.selfcheck import run_attack, run_honest

NEEDS_ROOT = {"S09", "S10", "F06", "F07", "F08", "F09", "F10", "F11", "F12", "N05", "K06", "K12", "K13", "K15", "R04"}


def no_modules():
    return None if Path("/proc/modules").exists() else "this kernel loads no modules"


def no_io_uring():
    switch = Path("/proc/sys/kernel/io_uring_disabled")
    return "io_uring is switched off here" if not switch.exists() or switch.read_text().strip() != "0" else None


def no_terminal_typing():
    switch = Path("/proc/sys/dev/tty/legacy_tiocsti")
    off = os.geteuid() != 0 and switch.exists() and switch.read_text().strip() == "0"
    return "typing into terminals is switched off here" if off else None


REFUSED_BY_THE_KERNEL = {"K04": no_io_uring, "K08": no_modules, "K09": no_terminal_typing}


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.row)
def test_the_attack_succeeds_without_walls(attack, make_job):
    if reason := attack.needs():
        pytest.skip(reason)
    if os.geteuid() != 0 and attack.row in NEEDS_ROOT:
        pytest.skip("an ordinary user is refused this even without walls")
    refused = REFUSED_BY_THE_KERNEL.get(attack.row, lambda: None)()

    verdict = run_attack(attack, sandbox=BareRunner(), make_job=make_job)

    assert verdict.outcome is (Outcome.HELD if refused else Outcome.NOT_HELD), (refused, verdict.evidence)


@pytest.mark.parametrize("program", HONEST, ids=lambda program: program.name)
def test_the_honest_program_works_without_walls(program, make_job):
    verdict = run_honest(program, sandbox=BareRunner(), make_job=make_job)

    assert verdict.outcome is Outcome.HELD, verdict.evidence


def test_nothing_outside_the_suite_names_the_runner_without_walls():
    package = Path(__import__("windtunnel").__file__).parent
    naming = [str(path.relative_to(package)) for path in package.rglob("*.py") if "BareRunner" in path.read_text()]

    assert naming == ["sandbox/attacks/bare.py"]
