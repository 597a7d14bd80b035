"""``windtunnel analyze`` as a person starts it."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "package.json").write_text('{"name": "web\\u001b[31m", "dependencies": {"react": "^18.0.0"}, "devDependencies": {"react": "^17.0.0"}}')
    (folder / "index.js").write_text("export function f(a) { return a ? 1 : 2 }\n")
    return folder


def test_the_page_shows_languages_parts_conflicts_and_what_nobody_audited(cli, project):
    done = cli("analyze", str(project))

    assert done.returncode == 0, done.stderr
    for line in ("  JavaScript  ████████████████████████  100.0%  1 file  1 lines", "  1 conflict",
                 "    unsatisfiable  react  no version meets all of these wishes: ^18.0.0 and ^17.0.0", "    frameworks   React [frontend]"):
        assert line in done.stdout.splitlines()
    assert "node: not audited: no advisory data was given" in done.stdout
    assert "\x1b" not in done.stdout


def test_json_has_all_of_it_and_strict_ends_with_one(cli, project):
    done = cli("analyze", str(project), "--json", "--strict")
    told = json.loads(done.stdout)

    assert (done.returncode, told["structure"]["parts"][0]["frameworks"][0]["name"], told["dependencies"]["conflicts"][0]["kind"]) == (
        1, "React", "unsatisfiable")
    assert len(told["tree"]) == 64


@pytest.mark.parametrize("arguments", [["/nowhere/at/all"], [".", "--most", "0"], [".", "--advisories", "/nowhere/at/all"]])
def test_a_wrong_request_ends_with_two(cli, arguments):
    assert cli("analyze", *arguments).returncode == 2
