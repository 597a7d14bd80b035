"""Plans and their executions on the disk."""

from __future__ import annotations

import subprocess
import sys

import pytest

from windtunnel.core.errors import NotFound
from windtunnel.core.plan import ErrorInfo, FailureKind, Task, TaskPlan, TaskState, TaskStatus, plain_plan
from windtunnel.store import plans
from windtunnel.store.plans import PlanStore

PLAN = TaskPlan(request="test", root="/p", tasks=(Task(id="a", description="", command="true"),))


@pytest.fixture
def store(tmp_path):
    made = PlanStore(tmp_path / "plans.db")
    yield made
    made.close()


def test_a_plan_is_found_by_how_its_id_begins(store):
    store.put(PLAN, owner="me")

    assert store.get(PLAN.id[:6], owner="me") == (PLAN.digest, plain_plan(PLAN))


def test_anothers_plan_is_answered_like_one_that_is_not_there(store):
    store.put(PLAN, owner="me")

    with pytest.raises(NotFound) as other:
        store.get(PLAN.id, owner="you")
    store.put(PLAN, owner="you")
    with pytest.raises(NotFound) as nobody:
        PlanStore(store.database.path.with_name("empty.db")).get(PLAN.id, owner="you")
    assert str(other.value) == str(nobody.value)
    assert store.runs(PLAN.id, owner="you") == []


def test_states_come_back_as_they_were(store):
    run = store.begin(PLAN.id, owner="me", workspace="w", approved=True)
    state = TaskState(status=TaskStatus.ERROR, attempts=2, exit_code=1, output="ü\0", changed=("x",), error_info=ErrorInfo(
        kind=FailureKind.FAILED, message="m", diagnosis=("d",), deterministic=True))

    store.note(run.id, "a", state)

    assert store.states(run.id) == {"a": state}
    assert store.latest(PLAN.id, owner="me").approved


def test_an_execution_is_held_by_one_and_free_when_that_one_is_gone(store, tmp_path):
    program = f"""
from windtunnel.store.plans import PlanStore
print(PlanStore({str(store.database.path)!r}).begin({PLAN.id!r}, owner="me", workspace="w", approved=False).id)
"""
    dead = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    mine = store.begin(PLAN.id, owner="me", workspace="w", approved=False)

    assert not store.claim(mine.id)
    assert store.claim(dead)
    store.release(mine.id, "open")
    assert store.claim(mine.id)


def test_the_oldest_plans_are_forgotten_with_all_that_belongs_to_them(store, monkeypatch):
    monkeypatch.setattr(plans, "_MOST_PLANS", 2)
    run = store.begin(PLAN.id, owner="me", workspace="w", approved=False)
    store.note(run.id, "a", TaskState())
    for root in ("/p", "/q", "/r"):
        store.put(TaskPlan(request="", root=root, tasks=PLAN.tasks), owner="me")

    assert [plan["root"] for _, plan in store.all(owner="me")] == ["/r", "/q"]
    assert store.runs(PLAN.id, owner="me") == []
    assert store.states(run.id) == {}
