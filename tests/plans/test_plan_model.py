"""A model that proposes plans: the same JSON, through the same check."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from windtunnel.core.analysis import Analysis, CodeMetrics, Dependencies, Part, Structure
from windtunnel.core.errors import UsageError
from windtunnel.engine.plan.model import propose

ANALYSIS = Analysis(root="/project", tree="hash", dependencies=Dependencies(), metrics=CodeMetrics(),
                    structure=Structure(parts=(Part(folder="", ecosystem="go", manifests=("go.mod",)),)))


@pytest.fixture
def asked():
    """Answers with what it is given; keeps what it was asked."""
    told = {"questions": [], "answer": ""}

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self):
            told["questions"].append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps({"choices": [{"message": {"content": told["answer"]}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    told["environ"] = {"WINDTUNNEL_MODEL_URL": f"http://127.0.0.1:{server.server_port}", "WINDTUNNEL_MODEL_NAME": "small",
                       "WINDTUNNEL_MODEL_PRICE": "1/2 EUR"}
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


def proposed(asked, answer, **more):
    asked["answer"] = answer if isinstance(answer, str) else json.dumps(answer)
    spent = asked.setdefault("spent", [])
    return propose("test it", ANALYSIS, environ=asked["environ"], spend=spent.append, **more)


def test_what_a_model_proposes_is_checked_marked_and_told(asked):
    plan = proposed(asked, {"tasks": [
        {"id": "test", "description": "Test", "command": "go test ./...", "purpose": "test", "hosts": ["evil.example"],
         "env": {"A": "1"}, "risk": "low"},
        {"id": "push", "description": "Push", "command": "git push", "depends_on": ["test"], "approval": ""}]})

    test, push = plan.tasks
    assert (plan.root, plan.tree, test.hosts, test.env) == ("/project", "hash", (), {})
    assert push.approval == "git push sends commits elsewhere"
    assert plan.notes == ("proposed by the model small",)
    assert asked["spent"][0].endswith(" EUR")
    assert "test it" in asked["questions"][0]["messages"][0]["content"]


@pytest.mark.parametrize("answer", [
    "I cannot do that", "[]", {"tasks": []}, {"tasks": [{"id": "a", "description": "", "command": "rm -rf /"}]},
    {"tasks": [{"id": "a", "description": "", "command": "x", "folder": "/etc"}]}, {"tasks": "x"},
    {"tasks": [{"id": "a", "description": "", "command": "x", "depends_on": ["a"]}]}])
def test_what_is_no_plan_is_refused(asked, answer):
    with pytest.raises(UsageError):
        proposed(asked, answer)


def test_it_cannot_say_where_it_runs(asked):
    plan = proposed(asked, {"root": "/etc", "workspace": "others", "tasks": [
        {"id": "a", "description": "", "command": "true"}]})

    assert (plan.root, plan.workspace) == ("/project", "")
