"""The described server's own door, its configuration and its file of users."""

import json

import pytest

from windtunnel import IntelligentSandboxMCPServer, config
from windtunnel.config.described import load_described
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.core.result import Level

SAMPLE = {
    "isolation": {
        "use_docker": True, "container_image": "ubuntu:22.04",
        "resource_limits": {"memory_mb": 2048, "cpu_cores": 2, "disk_mb": 5120}, "network_isolation": True,
        "allowed_hosts": ["packages.example", "code.example"]},
    "execution": {"default_timeout": 300, "max_concurrent_tasks": 5, "enable_error_recovery": True},
    "logging": {"level": "INFO", "database_path": "./logs/sandbox.db", "max_log_size_mb": 100},
    "cache": {"enable_analysis_cache": True, "cache_ttl_hours": 24, "max_cache_size_mb": 500}}


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def act(told):
        path = tmp_path / "sandbox.json"
        path.write_text(json.dumps(told))
        return {"HOME": str(tmp_path), "SANDBOX_CONFIG_PATH": str(path)}

    return act


def test_the_described_configuration_is_mapped_onto_ours(write, tmp_path):
    found = load_described(write(SAMPLE))
    limits, caps = found.settings.default_limits, found.settings.caps

    assert found.level is Level.CONTAINER
    assert (limits.memory_bytes, limits.cores, limits.disk_bytes, limits.wall_seconds) == (2048 * MIB, 2, 5120 * MIB, 300)
    assert (caps.memory_bytes, caps.cores, caps.disk_bytes, caps.wall_seconds) == (2048 * MIB, 2, 5120 * MIB, 300)
    assert found.settings.allow_network
    assert found.allowed_hosts == ("packages.example", "code.example")
    assert found.settings.state_dir == tmp_path / "logs"
    assert found.settings.images["bash"] == "ubuntu:22.04"
    assert (found.concurrent_tasks, found.log_level) == (5, "INFO")
    assert (found.settings.analysis_hours, found.settings.analysis_cache_bytes) == (24, 500 * MIB)
    assert len(found.notes) == 2


def test_variables_win_over_the_file(write):
    environ = write(SAMPLE) | {"SANDBOX_LOG_LEVEL": "DEBUG", "SANDBOX_USE_DOCKER": "false", "WINDTUNNEL_MAX_SECONDS": "60"}

    found = load_described(environ)

    assert (found.log_level, found.level) == ("DEBUG", Level.PROCESS)
    assert (found.settings.caps.wall_seconds, found.settings.default_limits.wall_seconds) == (60, 60)


def test_without_a_file_our_own_settings_hold(tmp_path):
    environ = {"HOME": str(tmp_path)}

    found = load_described(environ)

    assert (found.settings, found.level) == (config.load(environ), None)


def test_isolation_without_allowed_hosts_forbids_the_network(write):
    assert not load_described(write({"isolation": {"network_isolation": True}})).settings.allow_network


@pytest.mark.parametrize(("told", "name"), [
    ({"isolation": {"privileged": True}}, "isolation.privileged: unknown"), ({"extra": {}}, "extra: unknown"),
    ({"isolation": {"resource_limits": {"memory_mb": -1}}}, "isolation.resource_limits.memory_mb"),
    ({"isolation": {"resource_limits": {"cpu_cores": True}}}, "isolation.resource_limits.cpu_cores"),
    ({"execution": 5}, "execution: not an object"), ({"isolation": {"use_docker": "yes"}}, "isolation.use_docker"),
    ({"logging": {"level": "LOUD"}}, "logging.level"), ({"execution": {"default_timeout": 1e300}}, "execution.default_timeout"),
])
def test_what_is_unknown_or_wrong_is_refused_by_name(write, told, name):
    with pytest.raises(UsageError, match=name):
        load_described(write(told))


@pytest.fixture
def door(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("WINDTUNNEL_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").write_text("print('hello')\n")

    def make():
        return IntelligentSandboxMCPServer()

    return make


def test_the_described_sample_runs_without_keys_as_whoever_runs_it(door, tmp_path):
    with door() as server:
        made = server._tool_create_sandbox_workspace({"source_path": str(tmp_path / "project"), "api_key": "your-api-key"}, None)
        ran = server._tool_execute_command({"workspace_id": made["workspace_id"], "command": "python3 a.py",
                                            "api_key": "your-api-key"}, None)
        status = server._tool_get_sandbox_status({"api_key": "your-key"}, None)
        wrong = server._tool_execute_command({"workspace_id": "none", "command": "true"}, None)

    assert (made["success"], ran["stdout"], status["active_workspaces"]) == (True, "hello\n", 1)
    assert (wrong["success"], wrong["error"]["code"]) == (False, "not-found")


def test_the_described_samples_of_analysis_and_plans_run(door, tmp_path):
    (tmp_path / "project" / "Makefile").write_text("test:\n\techo tested\n")
    (tmp_path / "project" / "main.c").write_text("int main(void) { return 0; }\n")
    with door() as server:
        key = {"api_key": "your-api-key"}
        workspace = server._tool_create_sandbox_workspace({"source_path": str(tmp_path / "project"), **key}, None)["workspace_id"]
        analysis = server._tool_analyze_codebase({"workspace_id": workspace, **key}, None)
        plan = server._tool_create_task_plan(
            {"workspace_id": workspace, "task_description": "Run comprehensive tests", **key}, None)
        done = server._tool_execute_task_plan({"plan_id": plan["plan_id"], **key}, None)

    assert "C" in [one["name"] for one in json.loads(json.dumps(analysis))["languages"]]
    assert (done["success"], done["tasks_completed"]) == (True, len(plan["tasks"]))


def test_with_a_file_of_users_the_key_decides_who_asks(door, tmp_path):
    auth = tmp_path / "sandbox_auth.json"
    auth.write_text(json.dumps({"users": [
        {"username": "admin", "api_key": "your-secure-api-key", "permissions": ["all"]},
        {"username": "developer", "api_key": "dev-api-key", "permissions": ["create_workspace"]}]}))
    auth.chmod(0o600)
    with door() as server:
        made = server._tool_create_sandbox_workspace({"source_path": str(tmp_path / "project"), "api_key": "dev-api-key"}, None)
        refused = [server._tool_run_code({"code": "1", "api_key": key}, None)["error"]["code"]
                   for key in ("dev-api-key", "wrong", None)]
        theirs = server._tool_read_file({"workspace_id": made["workspace_id"], "path": "a.py",
                                         "api_key": "your-secure-api-key"}, None)

    assert refused == ["forbidden", "unauthorised", "unauthorised"]
    assert theirs["error"]["code"] == "not-found"


def test_a_tool_that_there_is_none_of_is_no_attribute(door):
    with door() as server, pytest.raises(AttributeError):
        server._tool_fly({}, None)
