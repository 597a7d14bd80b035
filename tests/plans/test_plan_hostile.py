"""Texts and JSON that nobody would write: an answer or a refusal, never anything else, and soon."""

from __future__ import annotations

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.analysis import Part
from windtunnel.core.errors import UsageError
from windtunnel.engine.plan.check import check_plan
from windtunnel.engine.plan.danger import danger, programs
from windtunnel.engine.plan.words import read

SHELL = st.lists(st.sampled_from([
    "rm", "-rf", "/", "sh", "-c", "sudo", "|", "||", "&", "&&", ";", "(", ")", "{", "}", "$(", "`", "'", '"', "\\", "\n",
    ">", ">>", "<", "<<", "=", "X=1", "env", "eval", "x", "$HOME", "~", "#", ":", "()", "xargs", "curl", "\0", "é"]),
    max_size=30).map(" ".join)
WORDS = st.lists(st.sampled_from([
    "run", "test", "and", "then", "the", "only", "not", "without", "frontend", "go", "python", "`x`", '"', "'", "build",
    ",", ";", ".", "everything", "e2e", "script", "except", "deploy", "\ue000", "\ue0009", "İ", "&"]), max_size=20).map(
    " ".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([
        "request", "root", "tasks", "id", "command", "description", "depends_on", "retry", "env", "hosts", "folder",
        "timeout_seconds", "board", "search", "ends", "purpose", "risk"]), inner, max_size=8), max_leaves=12)
PARTS = (Part(folder="frontend", ecosystem="node", scripts={"e2e": ""}), Part(folder="", ecosystem="go"))


@settings(max_examples=60, deadline=2000)
@given(st.text(max_size=300) | SHELL)
def test_any_command_is_judged(command):
    danger(command)

    assert all(program.argv for program in programs(command))


@settings(max_examples=60, deadline=2000)
@given(st.text(max_size=300) | WORDS)
def test_any_request_is_read_or_refused(request):
    with contextlib.suppress(UsageError):
        read(request, PARTS)


@settings(max_examples=60, deadline=2000)
@given(JSON | st.fixed_dictionaries({"request": st.just("x"), "root": st.just("/"), "tasks": st.lists(st.fixed_dictionaries(
    {"id": st.text(max_size=4), "description": st.just("d"), "command": st.just("x")}, optional={
        "depends_on": JSON, "folder": JSON, "hosts": JSON, "env": JSON, "retry": JSON, "timeout_seconds": JSON,
        "search": JSON, "risk": JSON, "ends": JSON}), max_size=3)}))
def test_any_json_is_a_plan_or_refused(told):
    with contextlib.suppress(UsageError):
        check_plan(told)
