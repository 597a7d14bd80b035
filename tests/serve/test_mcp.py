"""The protocol's own client against the real server, in both eras, over HTTP and over standard input and output."""

import asyncio
import contextlib
import json
import os
import sys
import time
import warnings
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from windtunnel.tools.table import TABLE

ERAS = ("2025-11-25", "2026-07-28")


@contextlib.asynccontextmanager
async def over_http(server, who="ann"):
    headers = {"Authorization": f"Bearer {server.keys[who]}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http, streamable_http_client(
            f"{server.url}/mcp", http_client=http) as streams:
        yield streams


def talk(make, era, act, **more):
    """Run ``act(client)`` in a connection of this era."""
    async def whole():
        mode = "legacy" if era == ERAS[0] else era
        async with Client(make(), mode=mode, **more) as client:
            return await act(client)

    return asyncio.run(asyncio.wait_for(whole(), 120))


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


def test_tools_are_listed_with_schemas_and_hints(server, era):
    async def act(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in talk(lambda: over_http(server), era, act)}

    run = tools["run_code"]
    assert run.input_schema["properties"]["code"]["type"] == "string"
    assert run.input_schema["additionalProperties"] is False
    assert run.output_schema["required"][:1] == ["reason"]
    assert tools["get_history"].annotations.read_only_hint
    assert tools["undo_changes"].annotations.destructive_hint
    assert "approve" not in tools


def test_a_call_gives_structured_content_that_fits_its_schema(server, era):
    async def act(client):
        return await client.call_tool("run_code", {"code": "print(6 * 7)"})

    result = talk(lambda: over_http(server), era, act)

    assert (result.is_error, result.structured_content["stdout"]) == (False, "42\n")
    assert json.loads(result.content[0].text) == result.structured_content


def test_a_wrong_call_tells_a_model_what_to_do_instead(server, era):
    async def act(client):
        return (await client.call_tool("run_code", {"code": 5}), await client.call_tool("approve", {"id": "0123456789"}))

    wrong, forbidden = talk(lambda: over_http(server), era, act)

    assert wrong.is_error
    assert forbidden.is_error
    assert wrong.content[0].text.startswith("usage: code: Input should be a valid string\nCorrect the argument")
    assert forbidden.content[0].text.startswith("forbidden: key: does not permit approve")


def test_progress_comes_while_a_long_call_runs(server, era):
    heard = []

    async def act(client):
        async def progress(done, total, message):
            heard.append((done, message))

        made = await client.call_tool("create_sandbox_workspace", {"session_id": f"progress-{era}"})
        name = made.structured_content["workspace_id"]
        command = "for i in 1 2 3 4; do echo step $i; sleep 0.15; done"
        ran = await client.call_tool("execute_command", {"workspace_id": name, "command": command}, progress_callback=progress)
        await client.call_tool("destroy_workspace", {"workspace_id": name})
        return ran

    ran = talk(lambda: over_http(server), era, act)

    assert ran.structured_content["exit_code"] == 0
    assert any("step" in (message or "") for _, message in heard)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)


def test_a_client_of_the_older_era_that_asked_for_a_level_hears_words_on_the_way(server):
    heard = []

    async def listen(message):
        heard.append(str(message.data))

    async def act(client):
        await client.call_tool("run_code", {"code": "print(1)"})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await client.set_logging_level("info")
        made = (await client.call_tool("create_sandbox_workspace", {})).structured_content["workspace_id"]
        await client.call_tool("execute_command", {"workspace_id": made, "command": "echo heard; sleep 0.3"})
        await client.call_tool("destroy_workspace", {"workspace_id": made})

    talk(lambda: over_http(server), ERAS[0], act, logging_callback=listen)

    assert any("heard" in words for words in heard)


def test_a_call_that_is_given_up_ends_its_program(server, era):
    mark = f"sleep 33.{ERAS.index(era)}7"

    async def act(client):
        with pytest.raises((TimeoutError, asyncio.TimeoutError, MCPError)):
            async with asyncio.timeout(1.5):
                await client.call_tool("run_code", {"code": mark, "language": "sh"})

    talk(lambda: over_http(server), era, act)
    until = time.monotonic() + 10
    while (alive := running(mark)) and time.monotonic() < until:
        time.sleep(0.05)

    assert not alive


def running(words):
    """Whether a process with these words is anywhere on the machine."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" "))
    return any(words.encode() in line and b"pytest" not in line for line in found)


def test_resources_are_the_callers_own(server, era):
    async def act(client):
        ran = await client.call_tool("run_code", {"code": "print('kept')"})
        uri = f"windtunnel://history/{ran.structured_content['id']}"
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
        return uri, listed, templates, await client.read_resource(uri)

    uri, listed, templates, read = talk(lambda: over_http(server), era, act)

    async def other(client):
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource(uri)
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource("windtunnel://history/none")

    talk(lambda: over_http(server, "bob"), era, other)
    assert {"windtunnel://history", "windtunnel://status"} <= listed
    assert "windtunnel://workspaces/{workspace}/files/{+path}" in templates
    assert "kept" in read.contents[0].text


def test_files_of_a_workspace_are_resources(server, era):
    async def act(client):
        made = (await client.call_tool("create_sandbox_workspace", {})).structured_content["workspace_id"]
        await client.call_tool("write_file", {"workspace_id": made, "path": "a/b c.txt", "content": "hello"})
        read = await client.read_resource(f"windtunnel://workspaces/{made}/files/a/b%20c.txt")
        with pytest.raises(MCPError):
            await client.read_resource(f"windtunnel://workspaces/{made}/files/../../../etc/passwd")
        await client.call_tool("destroy_workspace", {"workspace_id": made})
        return read

    assert talk(lambda: over_http(server), era, act).contents[0].text == "hello"


def test_prompts_name_the_tools_and_hold_their_arguments(server, era):
    async def act(client):
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        return names, await client.get_prompt("review_change", {"project": "/srv/x", "patch": "--- a"})

    names, prompt = talk(lambda: over_http(server), era, act)

    assert names[:3] == ["review_change", "fix_failing_project", "explore_repository"]
    assert "try_changes" in prompt.messages[0].content.text
    assert "/srv/x" in prompt.messages[0].content.text


def test_a_session_is_its_makers_alone(server):
    import httpx

    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
    accept = {"Accept": "application/json, text/event-stream"}
    with server.client("ann") as ann, server.client("bob") as bob:
        session = ann.post("/mcp", json=body, headers=accept).headers["mcp-session-id"]
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        stolen = bob.post("/mcp", json=ping, headers=accept | {"mcp-session-id": session})
        unknown = bob.post("/mcp", json=ping, headers=accept | {"mcp-session-id": "0" * 32})
    without = httpx.post(f"{server.url}/mcp", json=body, headers=accept)

    assert (stolen.status_code, unknown.status_code, without.status_code) == (404, 404, 401)
    assert stolen.content == unknown.content


def modern(client, method, name, params, *, tasks):
    """One request of the newer era, by hand: the SDK's client has no tasks yet."""
    capabilities = {"extensions": {"io.modelcontextprotocol/tasks": {}}} if tasks else {}
    meta = {"io.modelcontextprotocol/protocolVersion": ERAS[1], "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": ERAS[1], "Mcp-Method": method,
               "Mcp-Name": name}
    return client.post("/mcp", json=body, headers=headers).json()


def test_long_work_is_a_task_for_clients_that_know_of_tasks_and_its_owners_alone(server):
    call = {"name": "slow_compute", "arguments": {"seconds": 30}}
    with server.client("ann") as ann, server.client("bob") as bob:
        made = modern(ann, "tools/call", "slow_compute", call, tasks=True)["result"]
        task = {"taskId": made["taskId"]}
        at_work = modern(ann, "tasks/get", made["taskId"], task, tasks=True)["result"]
        stolen = modern(bob, "tasks/get", made["taskId"], task, tasks=True)
        unknown = modern(bob, "tasks/get", "x", {"taskId": "x"}, tasks=True)
        unasked = modern(ann, "tasks/get", made["taskId"], task, tasks=False)
        modern(ann, "tasks/cancel", made["taskId"], task, tasks=True)
        until = time.monotonic() + 20
        while (ended := modern(ann, "tasks/get", made["taskId"], task, tasks=True)["result"])["status"] == "working":
            assert time.monotonic() < until
            time.sleep(0.05)

    assert (made["resultType"], made["status"], at_work["status"], ended["status"]) == ("task", "working", "working", "cancelled")
    assert stolen["error"] == unknown["error"]
    assert unasked["error"]["code"] == -32021


@pytest.fixture
def stdio(tmp_path):
    def make(**env):
        return StdioServerParameters(
            command=sys.executable, args=["-m", "windtunnel", "mcp"], cwd=tmp_path, env={
                "PATH": os.environ["PATH"], "HOME": str(tmp_path), "WINDTUNNEL_STATE_DIR": str(tmp_path / "state"),
                "WINDTUNNEL_CACHE_DIR": str(tmp_path / "cache"), **env})

    return make


def test_over_standard_input_and_output_without_keys_it_is_whoever_started_it(stdio, tmp_path, era):
    (tmp_path / "p").mkdir()

    async def act(client):
        ran = await client.call_tool("run_code", {"code": "print(1)"})
        own = await client.call_tool("check_policy", {"verb": "try", "project": str(tmp_path / "p")})
        other = await client.call_tool("check_policy", {"verb": "try", "project": "/etc"})
        return ran, own, other

    ran, own, other = talk(stdio, era, act)

    assert (ran.structured_content["stdout"], own.structured_content["effect"], other.is_error) == ("1\n", "allow", True)


def test_over_standard_input_and_output_the_key_stands_in_the_environment(stdio, cli, tmp_path):
    told = json.loads(cli("keys", "create", "--role", "viewer", "--user", "vic", "--json").stdout)["key"]
    refused = cli("mcp")

    async def act(client):
        names = {tool.name for tool in (await client.list_tools()).tools}
        return names, await client.call_tool("run_code", {"code": "1"})

    names, ran = talk(lambda: stdio(WINDTUNNEL_API_KEY=told), ERAS[1], act)

    assert (refused.returncode, "key: none" in refused.stderr) == (2, True)
    assert "run_code" not in names
    assert ran.is_error


def test_no_tool_takes_an_argument_from_a_header():
    schemas = json.dumps([tool.input_schema for tool in TABLE.values()])

    assert "x-mcp-header" not in schemas
