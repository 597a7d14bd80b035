"""A model as a source: a real endpoint on loopback that answers well, badly, late, too much, or not at all."""

from __future__ import annotations

import contextlib
import threading

import pytest
from fixing import CALC, ONE_FAULT, PYTEST, write

from model_endpoint import says, serving
from windtunnel.config import load
from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import FixState, Scene
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.model import source_of
from windtunnel.repair.model import Endpoint, ModelFailed, ask

pytestmark = pytest.mark.timeout(600)
GOOD = "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"


@pytest.fixture
def model():
    with contextlib.ExitStack() as held:
        yield lambda answer: held.enter_context(serving(answer))


def proposals(server, *, spend=lambda _: None, budget=30.0, scene=None):
    told = []
    source = source_of(Fix(project=".", budget=budget, tell=told.append), spend=spend, environ=server.environ)
    shown = scene or Scene(paths=("calc.py",), read={"calc.py": CALC, "test_calc.py": "x = 1\n"}.get,
                           problems=(Problem(kind="assertion", message="assert -1 == 5", place=Place(file="calc.py", line=2)),))
    return list(source(shown)), [event.text for event in told]


@pytest.mark.parametrize("text", [GOOD, f"Here you are:\n```diff\n{GOOD}```\nRun `rm -rf /` afterwards.", GOOD.replace("a/calc", "calc").replace("b/calc", "calc")])
def test_a_diff_becomes_a_proposal_and_words_around_it_nothing(model, text):
    found, told = proposals(model(says(text)))

    assert [(one.edits[0].path, one.edits[0].text, one.origin, one.place.line) for one in found] == [
        ("calc.py", CALC.replace("a - b", "a + b"), "model", 1)]
    assert told == ["the model answered: 1000 tokens asked, 50 answered, 0.001100 USD"]


def test_the_question_has_the_problem_and_the_code_and_the_key_in_its_header_alone(model):
    server = model(says(GOOD))
    proposals(server)

    ((path, key, asked),) = server.asked
    prompt = asked["messages"][0]["content"]
    assert (path, key, asked["model"]) == ("/v1/chat/completions", "Bearer secret-key", "small")
    assert ("assert -1 == 5" in prompt, "return a - b" in prompt, "secret-key" in prompt) == (True, True, False)


def test_code_that_looks_like_a_part_of_the_question_stays_code(model):
    server = model(says(GOOD))
    scene = Scene(paths=("calc.py",), read={"calc.py": "x = '{problems} {paths}'\n"}.get)
    proposals(server, scene=scene)

    assert "x = '{problems} {paths}'" in server.asked[0][2]["messages"][0]["content"]


@pytest.mark.parametrize(("text", "why"), [
    ("I am sorry, I cannot.", "its answer is no diff"),
    (GOOD.replace("calc.py", "test_calc.py"), "touches what may not be touched"),
    (GOOD.replace("calc.py", "../../etc/passwd"), "nothing from the model"),
    ("--- /dev/null\n+++ b/evil.py\n@@ -0,0 +1 @@\n+import os\n", "touches what may not be touched"),
    ("--- a/calc.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-def add(a, b):\n", "nothing from the model"),
    (GOOD.replace("return a - b", "return nothing like it"), "does not fit"),
    (GOOD.replace("@@ -1,2 +1,2 @@", "@@ nonsense @@"), "nothing from the model"),
    (GOOD.replace("a + b", "'\ud800'"), "signs that no text has"),
    (b"not json", "not of the form"), (b'{"choices": []}', "not of the form"), (b"[" * 100_000, "not of the form"),
    (b'{"choices": [{"message": {"content": 5}}]}', "no text"), (b"x" * (3 * 1024**2), "larger than")])
def test_what_cannot_be_used_is_told_and_nothing_is_proposed(model, text, why):
    found, told = proposals(model(says(text)))

    assert (found, why in told[-1]) == ([], True), told


def test_an_endpoint_that_refuses_or_sends_elsewhere_is_told(model):
    found, told = proposals(model(says(GOOD, status=302)))

    assert (found, told) == ([], ["nothing from the model: the model's endpoint answered with 302"])


def test_an_answer_that_never_comes_is_not_waited_for_longer_than_there_is_time(model):
    over = threading.Event()
    server = model(lambda _: over.wait(60))
    try:
        with pytest.raises(ModelFailed, match="timed out"):
            ask(Endpoint.of(server.environ), "x", seconds=0.3)
    finally:
        over.set()


def test_an_answer_that_drips_is_not_waited_for_longer_than_there_is_time(model):
    over = threading.Event()

    def drip(handler):
        handler.send_response(200)
        handler.end_headers()
        while not over.wait(0.01):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    server = model(drip)
    try:
        with pytest.raises(ModelFailed, match="in time"):
            ask(Endpoint.of(server.environ), "x", seconds=0.5)
    finally:
        over.set()


def test_the_most_that_an_answer_can_cost_is_spent_before_it_is_asked_for(model):
    server, spent = model(says(GOOD)), []

    proposals(server, spend=lambda price: spent.append((price, len(server.asked))))

    assert [(before, float(price.split()[0]) > 0.0082) for price, before in spent] == [(0, True)]


def test_at_most_a_few_questions_are_asked_for_one_fix(model):
    server = model(says(GOOD))
    source = source_of(Fix(project="."), spend=lambda _: None, environ=server.environ)
    for _ in range(9):
        list(source(Scene(paths=("calc.py",), read={"calc.py": CALC}.get)))

    assert len(server.asked) == 4


@pytest.mark.parametrize(("environ", "variable"), [
    ({}, "WINDTUNNEL_MODEL_URL"), ({"WINDTUNNEL_MODEL_URL": "http://x"}, "WINDTUNNEL_MODEL_NAME"),
    ({"WINDTUNNEL_MODEL_URL": "file:///etc/passwd", "WINDTUNNEL_MODEL_NAME": "m"}, "WINDTUNNEL_MODEL_URL"),
    ({"WINDTUNNEL_MODEL_URL": "http://u:p@x", "WINDTUNNEL_MODEL_NAME": "m"}, "WINDTUNNEL_MODEL_URL"),
    ({"WINDTUNNEL_MODEL_URL": "http://x", "WINDTUNNEL_MODEL_NAME": "m", "WINDTUNNEL_MODEL_PRICE": "cheap"}, "WINDTUNNEL_MODEL_PRICE")])
def test_a_variable_that_is_missing_or_wrong_is_named(environ, variable):
    with pytest.raises(UsageError, match=variable):
        Endpoint.of(environ)


def test_the_variables_of_a_model_are_no_unknown_settings(tmp_path):
    load(dict.fromkeys(("WINDTUNNEL_MODEL_URL", "WINDTUNNEL_MODEL_KEY"), "x") | {"HOME": str(tmp_path)})

    with pytest.raises(UsageError, match="WINDTUNNEL_MODEL_NAMES"):
        load({"WINDTUNNEL_MODEL_NAMES": "x", "HOME": str(tmp_path)})


def test_a_fix_of_a_model_is_proven_like_every_other_and_paid_from_the_budget(model, new_tunnel, tmp_path, monkeypatch):
    server = model(says(GOOD))
    for name, value in server.environ.items():
        monkeypatch.setenv(name, value)
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 1\ndefault: allow\nbudgets: [{id: purse, for: session, money: 1.00 USD}]\n")
    monkeypatch.setattr("windtunnel.repair.sources._BY_LANGUAGE", {"python": ()})
    tunnel = new_tunnel(policy=policy)

    result = tunnel.fix(write(tmp_path / "project", ONE_FAULT), model="openai", **PYTEST)

    assert (result.state, [(one.origin, one.outcome) for one in result.attempts]) == (FixState.FIXED, [("model", "fixes all")])


def test_without_money_the_model_is_not_asked_and_the_fix_goes_on(model, new_tunnel, tmp_path, monkeypatch):
    server = model(says(GOOD))
    for name, value in server.environ.items():
        monkeypatch.setenv(name, value)
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 1\ndefault: allow\nbudgets: [{id: purse, for: session, money: 0.0001 USD}]\n")
    monkeypatch.setattr("windtunnel.repair.sources._BY_LANGUAGE", {"python": ()})

    result = new_tunnel(policy=policy).fix(write(tmp_path / "project", ONE_FAULT), model="openai", **PYTEST)

    assert (result.state, server.asked) == (FixState.UNFIXED, [])
