"""Schemathesis against the document that the server gives of itself: no answer is a fault of ours."""

import json
import os
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

from windtunnel.serve.http_openapi import openapi
from windtunnel.tools.table import TABLE

PROGRAM = Path(__file__).resolve().parents[2] / ".tools" / "schemathesis" / "bin" / "schemathesis"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,ignored_auth"
CALLS = 4
"""For each operation; ``python -m benchmarks --only server`` asks far more."""


def test_the_document_is_valid_and_names_every_tool():
    document = openapi()

    assert {path.removeprefix("/v1/tools/") for path in document["paths"] if path.startswith("/v1/tools/")} == set(TABLE)
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert "$defs" not in json.dumps(document)


@pytest.mark.skipif(not PROGRAM.exists(), reason="schemathesis is not installed here (tools/system-packages makes its place)")
def test_requests_made_up_from_the_document_meet_no_fault_of_ours(server, tmp_path):
    told = subprocess.run([
        str(PROGRAM), "run", f"{server.url}/openapi.json", "-H", f"Authorization: Bearer {server.keys['ann']}", "-n", str(CALLS),
        "--checks", CHECKS, "--phases", "examples,fuzzing", "--exclude-path-regex", "/events$", "--no-shrink", "--seed", "7",
        "--suppress-health-check", "all"],
        cwd=tmp_path, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)}, capture_output=True, text=True, timeout=170,
        check=False)

    assert told.returncode == 0, told.stdout[-4000:]
    count = re.search(r"(\d+) generated", told.stdout)
    assert count is not None, told.stdout[-1500:]
    assert int(count[1]) > 100
