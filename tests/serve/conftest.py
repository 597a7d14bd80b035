"""One real server for all: two developers, an admin, a viewer, and a project below its root."""

import contextlib
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from windtunnel import config
from windtunnel.serve.crossing import Crossing
from windtunnel.serve.desk import Desk, Terms
from windtunnel.serve.http_app import make_app
from windtunnel.serve.http_server import Patient, listen, make_server
from windtunnel.tools.places import Places
from windtunnel.tools.table import TABLE
from windtunnel.tunnel import Tunnel


@dataclass(kw_only=True)
class Serving:
    """A server that listens, and what its users hold."""

    port: int
    desk: Desk
    keys: dict
    project: Path
    log: list

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def client(self, who="ann", **more):
        headers = {} if who is None else {"Authorization": f"Bearer {self.keys[who]}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, verify=False, **more)


@contextlib.contextmanager
def serving(folder, *, users=(), fixtures=False, body_seconds=60.0, header_seconds=15.0, threads=64, queue=2000, terms=None):
    """Start one on a free port of loopback, and end it."""
    project = folder / "project"
    project.mkdir(parents=True, exist_ok=True)
    (project / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (project / "test_calc.py").write_text("from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n")
    settings = replace(config.load({"HOME": str(folder)}), state_dir=folder / "state", cache_dir=folder / "cache")
    tools = dict(TABLE)
    if fixtures:
        from windtunnel.serve.mcp_fixture_rows import ROWS

        tools |= {row.name: row for row in ROWS}
    with Tunnel(settings) as tunnel:
        desk = Desk(tunnel, places=Places(roots=(project,)), terms=terms or Terms(), tools=tools)
        keys = {name: tunnel.keys.create(user=name, roles=roles)[1] for name, roles in users}
        log = []
        app = make_app(desk, log=log.append, fixtures=fixtures, body_seconds=body_seconds, crossing=Crossing(threads=threads, queue=queue))
        listening, ready = listen("127.0.0.1", 0), threading.Event()
        quick = type("Quick", (Patient,), {"header_seconds": header_seconds})
        server = make_server(app, ready=ready.set, protocol=quick)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        assert ready.wait(20)
        try:
            yield Serving(port=listening.getsockname()[1], desk=desk, keys=keys, project=project, log=log)
        finally:
            server.should_exit = True
            thread.join(20)
            listening.close()
            desk.close()


USERS = (("ann", ("developer",)), ("bob", ("developer",)), ("root", ("admin",)), ("eve", ("viewer",)),
         ("judge", ("approver",)))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server"), users=USERS, fixtures=True) as made:
        yield made


@pytest.fixture(scope="session")
def make_serving():
    return serving


@pytest.fixture
def ann(server):
    with server.client("ann") as client:
        yield client


@pytest.fixture
def bob(server):
    with server.client("bob") as client:
        yield client
