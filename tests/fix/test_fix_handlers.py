"""Rules and handlers of the user's own: from a folder, and from installed packages."""

import sys

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.own import own_sources

HANDLER = """from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, Proposal


def propose(scene):
    for path in scene.paths:
        text = (scene.read(path) or "").replace("{old}", "{new}")
        yield Proposal(edits=(FileEdit(path=path, text=text),), origin="user", name="own", reason="as we do it here",
                       place=Place(file=path, line=1), prior=0.9)
"""
RULE = "- {name: plus, message: 'assert', find: 'a - b', replace: 'a + b'}\n"
SCENE = Scene(paths=("a.py",), read={"a.py": "a - b\n"}.get, problems=(
    Problem(kind="assertion", message="assert 1 == 2", place=Place(file="a.py", line=1)),))


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "rules"
    made.mkdir()
    (tmp_path / "project").mkdir()
    return made


def proposed(folder, project=None):
    asked = Fix(project=project or folder.parent / "project", rules=folder)
    return [one.edits[0].text for source in own_sources(asked, state=None) for one in source(SCENE)]


def test_a_folder_brings_the_rules_and_the_handlers_of_all_its_files(folder):
    (folder / "one.yaml").write_text(RULE)
    (folder / "two.py").write_text(HANDLER.replace("{old}", "-").replace("{new}", "*"))
    (folder / "README.md").write_text("ours\n")

    assert proposed(folder) == ["a + b\n", "a * b\n"]


def test_code_in_the_project_itself_is_never_run_for_that(folder):
    (folder / "two.py").write_text("raise SystemExit('it ran')\n")

    with pytest.raises(UsageError, match="keep such files outside"):
        proposed(folder, project=folder.parent)


@pytest.mark.parametrize(("name", "text", "said"), [
    ("a.py", "1 / 0\n", "'a.py' cannot be loaded: ZeroDivisionError"),
    ("a.py", "propose = 3\n", "'a.py' has no function 'propose'"),
    ("a.yaml", "nonsense\n", "a list of at most"),
    ("a.txt", "", "has no .yaml, .yml or .py file"),
])
def test_a_folder_that_cannot_be_used_is_refused_with_the_reason(folder, name, text, said):
    (folder / name).write_text(text)

    with pytest.raises(UsageError, match=said):
        proposed(folder)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that is installed, with what its entry point names."""
    def install(value):
        information = tmp_path / "site" / "own_fixes-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: own-fixes\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[windtunnel.fix_sources]\nown = {value}\n")
        (tmp_path / "site" / "own_fixes.py").write_text(HANDLER.replace("{old}", "-").replace("{new}", "/"))
        monkeypatch.syspath_prepend(str(tmp_path / "site"))

    yield install
    sys.modules.pop("own_fixes", None)


def test_an_installed_package_proposes_too(package, tmp_path):
    package("own_fixes:propose")

    (source,) = own_sources(Fix(project=tmp_path), state=None)

    assert [one.edits[0].text for one in source(SCENE)] == ["a / b\n"]


@pytest.mark.parametrize("value", ["own_fixes:nothing", "own_fixes:__name__"])
def test_a_package_that_brings_something_else_is_named(package, tmp_path, value):
    package(value)

    with pytest.raises(UsageError, match="own-fixes"):
        own_sources(Fix(project=tmp_path), state=None)
