"""Runs code nobody trusts yet, in real isolation, and returns a verdict to act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windtunnel.api.debugger import AutoDebuggerIntegration
    from windtunnel.api.snippets import CodeSandbox, ResourceLimits
    from windtunnel.core.errors import (
        IsolationUnavailable,
        LanguageMissing,
        SandboxFailure,
        UsageError,
        WindtunnelError,
    )
    from windtunnel.core.limits import Limits
    from windtunnel.core.result import ExecutionResult, Level, ProgramFailed, Reason
    from windtunnel.tunnel import Tunnel

__version__ = "0.1.0"

_HOMES = {
    "AutoDebuggerIntegration": "api.debugger",
    "CodeSandbox": "api.snippets",
    "ExecutionResult": "core.result",
    "IsolationUnavailable": "core.errors",
    "LanguageMissing": "core.errors",
    "Level": "core.result",
    "Limits": "core.limits",
    "ProgramFailed": "core.result",
    "Reason": "core.result",
    "ResourceLimits": "api.snippets",
    "SandboxFailure": "core.errors",
    "Tunnel": "tunnel",
    "UsageError": "core.errors",
    "WindtunnelError": "core.errors",
}

__all__ = [
    "AutoDebuggerIntegration",
    "CodeSandbox",
    "ExecutionResult",
    "IsolationUnavailable",
    "LanguageMissing",
    "Level",
    "Limits",
    "ProgramFailed",
    "Reason",
    "ResourceLimits",
    "SandboxFailure",
    "Tunnel",
    "UsageError",
    "WindtunnelError",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Each public name is imported when it is first used, so that importing the package costs nothing."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'windtunnel' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(f"windtunnel.{home}"), name)
