"""From words and an analysis to tasks."""

from __future__ import annotations

import pytest

from windtunnel.core.analysis import Analysis, CodeMetrics, Dependencies, Dependency, LanguageShare, Part, Structure
from windtunnel.core.errors import UsageError
from windtunnel.engine.plan.make import make_plan

PARTS = (
    Part(folder="backend", ecosystem="python", manager="pip", manifests=("backend/requirements.txt",), tests=("pytest",),
         tools=("ruff", "mypy")),
    Part(folder="frontend", ecosystem="node", manager="npm", manifests=("frontend/package.json",),
         locks=("frontend/package-lock.json",), scripts={"e2e": "x", "test": "y", "build": "z"}),
    Part(folder="native", ecosystem="c", manifests=("native/CMakeLists.txt",)),
)
FLASK = Dependency(name="flask", ecosystem="python", file="backend/requirements.txt")


def analysis(*parts, dependencies=(), **more):
    return Analysis(root="/project", tree="hash", structure=Structure(parts=parts),
                    dependencies=Dependencies(dependencies=dependencies), metrics=CodeMetrics(), **more)


def planned(request, *, parts=PARTS, dependencies=(), **options):
    return make_plan(request, analysis(*parts, dependencies=dependencies), **{"environ": {}, **options})


def test_each_task_comes_after_what_it_needs_in_its_own_part():
    made = planned("install, build and run all tests")

    assert {task.id: task.depends_on for task in made.tasks} == {
        "install-backend": (), "install-frontend": (), "build-frontend": ("install-frontend",), "build-native": (),
        "test-backend": ("install-backend",), "test-frontend": ("install-frontend", "build-frontend"),
        "test-native": ("build-native",)}


def test_an_install_is_implied_where_something_is_needed_and_nobody_forbids_it():
    assert [task.id for task in planned("test the backend", dependencies=[FLASK]).tasks] == [
        "install-backend", "test-backend"]
    assert [task.id for task in planned("test the backend without installing", dependencies=[FLASK]).tasks] == [
        "test-backend"]
    assert [task.id for task in planned("test the backend").tasks] == ["test-backend"]


def test_two_linters_are_two_tasks():
    assert [(task.id, task.command) for task in planned("lint").tasks] == [
        ("lint-backend-ruff", "ruff check ."), ("lint-backend-mypy", "mypy .")]


def test_a_quoted_command_comes_after_all_before_it_and_before_all_after_it():
    made = planned("test native, then run `make docs` and lint")

    assert [(task.id, task.depends_on, task.risk) for task in made.tasks] == [
        ("build-native", (), "low"), ("test-native", ("build-native",), "low"),
        ("run-make", ("build-native", "test-native"), "medium"), ("lint-backend-ruff", ("run-make",), "low"),
        ("lint-backend-mypy", ("run-make",), "low")]


def test_a_script_is_run_by_the_parts_own_manager():
    (task,) = planned("run e2e").tasks

    assert (task.command, task.folder, task.search) == ("npm run e2e", "frontend", ("node_modules/.bin",))


def test_later_tasks_find_what_an_install_put_there():
    task = planned("test the backend").task("test-backend")

    assert task.line == 'export PATH="$PWD/.venv/bin:$PATH"\npython3 -m pytest'


def test_a_network_is_given_only_to_hosts_that_somebody_named():
    quiet = planned("install the frontend").task("install-frontend")
    named = planned("install the frontend", allow_hosts=["packages.example"]).task("install-frontend")
    configured = planned("install the frontend", environ={"NPM_CONFIG_REGISTRY": "https://npm.example:8443/all"})

    assert (quiet.hosts, quiet.env, quiet.risk) == ((), {}, "low")
    assert (named.hosts, named.risk) == (("packages.example",), "medium")
    assert configured.task("install-frontend").hosts == ("npm.example:8443",)
    assert configured.task("install-frontend").env["NPM_CONFIG_REGISTRY"] == "https://npm.example:8443/all"
    assert "no host of npm is named" in planned("install the frontend").notes[0]


def test_an_address_with_a_password_is_not_handed_on():
    made = planned("install the backend", environ={"PIP_INDEX_URL": "https://me:secret@pypi.example/simple"})

    assert made.tasks[0].hosts == ("pypi.example",)
    assert "secret" not in repr(made)


def test_tests_that_need_no_network_get_none():
    made = planned("install and test", allow_hosts=["packages.example"])

    assert {task.id for task in made.tasks if task.hosts} == {"install-backend", "install-frontend"}


def test_the_same_words_give_the_same_plan():
    assert planned("install and test").digest == planned("install and test").digest


def test_what_is_not_known_is_asked_back():
    made = planned("audit the native part and test it, then deploy")

    assert made.questions == ("no audit command is known in native",
                              "not planned: deploy (quote a command, and it is taken as it stands)")


def test_where_there_is_nothing_to_do_that_is_refused():
    with pytest.raises(UsageError, match="no format command is known"):
        planned("format native")


def test_a_stale_analysis_is_told():
    made = make_plan("test", analysis(*PARTS, stale=True), environ={})

    assert "the project has changed since it was analysed" in made.notes


def test_a_tree_without_a_manifest_is_planned_by_its_language(tmp_path):
    (tmp_path / "test_cart.py").write_text("import unittest\n")
    share = LanguageShare(name="Python", kind="programming", files=1, bytes=16, lines=1, share=1.0)
    found = Analysis(root=str(tmp_path), tree="", structure=Structure(languages=(share,)), dependencies=Dependencies(),
                     metrics=CodeMetrics())

    assert [task.command for task in make_plan("test", found).tasks] == ["python3 -m unittest discover"]


def test_a_hostile_name_of_a_part_makes_a_plain_id():
    part = Part(folder="a;b $(id)/ü", ecosystem="go", manifests=("x/go.mod",))

    made = planned("build", parts=(part, PARTS[2]))

    assert [task.id for task in made.tasks] == ["build-a-b-id", "build-native"]


def test_a_hostile_name_of_a_file_is_shown_harmless(tmp_path):
    (tmp_path / "test_\x1b[2J\n.py").write_text("import unittest\n")
    share = LanguageShare(name="Python", kind="programming", files=1, bytes=16, lines=1, share=1.0)
    found = Analysis(root=str(tmp_path), tree="", structure=Structure(languages=(share,)), dependencies=Dependencies(),
                     metrics=CodeMetrics())

    assert make_plan("test", found).tasks[0].description == "Run the tests of python (test_?[2J?.py)"
