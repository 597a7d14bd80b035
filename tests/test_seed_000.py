"""The sample of the speculative executor's own document, as it gives it, but for the name of the package.

Its ``/path/to/project`` is a small project made here. ``python -m build`` is a module of that project, so that nothing
needs to be fetched. Its three listings of signatures are not programs; they are compared with ours.
"""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

from windtunnel import FileChange, SandboxExecutor, SandboxResult

QUICK_START = """
from windtunnel import SandboxExecutor, FileChange

# Initialize executor
executor = SandboxExecutor(
    isolation_level="process",  # or "container"
    network_enabled=False,
    max_memory_mb=512,
    max_cpu_seconds=60
)

# Define changes to test
changes = [
    FileChange(
        relative_path="src/module.py",
        operation="modify",
        new_content="def fixed_func():\\n    return 42\\n"
    )
]

# Test changes in sandbox
result = executor.execute_with_changes(
    project_path="/path/to/project",
    changes=changes,
    test_command="pytest",
    lint_command="ruff check",
    build_command="python -m build"
)

# Check results
if result.success:
    print("[COMPLETE] Safe to apply changes")
else:
    print("[FAILED] Changes introduce failures")
"""
BROKEN = "def fixed_func():\n    return 41\n"
TEST = "from module import fixed_func\n\n\ndef test_the_answer():\n    assert fixed_func() == {answer}\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("WINDTUNNEL_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "src" / "module.py").write_text(BROKEN)
    (folder / "tests" / "test_module.py").write_text(TEST.format(answer=42))
    (folder / "build.py").write_text('"""A build."""\nprint("built")\n')
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    return folder


def quick_start(project):
    names = {}
    exec(QUICK_START.replace("/path/to/project", str(project)), names)
    names["executor"].close()
    return names["result"]


def test_the_sample_finds_the_change_safe(project, capsys):
    result = quick_start(project)

    assert capsys.readouterr().out == "[COMPLETE] Safe to apply changes\n", result.reasons
    assert (result.success, result.build_success, result.lint_results) == (True, True, [])
    assert [(test.id, test.passed) for test in result.test_results] == [("tests/test_module.py::test_the_answer", True)]
    assert result.delta.fixed == ("tests/test_module.py::test_the_answer",)
    assert result.stdout.startswith("built\n")
    assert result.execution_time_ms > 0
    assert (project / "src" / "module.py").read_text() == BROKEN


def test_the_sample_finds_a_change_that_breaks_a_test_unsafe(project, capsys):
    (project / "tests" / "test_module.py").write_text(TEST.format(answer=41))

    result = quick_start(project)

    assert capsys.readouterr().out == "[FAILED] Changes introduce failures\n"
    assert result.delta.broken == ("tests/test_module.py::test_the_answer",)


def test_the_constructor_is_the_documents():
    parameters = inspect.signature(SandboxExecutor).parameters.values()

    assert {each.name: each.default for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD} == {
        "isolation_level": "process", "network_enabled": False, "max_memory_mb": 512, "max_cpu_seconds": 60, "max_disk_mb": 100}


def test_a_file_change_is_the_documents():
    assert [field.name for field in fields(FileChange)][:3] == ["relative_path", "operation", "new_content"]


@pytest.mark.parametrize(("name", "kind"), [
    ("success", bool), ("build_success", bool), ("test_results", list), ("lint_results", list), ("side_effects_detected", bool),
    ("execution_time_ms", int), ("stdout", str), ("stderr", str)])
def test_a_result_has_the_documents_attributes(name, kind):
    from trial_samples import bad

    assert isinstance(bad(), SandboxResult)
    assert type(getattr(bad(), name)) is kind
