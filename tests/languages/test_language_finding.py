"""What each language asks of a machine, with tools that are not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from windtunnel.languages import LANGUAGES, go, javascript, python, rust, typescript

FOUND_ON_PATH = [language for language in LANGUAGES if language.name != "python"]
ROOT_FOLDERS = {"/", "/etc", "/home", "/opt", "/root", "/usr", "/usr/local", "/var", str(Path.home())}


@pytest.mark.parametrize("language", FOUND_ON_PATH, ids=lambda language: language.name)
def test_a_machine_without_the_tools_has_no_toolchain(language):
    assert language.find(lambda name: None) is None


@pytest.mark.parametrize("language", FOUND_ON_PATH, ids=lambda language: language.name)
def test_a_machine_with_the_tools_has_absolute_commands_and_narrow_paths(language):
    toolchain = language.find(lambda name: f"/usr/bin/{name}")

    tool = (toolchain.build or toolchain.run)[0]
    assert tool.startswith("/")
    assert "{source}" in (toolchain.build or toolchain.run)
    assert ROOT_FOLDERS.isdisjoint(toolchain.paths)
    assert all(path.startswith("/") for path in toolchain.paths)


def test_node_outside_the_common_places_is_shown_by_itself(tools):
    which = tools(node="")

    toolchain = javascript.find(which)

    assert toolchain.run == (which("node"), "{source}")
    assert toolchain.warm == (which("node"), "--require", "/run/windtunnel/gate", "{source}")
    assert which("node") in toolchain.paths


def test_a_tool_in_a_home_folder_does_not_show_the_home_folder(tools, tmp_path):
    (tmp_path / "tools" / "lib").mkdir(parents=True)
    (tmp_path / "tools" / "secret").write_text("")
    which = tools(go="", rustc="", cc="", ruby="", javac="", gcc="", php="", lua="", perl="", Rscript="", bash="")

    shown = [Path(path) for language in FOUND_ON_PATH if (found := language.find(which)) for path in found.paths]

    assert [path for path in shown if (tmp_path / "tools" / "secret").is_relative_to(path)] == []
    assert tmp_path / "tools" / "lib" not in shown


def test_rust_without_a_linker_is_not_there(tools):
    assert rust.find(tools(rustc="")) is None


def test_go_with_a_compiled_library_keeps_to_its_kind(tools, tmp_path):
    compiled = tmp_path / "tools" / "pkg" / "linux_amd64"
    compiled.mkdir(parents=True)
    which = tools(go="")
    before = go.find(which).env["CGO_ENABLED"]
    (compiled / "net.a").write_text("")

    assert (before, go.find(which).env["CGO_ENABLED"]) == ("0", "1")


def node_that_says(version):
    return f"#!/bin/sh\necho {version}\n"


@pytest.mark.parametrize(
    ("version", "options"),
    [
        ("v22.6.0", ("--experimental-strip-types", "--disable-warning=ExperimentalWarning")),
        ("v23.6.1", ("--disable-warning=ExperimentalWarning",)),
        ("v100.0.0", ("--disable-warning=ExperimentalWarning",)),
    ],
)
def test_typescript_runs_by_a_node_that_strips_types(tools, version, options):
    which = tools(node=node_that_says(version))

    assert typescript.find(which).run == (which("node"), *options, "{source}")


@pytest.mark.parametrize("answer", ["v22.5.9", "v9.11.0", "node 24", ""])
def test_typescript_does_not_run_by_an_older_or_odd_node(tools, answer):
    assert typescript.find(tools(node=node_that_says(answer))) is None


def test_typescript_prefers_bun_then_deno(tools):
    which = tools(bun="", deno="", node=node_that_says("v24.0.0"))

    both = [typescript.find(lambda name, tool=tool: which(name) if name != tool else None).run[0] for tool in ("", "bun")]

    assert both == [which("bun"), which("deno")]


def test_typescript_by_tsx_needs_its_loader(tools):
    assert typescript.find(tools(tsx="", node=node_that_says("v20.0.0"))) is None


def test_python_is_the_interpreter_that_runs_this():
    toolchain = python.find(lambda name: None)

    assert toolchain.env == {"PYTHONDONTWRITEBYTECODE": "1"}
    assert toolchain.run[1:] == ("{source}",)
    assert Path(toolchain.run[0]).samefile(sys.executable)


def test_python_in_an_environment_keeps_it_and_shows_its_parts_alone(monkeypatch, tmp_path):
    environment = tmp_path / "project" / "env"
    for name in ("bin", "lib"):
        (environment / name).mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("")
    (environment / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    monkeypatch.setattr(sys, "prefix", str(environment))
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr(sys, "base_exec_prefix", "/usr")
    monkeypatch.setattr(sys, "executable", str(environment / "bin" / "python"))

    toolchain = python.find(lambda name: None)

    assert toolchain.run == (str(environment / "bin" / "python"), "{source}")
    shown = [path for path in toolchain.paths if path.startswith(str(tmp_path))]
    assert shown == [str(environment / name) for name in ("pyvenv.cfg", "bin", "lib")]


def test_python_outside_an_environment_is_the_real_one(monkeypatch, tmp_path):
    prefix = tmp_path / "python"
    real = prefix / "bin" / "python3.11"
    library = prefix / "lib" / python._VERSION
    library.mkdir(parents=True)
    real.parent.mkdir()
    real.write_text("")
    shared = prefix / "lib" / "libpython3.so"
    shared.write_text("")
    (tmp_path / "link").symlink_to(real)
    for name in ("prefix", "base_prefix", "base_exec_prefix"):
        monkeypatch.setattr(sys, name, str(prefix))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "link"))

    toolchain = python.find(lambda name: None)

    assert toolchain.run == (str(real), "{source}")
    assert toolchain.paths == (str(real), str(library), str(shared))


def test_python_of_conda_shows_the_libraries_beside_it(monkeypatch, tmp_path):
    (tmp_path / "conda-meta").mkdir()
    (tmp_path / "lib" / python._VERSION).mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").write_text("")
    for name in ("prefix", "base_prefix", "base_exec_prefix"):
        monkeypatch.setattr(sys, name, str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))

    assert python.find(lambda name: None).paths == (str(tmp_path / "bin" / "python"), str(tmp_path / "lib"))


def test_an_embedded_interpreter_without_a_name_is_no_toolchain(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")

    assert python.find(lambda name: None) is None
