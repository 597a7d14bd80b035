"""Schemathesis against the document that the server gives of itself: no answer is a fault of ours."""

import json

import httpx
import jsonschema
import pytest

from windtunnel.serve.http_openapi import openapi
from windtunnel.tools.table import TABLE

CALLS = 6
"""For each operation; ``python -m benchmarks --only server`` asks far more."""
QUICK = ("list_languages", "undo_changes", "get_history", "get_receipt", "verify_receipt", "audit_log", "check_policy",
         "list_approvals", "get_sandbox_status", "list_workspaces", "read_file", "write_file", "list_files", "get_diff",
         "restore_workspace", "promote_workspace", "destroy_workspace", "approve", "deny")


def test_the_document_is_valid_and_names_every_tool():
    document = openapi()

    assert {path.removeprefix("/v1/tools/") for path in document["paths"] if path.startswith("/v1/tools/")} == set(TABLE)
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert "$defs" not in json.dumps(document)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("who", ["ann", "root"])
def test_requests_made_up_from_the_document_meet_no_fault_of_ours(server, who):
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings

    schema = schemathesis.openapi.from_dict(openapi())
    statuses = []
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.keys[who]}"}, timeout=60) as client:
        for result in schema.get_all_operations():
            operation = result.ok()
            name = operation.path.rpartition("/")[2]
            if "/tools/" in operation.path and name not in QUICK:
                continue
            if operation.path.endswith("/events"):
                continue

            @settings(max_examples=CALLS, deadline=None, database=None, phases=[Phase.generate],
                      suppress_health_check=list(HealthCheck))
            @given(case=operation.as_strategy())
            def act(case):
                path = operation.path
                for key, value in (case.path_parameters or {}).items():
                    path = path.replace(f"{{{key}}}", httpx.URL("/").join(f"/{value}").raw_path.decode()[1:] or "x")
                body = case.body if isinstance(case.body, dict | list | str | int | float | type(None)) else {}
                answer = client.request(case.method, path, json=body if case.method == "POST" else None)
                statuses.append(answer.status_code)
                assert answer.status_code < 500, (path, body, answer.text)

            act()

    assert len(statuses) > 100
    assert {200, 422} <= set(statuses)
