"""The samples of the described system that plan and execute, as its document gives them, but for the import path."""

from __future__ import annotations

import pytest

EXAMPLE_1 = """
from windtunnel import WorkspaceLifecycleManager
from windtunnel import CodebaseAnalyzer
from windtunnel import TaskPlanner
from windtunnel import ExecutionEngine

# Initialize components
lifecycle_manager = WorkspaceLifecycleManager()
analyzer = CodebaseAnalyzer()
planner = TaskPlanner()
executor = ExecutionEngine()

# Create workspace
session = lifecycle_manager.create_workspace(
    source_path=PROJECT,
    session_id="python-analysis"
)

# Analyze codebase
analysis = analyzer.analyze_codebase(session.workspace)
print(f"Languages detected: {analysis.structure.languages}")
print(f"Dependencies: {len(analysis.dependencies.dependencies)}")

# Create task plan
task_plan = planner.create_plan(
    "Install dependencies and run tests",
    analysis
)

# Execute tasks
result = executor.execute_plan(task_plan)
print(f"Tasks completed: {result.tasks_completed}")
"""
EXAMPLE_3 = """
from windtunnel import TaskStatus

# Execute with error handling
result = executor.execute_plan(task_plan)

if result.tasks_failed > 0:
    # Get failed tasks
    failed_tasks = [task for task in task_plan.tasks
                   if task.status == TaskStatus.ERROR]

    for task in failed_tasks:
        print(f"Task failed: {task.description}")
        print(f"Error: {task.error_info.message}")

        # Retry with enhanced context
        retry_result = executor.retry_task(task, enhanced_context=True)
        if retry_result.success:
            print(f"Task {task.id} succeeded on retry")
"""
CLEANUP = """
# Cleanup
lifecycle_manager.destroy_workspace(session.session_id)
"""


@pytest.fixture
def space(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("WINDTUNNEL_CACHE_DIR", str(tmp_path / "cache"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "Makefile").write_text("deps:\n\ttouch installed\n\ntest:\n\ttest -e installed\n\t./slow\n")
    (project / "main.c").write_text("int main(void) { return 0; }\n")
    (project / "slow").write_text("#!/bin/sh\necho 'cannot open the till' >&2\nexit 3\n")
    (project / "slow").chmod(0o755)
    names = {"PROJECT": str(project), "__name__": "sample"}
    yield names
    for name in ("lifecycle_manager", "planner", "executor", "analyzer"):
        close = getattr(names.get(name), "close", None)
        if close is not None:
            close()


def test_the_samples_run_as_written(space, capsys):
    exec(compile(EXAMPLE_1, "example 1", "exec"), space)
    assert "Tasks completed: 2" in capsys.readouterr().out
    assert [(task.id, str(task.status)) for task in space["task_plan"].tasks] == [
        ("install", "COMPLETED"), ("build", "COMPLETED"), ("test", "ERROR")]

    exec(compile(EXAMPLE_3, "example 3", "exec"), space)

    told = capsys.readouterr().out
    assert "Task failed: Run the tests of c (Makefile: target test)" in told
    assert "cannot open the till" in space["retry_result"].output
    assert space["retry_result"].changed
    assert not space["retry_result"].success
    exec(compile(CLEANUP, "cleanup", "exec"), space)
