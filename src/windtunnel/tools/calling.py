"""One place where arguments become a call, and an error becomes advice."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from windtunnel.core.errors import UsageError, WindtunnelError
from windtunnel.core.randomness import fresh_id
from windtunnel.tools.row import Context, Given, Tool
from windtunnel.tools.shaping import bounded

_MOST_REPORT = 4 * 1024**2
_MOST_WORDS = 2000
_ADVICE = {
    "usage": "Correct the argument that is named and call again.",
    "not-found": "List what there is and use an id from there.",
    "refused": "A policy forbids this. Do something else, or ask whoever keeps the policy; calling again is of no use.",
    "budget-spent": "A budget is used up. Wait until it begins anew, or ask for a larger one.",
    "approval-needed": "A person must say yes. Ask for that, then call again with exactly the same arguments.",
    "unauthorised": "Send a good key.",
    "forbidden": "This key does not reach so far. Use another tool, or ask for a key that permits it.",
    "busy": "Wait a little and call again.",
    "cancelled": "It was cancelled; call again to begin anew.",
    "language-missing": "Use a language that list_languages shows as installed.",
    "isolation-unavailable": "The walls asked for cannot be had on this server; see get_sandbox_status.",
    "sandbox-failure": "Our side failed, which says nothing about the program. Call again; if it stays, tell the "
    "operator.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a tool gave no answer."""

    code: str
    message: str
    field: str = ""
    next: str = ""
    approval: str = ""
    """The question that was put to people, where their yes is needed."""

    def plain(self) -> dict[str, str]:
        """As JSON."""
        told = {"code": self.code, "message": self.message, "next": self.next}
        return told | {name: value for name, value in (("field", self.field), ("approval", self.approval)) if value}


def call(tool: Tool, context: Context, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as JSON, bounded; ``WindtunnelError`` for all that keeps it from one."""
    context.caller.check(tool.permission)
    with contextlib.ExitStack() as held:
        told = tool.act(replace(context, held=held), read(tool.given, arguments)).model_dump(mode="json")
    short, cut = bounded(told)
    if cut and context.papers is not None and len(text := json.dumps(told)) <= _MOST_REPORT:
        name = fresh_id()
        context.papers.keep(context.caller.user, kind="report", name=name, text=text)
        short["report"] = f"windtunnel://reports/{name}"
    return short


def read(given: type[Given], arguments: Mapping[str, Any]) -> Given:
    """The arguments as typed input; the first fault is named, and no value is repeated."""
    try:
        return given.model_validate(dict(arguments))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = ".".join(str(part) for part in first["loc"])[:200] or "arguments"
        known = ", ".join(given.model_fields)
        hint = f" (known: {known})" if first["type"] == "extra_forbidden" else ""
        raise UsageError(f"{name}: {first['msg'][:300]}{hint}", field=name) from None


def failure_of(error: WindtunnelError) -> Failure:
    """What to tell a caller, and a model among them."""
    field = str(getattr(error, "field", "") or "")[:200]
    return Failure(code=error.code, message=str(error)[:_MOST_WORDS], field=field,
                   next=_ADVICE.get(error.code, "Correct what is named and call again."),
                   approval=str(getattr(error, "approval", "") or ""))
