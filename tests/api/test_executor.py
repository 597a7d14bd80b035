"""The speculative executor's own door: what it asks the engine for, and what it refuses."""

import inspect

import pytest

from trial_samples import good
from windtunnel import FileChange, IsolationUnavailable, SandboxExecutor, UsageError
from windtunnel.core.limits import MIB

CHANGES = [FileChange("a.py", "modify", "x = 1\n")]


@pytest.fixture
def asked(new_tunnel, monkeypatch):
    """An executor whose tunnel only takes notes."""
    tunnel = new_tunnel()
    notes = []
    monkeypatch.setattr(tunnel, "try_change", lambda project, changes, **options: notes.append((project, changes, options)) or good())

    def make(**options):
        executor = SandboxExecutor(tunnel=tunnel, **options)
        executor.notes = notes
        return executor

    return make


def test_the_signatures_are_those_of_the_document():
    made = inspect.signature(SandboxExecutor)
    run = inspect.signature(SandboxExecutor.execute_with_changes)

    assert [(name, each.default) for name, each in made.parameters.items() if each.kind is not each.KEYWORD_ONLY] == [
        ("isolation_level", "process"), ("network_enabled", False), ("max_memory_mb", 512), ("max_cpu_seconds", 60), ("max_disk_mb", 100)]
    assert list(run.parameters) == ["self", "project_path", "changes", "test_command", "lint_command", "build_command"]


def test_the_limits_are_those_that_were_named(asked):
    executor = asked(max_memory_mb=256, max_cpu_seconds=30, max_disk_mb=50, network_enabled=True)

    executor.execute_with_changes("/project", CHANGES)

    project, changes, options = executor.notes[0]
    limits = options["limits"]
    assert (project, changes, options["network_enabled"]) == ("/project", CHANGES, True)
    assert (limits.memory_bytes, limits.cpu_seconds, limits.disk_bytes) == (256 * MIB, 30, 50 * MIB)


@pytest.mark.parametrize(("given", "commands"), [
    ({}, (None, None, None)),
    ({"test_command": "pytest"}, ("pytest", "", "")),
    ({"lint_command": "ruff check"}, ("", "ruff check", "")),
    ({"test_command": "pytest", "lint_command": "ruff check", "build_command": "make"}, ("pytest", "ruff check", "make")),
], ids=["none", "test", "lint", "all"])
def test_without_a_command_all_are_found_and_with_one_only_those_given_run(asked, given, commands):
    executor = asked()

    executor.execute_with_changes("/project", CHANGES, **given)

    assert tuple(executor.notes[0][2][name] for name in ("test", "lint", "build")) == commands


@pytest.mark.parametrize(("options", "said"), [
    ({"isolation_level": "fortress"}, "isolation_level: 'fortress' is not a level"),
    ({"isolation_level": None}, "isolation_level: None is not a level"),
    ({"max_memory_mb": 0}, "max_memory_mb: 0 is not a whole number"),
    ({"max_memory_mb": 1}, "max_memory_mb: out of range"),
    ({"max_memory_mb": 10**6}, "max_memory_mb: .* is over the cap"),
    ({"max_disk_mb": "100"}, "max_disk_mb: '100' is not a whole number"),
    ({"max_cpu_seconds": -1}, "max_cpu_seconds: out of range"),
    ({"max_cpu_seconds": True}, "max_cpu_seconds: not a number"),
], ids=str)
def test_what_is_no_limit_is_refused_in_the_words_of_this_door(asked, options, said):
    with pytest.raises(UsageError, match=said) as refusal:
        asked(**options)

    assert refusal.value.field == next(iter(options))


def test_walls_that_are_not_to_be_had_are_refused_at_once_with_what_would_do(no_engine):
    with pytest.raises(IsolationUnavailable, match=r'apt-get install docker.io.*isolation_level="process"'):
        SandboxExecutor(isolation_level="container")


@pytest.mark.parametrize(("project", "changes", "said"), [
    ("/no/such/project", CHANGES, "project: '/no/such/project' is not a folder"), ("/", CHANGES, "project: '/' is too wide"),
    (None, CHANGES, "project: not a path"), ("/", None, "changes: not a list of FileChange"),
], ids=["missing", "root", "none", "no changes"])
def test_a_project_or_change_that_is_none_is_refused_by_name(new_tunnel, project, changes, said):
    with pytest.raises(UsageError, match=said):
        SandboxExecutor(tunnel=new_tunnel()).execute_with_changes(project, changes, test_command="true")


def test_an_option_that_a_trial_does_not_have_is_named(new_tunnel):
    with pytest.raises(UsageError, match="colour: not an option of a trial"):
        new_tunnel().try_change("/tmp", CHANGES, colour="red")


def test_a_change_that_is_not_good_cannot_be_applied_by_itself(new_tunnel, tmp_path):
    from trial_samples import bad

    with pytest.raises(UsageError, match="the verdict is not good"):
        new_tunnel().apply(tmp_path, bad())
