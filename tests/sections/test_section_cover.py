"""What calls run of a project's files is counted in a real sandbox, as coverage.py counts it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from section_samples import calls_of, explored, write

import windtunnel.sections
from windtunnel import Tunnel
from windtunnel.core.section import Call, Covered, Section, SectionKind
from windtunnel.engine.simulate.calling import Place
from windtunnel.engine.simulate.covering import cover_in
from windtunnel.sections.covered import cover, read_covered
from windtunnel.sections.find import find

INSIDE = Path(windtunnel.sections.__file__).parent / "inside"
SHOP = '''
"""Prices."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import decimal


def price(n: int, cheap: bool = False) -> int:
    """Of so many."""
    if cheap:
        return n
    for at in range(3):
        if at == 7:
            n += 100
    return 2 * n


def secret(word: str) -> str:
    if word == "nobody guesses this" and len(word) == 3:
        return "x"
    return "y"
'''
EVERYTHING = '''
"""All that can decide."""
import asyncio
import contextlib


class Shop:
    """With a docstring."""

    open: bool
    names = ["a", "b"]

    @property
    def first(
        self,
    ):
        return self.names[0]


def pausing(n):
    for at in range(n):
        if (yield at):
            break
    else:
        return


def lost():
    global nothing
    try:
        if int("x") > 3:
            return 1
    except ValueError:
        return 2
    finally:
        contextlib.nullcontext()
    return 3


def matched(thing):
    match thing:
        case 1:
            return "one"
        case [first, *_] if first:
            return first
        case "never":
            return "never"
        case _:
            return None


def looped(n):
    total = 0
    while n > 0:
        n -= 1
        if n == 2:
            continue
        if n == 50:
            break
        total += sum(one for one in range(n) if one % 2)
    return [one for one in range(total)
            if one > 3] or (
        total)


async def waited(n):
    async def numbers():
        for at in range(n):
            yield at
    found = 0
    async for one in numbers():
        if one > 100:
            found += one
    async with contextlib.AsyncExitStack():
        await asyncio.sleep(0)
    return found


def run():
    Shop().first
    list(pausing(2))
    more = pausing(5)
    next(more)
    try:
        more.send(True)
    except StopIteration:
        pass
    lost()
    matched(1)
    matched([2])
    matched(3)
    looped(5)
    asyncio.run(waited(2))
'''
COUNTED = """
import json, sys
sys.path[:0] = [{inside!r}, "."]
import windtunnel_section_watch as watch, windtunnel_section_ways as ways
import os
place = os.path.join(os.getcwd(), "everything.py")
if sys.argv[1] == "own":
    watching = watch.Watch({{place: "everything.py"}})
    with watching:
        import everything
        everything.run()
    found, arcs = ways.ways_of(open(place, "rb").read()), watching.arcs["everything.py"]
    print(json.dumps([found.lines, found.lines_run(arcs), found.branches, found.branches_taken(arcs)]))
else:
    import coverage
    measured = coverage.Coverage(branch=True, data_file=None, include=[place], config_file=False)
    measured.start()
    import everything
    everything.run()
    measured.stop()
    measured.json_report(outfile="told.json")
    totals = json.load(open("told.json"))["totals"]
    print(json.dumps([totals["num_statements"], totals["covered_lines"], totals["num_branches"], totals["covered_branches"]]))
"""


@pytest.fixture(scope="module")
def tunnel(tmp_path_factory):
    with Tunnel(pool_size=0) as made:
        yield made


def counted(folder, whose):
    (folder / "count.py").write_text(COUNTED.format(inside=str(INSIDE)))
    run = subprocess.run([sys.executable, "count.py", whose], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_lines_and_branches_that_calls_run_are_counted(tunnel, tmp_path):
    write(tmp_path, {"shop.py": SHOP})
    found = explored(tunnel, tmp_path)

    told = cover_in(tunnel.rig, Place(project=str(tmp_path)), calls=calls_of(found), files=["shop.py"])

    assert told == Covered(lines=12, lines_run=10, branches=8, branches_taken=6)


def test_a_file_that_is_never_loaded_counts_with_nothing_run(tunnel, tmp_path):
    write(tmp_path, {"shop.py": "def one() -> int:\n    return 1\n", "other.py": "def two():\n    return 2\n"})
    found = explored(tunnel, tmp_path, sections=[one for one in find(tmp_path).sections if one.path == "shop.py"])

    told = cover_in(tunnel.rig, Place(project=str(tmp_path)), calls=calls_of(found), files=["shop.py", "other.py"])

    assert (told.lines, told.lines_run, told.branch_share) == (4, 2, None)


def test_a_call_that_ends_its_process_takes_nothing_of_the_others_away(tunnel, tmp_path):
    write(tmp_path, {"bad.py": "import os\n\n\ndef end():\n    os._exit(3)\n\n\ndef one():\n    return 1\n"})
    calls = [Call(section=Section(path="bad.py", name=name, kind=SectionKind.FUNCTION, module="bad"))
             for name in ("end", "one")]

    told = cover_in(tunnel.rig, Place(project=str(tmp_path)), calls=calls, files=["bad.py"])

    assert (told.lines, told.lines_run, told.reason) == (5, 4, "")


def test_a_module_that_ends_the_process_has_no_figure_but_a_reason(tunnel, tmp_path):
    write(tmp_path, {"bad.py": "import os\nos._exit(3)\n\n\ndef one():\n    return 1\n"})
    call = Call(section=Section(path="bad.py", name="one", kind=SectionKind.FUNCTION, module="bad"))

    told = cover_in(tunnel.rig, Place(project=str(tmp_path)), calls=[call], files=["bad.py"])

    assert (told.line_share, told.reason) == (
        None, "watching the calls did not come to its end: ended with exit code 3")


def test_nothing_to_call_has_a_reason(tunnel, tmp_path):
    told = cover_in(tunnel.rig, Place(project=str(tmp_path)), calls=[], files=["bad.py"])

    assert told == Covered(reason="no call was there to be made")


def test_it_is_counted_as_coverage_py_counts_it(tmp_path):
    pytest.importorskip("coverage")
    write(tmp_path, {"everything.py": EVERYTHING})

    assert counted(tmp_path, "own") == counted(tmp_path, "coverage")


ROW = {"file": "a.py", "lines": 4, "lines_run": 2, "branches": 2, "branches_taken": 1}


@pytest.mark.parametrize("odd", [
    {"lines_run": 5}, {"lines": -1}, {"lines": True}, {"branches_taken": 3}, {"lines": 10**12}, {"file": "b.py"},
    {"branches": None}])
def test_counts_that_cannot_be_are_left_out(odd):
    report = b"\n".join(json.dumps(one).encode() for one in ({**ROW, **odd}, {"done": True}))

    assert read_covered(report, files=["a.py"]) == Covered(reason="no file has a line that can run")


def test_a_file_counts_once_however_often_it_is_told():
    report = b"\n".join(json.dumps(one).encode() for one in (ROW, ROW, {"done": True}))

    assert read_covered(report, files=["a.py"]) == Covered(lines=4, lines_run=2, branches=2, branches_taken=1)


def test_a_report_without_an_end_says_how_the_sandbox_ended():
    assert read_covered(b"nonsense\n[]\n", files=["a.py"], ended="out of memory").reason == (
        "watching the calls did not come to its end: out of memory")


def test_an_order_names_no_more_files_than_are_read():
    call = Call(section=Section(path="a.py", name="f", kind=SectionKind.FUNCTION, module="a"))

    order = json.loads(cover([call], files=[f"{at}.py" for at in range(3000)]))

    assert (len(order["files"]), order["mode"]) == (2000, "cover")
