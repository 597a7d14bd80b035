"""Many tasks at once in one workspace: none is lost, and none loses another's files."""

from __future__ import annotations

TASKS = 24


def test_tasks_that_run_at_once_keep_all_their_files(new_tunnel, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "main.c").write_text("int main(void) { return 0; }\n")
    tunnel = new_tunnel()
    names = [f"t{number}" for number in range(TASKS)]
    tasks = [{"id": name, "description": name, "command": f"echo {name} > {name}"} for name in names]
    last = {"id": "all", "description": "all", "command": "cat t*", "depends_on": names}
    plan = tunnel.plans.add({"request": "x", "root": str(project), "tasks": [*tasks, last]})

    report = tunnel.execute(plan, max_concurrent_tasks=8)

    failed = {name: state.error_info for name, state in report.states.items() if not state.success}
    assert failed == {}
    assert sorted(report.states["all"].output.split()) == sorted(names)
