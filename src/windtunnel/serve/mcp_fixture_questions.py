"""Fixtures of the suite that ask the client back, in the way of either era."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

Context = ServerRequestContext[Any, Any]
Call = Callable[[Context, types.CallToolRequestParams], Awaitable[Any]]
_DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True}}
_ENUMS = {
    "untitledSingle": {"type": "string", "enum": ["active", "inactive", "pending"]},
    "titledSingle": {"type": "string", "oneOf": [{"const": one, "title": one.title()} for one in ("low", "high")]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["read", "write", "execute"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": [{"const": one, "title": one.title()}
                                                         for one in ("feature", "bug")]}},
    "legacyEnum": {"type": "string", "enum": ["small", "large"], "enumNames": ["Small", "Large"]}}


def name_question(message: str = "What is your name?", name: str = "name", kind: str = "string") -> types.ElicitRequest:
    """A form of one field."""
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema={
        "type": "object", "properties": {name: {"type": kind}}, "required": [name]}))


def _sample(text: str) -> types.CreateMessageRequest:
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(
        messages=[types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))],
        max_tokens=100))


def _told(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


def _form(message: str, properties: Mapping[str, Any], *, required: bool) -> Call:
    """Asks while the call waits, as the older era does."""
    async def act(ctx: Context, _: types.CallToolRequestParams) -> types.CallToolResult:
        schema: dict[str, Any] = {"type": "object", "properties": dict(properties)}
        if required:
            schema["required"] = list(properties)
        answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
        return _told(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content or {})}")

    return act


def _rounds(
    requests: Mapping[str, Any], then: Callable[[Mapping[str, Any]], str], *, state: str | None = None,
) -> Call:
    """Asks by its result, as the newer era does; ``then`` has the answers."""
    async def act(_: Context, params: types.CallToolRequestParams) -> Any:  # noqa: ANN401 -- of either kind
        answers = params.input_responses or {}
        if requests.keys() <= answers.keys() and (state is None or params.request_state == state):
            return _told(then(answers))
        return types.InputRequiredResult(input_requests=dict(requests), request_state=state)

    return act


def _content(answer: Any) -> Mapping[str, Any]:  # noqa: ANN401 -- an answer of any kind
    found = getattr(answer, "content", None)
    return found if isinstance(found, dict) else {}


async def _multi_round(_: Context, params: types.CallToolRequestParams) -> Any:  # noqa: ANN401 -- of either kind
    state = json.loads(params.request_state) if params.request_state else {"round": 0}
    answers = params.input_responses or {}
    if state["round"] == 1 and "step1" in answers:
        return types.InputRequiredResult(
            input_requests={"step2": name_question("Step 2: What is your favorite color?", "color")},
            request_state=json.dumps({"round": 2, "name": _content(answers["step1"]).get("name")}))
    if state["round"] == 2 and "step2" in answers:  # noqa: PLR2004 -- the second round
        return _told(f"{state.get('name')} likes {_content(answers['step2']).get('color')}.")
    return types.InputRequiredResult(input_requests={"step1": name_question("Step 1: What is your name?")},
                                     request_state=json.dumps({"round": 1}))


async def _tampered(_: Context, params: types.CallToolRequestParams) -> Any:  # noqa: ANN401 -- of either kind
    if params.request_state is None:
        return types.InputRequiredResult(input_requests={"confirm": name_question("Please confirm", "ok", "boolean")},
                                         request_state="round-1")
    return _told(f"state-ok: {params.request_state}")


async def _capabilities(ctx: Context, _: types.CallToolRequestParams) -> types.InputRequiredResult:
    known = ctx.session.client_capabilities
    asked: dict[str, Any] = {}
    if known is None or known.sampling is not None:
        asked["sample"] = _sample("Say hello")
    if known is None or known.elicitation is not None:
        asked["ask"] = name_question()
    return types.InputRequiredResult(input_requests=asked, request_state="capability-gated")


_PREFIX = "test_input_required_result_"
QUESTIONS: Mapping[str, tuple[str, Call]] = {
    "test_elicitation_sep1034_defaults": ("Defaults", _form("Please provide user information", _DEFAULTS,
                                                            required=False)),
    "test_elicitation_sep1330_enums": ("Choices", _form("Please select values", _ENUMS, required=True)),
    f"{_PREFIX}elicitation": ("A question", _rounds(
        {"user_name": name_question()}, lambda told: f"Hello, {_content(told['user_name']).get('name')}!")),
    f"{_PREFIX}sampling": ("Sampling", _rounds(
        {"capital_question": _sample("What is the capital of France?")},
        lambda told: f"Model said: {getattr(told['capital_question'].content, 'text', '?')}")),
    f"{_PREFIX}list_roots": ("Roots", _rounds(
        {"client_roots": types.ListRootsRequest()},
        lambda told: f"Client exposed {len(getattr(told['client_roots'], 'roots', ()))} root(s).")),
    f"{_PREFIX}request_state": ("State", _rounds(
        {"confirm": name_question("Please confirm", "ok", "boolean")}, lambda _: "state-ok: confirmation received",
        state="request-state-nonce")),
    f"{_PREFIX}multiple_inputs": ("Several questions", _rounds(
        {"user_name": name_question(), "greeting": _sample("Generate a greeting"),
         "client_roots": types.ListRootsRequest()}, lambda _: "All inputs received.", state="multiple-inputs")),
    f"{_PREFIX}multi_round": ("Rounds", _multi_round), f"{_PREFIX}tampered_state": ("State kept safe", _tampered),
    f"{_PREFIX}capabilities": ("What the client can", _capabilities),
}
