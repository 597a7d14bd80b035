"""What each address answers."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.exposition import CONTENT_TYPE, exposition
from windtunnel.core.keys import Caller
from windtunnel.core.strict_json import read_json
from windtunnel.serve.http_openapi import openapi
from windtunnel.serve.http_problems import problem
from windtunnel.serve.roi import Series, plain_metric, plain_roi, run_of, series_in
from windtunnel.serve.work import Work
from windtunnel.store.jobs import JobRow
from windtunnel.store.runs import ScenarioRun

_BEARER = "bearer "
_MOST_WAIT = 60.0
_PING_SECONDS = 15.0
_WAIT = re.compile(r"(?:^|,|;)\s*wait=([0-9]{1,3})\b")
_READY_SECONDS = 5.0


class Answers:
    """The endpoints, each for callers with a good key unless said otherwise."""

    def __init__(self, work: Work) -> None:
        """Over the jobs of one server, and its desk."""
        self.work, self.desk, self.crossing = work, work.desk, work.crossing

    async def admit(self, request: Request) -> Caller:
        """Who asks; a key stands in the Authorization header and nowhere else."""
        if not hasattr(request.state, "caller"):
            given = request.headers.get("authorization", "")
            key = given[len(_BEARER):].strip() if given.lower().startswith(_BEARER) else None
            at_once = self.desk.admit_at_once(key)
            request.state.caller = at_once or await self.crossing.quick(lambda: self.desk.admit(key))
        return request.state.caller  # type: ignore[no-any-return]

    async def health(self, _: Request) -> Response:
        """Open to all."""
        return JSONResponse({"status": "ok"})

    async def ready(self, _: Request) -> Response:
        """Open to all: whether the walls can be raised."""
        try:
            await asyncio.wait_for(self.crossing.quick(lambda: self.desk.tunnel.rig), _READY_SECONDS)
        except TimeoutError:
            return problem(503, "Service Unavailable", code="not-ready", headers={"Retry-After": "5"})
        return JSONResponse({"status": "ready"})

    async def document(self, _: Request) -> Response:
        """Open to all."""
        return JSONResponse(openapi())

    async def tools(self, request: Request) -> Response:
        """Those that the caller may use."""
        caller = await self.admit(request)
        return JSONResponse({"tools": [
            {"name": tool.name, "title": tool.title, "description": tool.description, "permission": tool.permission,
             "long": tool.long, "input_schema": tool.input_schema, "output_schema": tool.output_schema}
            for tool in self.desk.tools.values() if caller.may(tool.permission)]})

    async def call(self, request: Request) -> Response:
        """One tool: its answer, or a job where it takes long."""
        caller = await self.admit(request)
        tool = self.desk.tool(request.path_params["name"])
        caller.check(tool.permission)
        arguments = await self._body(request)
        prefer = request.headers.get("prefer", "")
        if tool.long or "respond-async" in prefer:
            row = await self.work.begin(caller, tool.name, arguments)
            wait = _WAIT.search(prefer)
            if wait:
                row = await self.work.wait(caller, row.id, seconds=min(_MOST_WAIT, float(wait[1])))
            if row.state == "completed":
                return JSONResponse(row.answer)
            return JSONResponse(self._job(row), status_code=202, headers={"Location": f"/v1/jobs/{row.id}"})
        stop = threading.Event()
        answer = await self._unless_gone(request, stop, self.crossing.work(
            caller.user, lambda: self.desk.call(caller, tool.name, arguments, stop=stop.is_set), stop=stop))
        return JSONResponse(answer)

    async def _unless_gone(self, request: Request, stop: threading.Event, work: Any) -> Any:  # noqa: ANN401
        """The answer; when whoever asked goes away, what runs for them is stopped."""
        task = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                stop.set()
            return await task
        finally:
            gone.cancel()

    async def _body(self, request: Request) -> dict[str, Any]:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Unsupported
        body = await request.body()
        told = await self.crossing.quick(lambda: read_json(body, field="body"))
        if not isinstance(told, dict):
            raise UsageError("body: not a JSON object of arguments", field="body")
        return told

    async def status(self, request: Request) -> Response:
        """The row get_sandbox_status."""
        return await self._tool(request, "get_sandbox_status", {})

    async def figures(self, request: Request) -> Response:
        """For Prometheus: counts over everybody, so for those who may see what everybody did."""
        (await self.admit(request)).check("audit")
        text = await self.crossing.quick(lambda: exposition(self.desk.figures()))
        return Response(text, headers={"Content-Type": CONTENT_TYPE})

    async def roi(self, request: Request) -> Response:
        """What each cycle of a scenario run of theirs returned, and what was foretold."""
        return await self._series(request, plain_roi)

    async def metric(self, request: Request) -> Response:
        """One metric of it, in the same way."""
        name = request.path_params["name"][:200]
        return await self._series(request, lambda run, series: plain_metric(run, name, series))

    async def _series(self, request: Request, tell: Callable[[ScenarioRun, Series], Any]) -> Response:
        caller, name = await self.admit(request), request.query_params.get("run", "")[:100]

        def act() -> Any:  # noqa: ANN401 -- an answer
            run = run_of(self.desk.runs, owner=caller.user, name=name)
            return tell(run, series_in(Path(run.folder)))

        return JSONResponse(await self._in_thread(act))

    async def history(self, request: Request) -> Response:
        """The latest."""
        limit = request.query_params.get("limit", "20")
        if not limit.isascii() or not limit.isdigit():
            raise UsageError("limit: not a number from 1 to 200", field="limit")
        return await self._tool(request, "get_history", {"limit": int(limit[:6])})

    async def history_entry(self, request: Request) -> Response:
        """One."""
        return await self._tool(request, "get_history", {"id": request.path_params["id"][:100]})

    async def receipt(self, request: Request) -> Response:
        """A receipt as it was signed."""
        return await self._paper(request, "receipt")

    async def report(self, request: Request) -> Response:
        """A whole answer."""
        return await self._paper(request, "report")

    async def _paper(self, request: Request, kind: Any) -> Response:  # noqa: ANN401 -- Kind
        caller = await self.admit(request)
        name = request.path_params["id"]
        text = await self.crossing.quick(lambda: self.desk.papers.get(caller.user, kind=kind, name=name))
        if text is None:
            raise NotFound(f"{kind}: none of that id", field=kind)
        return Response(text, media_type="application/json")

    async def _tool(self, request: Request, name: str, arguments: dict[str, Any]) -> Response:
        caller = await self.admit(request)
        return JSONResponse(await self._in_thread(lambda: self.desk.call(caller, name, arguments)))

    async def _in_thread(self, act: Callable[[], Any]) -> Any:  # noqa: ANN401 -- an answer
        return await self.crossing.quick(act)

    async def workspaces(self, request: Request) -> Response:
        """Theirs."""
        return await self._tool(request, "list_workspaces", {})

    async def file(self, request: Request) -> Response:
        """One file of a workspace of theirs, as it is."""
        caller = await self.admit(request)
        name, path = request.path_params["id"], request.path_params["path"]
        data = await self.crossing.quick(lambda: self.desk.context(caller).tunnel.workspaces.read(name, path))
        return Response(data, media_type="application/octet-stream")

    async def jobs(self, request: Request) -> Response:
        """Theirs, newest first."""
        caller = await self.admit(request)
        rows = await self.crossing.quick(lambda: self.desk.jobs.all(caller.user))
        return JSONResponse({"jobs": [self._job(row) for row in rows]})

    async def job(self, request: Request) -> Response:
        """One of theirs."""
        caller = await self.admit(request)
        return JSONResponse(self._job(await self.work.get(caller, request.path_params["id"])))

    async def cancel(self, request: Request) -> Response:
        """End one of theirs."""
        caller = await self.admit(request)
        row = await self.work.cancel(caller, request.path_params["id"])
        return JSONResponse(self._job(row), status_code=200 if row.ended else 202)

    async def events(self, request: Request) -> Response:
        """Its progress as it comes, then how it ended."""
        caller, name = await self.admit(request), request.path_params["id"]
        await self.work.get(caller, name)
        after = request.headers.get("last-event-id", "0")
        return StreamingResponse(self._stream(caller, name, int(after) if after.isdigit() and len(after) < 10 else 0),  # noqa: PLR2004
                                 media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    async def _stream(self, caller: Caller, name: str, after: int) -> AsyncIterator[str]:
        events = self.work.events(caller, name, after=after).__aiter__()
        coming: asyncio.Future[Any] | None = None
        try:
            while True:
                coming = coming or asyncio.ensure_future(anext(events, None))
                await asyncio.wait([coming], timeout=_PING_SECONDS)
                if not coming.done():
                    yield ": still at work\n\n"
                    continue
                told, coming = coming.result(), None
                if told is None:
                    break
                number, words, done = told
                yield f"id: {number}\nevent: progress\ndata: {json.dumps({'text': words, 'done': done})}\n\n"
        finally:
            if coming is not None:
                coming.cancel()
        row = await self.work.get(caller, name)
        yield f"event: {row.state}\ndata: {json.dumps(self._job(row))}\n\n"

    def _job(self, row: JobRow) -> dict[str, Any]:
        words, done = self.work.progress(row.id) or (None, None)
        return {"id": row.id, "tool": row.tool, "state": row.state, "made": row.made, "changed": row.changed,
                "note": row.note, "progress": words, "done": done, "answer": row.answer}


class Unsupported(Exception):
    """A body that is not called JSON."""


async def _disconnected(request: Request) -> None:
    while (await request.receive()).get("type") != "http.disconnect":
        pass


def check_path(raw: bytes) -> None:
    """Refuse a path that means another one once it is decoded."""
    decoded = unquote_to_bytes(raw)
    parts = decoded.split(b"/")
    if b"\0" in decoded or b"\\" in decoded or b".." in parts or b"." in parts or b"%2e" in decoded.lower():
        raise NotFound("path: there is none of that name", field="path")
