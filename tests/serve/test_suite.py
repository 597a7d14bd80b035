"""Suites and clients that nobody here wrote: the protocol's conformance suite and its inspector, in both eras."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / ".tools" / "mcp" / "node_modules" / ".bin"
pytestmark = pytest.mark.skipif(not (TOOLS / "conformance").exists(),
                                reason="the suite is not installed here (npm; tools/system-packages installs it)")


def program(name, *arguments, seconds=150):
    env = {"PATH": f"{TOOLS}:{os.environ['PATH']}", "HOME": os.environ.get("HOME", "/tmp")}
    return subprocess.run([str(TOOLS / name), *arguments], env=env, capture_output=True, text=True, timeout=seconds, check=False)


@pytest.fixture(scope="module")
def address(command_line, tmp_path_factory):
    """A server of its own process, without keys: the suite has none to send."""
    process = command_line(tmp_path_factory.mktemp("open")).start(
        "serve", "--port", "0", "--conformance-fixtures", stderr=subprocess.PIPE, text=True)
    with process, process.stderr:
        yield process.stderr.readline().split("listening on ")[1].split(" ")[0]
        process.terminate()
        process.stderr.read()


def outcomes(folder):
    """Every check of every scenario, by scenario."""
    found = {}
    for path in Path(folder).rglob("checks.json"):
        scenario = path.parent.name.removeprefix("server-").rpartition("-2026-")[0] or path.parent.name
        found[scenario] = [check["status"] for check in json.loads(path.read_text())]
    return found


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_every_required_check_of_the_era_passes(address, tmp_path, era):
    told = program("conformance", "server", "--url", f"{address}/mcp", "--requirements", era, "-o", str(tmp_path))

    assert told.returncode == 0, told.stdout[-3000:]
    statuses = [status for checks in outcomes(tmp_path).values() for status in checks]
    assert statuses.count("SUCCESS") >= {"2025-11-25": 80, "2026-07-28": 170}[era]


def test_the_inspector_lists_and_calls_tools_over_http_with_a_key(server):
    key = f"Authorization: Bearer {server.keys['ann']}"
    told = program("mcp-inspector", "--cli", f"{server.url}/mcp", "--transport", "http", "--protocol-era", "modern",
                   "--header", key, "--method", "tools/call", "--tool-name", "run_code", "--tool-arg", "code=print(6*7)",
                   "--format", "json")

    assert told.returncode == 0, told.stderr[-2000:]
    assert "42" in told.stdout


def test_the_inspector_lists_tools_over_standard_input_and_output(tmp_path):
    env = [item for name, value in (("WINDTUNNEL_STATE_DIR", tmp_path / "state"), ("WINDTUNNEL_CACHE_DIR", tmp_path / "cache"))
           for item in ("-e", f"{name}={value}")]
    told = program("mcp-inspector", "--cli", *env, sys.executable, "-m", "windtunnel", "mcp", "--method", "tools/list")

    assert told.returncode == 0, told.stderr[-2000:]
    assert '"run_code"' in told.stdout
