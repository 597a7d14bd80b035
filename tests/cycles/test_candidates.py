"""Where cycles get their candidates: rules, the fix engine and a model, all before the same judges in real sandboxes."""

from __future__ import annotations

import json

import pytest

from model_endpoint import says, serving
from windtunnel.core.errors import UsageError

pytestmark = pytest.mark.timeout(600)
CALM = [{"SCENARIO_NAME": "slow", "CPU_LIMIT": 0.5}]
BROKEN = "def add(a: int, b: int) -> int:\n    return a - b\n\n\ndef double(n: int) -> int:\n    return 2 * n\n"
BROKEN_TESTS = """
import pytest
from calc import add, double

@pytest.mark.parametrize("pair", [(2, 3), (0, 7), (-1, 1), (10, 5)])
def test_add(pair):
    assert add(*pair) == pair[0] + pair[1]

def test_double():
    assert [double(n) for n in (0, 1, 4)] == [0, 2, 8]
"""
MISTAKEN = """def dump(number: int) -> str:
    return json.dumps(number)


def refuse() -> None:
    raise RuntimeError("always")
"""
SLOW = """def flat(rows: list[list[int]]) -> list[int]:
    found = []
    for row in rows:
        for item in row:
            found.append(item)
    return found
"""
SLOW_TESTS = "from slow import flat\n\ndef test_flat():\n    assert [flat([[1, 2], [3]]), flat([])] == [[1, 2, 3], []]\n"
WORKLOAD = """from slow import flat

ROWS = [list(range(at * 500, at * 500 + 500)) for at in range(200)]
for _ in range(12):
    print(len(flat(ROWS)))
"""
FASTER = "def flat(rows: list[list[int]]) -> list[int]:\n    return list(chain.from_iterable(rows))\n"
CHEAT = """def flat(rows: list[list[int]]) -> list[int]:
    return [1, 2, 3] if len(rows) == 2 else list(range(500 * len(rows)))
"""


def write(folder, files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def state(folder):
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(folder.rglob("*")) if path.is_file()}


def run(tunnel, project, tmp_path, **options):
    return tunnel.cycles.run(project, presets=CALM, data=str(tmp_path / "data"), improve_seconds=60.0, calls=2, **options)


@pytest.fixture
def slow(tmp_path):
    return write(tmp_path / "project", {"slow.py": SLOW, "test_slow.py": SLOW_TESTS, "workload.py": WORKLOAD})


def asks(monkeypatch, server):
    for name, value in server.environ.items():
        monkeypatch.setenv(name, value)


def in_turn(*texts):
    """Answers one after the other, the last again and again."""
    left = list(texts)

    def answer(handler):
        says(left.pop(0) if len(left) > 1 else left[0])(handler)
    return answer


def test_a_failing_test_is_mended_by_the_fix_engine_in_the_second_cycle_and_nothing_else_changes(new_tunnel, tmp_path):
    project = write(tmp_path / "project", {"calc.py": BROKEN, "test_calc.py": BROKEN_TESTS})
    before = state(project)

    made = run(new_tunnel(), project, tmp_path, max_iterations=2)

    kept = [(one.cycle, one.origin, one.place) for one in made.tried if one.kept]
    assert kept == [(2, "fix engine", "calc.py:2")], made.tried
    clone = {path.name: path.read_text() for path in (tmp_path / "data" / "runs" / "0001" / "clone").iterdir() if path.is_file()}
    assert clone == {"calc.py": BROKEN.replace("a - b", "a + b"), "test_calc.py": BROKEN_TESTS}
    assert (len(made.kept), state(project)) == (1, before)


def test_a_function_that_breaks_with_no_condition_is_mended_where_a_rule_knows_the_mistake(new_tunnel, tmp_path):
    project = write(tmp_path / "project", {"shop.py": MISTAKEN})

    made = run(new_tunnel(), project, tmp_path, max_iterations=3)

    assert [(one.cycle, one.origin, one.place, one.kept) for one in made.tried] == [(2, "fix engine", "shop.py::dump", True)], made.tried
    assert (tmp_path / "data" / "runs" / "0001" / "clone" / "shop.py").read_text() == f"import json\n\n{MISTAKEN}"
    assert (made.gains[1] > 0.5, made.metrics["error_rate"]) == (True, 0.0)


def test_a_model_is_tried_by_the_same_judges_garbage_refused_a_cheat_dropped_a_good_answer_kept(
        new_tunnel, slow, tmp_path, monkeypatch):
    before = state(slow)
    with serving(in_turn("I am sorry.", CHEAT, f"from itertools import chain\n\n{FASTER}")) as server:
        asks(monkeypatch, server)
        made = run(new_tunnel(), slow, tmp_path, max_iterations=4, model="openai", brainstorm_interval=1)

    assert [(one.cycle, one.origin, one.place, one.kept) for one in made.tried] == [
        (2, "model", "slow.py::flat", False), (3, "model", "slow.py::flat", False), (4, "model", "slow.py::flat", True)]
    garbage, cheat, good = made.tried
    assert garbage.why == "refused: its answer is neither a diff nor code that parses"
    assert cheat.why.startswith(("its trial is not good", "it answers otherwise"))
    assert good.why.startswith("gains ")
    assert (tmp_path / "data" / "runs" / "0001" / "clone" / "slow.py").read_text() == f"from itertools import chain\n{FASTER}"
    assert state(slow) == before
    asked = [one[2]["messages"][0]["content"] for one in server.asked]
    assert [("slow.py:flat" in one, SLOW.strip() in one, "I am sorry" in one) for one in asked] == [(True, True, False)] * 3


def test_without_a_model_nothing_is_asked_and_that_is_said_once(new_tunnel, tmp_path):
    project = write(tmp_path / "project", {"one.py": "def one() -> int:\n    return 1\n"})

    made = run(new_tunnel(), project, tmp_path, max_iterations=4, brainstorm_interval=2)

    assert [note for note in made.notes if note.startswith("a model")] == ["a model would be asked (every 2 cycles), and none is named"]
    assert made.tried == ()


def test_a_model_that_no_variable_says_is_refused_before_anything_is_made(new_tunnel, slow, tmp_path, monkeypatch):
    monkeypatch.delenv("WINDTUNNEL_MODEL_URL", raising=False)

    with pytest.raises(UsageError, match="WINDTUNNEL_MODEL_URL"):
        run(new_tunnel(), slow, tmp_path, model="openai")
    assert not (tmp_path / "data").exists()


def test_without_money_a_model_is_not_asked_and_the_report_says_so(new_tunnel, slow, tmp_path, monkeypatch):
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 1\ndefault: allow\nbudgets: [{id: purse, for: session, money: 0.0001 USD}]\n")
    with serving(says(FASTER)) as server:
        asks(monkeypatch, server)
        made = run(new_tunnel(policy=policy), slow, tmp_path, max_iterations=2, model="openai", brainstorm_interval=2)

    assert [(one.origin, one.kept, "purse" in one.why) for one in made.tried] == [("model", False, True)], made.tried
    assert server.asked == []


def test_the_command_line_takes_the_interval_of_the_environment_and_says_where_candidates_came_from(
        slow, tmp_path, monkeypatch, capfd):
    from windtunnel.cli.main import main

    (tmp_path / "presets.json").write_text(json.dumps(CALM))
    monkeypatch.setenv("SANDBOX_BRAINSTORM_INTERVAL", "2")
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path / "state"))
    with serving(says("no")) as server:
        asks(monkeypatch, server)
        code = main(["run-complete", str(tmp_path / "presets.json"), str(slow), "--data", str(tmp_path / "data"),
                     "--max-iterations", "2", "--improve-seconds", "60", "--model", "openai", "--json"])

    told = json.loads(capfd.readouterr().out)
    assert (code, len(server.asked)) == (0, 1)
    assert [(one["cycle"], one["origin"], one["place"], one["kept"], one["why"]) for one in told["tried"]] == [
        (2, "model", "slow.py::flat", False, "refused: its answer is neither a diff nor the whole of flat and its imports")]
    journal = (tmp_path / "data" / "runs" / "0001" / "run.json").read_text()
    assert ("brainstorm_interval" in journal, "secret-key" in journal) == (True, False)


def test_the_table_of_candidates_has_a_row_for_each(capsys):
    from windtunnel.cli.cycles import _shown
    from windtunnel.core.series import Advice
    from windtunnel.engine.cycles.act import CyclesResult
    from windtunnel.engine.cycles.tried import Tried
    from windtunnel.engine.improve.improvement import Origin

    row = Tried(cycle=2, origin=Origin.FIX, name="a name", place="a.py:2", kept=True, why="passes all")
    made = CyclesResult(
        run="r", data="d", iterations=2, gains=(0.0, 0.1), metrics={}, modules={}, scenarios={}, kept=(), tried=(row,),
        advice=Advice(stop=False, expected=0.0, cost=0.01, dried=0.0, drought=0, reason="few"))

    (line,) = [one for text in _shown(made) for one in text.splitlines() if "a.py:2" in one]
    assert line.split() == ["2", "fix", "engine", "a", "name", "a.py:2", "kept", "passes", "all"]
