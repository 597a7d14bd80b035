import json
import time

import pytest

PATCH = "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"


def post(client, tool, **arguments):
    return client.post(f"/v1/tools/{tool}", json=arguments)


def waited(client, answer, seconds=60):
    assert answer.status_code == 202
    until = time.monotonic() + seconds
    while (job := client.get(answer.headers["location"]).json())["state"] == "working":
        assert time.monotonic() < until
        time.sleep(0.05)
    return job


def test_a_program_runs_and_its_answer_says_the_reason_first(ann):
    answer = post(ann, "run_code", code="print(6 * 7)")

    told = answer.json()
    assert answer.status_code == 200
    assert list(told)[:2] == ["reason", "next"]
    assert (told["stdout"], told["success"], told["level"]) == ("42\n", True, "process")


def test_a_program_that_fails_is_an_answer_with_advice(ann):
    told = post(ann, "run_code", code="raise ValueError('no')").json()

    assert (told["success"], told["exit_code"]) == (False, 1)
    assert told["reason"] == "The program failed: ValueError: no"
    assert told["next"] == "Read stderr, correct the program, and run it again."


def test_a_long_answer_is_bounded_and_its_whole_is_at_its_report(ann, bob):
    answer = post(ann, "run_code", code="print('x' * 400000); import sys; print('y' * 400000, file=sys.stderr)",
                  files={f"f{i}.txt": "a" for i in range(100)})
    history = post(ann, "get_history", id=answer.json()["id"])

    assert answer.json()["left_out_bytes"] == 0
    assert len(answer.content) < 31_000
    assert len(history.content) < 31_000


def test_a_change_is_tried_applied_taken_back_and_has_a_receipt(server, ann, bob):
    untouched = (server.project / "calc.py").read_text()
    applied = waited(ann, post(ann, "apply_changes", project=str(server.project), patch=PATCH))["answer"]
    written = (server.project / "calc.py").read_text()
    undone = post(ann, "undo_changes", project=str(server.project), entry=applied["applied"]).json()
    receipt = ann.get(f"/v1/receipts/{applied['trial']}")
    verified = post(ann, "verify_receipt", receipt=receipt.text).json()

    assert (applied["verdict"], applied["fixed"]) == ("good", ["test_calc.py::test_add"])
    assert ("a - b" in untouched, "a + b" in written) == (True, True)
    assert undone["paths"] == ["calc.py"]
    assert (server.project / "calc.py").read_text() == untouched
    assert (verified["verdict"], verified["trial"]) == ("good", applied["trial"])
    assert bob.get(f"/v1/receipts/{applied['trial']}").status_code == 404


def test_a_change_is_applied_to_a_workspace_and_taken_back_by_its_snapshot(server, ann):
    made = post(ann, "create_sandbox_workspace", source_path=str(server.project)).json()["workspace_id"]
    applied = waited(ann, post(ann, "apply_changes", workspace_id=made, patch=PATCH))["answer"]
    written = post(ann, "read_file", workspace_id=made, path="calc.py").json()["content"]
    post(ann, "restore_workspace", workspace_id=made, snapshot=applied["applied"])
    restored = post(ann, "read_file", workspace_id=made, path="calc.py").json()["content"]

    assert ("a + b" in written, "a - b" in restored, "a - b" in (server.project / "calc.py").read_text()) == (
        True, True, True)


def test_a_job_tells_its_progress_as_events_and_then_how_it_ended(server, ann):
    begun = post(ann, "diagnose_project", project=str(server.project), pattern="add")
    lines = []
    with ann.stream("GET", begun.headers["location"] + "/events") as stream:
        lines += [line for line in stream.iter_lines() if line]

    assert "event: progress" in lines
    assert lines[-2] == "event: completed"
    assert json.loads(lines[-1].removeprefix("data: "))["answer"]["problems"][0]["where"].startswith("test_calc.py")


def test_a_job_that_is_cancelled_ends_its_program_at_once(ann):
    begun = ann.post("/v1/tools/run_code", json={"code": "import time; time.sleep(25)"}, headers={"Prefer": "respond-async"})
    time.sleep(0.5)
    at = time.monotonic()
    cancelled = ann.delete(begun.headers["location"])
    job = waited(ann, begun)

    assert (cancelled.status_code, job["state"]) == (202, "cancelled")
    assert time.monotonic() - at < 5
    assert ann.delete(begun.headers["location"]).status_code == 200


def test_whoever_waits_gets_the_answer_of_a_quick_job_itself(server, ann):
    made = post(ann, "create_sandbox_workspace", source_path=str(server.project)).json()["workspace_id"]

    ran = ann.post("/v1/tools/execute_command", json={"workspace_id": made, "command": "cat calc.py > copy.py"},
                   headers={"Prefer": "wait=30"})
    diff = post(ann, "get_diff", workspace_id=made).json()
    read = post(ann, "read_file", workspace_id=made, path="copy.py").json()
    raw = [ann.get(f"/v1/workspaces/{made}/files/{path}") for path in ("copy.py", "none.py", "..%2f..%2fetc%2fpasswd")]
    gone = post(ann, "destroy_workspace", workspace_id=made)

    assert (ran.status_code, ran.json()["exit_code"], diff["files"]) == (200, 0, 1)
    assert read["content"].startswith("def add")
    assert [(one.status_code, one.text.startswith("def add")) for one in raw] == [(200, True), (404, False), (404, False)]
    assert gone.status_code == 200
    assert post(ann, "get_diff", workspace_id=made).status_code == 404


def test_a_project_outside_of_the_roots_is_refused_whether_it_is_there_or_not(server, ann):
    answers = [post(ann, "check_policy", verb="try", project=path) for path in (
        "/etc", "/nowhere/at/all", f"{server.project}/../../..", str(server.desk.tunnel.settings.state_dir))]

    assert [answer.status_code for answer in answers] == [422] * 4
    assert len({answer.json()["detail"].replace(path, "") for answer, path in zip(
        answers, ("/etc", "/nowhere/at/all", f"{server.project}/../../..", str(server.desk.tunnel.settings.state_dir)),
        strict=True)}) == 1


def test_a_link_that_leads_out_of_a_root_is_not_followed(server, ann):
    link = server.project / "out"
    link.symlink_to("/etc")

    assert post(ann, "check_policy", verb="try", project=str(link)).status_code == 422
    link.unlink()


def test_tools_are_listed_for_those_who_may_use_them(server, ann):
    with server.client("eve") as eve:
        seen = {tool["name"] for tool in eve.get("/v1/tools").json()["tools"]}
        refused = post(eve, "run_code", code="1")
    mine = {tool["name"] for tool in ann.get("/v1/tools").json()["tools"]}

    assert "run_code" in mine - seen
    assert "get_history" in seen & mine
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


def test_the_status_tells_versions_levels_pool_and_jobs(ann):
    told = ann.get("/v1/status").json()

    assert told["levels"]["process"]
    assert told["versions"]["windtunnel"]
    assert told["pool"]["size"] == 2
    assert set(told["serving"]["jobs"]) == {"working", "completed", "failed", "cancelled", "lost"}


def test_health_readiness_and_the_document_need_no_key(server):
    with server.client(None) as client:
        answers = [client.get(path) for path in ("/health", "/ready", "/openapi.json")]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[2].json()["openapi"] == "3.1.0"


def test_acts_are_recorded_under_the_user_of_the_key(server, ann):
    post(ann, "run_code", code="print('recorded')")
    mine = post(ann, "audit_log", kind="run").json()["records"]
    refused = post(ann, "audit_log", everybody=True)
    with server.client("root") as root:
        every = post(root, "audit_log", everybody=True, limit=200).json()["records"]

    assert {record["actor"] for record in mine} == {"ann"}
    assert refused.status_code == 403
    assert not any(key.split("_")[2] in json.dumps(every) for key in server.keys.values())


def test_a_rate_and_a_quota_are_told_with_when_to_come_again(make_serving, tmp_path):
    from windtunnel.serve.desk import Terms

    with make_serving(tmp_path, users=(("ann", ("viewer",)),), terms=Terms(rate=0.01, burst=2, per_day=2)) as server:
        with server.client("ann") as client:
            answers = [client.get("/v1/jobs") for _ in range(3)]
        server.desk._buckets.burst = server.desk._buckets.rate = 1000
        server.desk._buckets._levels.clear()
        with server.client("ann") as client:
            spent = client.get("/v1/jobs")

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["retry-after"]) > 1
    assert (spent.status_code, spent.json()["detail"]) == (429, "quota: 2 calls a day")


def test_after_a_restart_workspaces_are_there_and_a_job_whose_server_is_gone_is_lost(make_serving, tmp_path):
    import subprocess
    import sys

    script = ("import sys\nfrom windtunnel.store.jobs import JobShelf\n"
              "print(JobShelf(sys.argv[1]).begin('ann', tool='try_changes').id)")
    with make_serving(tmp_path, users=(("ann", ("developer",)),)) as server, server.client("ann") as client:
        made = post(client, "create_sandbox_workspace", session_id="kept").json()["workspace_id"]
        post(client, "write_file", workspace_id=made, path="a", content="still here")
    path = tmp_path / "state" / "jobs.db"
    name = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True).stdout.strip()

    with make_serving(tmp_path, users=(("ann", ("developer",)),)) as server, server.client("ann") as client:
        job = client.get(f"/v1/jobs/{name}").json()
        read = post(client, "read_file", workspace_id="kept", path="a").json()

    assert (job["state"], "ended before it did" in job["note"]) == ("lost", True)
    assert read["content"] == "still here"


@pytest.mark.parametrize("tool", ["approve", "deny"])
def test_only_an_approver_decides_and_an_unknown_question_is_not_found(server, ann, tool):
    with server.client("judge") as judge:
        unknown = post(judge, tool, id="0123456789ab")

    assert post(ann, tool, id="0123456789ab").status_code == 403
    assert unknown.status_code == 404


def test_a_workspace_is_analysed_planned_for_and_the_plan_is_carried_out(server, ann, bob):
    made = post(ann, "create_sandbox_workspace", session_id="planned").json()["workspace_id"]
    post(ann, "write_file", workspace_id=made, path="Makefile", content="build:\n\techo built > out.txt\ntest:\n\tgrep built out.txt\n")
    post(ann, "write_file", workspace_id=made, path="main.c", content="int main(void) { return 0; }\n")

    analysis = waited(ann, post(ann, "analyze_codebase", workspace_id=made))["answer"]
    plan = waited(ann, post(ann, "create_task_plan", workspace_id=made, task_description="build and run the tests"))["answer"]
    done = waited(ann, post(ann, "execute_task_plan", plan_id=plan["plan_id"]))["answer"]
    shown = post(ann, "get_task_plan", plan_id=plan["plan_id"]).json()
    stolen, unknown = (post(bob, "get_task_plan", plan_id=name) for name in (plan["plan_id"], "0" * len(plan["plan_id"])))
    read = post(ann, "read_file", workspace_id=made, path="out.txt").json()
    post(ann, "destroy_workspace", workspace_id=made)

    assert "C" in [one["name"] for one in analysis["languages"]]
    assert [task["command"] for task in plan["tasks"]][-1].startswith("make")
    assert (done["outcome"], done["tasks_failed"], read["content"]) == ("completed", 0, "built\n")
    assert {task["status"] for task in shown["tasks"]} == {"COMPLETED"}
    assert (stolen.status_code, unknown.status_code) == (404, 404)
    assert stolen.text.replace(plan["plan_id"], "") == unknown.text.replace("0" * len(plan["plan_id"]), "")


def test_a_plan_that_a_person_must_agree_to_waits_for_somebody_else(server, ann):
    made = post(ann, "create_sandbox_workspace", session_id="agreed").json()["workspace_id"]
    plan = waited(ann, post(ann, "create_task_plan", workspace_id=made, task_description="run `docker ps || true`"))["answer"]
    name = plan["plan_id"]
    asked = waited(ann, post(ann, "execute_task_plan", plan_id=name))
    own = post(ann, "approve_task_plan", plan_id=name)
    with server.client("judge") as judge:
        agreed = post(judge, "approve_task_plan", plan_id=name, note="looked at it")
        again = post(judge, "approve_task_plan", plan_id=name)
    done = waited(ann, post(ann, "execute_task_plan", plan_id=name))
    post(ann, "destroy_workspace", workspace_id=made)

    assert plan["tasks"][0]["needs_approval"]
    assert (asked["state"], asked["answer"]["code"]) == ("failed", "approval-needed")
    assert (own.status_code, agreed.status_code, again.status_code) == (403, 200, 404)
    assert done["answer"]["outcome"] == "completed"


def test_nobody_decides_their_own_question_by_a_tool(server):
    with server.client("root") as root:
        made = post(root, "create_sandbox_workspace", session_id="own").json()["workspace_id"]
        plan = waited(root, post(root, "create_task_plan", workspace_id=made, task_description="run `docker ps`"))["answer"]
        approval = waited(root, post(root, "execute_task_plan", plan_id=plan["plan_id"]))["answer"]["approval"]
        answers = [post(root, "approve", id=approval), post(root, "approve_task_plan", plan_id=plan["plan_id"])]
        post(root, "destroy_workspace", workspace_id=made)

    assert [answer.status_code for answer in answers] == [422, 422]


def test_an_execution_is_stopped_by_its_job_and_by_its_tool_and_goes_on(ann):
    made = post(ann, "create_sandbox_workspace", session_id="stopped").json()["workspace_id"]
    plan = waited(ann, post(ann, "create_task_plan", workspace_id=made, task_description="run `sleep 20`"))["answer"]["plan_id"]
    begun = time.monotonic()
    first = post(ann, "execute_task_plan", plan_id=plan)
    until = time.monotonic() + 15
    while "IN_PROGRESS" not in post(ann, "get_task_plan", plan_id=plan).text and time.monotonic() < until:
        time.sleep(0.05)
    ann.delete(first.headers["location"])
    by_job = waited(ann, first)
    second = post(ann, "execute_task_plan", plan_id=plan)
    while post(ann, "cancel_execution", plan_id=plan).status_code != 200 and time.monotonic() < until:
        time.sleep(0.05)
    by_tool = waited(ann, second)
    idle = post(ann, "cancel_execution", plan_id=plan)
    post(ann, "destroy_workspace", workspace_id=made)

    # One that is stopped before its first task began has no outcome, only a state.
    assert [one["answer"].get("outcome", one["state"]) for one in (by_job, by_tool)] == ["cancelled", "cancelled"]
    assert time.monotonic() - begun < 18
    assert idle.status_code == 422


def test_a_task_that_failed_is_tried_again_after_it_was_mended(ann):
    made = post(ann, "create_sandbox_workspace", session_id="mended").json()["workspace_id"]
    plan = waited(ann, post(ann, "create_task_plan", workspace_id=made, task_description="run `cat wanted.txt`"))["answer"]
    failed = waited(ann, post(ann, "execute_task_plan", plan_id=plan["plan_id"]))["answer"]
    post(ann, "write_file", workspace_id=made, path="wanted.txt", content="here\n")
    mended = waited(ann, post(ann, "retry_task", plan_id=plan["plan_id"], task_id=plan["tasks"][0]["id"], changed=True))["answer"]
    post(ann, "destroy_workspace", workspace_id=made)

    assert (failed["outcome"], failed["tasks"][0]["exit_code"]) == ("failed", 1)
    assert "wanted.txt" in failed["tasks"][0]["output"]
    assert (mended["success"], mended["task"]["status"]) == (True, "COMPLETED")


@pytest.mark.parametrize("address", ["http://127.0.0.1/x", "https://localhost:8080/x.git", "ssh://git@192.168.1.1/x", "git@10.0.0.1:x",
                                     "http://[::1]/x", "http://2130706433/x", "http://user:pw@169.254.169.254/x"])
def test_a_developer_cannot_have_the_server_fetch_from_its_own_network(ann, address):
    answer = post(ann, "create_sandbox_workspace", source_path=address)

    assert (answer.status_code, answer.json()["field"]) == (422, "source_path")
    assert "not an address that this server fetches from" in answer.json()["detail"]
