"""Runs code nobody trusts yet, in real isolation, and returns a verdict to act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windtunnel.api.debugger import AutoDebuggerIntegration
    from windtunnel.api.executor import SandboxExecutor
    from windtunnel.api.fixes import ErrorToDiffEngine, FixLoop, SelfDebuggerSandbox
    from windtunnel.api.plans import ExecutionEngine, TaskPlanner
    from windtunnel.api.projects import CacheManager, CodebaseAnalyzer
    from windtunnel.api.prompts import build_section_prompt, build_visual_agent_prompt
    from windtunnel.api.returns import PredictionManager, ROITracker, load_metrics_plugins
    from windtunnel.api.server import IntelligentSandboxMCPServer
    from windtunnel.api.simulations import (
        generate_input_stubs,
        generate_presets,
        run_repo_section_simulations,
        run_workflow_simulations,
        simulate_execution_environment,
    )
    from windtunnel.api.snippets import CodeSandbox, ResourceLimits
    from windtunnel.api.workspaces import WorkspaceLifecycleManager
    from windtunnel.core.change import ChangeSet, FileChange
    from windtunnel.core.errors import (
        ApprovalNeeded,
        BudgetSpent,
        IsolationUnavailable,
        LanguageMissing,
        NotFound,
        Refused,
        SandboxFailure,
        UsageError,
        WindtunnelError,
    )
    from windtunnel.core.limits import Limits
    from windtunnel.core.plan import ExecutionReport, Task, TaskPlan, TaskStatus
    from windtunnel.core.repair import FixResult
    from windtunnel.core.result import ExecutionResult, Level, ProgramFailed, Reason
    from windtunnel.core.trial import ExecutionTestResult, LintResult, SandboxResult
    from windtunnel.core.workspace import Workspace
    from windtunnel.tunnel import Tunnel

__version__ = "0.1.0"

_HOMES = {
    "ApprovalNeeded": "core.errors",
    "AutoDebuggerIntegration": "api.debugger",
    "BudgetSpent": "core.errors",
    "CacheManager": "api.projects",
    "ChangeSet": "core.change",
    "CodeSandbox": "api.snippets",
    "CodebaseAnalyzer": "api.projects",
    "ErrorToDiffEngine": "api.fixes",
    "ExecutionEngine": "api.plans",
    "ExecutionReport": "core.plan",
    "ExecutionResult": "core.result",
    "ExecutionTestResult": "core.trial",
    "FileChange": "core.change",
    "FixLoop": "api.fixes",
    "FixResult": "core.repair",
    "IntelligentSandboxMCPServer": "api.server",
    "IsolationUnavailable": "core.errors",
    "LanguageMissing": "core.errors",
    "Level": "core.result",
    "Limits": "core.limits",
    "LintResult": "core.trial",
    "NotFound": "core.errors",
    "PredictionManager": "api.returns",
    "ProgramFailed": "core.result",
    "ROITracker": "api.returns",
    "Reason": "core.result",
    "Refused": "core.errors",
    "ResourceLimits": "api.snippets",
    "SandboxExecutor": "api.executor",
    "SandboxFailure": "core.errors",
    "SandboxResult": "core.trial",
    "SelfDebuggerSandbox": "api.fixes",
    "Task": "core.plan",
    "TaskPlan": "core.plan",
    "TaskPlanner": "api.plans",
    "TaskStatus": "core.plan",
    "Tunnel": "tunnel",
    "UsageError": "core.errors",
    "WindtunnelError": "core.errors",
    "Workspace": "core.workspace",
    "WorkspaceLifecycleManager": "api.workspaces",
    "load_metrics_plugins": "api.returns",
    "build_section_prompt": "api.prompts",
    "build_visual_agent_prompt": "api.prompts",
    "generate_input_stubs": "api.simulations",
    "generate_presets": "api.simulations",
    "run_repo_section_simulations": "api.simulations",
    "run_workflow_simulations": "api.simulations",
    "simulate_execution_environment": "api.simulations",
}

__all__ = [
    "ApprovalNeeded",
    "AutoDebuggerIntegration",
    "BudgetSpent",
    "CacheManager",
    "ChangeSet",
    "CodeSandbox",
    "CodebaseAnalyzer",
    "ErrorToDiffEngine",
    "ExecutionEngine",
    "ExecutionReport",
    "ExecutionResult",
    "ExecutionTestResult",
    "FileChange",
    "FixLoop",
    "FixResult",
    "IntelligentSandboxMCPServer",
    "IsolationUnavailable",
    "LanguageMissing",
    "Level",
    "Limits",
    "LintResult",
    "NotFound",
    "PredictionManager",
    "ProgramFailed",
    "ROITracker",
    "Reason",
    "Refused",
    "ResourceLimits",
    "SandboxExecutor",
    "SandboxFailure",
    "SandboxResult",
    "SelfDebuggerSandbox",
    "Task",
    "TaskPlan",
    "TaskPlanner",
    "TaskStatus",
    "Tunnel",
    "UsageError",
    "WindtunnelError",
    "Workspace",
    "WorkspaceLifecycleManager",
    "__version__",
    "build_section_prompt",
    "build_visual_agent_prompt",
    "generate_input_stubs",
    "generate_presets",
    "load_metrics_plugins",
    "run_repo_section_simulations",
    "run_workflow_simulations",
    "simulate_execution_environment",
]


def __getattr__(name: str) -> object:
    """Each public name is imported when it is first used, so that importing the package costs nothing."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'windtunnel' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(f"windtunnel.{home}"), name)
