"""The clone of a run: in the run's own folder, without what is not the project's."""

from __future__ import annotations

import os
import stat

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.simulation import Simulation
from windtunnel.engine.cycles.act import begin
from windtunnel.engine.cycles.cloning import remade
from windtunnel.engine.cycles.course import Work, run
from windtunnel.engine.cycles.records import OBJECTIVE
from windtunnel.engine.cycles.tried import Looked
from windtunnel.engine.recovery.journal import Journal
from windtunnel.scenarios.preset import scenario
from windtunnel.sections.find import find


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "module.py").write_text("def double(n: int) -> int:\n    return 2 * n\n")
    return folder


def begun(project, data, tmp_path):
    return begin(project, options={"data": str(data), "presets": [{}]}, state_dir=tmp_path / "state", owner="")


def course(project, data, *, folder):
    """One cycle with a simulation that is made up; the files that it was to run on."""
    seen = []

    def simulate(clone, scenarios, seed):
        seen.extend(sorted(str(path.relative_to(clone)) for path in clone.rglob("*") if path.is_file()))
        return Simulation(project=str(clone), seed=seed, scenarios=scenarios)

    work = Work(project=project, simulate=simulate, objective=OBJECTIVE, max_iterations=1,
                scenarios=lambda _: (scenario({"CPU_LIMIT": 0.5}),), improve=lambda *_: Looked())
    with Journal(folder) as journal:
        run(journal, work, data=data)
    return seen


def test_folders_of_the_user_in_the_data_folder_stay(project, tmp_path):
    own = tmp_path / "own"
    for name in ("clone", "applied"):
        (own / name).mkdir(parents=True)
        (own / name / "thesis.txt").write_text("mine")
    folder = own / "runs" / "0001"

    assert begun(project, own, tmp_path) == str(folder)
    assert course(project, own, folder=folder) == ["module.py"]
    assert [(own / name / "thesis.txt").read_text() for name in ("clone", "applied")] == ["mine", "mine"]


def test_two_runs_in_one_data_folder_each_have_a_clone_of_their_own(project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "another.py").write_text("")
    first, second = (tmp_path / "data" / "runs" / name for name in ("0001", "0002"))

    assert [begun(one, tmp_path / "data", tmp_path) for one in (project, other)] == [str(first), str(second)]
    assert course(other, tmp_path / "data", folder=second) == ["another.py"]
    assert course(project, tmp_path / "data", folder=first) == ["module.py"]
    assert [path.name for path in (second / "clone").iterdir()] == ["another.py"]


def test_a_data_folder_inside_the_project_is_left_out_of_the_clone_whatever_its_name(project, tmp_path):
    data = project / "measured"
    for name in ("0001", "0002"):
        assert begun(project, data, tmp_path) == str(data / "runs" / name)
        assert course(project, data, folder=data / "runs" / name) == ["module.py"]


def test_sections_of_clones_are_not_the_project_s_own(project, tmp_path):
    course(project, project / "measured", folder=tmp_path.joinpath(begun(project, project / "measured", tmp_path)))

    assert (project / "measured" / "runs" / "0001" / "clone" / "module.py").exists()
    assert [one.id for one in find(project).sections] == ["module.py:double"]


def test_what_is_neither_file_nor_folder_nor_link_is_left_out(project, tmp_path):
    os.mkfifo(project / "pipe")
    (project / "link").symlink_to("nowhere")

    clone = remade(tmp_path, project, diffs=(), data=tmp_path)

    assert {path.name: stat.S_IFMT(path.lstat().st_mode) for path in clone.iterdir()} == {
        "module.py": stat.S_IFREG, "link": stat.S_IFLNK}


def test_a_clone_that_became_a_link_is_replaced_and_what_it_led_to_stays(project, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "clone").symlink_to(tmp_path / "mine")

    clone = remade(tmp_path / "run", project, diffs=(), data=tmp_path)

    assert ([path.name for path in clone.iterdir()], clone.is_symlink()) == (["module.py"], False)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "mine"


def test_a_project_that_cannot_be_copied_is_told_of_with_the_reason(project, tmp_path):
    (tmp_path / "clone").write_text("a file in the way")

    with pytest.raises(SandboxFailure, match=r"^project: cannot be copied to .*/clone: .*/clone: Not a directory$"):
        remade(tmp_path, project, diffs=(), data=tmp_path)
