"""Every fate in every language, found by the real tools in the real sandbox."""

from __future__ import annotations

import pytest
from foreign_projects import PROJECTS, bench, judge, mutants_of, project_of

from windtunnel.engine.foreign.selection import related

pytestmark = [pytest.mark.timeout(1500), pytest.mark.xdist_group("runners")]
SLOW = ("maven", "gradle")


def contents(project):
    """Every file with its content and time, apart from installed packages."""
    return {str(path.relative_to(project)): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in project.rglob("*") if path.is_file() and "node_modules" not in path.parts}


@pytest.mark.parametrize("tool", [pytest.param(tool, marks=pytest.mark.slow if tool in SLOW else ()) for tool in PROJECTS])
def test_each_mutant_has_the_fate_that_its_tests_give_it(tunnel, tmp_path, tool):
    project, path, fates = project_of(tool, tmp_path / "shop")
    # Each run of Gradle takes ten seconds; its words are read as Maven's are, which has all of them.
    fates = {"return most;": fates["return most;"]} if tool == "gradle" else fates
    before = contents(project)

    result = judge(tunnel, project, path, mutants_of(path, PROJECTS[tool][0][path], fates), seconds=1400.0)

    assert {one.mutant.original: str(one.fate) for one in result.judged} == {old: fate for old, (_, fate) in fates.items()}
    assert (result.state, result.tests, result.failing, result.flaky) == ("judged", 2, (), ())
    assert contents(project) == before


@pytest.mark.parametrize("tool", ["node:test", "go", "cargo"])
def test_a_kill_names_the_test_and_what_does_not_compile_says_why(tunnel, tmp_path, tool):
    project, path, fates = project_of(tool, tmp_path / "shop")
    wanted = {old: told for old, told in fates.items() if told[1] in ("killed", "failed")}

    result = judge(tunnel, project, path, mutants_of(path, PROJECTS[tool][0][path], wanted))

    names = {"node:test": "test/calc.test.js > clips", "go": "example.com/shop/calc/TestClip", "cargo": "src/lib.rs::tests::clips"}
    told = {str(one.fate): (one.by, one.why.partition(":")[0]) for one in result.judged}
    assert told == {"killed": (names[tool], ""), "failed": ("", "does not compile")}


def test_a_run_leaves_nothing_in_our_cache_folder(new_tunnel, tmp_path):
    project, path, fates = project_of("go", tmp_path / "shop")
    tunnel = new_tunnel()

    judge(tunnel, project, path, mutants_of(path, PROJECTS["go"][0][path], {"return most": fates["return most"]}))

    assert list((tmp_path / "cache/mutants").iterdir()) == []


@pytest.mark.parametrize("tool", ["jest", "vitest"])
def test_the_runner_itself_knows_the_tests_that_are_related_to_a_file(tunnel, tmp_path, tool):
    project, path, _ = project_of(tool, tmp_path / "shop")
    other = "import { test } from 'vitest';\n" if tool == "vitest" else ""
    (project / "other.test.js").write_text(f"{other}test('idles', () => {{}});\n")
    made = bench(tunnel, project)

    reports = [made.judge({}, check=check) for check in (made.check, related(made.check, path))]

    names = [sorted(test.id.rpartition(" > ")[2] for test in report.tests) for report in reports]
    assert names == [["clips", "idles", "sums"], ["clips", "sums"]]
