import json
import threading
import time
from dataclasses import replace

import pytest

from windtunnel import config
from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import Cancelled, NotFound, Refused
from windtunnel.core.keys import KeyRefused
from windtunnel.core.result import Reason
from windtunnel.serve.desk import Desk
from windtunnel.store.audit.query import find
from windtunnel.store.database import unless_busy
from windtunnel.store.papers import MOST_PAPERS, Papers
from windtunnel.tools.shaping import MOST_BYTES, bounded
from windtunnel.tunnel import Tunnel


@pytest.fixture
def tunnel(tmp_path):
    settings = replace(config.load({"HOME": str(tmp_path)}), state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    with Tunnel(settings, pool_size=0) as made:
        yield made


def test_a_view_acts_in_its_users_name_and_shares_the_sandboxes(tunnel):
    ann, bob = tunnel.acting("ann", ("developer",)), tunnel.acting("bob")
    mine, theirs = ann.run("print(1)"), bob.run("print(2)")
    actors = [record.entry.actor for record in find(tunnel.audit, AuditQuery(kind="run"))]

    assert ann.rig.sandbox is tunnel.rig.sandbox
    assert actors == ["ann", "bob"]
    assert [row["id"] for row in ann.history.recent()] == [mine.id]
    assert ann.history.get(theirs.id) is None
    assert {row["id"] for row in tunnel.history.recent()} == {mine.id, theirs.id}


def test_closing_a_view_leaves_the_shared_tunnel_open(tunnel):
    with tunnel.acting("ann") as view:
        view.run("print(1)")

    assert tunnel.run("print(2)").stdout == "2\n"


def test_roles_reach_the_policy(tunnel, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 1\ndefault: allow\nrules:\n- id: no-guests\n  effect: deny\n  when: '\"guest\" in request.roles'\n")
    tunnel.settings = replace(tunnel.settings, policy=policy)

    allowed = tunnel.acting("ann", ("developer",)).run("print(1)")
    with pytest.raises(Refused, match="no-guests"):
        tunnel.acting("ann", ("guest",)).run("print(1)")

    assert allowed.success


def test_what_one_view_runs_is_stopped_alone_and_nothing_more_begins(tunnel):
    stop = threading.Event()
    view, answers = tunnel.acting("ann", stop=stop.is_set), {}
    runner = threading.Thread(target=lambda: answers.update(stopped=view.run("import time; time.sleep(20)")))
    other = threading.Thread(target=lambda: answers.update(other=tunnel.acting("bob").run("import time; time.sleep(1)")))
    for thread in (runner, other):
        thread.start()
    time.sleep(0.6)
    begun = time.monotonic()
    stop.set()
    runner.join(10)
    other.join(10)

    assert time.monotonic() - begun < 8
    assert answers["stopped"].reason is Reason.CANCELLED
    assert answers["other"].success
    with pytest.raises(Cancelled):
        view.run("print(1)")


def test_a_projects_own_configuration_tightens_a_view_and_never_loosens_it(tunnel, tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".windtunnel.toml").write_text("allow_network = false\n[caps]\nwall_seconds = 2\n")

    view = tunnel.acting("ann", project=tmp_path / "p")

    assert (view.settings.allow_network, view.settings.caps.wall_seconds, view.rig.caps.wall_seconds) == (False, 2, 2)
    assert tunnel.settings.allow_network


def test_workspaces_of_a_view_are_its_users(tunnel):
    made = tunnel.acting("ann").workspaces.create(None, name="mine")

    with pytest.raises(NotFound):
        tunnel.acting("bob").workspaces.get(made.id)


def test_papers_are_their_owners_and_bounded(tmp_path):
    papers = Papers(tmp_path / "papers.db")
    papers.keep("ann", kind="report", name="a", text="{}")
    for number in range(MOST_PAPERS + 5):
        papers.keep("bob", kind="receipt", name=str(number), text="x")

    assert papers.get("ann", kind="report", name="a") == "{}"
    assert papers.get("bob", kind="report", name="a") is None
    assert len(papers.names("bob", kind="receipt", limit=10_000)) == MOST_PAPERS
    papers.close()


@pytest.mark.parametrize("told", [
    {"reason": "r", "text": "x" * 10**6}, {"reason": "r", "list": ["y" * 500] * 5000},
    {"reason": "r", "deep": [{"a": "\N{SNOWMAN}" * 3000, "b": list(range(1000))}] * 300}, {"reason": "r", "n": [1] * 10**6}])
def test_an_answer_is_bounded_and_keeps_its_shape(told):
    short, cut = bounded(told)

    assert cut
    assert len(json.dumps(short, ensure_ascii=False).encode()) <= MOST_BYTES
    assert short["reason"] == "r"
    assert {name: type(value) for name, value in short.items()} == {name: type(value) for name, value in told.items()}


def test_a_small_answer_is_left_alone():
    assert bounded({"reason": "r", "x": "y"}) == ({"reason": "r", "x": "y"}, False)



def test_a_key_is_looked_at_without_waiting_where_nobody_else_uses_the_disk(tunnel):
    desk = Desk(tunnel)
    row, key = desk.keys.create(user="ann", roles=["developer"])
    held, over = threading.Event(), threading.Event()

    def hold():
        with unless_busy():
            held.set()
            over.wait(10)

    at_once = desk.admit_at_once(key).user
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    busy = desk.admit_at_once(key)
    over.set()
    holder.join()
    desk.keys.revoke(row.id)

    assert (at_once, busy) == ("ann", None)
    with pytest.raises(KeyRefused):
        desk.admit_at_once(key)
    desk.close()
