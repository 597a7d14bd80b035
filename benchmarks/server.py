"""What the servers add to a call of the library, and whether many clients get in each other's way."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ground import PROGRAM, ROOT, Ground
from benchmarks.rows import MILLISECONDS, Row, Target
from benchmarks.timing import NotRun, Timing, interleaved, timed
from windtunnel.core.audit import Auditing

GROUP = "server"
MOST_ADDED = 5.0
CLIENTS = 200
REQUESTS = 10_000
_ERA = "2026-07-28"
_SCHEMATHESIS = ROOT / ".tools" / "schemathesis" / "bin" / "schemathesis"
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_MCP = {"MCP-Protocol-Version": _ERA, "Mcp-Method": "tools/call", "Mcp-Name": "run_code"}
_META = {"io.modelcontextprotocol/protocolVersion": _ERA, "io.modelcontextprotocol/clientCapabilities": {},
         "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server of its own process, and the key to it."""

    port: int
    key: str

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def post(
        self, connection: http.client.HTTPConnection, path: str, body: object, **headers: str,
    ) -> dict[str, object]:
        """The answer, which must be good."""
        sent = {**_HEADERS, "Authorization": f"Bearer {self.key}", **{
            name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request("POST", path, json.dumps(body), sent)
        answer = connection.getresponse()
        told = answer.read()
        if answer.status not in (200, 202):
            raise RuntimeError(f"{answer.status}: {told[:200]!r}")
        found: dict[str, object] = json.loads(told)
        return found


@contextlib.contextmanager
def served(folder: Path) -> Iterator[Served]:
    """``windtunnel serve`` on a free port, with one key."""
    env = {**{name: value for name, value in os.environ.items() if not name.startswith("WINDTUNNEL_")},
           "WINDTUNNEL_STATE_DIR": str(folder / "state"), "WINDTUNNEL_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "windtunnel"]
    told = subprocess.run([*command, "keys", "create", "--role", "developer", "--json"], env=env, check=True,
                          capture_output=True, text=True)
    process = subprocess.Popen([*command, "serve", "--port", "0", "--rate", "100000", "--burst", "100000"], env=env,
                               stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    with process, process.stderr:
        try:
            match = re.search(r"http://127\.0\.0\.1:(\d+)", process.stderr.readline())
            if match is None:
                raise NotRun("the server did not begin (pip install 'windtunnel[server]')")
            yield Served(port=int(match[1]), key=json.loads(told.stdout)["key"])
        finally:
            process.terminate()
            process.stderr.read()


def rows(ground: Ground) -> Iterator[Row]:
    """Calls by two ways beside the library's own, many at once, and requests made up from the document."""
    with served(ground.folder / "server") as server:
        yield from _added(ground, server)
        yield _at_once(server, CLIENTS if ground.scale.runs > 10 else 20)
        yield _made_up(server, REQUESTS if ground.scale.runs > 10 else 100, folder=ground.folder)


def _added(ground: Ground, server: Served) -> Iterator[Row]:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "run_code", "arguments": {"code": PROGRAM}, "_meta": _META}}
    with ground.tunnel(pool_size=2, audit=Auditing.ON) as tunnel, contextlib.closing(server.connect()) as connection:
        tunnel.warm_up()
        server.post(connection, "/v1/tools/run_code", {"code": PROGRAM})

        def by_mcp() -> float:
            return timed(lambda: server.post(connection, "/mcp", body, **_MCP))

        def by_http() -> float:
            return timed(lambda: server.post(connection, "/v1/tools/run_code", {"code": PROGRAM}))

        def by_library() -> float:
            return timed(lambda: tunnel.run(PROGRAM).check())

        taken = interleaved({"mcp": by_mcp, "http": by_http, "library": by_library}, runs=ground.scale.runs,
                            rest=lambda: time.sleep(0.05))
    library = taken.pop("library")
    for name, timing in taken.items():
        title = f"warm run_code over {name.upper()}"
        if isinstance(timing, NotRun) or isinstance(library, NotRun):
            yield Row(group=GROUP, name=title, missing=str(timing), failed=True)
            continue
        yield _row(title, timing, library)


def _row(name: str, timing: Timing, library: Timing) -> Row:
    return Row(group=GROUP, name=name, value=timing.median * MILLISECONDS, p99=timing.p99 * MILLISECONDS,
               beside="the library call", other=library.median * MILLISECONDS, of="difference",
               target=Target(limit=MOST_ADDED), note="one connection kept open, with a key, audited")


def _at_once(server: Served, clients: int) -> Row:
    """Each with a connection of its own, while another's slow call runs."""
    ready = threading.Barrier(clients)

    def one(number: int) -> bool:
        with contextlib.closing(server.connect()) as connection:
            connection.connect()
            ready.wait(60)
            answer = server.post(connection, "/v1/tools/run_code", {"code": f"print({number})"})
            return answer["stdout"] == f"{number}\n"

    with contextlib.closing(server.connect()) as connection:
        slow = server.post(connection, "/v1/tools/run_code", {"code": "import time; time.sleep(25)"},
                           Prefer="respond-async")
        began = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            good = sum(pool.map(one, range(clients)))
        seconds = time.perf_counter() - began
        connection.request("DELETE", f"/v1/jobs/{slow['id']}", headers={"Authorization": f"Bearer {server.key}"})
        connection.getresponse().read()
    return Row(group=GROUP, name=f"{clients} clients at once, a slow call beside them: answered", value=float(good),
               unit="", of="value", target=Target(limit=clients, least=True), note=f"all within {seconds:.1f} s")


def _made_up(server: Served, requests: int, *, folder: Path) -> Row:
    name = "requests made up from the OpenAPI document: faults of ours"
    if not _SCHEMATHESIS.exists():
        return Row(group=GROUP, name=name, missing="schemathesis is not installed (tools/system-packages)")
    address = f"http://127.0.0.1:{server.port}"
    each = max(2, requests // 38)
    told = subprocess.run([
        str(_SCHEMATHESIS), "run", f"{address}/openapi.json", "-H", f"Authorization: Bearer {server.key}",
        "-n", str(each), "--checks", "not_a_server_error", "--phases", "examples,fuzzing",
        "--exclude-path-regex", "/events$", "--no-shrink", "--continue-on-failure",
        "--suppress-health-check", "all", "--workers", "2", "--seed", "1"],
        cwd=folder, env={"PATH": os.environ["PATH"], "HOME": str(folder)}, capture_output=True, text=True, timeout=3600,
        check=False)
    count = re.search(r"(\d+) generated", told.stdout)
    if count is None:
        return Row(group=GROUP, name=name, missing=f"failed: {told.stdout[-200:]}", failed=True)
    failed = re.search(r"(\d+) found .*unique failures|(\d+) unique failures", told.stdout)
    faults = int(next(filter(None, failed.groups()), "0")) if failed else int(told.returncode != 0)
    return Row(group=GROUP, name=name, value=float(faults), unit="", of="value", target=Target(limit=0),
               note=f"{count[1]} requests")
