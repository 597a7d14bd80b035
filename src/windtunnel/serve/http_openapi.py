"""The HTTP interface as OpenAPI 3.1, made from the table of tools."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from windtunnel.tools.table import TABLE

_PROBLEM = {"description": "A problem document", "content": {"application/problem+json": {
    "schema": {"$ref": "#/components/schemas/Problem"}}}}
_SCHEMAS: Mapping[str, Any] = {
    "Problem": {
        "type": "object", "required": ["type", "title", "status", "code"],
        "properties": {
            "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
            "code": {"type": "string"}, "detail": {"type": "string"}, "field": {"type": "string"},
            "next": {"type": "string"}, "approval": {"type": "string"}}},
    "Job": {
        "type": "object", "required": ["id", "tool", "state", "made", "changed"],
        "properties": {
            "id": {"type": "string"}, "tool": {"type": "string"},
            "state": {"enum": ["working", "completed", "failed", "cancelled", "lost"]}, "made": {"type": "string"},
            "changed": {"type": "string"}, "note": {"type": "string"}, "progress": {"type": ["string", "null"]},
            "done": {"type": ["number", "null"]}, "answer": {}}},
}
_ERRORS = dict.fromkeys(("400", "401", "403", "404", "405", "408", "409", "413", "415", "421", "422", "429", "503"),
                        _PROBLEM)


@functools.lru_cache(maxsize=1)
def openapi() -> dict[str, Any]:
    """The document."""
    models: list[tuple[type[BaseModel], Any]] = []
    for tool in TABLE.values():
        models += [(tool.given, "validation"), (tool.told, "serialization")]
    names, schemas = models_json_schema(list(dict.fromkeys(models)), ref_template="#/components/schemas/{model}")
    paths: dict[str, Any] = {
        f"/v1/tools/{tool.name}": {"post": {
            "operationId": tool.name, "summary": tool.title, "description": tool.description, "tags": ["tools"],
            "requestBody": {"required": True, "content": {"application/json": {
                "schema": names[tool.given, "validation"]}}},
            "responses": {
                "200": {"description": "Its answer", "content": {"application/json": {
                    "schema": names[tool.told, "serialization"]}}},
                "202": _json("A job; ask for it at the Location", "Job"), **_ERRORS}}}
        for tool in TABLE.values()}
    return {
        "openapi": "3.1.0", "info": {"title": "Windtunnel", "version": version("windtunnel"), "description":
                                     "Runs code that nobody trusts yet, and tries changes, in real isolation."},
        "paths": {**paths, **_others()}, "security": [{"key": []}],
        "components": {"schemas": {**_SCHEMAS, **schemas.get("$defs", {})},
                       "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}}}


def _others() -> dict[str, Any]:
    job = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    run = {"name": "run", "in": "query", "schema": {"type": "string"}}
    figures = {"200": {"description": "The text format of Prometheus", "content": {
        "text/plain": {"schema": {"type": "string"}}}}, **_ERRORS}
    return {
        "/health": {"get": _get("health", "Whether the server answers", open_=True)},
        "/ready": {"get": _get("ready", "Whether programs can run", open_=True)},
        "/v1/tools": {"get": _get("listTools", "The tools that this key may use")},
        "/v1/status": {"get": _get("status", "How the server is")},
        "/v1/history": {"get": _get("history", "Your latest runs and trials", parameters=[
            {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 200}}])},
        "/v1/history/{id}": {"get": _get("historyEntry", "One run or trial of yours", parameters=[job])},
        "/v1/receipts/{id}": {"get": _get("receipt", "The receipt of a trial of yours", parameters=[job])},
        "/v1/reports/{id}": {"get": _get("report", "A whole answer that was shortened", parameters=[job])},
        "/v1/workspaces": {"get": _get("workspaces", "Your workspaces")},
        "/v1/workspaces/{id}/files/{path}": {"get": {
            **_get("workspaceFile", "A file of a workspace of yours", parameters=[job, {**job, "name": "path"}]),
            "responses": {"200": {"description": "Bytes", "content": {"application/octet-stream": {}}}, **_ERRORS}}},
        "/metrics": {"get": {**_get("metrics", "Counts and gauges for Prometheus"), "responses": figures}},
        "/prometheus": {"get": {**_get("prometheus", "The same as /metrics"), "responses": figures}},
        "/roi": {"get": _get("roi", "Returns of your newest scenario run, actual and predicted", parameters=[run])},
        "/metrics/{name}": {"get": _get("metricSeries", "One metric of it, actual and predicted", parameters=[
            {**job, "name": "name"}, run])},
        "/v1/jobs": {"get": _get("jobs", "Your jobs, newest first")},
        "/v1/jobs/{id}": {
            "get": {**_get("job", "One job of yours", parameters=[job]), "responses": {
                "200": _json("The job", "Job"), **_ERRORS}},
            "delete": {**_get("cancelJob", "Cancel one job of yours", parameters=[job]), "responses": {
                "202": _json("It is being cancelled", "Job"), "200": _json("It had ended already", "Job"), **_ERRORS}}},
        "/v1/jobs/{id}/events": {"get": {**_get("jobEvents", "Its progress as server-sent events", parameters=[job]),
                                         "responses": {"200": {"description": "Events", "content": {
                                             "text/event-stream": {"schema": {"type": "string"}}}}, **_ERRORS}}},
    }


def _get(name: str, words: str, *, parameters: Any = (), open_: bool = False) -> dict[str, Any]:  # noqa: ANN401
    made: dict[str, Any] = {
        "operationId": name, "summary": words, "responses": {
            "200": {"description": words, "content": {"application/json": {"schema": {}}}}, **_ERRORS}}
    if parameters:
        made["parameters"] = list(parameters)
    return {**made, "security": []} if open_ else made


def _json(words: str, schema: str) -> dict[str, Any]:
    return {"description": words, "content": {"application/json": {
        "schema": {"$ref": f"#/components/schemas/{schema}"}}}}
