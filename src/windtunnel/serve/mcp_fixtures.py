"""What the conformance suite of the protocol asks a server for, by the names it asks for; never there by default."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged
from mcp_types.jsonrpc import MISSING_REQUIRED_CLIENT_CAPABILITY

from windtunnel.serve.mcp_fixture_questions import QUESTIONS, name_question

Context = ServerRequestContext[Any, Any]
Call = Callable[[Context, types.CallToolRequestParams], Awaitable[Any]]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
_IMAGE = types.ImageContent(type="image", data=PNG, mime_type="image/png")
_ALL_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {
        "street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                   "contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"},
                   "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": False}


def words(text: str) -> types.TextContent:
    """As content."""
    return types.TextContent(type="text", text=text)


def told(*content: Any) -> types.CallToolResult:  # noqa: ANN401 -- content of any kind
    """A result of these."""
    return types.CallToolResult(content=[words(one) if isinstance(one, str) else one for one in content])


def embedded(uri: str, text: str, kind: str = "text/plain") -> types.EmbeddedResource:
    """A resource inside a result."""
    return types.EmbeddedResource(type="resource", resource=types.TextResourceContents(
        uri=uri, mime_type=kind, text=text))


_SIMPLE: Mapping[str, tuple[str, types.CallToolResult]] = {
    "test_simple_text": ("Text", told("This is a simple text response for testing.")),
    "test_image_content": ("An image", told(_IMAGE)),
    "test_audio_content": ("Sound", told(types.AudioContent(type="audio", data=WAV, mime_type="audio/wav"))),
    "test_embedded_resource": ("A resource", told(embedded("test://embedded-resource",
                                                           "This is an embedded resource content."))),
    "test_multiple_content_types": ("Several", told("Multiple content types test:", _IMAGE, embedded(
        "test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json"))),
    "test_error_handling": ("An error", types.CallToolResult(content=[words(
        "This tool intentionally returns an error for testing")], is_error=True)),
    "json_schema_2020_12_tool": ("A schema with every keyword", told("json_schema_2020_12_tool")),
}
_SCHEMAS: Mapping[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": _ALL_2020_12,
    "test_x_mcp_header": {"type": "object", "properties": {"region": {
        "type": "string", "default": "<none>", "x-mcp-header": "Region"}}},
    "test_sampling": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "greet": {"type": "object", "properties": {"name": {"type": "string"}}},
    "test_elicitation": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
}


class Fixtures:
    """Tools, resources and prompts of the suite."""

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        """``bus`` carries what changed to those who listen."""
        self.bus = bus

    def tools(self) -> dict[str, tuple[types.Tool, Call]]:
        """By name."""
        acts: dict[str, tuple[str, Call]] = {
            "test_tool_with_logging": ("Logs", _logging), "test_tool_with_progress": ("Progress", _progress),
            "test_sampling": ("Sampling", _sampling), "test_elicitation": ("A question", _elicitation),
            "test_x_mcp_header": ("A header", _header), "test_missing_capability": ("Needs sampling", _missing),
            "test_reconnection": ("Closes its stream", _reconnection), "greet": ("A greeting", _greet),
            "test_logging_tool": ("Logs", _logging), "test_streaming_elicitation": ("Progress, a question", _asking),
            "test_trigger_tool_change": ("Tools changed", self._tools_changed),
            "test_trigger_prompt_change": ("Prompts changed", self._prompts_changed), **QUESTIONS}
        acts |= {name: (title, _always(result)) for name, (title, result) in _SIMPLE.items()}
        return {name: (types.Tool(name=name, description=f"For the suite: {title}.", input_schema=_SCHEMAS.get(
            name, {"type": "object"})), act) for name, (title, act) in acts.items()}

    async def _tools_changed(self, _: Context, __: types.CallToolRequestParams) -> types.CallToolResult:
        await self.bus.publish(ToolsListChanged())
        return told("tool list changed")

    async def _prompts_changed(self, _: Context, __: types.CallToolRequestParams) -> types.CallToolResult:
        await self.bus.publish(PromptsListChanged())
        return told("prompt list changed")

    def resources(self) -> list[types.Resource]:
        """Those with a name of their own."""
        return [types.Resource(uri=f"test://{name}", name=name, mime_type=kind) for name, kind in (
            ("static-text", "text/plain"), ("static-binary", "image/png"), ("watched-resource", "text/plain"))]

    def resource_templates(self) -> list[types.ResourceTemplate]:
        """The one."""
        return [types.ResourceTemplate(uri_template="test://template/{id}/data", name="template",
                                       mime_type="application/json")]

    def read(self, uri: str) -> types.TextResourceContents | types.BlobResourceContents | None:
        """None where it is not of the suite."""
        if uri == "test://static-binary":
            return types.BlobResourceContents(uri=uri, blob=PNG, mime_type="image/png")
        texts = {"test://static-text": "This is the content of the static text resource.",
                 "test://watched-resource": "Watched resource content"}
        if uri.startswith("test://template/") and uri.endswith("/data"):
            name = uri.removeprefix("test://template/").removesuffix("/data")
            texts[uri] = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
        return types.TextResourceContents(uri=uri, text=texts[uri], mime_type="text/plain") if uri in texts else None

    def prompts(self) -> list[types.Prompt]:
        """All of them."""
        arguments = {"test_prompt_with_arguments": ("arg1", "arg2"),
                     "test_prompt_with_embedded_resource": ("resourceUri",)}
        names = ("test_simple_prompt", "test_prompt_with_arguments", "test_prompt_with_embedded_resource",
                 "test_prompt_with_image", "test_input_required_result_prompt")
        return [types.Prompt(name=name, description="For the suite.", arguments=[
            types.PromptArgument(name=one, required=True) for one in arguments.get(name, ())]) for name in names]

    async def get_prompt(self, _: Context, params: types.GetPromptRequestParams) -> Any:  # noqa: ANN401 -- of any era
        """None where it is not of the suite."""
        given = params.arguments or {}
        if params.name == "test_input_required_result_prompt":
            answer = (params.input_responses or {}).get("user_context")
            if answer is None:
                return types.InputRequiredResult(input_requests={"user_context": name_question(
                    "What context should the prompt use?", "context")})
            content = getattr(answer, "content", None) or {}
            return _prompt(f"Use the following context: {content.get('context', '?')}")
        made: dict[str, Callable[[], types.GetPromptResult]] = {
            "test_simple_prompt": lambda: _prompt("This is a simple prompt for testing."),
            "test_prompt_with_arguments": lambda: _prompt(
                f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"),
            "test_prompt_with_embedded_resource": lambda: _prompt(
                embedded(given.get("resourceUri", ""), "Embedded resource content for testing."),
                "Please process the embedded resource above."),
            "test_prompt_with_image": lambda: _prompt(_IMAGE, "Please analyze the image above.")}
        return made[params.name]() if params.name in made else None

    def install(self, server: Server[Any]) -> None:
        """Methods that only the suite calls here: nothing of ours is subscribed to."""
        async def nothing(_: Context, __: Any) -> types.EmptyResult:  # noqa: ANN401 -- parameters of any kind
            return types.EmptyResult()

        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, nothing)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, nothing)


def _prompt(*content: Any) -> types.GetPromptResult:  # noqa: ANN401 -- content of any kind
    return types.GetPromptResult(messages=[types.PromptMessage(
        role="user", content=words(one) if isinstance(one, str) else one) for one in content])


def _always(result: types.CallToolResult) -> Call:
    async def act(_: Context, __: types.CallToolRequestParams) -> types.CallToolResult:
        return result

    return act


async def _log(ctx: Context, text: str) -> None:
    await ctx.session.send_log_message(level="info", data=text, related_request_id=ctx.request_id)


async def _logging(ctx: Context, _: types.CallToolRequestParams) -> types.CallToolResult:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await _log(ctx, text)
        await asyncio.sleep(0.05)
    return told("Tool with logging executed successfully")


async def _progress(ctx: Context, _: types.CallToolRequestParams) -> types.CallToolResult:
    for step in (0, 50, 100):
        await ctx.session.report_progress(step, 100, f"Completed step {step} of 100")
        await asyncio.sleep(0.05)
    return told("done")


async def _sampling(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    prompt = str((params.arguments or {}).get("prompt", ""))
    answer = await ctx.session.create_message(
        messages=[types.SamplingMessage(role="user", content=words(prompt))], max_tokens=100,
        related_request_id=ctx.request_id)
    return told(f"LLM response: {getattr(answer.content, 'text', 'No response')}")


async def _elicitation(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    message = str((params.arguments or {}).get("message", ""))
    answer = await ctx.session.elicit_form(
        message, {"type": "object", "properties": {"response": {"type": "string"}}, "required": ["response"]},
        related_request_id=ctx.request_id)
    return told(f"User response: action={answer.action}, content={json.dumps(answer.content or {})}")


async def _header(_: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    return told(f"region={(params.arguments or {}).get('region', '<none>')}")


async def _greet(_: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    return told(f"Hello, {(params.arguments or {}).get('name', 'World')}!")


async def _asking(ctx: Context, params: types.CallToolRequestParams) -> Any:  # noqa: ANN401 -- of either kind
    await ctx.session.report_progress(1, 2, "about to ask")
    if (params.input_responses or {}).get("user_name") is None:
        return types.InputRequiredResult(input_requests={"user_name": name_question()})
    return told("asked")


async def _missing(ctx: Context, _: types.CallToolRequestParams) -> types.CallToolResult:
    known = ctx.session.client_capabilities
    if known is None or known.sampling is None:
        raise MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message="This tool requires the client's sampling",
                       data={"requiredCapabilities": {"sampling": {}}})
    return told("Client declared sampling capability; proceeding.")


async def _reconnection(ctx: Context, _: types.CallToolRequestParams) -> types.CallToolResult:
    await _log(ctx, "Before disconnect")
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    await _log(ctx, "After reconnect")
    return told("Reconnection test completed")


class Events(EventStore):
    """Messages of streams that a client may ask for again; bounded."""

    def __init__(self) -> None:
        """None yet."""
        self._kept: list[tuple[str, str, types.JSONRPCMessage | None]] = []
        self._count = 0

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        """Keep one; its id."""
        self._count += 1
        self._kept = [*self._kept[-999:], (stream_id, str(self._count), message)]
        return str(self._count)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Send those of the same stream that came after it."""
        stream = next((stream for stream, number, _ in self._kept if number == last_event_id), None)
        for one, number, message in self._kept:
            if one == stream and message is not None and int(number) > int(last_event_id):
                await send_callback(EventMessage(message, number))
        return stream

