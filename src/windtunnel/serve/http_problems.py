"""Errors as problem documents (RFC 9457): what went wrong and what to do, never a trace or a secret."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from windtunnel.core.errors import NotFound, UsageError, WindtunnelError
from windtunnel.core.keys import Busy, KeyRefused, NotPermitted
from windtunnel.tools.calling import failure_of

_STATUS = {
    "refused": 403, "budget-spent": 403, "approval-needed": 409, "cancelled": 409, "language-missing": 422,
    "isolation-unavailable": 503, "sandbox-failure": 503}


def problem(
    status: int, title: str, *, code: str, headers: Mapping[str, str] | None = None, **more: object,
) -> Response:
    """One problem."""
    told = {"type": f"urn:windtunnel:problem:{code}", "title": title, "status": status, "code": code, **more}
    return Response(json.dumps(told), status_code=status, media_type="application/problem+json", headers=headers)


def problem_of(error: WindtunnelError) -> Response:
    """What one of our own errors is over HTTP."""
    failure, headers = failure_of(error), {}
    status = status_of(error)
    if isinstance(error, KeyRefused):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, Busy):
        headers["Retry-After"] = str(math.ceil(error.retry_seconds))
    elif status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = "5"
    more = {name: value for name, value in failure.plain().items() if name != "code"}
    return problem(status, HTTPStatus(status).phrase, code=failure.code, headers=headers,
                   detail=more.pop("message"), **more)


def status_of(error: WindtunnelError) -> int:
    """The number that says most."""
    if isinstance(error, Busy):
        return 503 if error.ours else 429
    for kind, status in ((KeyRefused, 401), (NotPermitted, 403), (NotFound, 404)):
        if isinstance(error, kind):
            return status
    return _STATUS.get(error.code, 422 if isinstance(error, UsageError) else 503)
