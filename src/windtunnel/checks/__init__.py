"""Build tools, linters and test runners: found, made to speak and understood."""

from __future__ import annotations

from dataclasses import replace

from windtunnel.checks import (
    cargo_build,
    cargo_test,
    clippy,
    command,
    eslint,
    flake8,
    go_build,
    go_test,
    go_vet,
    gradle,
    javac,
    jest,
    make,
    maven,
    mocha,
    mypy,
    node_test,
    npm_build,
    pylint,
    pyright,
    pytest,
    python_build,
    ruff,
    typescript,
    unittest,
    vitest,
)
from windtunnel.checks.words import assignments
from windtunnel.core.tool import Ask, Invocation, Tool
from windtunnel.core.trial import Check

TOOLS: tuple[Tool, ...] = (
    python_build.TOOL,
    npm_build.TOOL,
    go_build.TOOL,
    cargo_build.TOOL,
    javac.TOOL,
    ruff.TOOL,
    flake8.TOOL,
    pylint.TOOL,
    mypy.TOOL,
    pyright.TOOL,
    eslint.TOOL,
    typescript.TOOL,
    go_vet.TOOL,
    clippy.TOOL,
    pytest.TOOL,
    unittest.TOOL,
    jest.TOOL,
    vitest.TOOL,
    mocha.TOOL,
    node_test.TOOL,
    go_test.TOOL,
    cargo_test.TOOL,
    maven.TOOL,
    gradle.TOOL,
    *make.TOOLS,
    command.TOOL,
)
"""Those that come with Windtunnel, in the order in which a project is asked for them."""

_BY_NAME = {tool.name: tool for tool in TOOLS}


def tool_named(name: str) -> Tool:
    """The tool that a check names; a check nobody knows is a plain command."""
    return _BY_NAME.get(name, command.TOOL)


def prepare(check: Check, ask: Ask) -> Invocation:
    """The check made ready by its tool; variables set before its program (``env A=1 pytest``) become the run's own."""
    variables, argv = assignments(check.argv)
    invocation = tool_named(check.tool).prepare(replace(check, argv=argv), ask)
    env = {**variables, **invocation.env}
    if "NODE_OPTIONS" in variables and "NODE_OPTIONS" in invocation.env:
        env["NODE_OPTIONS"] = f"{invocation.env['NODE_OPTIONS']} {variables['NODE_OPTIONS']}"
    return replace(invocation, env=env)
