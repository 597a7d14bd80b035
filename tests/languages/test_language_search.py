"""Finding real tools behind the stand-ins of version managers."""

from __future__ import annotations

import contextlib
import os

import pytest

from windtunnel.languages.places import is_common, located, needed
from windtunnel.languages.search import which


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RBENV_VERSION", "ASDF_NODEJS_VERSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    return tmp_path


@pytest.fixture
def ordinary_user():
    """No folder is closed to root, so root is somebody else for a while."""

    @contextlib.contextmanager
    def become():
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(54321)
        try:
            yield
        finally:
            os.seteuid(0)

    return become


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def search_in(monkeypatch, *folders):
    monkeypatch.setenv("PATH", ":".join(str(folder) for folder in folders))


def test_a_plain_tool_is_found_where_it_is(home, monkeypatch):
    tool = program(home / "bin/ruby")
    search_in(monkeypatch, home / "bin")

    assert which("ruby") == str(tool)


def test_a_tool_that_is_nowhere_is_none(home, monkeypatch):
    search_in(monkeypatch, home / "bin")

    assert which("ruby") is None


def test_a_file_that_may_not_be_executed_is_not_a_tool(home, monkeypatch):
    program(home / "bin/ruby").chmod(0o644)
    search_in(monkeypatch, home / "bin")

    assert which("ruby") is None


def test_a_folder_that_may_not_be_entered_is_passed_over(home, monkeypatch, ordinary_user):
    program(home / "closed/ruby")
    (home / "closed").chmod(0)
    search_in(monkeypatch, home / "closed")

    with ordinary_user():
        found = which("ruby")

    assert found is None


def test_a_relative_entry_of_path_is_passed_over(home, monkeypatch):
    program(home / "bin/ruby")
    monkeypatch.chdir(home)
    search_in(monkeypatch, "bin", ".")

    assert which("ruby") is None


def test_a_shim_leads_to_the_version_the_account_chose(home, monkeypatch):
    program(home / ".rbenv/shims/ruby")
    program(home / ".rbenv/versions/3.10.0/bin/ruby")
    chosen = program(home / ".rbenv/versions/3.2.1/bin/ruby")
    (home / ".rbenv/version").write_text("3.2.1\n")
    search_in(monkeypatch, home / ".rbenv/shims")

    assert which("ruby") == str(chosen)


def test_a_variable_goes_before_the_managers_file(home, monkeypatch):
    program(home / ".rbenv/shims/ruby")
    asked = program(home / ".rbenv/versions/3.1.0/bin/ruby")
    program(home / ".rbenv/versions/3.2.1/bin/ruby")
    (home / ".rbenv/version").write_text("3.2.1\n")
    monkeypatch.setenv("RBENV_VERSION", "3.1.0")
    search_in(monkeypatch, home / ".rbenv/shims")

    assert which("ruby") == str(asked)


def test_a_shim_without_a_choice_leads_to_the_newest_version(home, monkeypatch):
    program(home / ".nodenv/shims/node")
    program(home / ".nodenv/versions/9.1.0/bin/node")
    newest = program(home / ".nodenv/versions/20.2.0/bin/node")
    search_in(monkeypatch, home / ".nodenv/shims")

    assert which("node") == str(newest)


def test_a_shim_with_nothing_behind_it_gives_way_to_the_next_on_path(home, monkeypatch):
    program(home / ".rbenv/shims/ruby")
    real = program(home / "bin/ruby")
    search_in(monkeypatch, home / ".rbenv/shims", home / "bin")

    assert which("ruby") == str(real)


def test_a_shim_of_asdf_leads_to_the_version_in_its_file(home, monkeypatch):
    program(home / ".asdf/shims/node")
    chosen = program(home / ".asdf/installs/nodejs/18.1.0/bin/node")
    program(home / ".asdf/installs/nodejs/20.1.0/bin/node")
    (home / ".tool-versions").write_text("ruby 3.1\nnodejs 18.1.0\n")
    search_in(monkeypatch, home / ".asdf/shims")

    assert which("node") == str(chosen)


def test_a_shim_of_asdf_finds_go_in_its_own_folder(home, monkeypatch):
    program(home / ".asdf/shims/go")
    real = program(home / ".asdf/installs/golang/1.21.0/go/bin/go")
    search_in(monkeypatch, home / ".asdf/shims")

    assert which("go") == str(real)


def test_rustups_stand_in_leads_to_the_default_toolchain(home, monkeypatch):
    link(home / ".cargo/bin/rustc", program(home / ".cargo/bin/rustup"))
    program(home / ".rustup/toolchains/nightly-x86_64/bin/rustc")
    stable = program(home / ".rustup/toolchains/stable-x86_64/bin/rustc")
    (home / ".rustup/settings.toml").write_text('version = "12"\ndefault_toolchain = "stable"\n')
    search_in(monkeypatch, home / ".cargo/bin")

    assert which("rustc") == str(stable)


def test_rustups_stand_in_without_a_toolchain_is_no_tool(home, monkeypatch):
    link(home / ".cargo/bin/rustc", program(home / ".cargo/bin/rustup"))
    search_in(monkeypatch, home / ".cargo/bin")

    assert which("rustc") is None


def test_a_compiler_cache_gives_way_to_the_compiler(home, monkeypatch):
    link(home / "cache/gcc", program(home / "bin/ccache"))
    real = program(home / "bin/gcc")
    search_in(monkeypatch, home / "cache", home / "bin")

    assert which("gcc") == str(real)


def test_a_link_out_of_its_folder_is_followed(home):
    real = program(home / "opt/node/bin/node")

    assert located(str(link(home / "bin/node", real))) == str(real)


def test_a_name_that_stays_in_its_folder_is_kept(home):
    program(home / "bin/clang-17")

    assert located(str(link(home / "bin/clang++", "clang-17"))) == str(home / "bin/clang++")


def test_what_is_common_missing_or_inside_another_is_not_needed(home):
    inner = program(home / "tool/lib/part")

    assert needed("/usr/bin/env", "/usr/lib/any", inner, home / "tool", home / "missing", home / "tool") == (
        str(home / "tool"),
    )


def test_a_folder_whose_name_only_begins_like_a_common_one_is_not_common():
    assert (is_common("/usr/library/x"), is_common("/usr/lib/x"), is_common("/usr")) == (False, True, False)
