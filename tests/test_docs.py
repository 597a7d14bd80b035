"""What the pages show, runs.

The Python blocks of one page share a namespace and run in a folder of their own; a page may count on the names of
``given``. Console blocks: every line ``$ windtunnel …`` (and ``$ echo …``, to make a file) runs, exits with 0 or with
what its comment ``# exit N`` says, and prints the lines shown below it, where ``…`` stands for anything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from windtunnel import Tunnel

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
NOT_RUN = "# not run: "
SLOW = "check(Bubblewrap)"
RUNS = ("windtunnel ", "echo ", "mkdir ")


def blocks(page, *kinds):
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind in kinds]


def commands(page):
    """(command, exit code, lines shown below it) of every command line in the page."""
    found = []
    for text in blocks(page, "console", "sh"):
        for line in text.splitlines():
            if line.startswith("$ "):
                command, _, code = line[2:].partition("  # exit ")
                found.append((command.strip(), int(code or 0), []))
            elif found and line.strip():
                found[-1][2].append(line)
    return found


def python_page(page):
    slow = any(SLOW in text for text in blocks(page, "python"))
    return pytest.param(page, id=page.name, marks=[pytest.mark.slow] if slow else [])


@pytest.fixture
def own_folder(tmp_path, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = tmp_path_factory.mktemp("own")
    monkeypatch.setenv("XDG_STATE_HOME", str(own / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(own / "cache"))
    monkeypatch.setenv("PATH", f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def given(own_folder):
    """What a page may use without making it: a result of a failed run, and the tools of a test."""
    from windtunnel.testing import conformance_cases

    with Tunnel(pool_size=0) as tunnel:
        result = tunnel.run("int('twelve')")
    return {"__name__": "page", "result": result, "pytest": pytest, "conformance_cases": conformance_cases}


@pytest.mark.parametrize("page", [python_page(page) for page in PAGES if blocks(page, "python")])
def test_the_python_of_a_page_runs(page, given):
    for number, text in enumerate(blocks(page, "python"), start=1):
        if not text.startswith(NOT_RUN):
            exec(compile(text, f"{page.name}, block {number}", "exec"), given)

    assert given["__name__"] == "page"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES if commands(page)])
def test_the_commands_of_a_page_end_and_print_as_shown(page, own_folder):
    for command, code, shown in commands(page):
        if not command.startswith(RUNS):
            continue
        done = subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        assert (command, done.returncode) == (command, code), done.stdout
        missing = [line for line in shown if not re.search(pattern(line), done.stdout, re.MULTILINE)]
        assert missing == [], f"{command}\n{done.stdout}"


def pattern(line):
    return "^ *" + ".*".join(re.escape(part.strip()) for part in line.split("…")) + " *$"


def test_a_shown_line_must_really_be_printed():
    assert re.search(pattern("hello …"), "well\nhello world\n", re.MULTILINE)
    assert not re.search(pattern("hello"), "hello world\n", re.MULTILINE)


def test_hardly_a_block_is_left_unrun_and_each_says_why():
    unrun = [text.splitlines()[0] for page in PAGES for text in blocks(page, "python") if text.startswith(NOT_RUN)]

    assert len(unrun) <= 2, unrun
    assert all(len(line) > len(NOT_RUN) for line in unrun)


def test_commands_that_are_not_ours_are_few():
    others = {command for page in PAGES for command, _, _ in commands(page) if not command.startswith(RUNS)}

    assert others <= {"make demo", "make test", "pip install ."}, others


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_the_links_of_a_page_lead_somewhere(page):
    text = BLOCK.sub("", page.read_text())

    assert [link for link in LINK.findall(text) if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_index():
    linked = set(LINK.findall((ROOT / "docs" / "index.md").read_text()))

    assert {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")} - {"index.md"} <= linked
