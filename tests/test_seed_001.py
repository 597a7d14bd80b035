"""The samples of the code sandbox's own document, as it gives them, but for the name of the package.

They run in its order and in one namespace; names the document leaves open (``code``, ``learning_system`` …) are
small stand-ins. Its three listings of signatures are not programs; they are compared with ours.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import fields
from datetime import datetime

import pytest

from windtunnel import CodeSandbox, ExecutionResult, ResourceLimits

SIMPLE = """
from windtunnel import CodeSandbox

sandbox = CodeSandbox()
result = sandbox.execute("print('Hello, World!')", "python")

print(f"Success: {result.success}")
print(f"Output: {result.stdout}")
print(f"Time: {result.execution_time:.3f}s")
"""
LIMITS = """
from windtunnel import ResourceLimits

limits = ResourceLimits(
    memory_limit="256m",
    timeout_seconds=10,
    cpu_quota=100000
)

result = sandbox.execute(code, "python", limits=limits)
"""
DEBUGGING = """
from windtunnel import AutoDebuggerIntegration

result = sandbox.execute(error_code, "python")

if not result.success:
    debug_report = AutoDebuggerIntegration.create_debug_report(result)
    analysis = AutoDebuggerIntegration.analyze_error(result)
    print(f"Error type: {analysis['error_type']}")
"""
DATA = '''
code = """
import json
data = {"items": [1, 2, 3, 4, 5]}
result = {"sum": sum(data["items"])}
print(json.dumps(result))
"""

result = sandbox.execute(code, "python")
output = json.loads(result.stdout)
'''
FILES = '''
files = {
    "config.json": '{"setting": "value"}',
    "utils.py": "def helper(): return 42"
}

code = """
import json
from utils import helper
with open('/sandbox/config.json') as f:
    config = json.load(f)
print(f"Config: {config}, Helper: {helper()}")
"""

result = sandbox.execute(code, "python", files=files)
'''
ERRORS = """
code = "raise ValueError('Test error')"
result = sandbox.execute(code, "python")

analysis = AutoDebuggerIntegration.analyze_error(result)
print(f"Error type: {analysis['error_type']}")
print(f"Is error: {analysis['is_error']}")
"""
TIMEOUT = '''
import time

limits = ResourceLimits(timeout_seconds=2)
code = """
import time
time.sleep(10)
"""

result = sandbox.execute(code, "python", limits=limits)
assert result.timeout == True
assert result.exit_code == 124  # Timeout exit code
'''
REPORTING = """
result = sandbox.execute(code, "python")
debug_report = AutoDebuggerIntegration.create_debug_report(result)
# Send to AutoDebugger for analysis
"""
LEARNING = """
# Execute and learn from results
result = sandbox.execute(code, "python")
if result.success:
    learning_system.record_success(code, result.stdout)
else:
    learning_system.record_failure(code, result.stderr)
"""
REVIEW = """
# Review code before execution
if security_scanner.is_safe(code):
    result = sandbox.execute(code, "python")
    if result.success:
        history.record(result)
"""
HARDENED = """
# Maximum security configuration
limits = ResourceLimits(
    memory_limit="256m",
    timeout_seconds=10,
    cpu_quota=50000,
    pids_limit=25
)

sandbox = CodeSandbox(default_limits=limits)

# Execute with maximum isolation
result = sandbox.execute(
    code,
    language="python",
    network_enabled=False,      # No network
    read_only=True,             # Read-only filesystem
)
"""
LIGHT = """
# Lightweight configuration for quick tasks
limits = ResourceLimits(
    memory_limit="128m",
    timeout_seconds=5,
    cpu_quota=50000,
    pids_limit=25
)

# Reuse sandbox instance
sandbox = CodeSandbox(default_limits=limits)

# Execute multiple codes efficiently
for code_snippet in snippets:
    result = sandbox.execute(code_snippet, "python")
"""


class Recorder:
    """Stands in for the document's learning system, scanner and history."""

    def __init__(self):
        self.calls = []

    def is_safe(self, code):
        return "import os" not in code

    def __getattr__(self, name):
        return lambda *given: self.calls.append((name, *given))


@pytest.fixture
def names(tmp_path, monkeypatch):
    """The document's namespace; every sandbox that its samples make is closed at the end."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = []
    yield {"code": "print(6 * 7)", "error_code": "[][1]", "json": json, "learning_system": Recorder(),
           "security_scanner": Recorder(), "history": Recorder(), "snippets": ["print(1)", "print(2)", "print(3)"],
           "_made": made}
    for sandbox in made:
        sandbox.tunnel.close()


def play(names, sample):
    exec(compile(sample, "<seed 001>", "exec"), names)
    names["_made"].append(names["sandbox"])
    return names["result"]


def test_the_samples_of_the_document_run_in_its_order_with_the_outcomes_it_states(names, capsys):
    assert play(names, SIMPLE).success
    assert capsys.readouterr().out.startswith("Success: True\nOutput: Hello, World!\n\nTime: 0.")

    limited = play(names, LIMITS)
    assert (limited.stdout, limited.limits.memory_bytes, limited.limits.wall_seconds) == ("42\n", 256 * 1024**2, 10)

    assert not play(names, DEBUGGING).success
    assert capsys.readouterr().out == "Error type: IndexError\n"
    assert names["debug_report"]["error_analysis"] == names["analysis"]

    play(names, DATA)
    assert names["output"] == {"sum": 15}

    assert play(names, FILES).stdout == "Config: {'setting': 'value'}, Helper: 42\n"

    assert not play(names, ERRORS).success
    assert capsys.readouterr().out == "Error type: ValueError\nIs error: True\n"

    stopped = play(names, TIMEOUT)
    assert (stopped.timeout, stopped.exit_code, str(stopped.reason)) == (True, 124, "timeout")

    names["code"] = "print('learned')"
    play(names, REPORTING)
    assert names["debug_report"]["status"] == "success"
    play(names, LEARNING)
    assert names["learning_system"].calls == [("record_success", "print('learned')", "learned\n")]
    reviewed = play(names, REVIEW)
    assert names["history"].calls == [("record", reviewed)]

    hardened = play(names, HARDENED)
    assert (hardened.stdout, hardened.limits.cores, hardened.limits.processes) == ("learned\n", 0.5, 25)
    assert hardened.enforced["network"] == "none"

    assert play(names, LIGHT).stdout == "3\n"
    kept = [record["stdout"] for record in names["sandbox"].get_execution_history(3)]
    assert kept == ["3\n", "2\n", "1\n"]


def test_a_failure_is_learned_as_a_failure(names):
    play(names, SIMPLE)
    names["code"] = "raise SystemExit('no')"

    play(names, LEARNING)

    assert names["learning_system"].calls == [("record_failure", "raise SystemExit('no')", "no\n")]


def test_code_that_the_scanner_refuses_never_runs(names):
    before = play(names, SIMPLE)
    names["code"] = "import os"

    assert play(names, REVIEW) is before
    assert names["history"].calls == []


def test_the_sandbox_takes_the_arguments_of_the_document_in_its_order():
    made = list(inspect.signature(CodeSandbox).parameters.values())
    run = list(inspect.signature(CodeSandbox.execute).parameters.values())[1:]

    assert [(each.name, each.default) for each in made[:2]] == [("default_limits", None), ("use_docker_api", True)]
    assert [(each.name, each.default) for each in run[:7]] == [
        ("code", inspect.Parameter.empty), ("language", inspect.Parameter.empty), ("limits", None),
        ("network_enabled", False), ("env_vars", None), ("files", None), ("read_only", True)]
    for name in ("list_supported_languages", "get_execution_history", "get_resource_usage", "cleanup_all_containers"):
        assert callable(getattr(CodeSandbox, name))


def test_the_limits_have_the_names_and_defaults_of_the_document():
    assert {each.name: each.default for each in fields(ResourceLimits)} == {
        "memory_limit": "512m", "memory_swap": None, "cpu_quota": 100_000, "cpu_period": 100_000, "cpu_shares": 1024,
        "pids_limit": 100, "timeout_seconds": 30}


def test_a_result_has_the_fields_of_the_document_with_their_types():
    result = ExecutionResult(exit_code=0, language="python")
    types = {"success": bool, "exit_code": int, "stdout": str, "stderr": str, "execution_time": float,
             "timeout": bool, "container_id": str, "language": str, "timestamp": datetime}

    assert {name: type(getattr(result, name)) for name in types} == types
    assert result.error_message is None
