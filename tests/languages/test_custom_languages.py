"""Languages described in a configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.language import Toolchain
from windtunnel.languages import LanguageTable
from windtunnel.languages.custom import language_from
from windtunnel.languages.places import LOADER_ENV

AWK = {"name": "awk", "suffixes": [".awk"], "run": ["awk", "-f", "{source}"], "install": "apt-get install gawk"}


def test_the_least_description_is_a_language(tools):
    language = language_from(AWK)
    which = tools(awk="")

    assert (language.name, language.aliases, language.suffixes, language.source, language.install) == (
        "awk", (), (".awk",), "main.awk", "apt-get install gawk",
    )  # fmt: skip
    assert language.reserved_env == LOADER_ENV
    assert language.find(which) == Toolchain(run=(which("awk"), "-f", "{source}"), paths=(which("awk"),))


def test_a_full_description_is_a_language(tools, tmp_path):
    library = Path("/usr/share")
    language = language_from(
        AWK | {
            "aliases": ["gawk"], "source": "start.awk", "build": ["compile", "{source}", "-o", "{build}/out"],
            "run": ["{build}/out"], "paths": [str(library)], "env": {"AWK_LEVEL": "2"},
        }
    )  # fmt: skip
    which = tools(compile="")

    assert (language.aliases, language.source) == (("gawk",), "start.awk")
    assert language.reserved_env == (*LOADER_ENV, "AWK_LEVEL")
    assert language.find(which) == Toolchain(
        build=(which("compile"), "{source}", "-o", "{build}/out"),
        run=("{build}/out",),
        paths=(which("compile"), str(library)),
        env={"AWK_LEVEL": "2"},
    )


def test_a_described_language_runs(bench):
    table = LanguageTable([language_from(AWK | {"run": ["/usr/bin/env", "sed", "-f", "{source}"]})])
    language = table.get("awk")

    ran = bench.run(language, table.toolchain(language), code="s/a/o/\n", stdin="wards\n")

    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "words\n", "")


@pytest.mark.parametrize("change", [{}, {"run": ["/no/such/awk", "{source}"]}, {"build": ["compile", "{build}"]}])
def test_a_described_language_whose_tools_are_missing_is_not_there(tools, change):
    which = tools(awk="") if "build" in change else lambda name: None

    assert language_from(AWK | change).find(which) is None


WRONG = {
    "unknown key": ({"suffix": [".awk"]}, "'suffix'"),
    "a key that is no text": ({7: "x"}, "7"),
    "no name": ({"name": None}, "name"),
    "empty name": ({"name": ""}, "name"),
    "a name like an option": ({"name": "-rf"}, "name"),
    "a name in upper case": ({"name": "AWK"}, "name"),
    "a name with a newline": ({"name": "awk\n"}, "name"),
    "a long name": ({"name": "a" * 33}, "name"),
    "an alias like an option": ({"aliases": ["--help"]}, "aliases"),
    "aliases as one text": ({"aliases": "gawk"}, "aliases"),
    "no suffixes": ({"suffixes": []}, "suffixes"),
    "suffixes as one text": ({"suffixes": ".awk"}, "suffixes"),
    "a suffix without its dot": ({"suffixes": ["awk"]}, "suffixes"),
    "a suffix with a folder": ({"suffixes": [".a/b"]}, "suffixes"),
    "a source with a folder": ({"source": "../main.awk"}, "source"),
    "a source like an option": ({"source": "-main.awk"}, "source"),
    "a hidden source": ({"source": ".windtunnel"}, "source"),
    "a source in the place of build products": ({"source": "build"}, "source"),
    "an empty command": ({"run": []}, "run"),
    "a command as one text": ({"run": "awk -f {source}"}, "run"),
    "a command of numbers": ({"run": ["awk", 1]}, "run"),
    "a command like an option": ({"run": ["-c", "{source}"]}, "run"),
    "a command by a relative path": ({"run": ["./awk", "{source}"]}, "run"),
    "a command through a parent": ({"run": ["/usr/bin/../awk", "{source}"]}, "run"),
    "the source as a command": ({"run": ["{source}"]}, "run"),
    "a command with a NUL": ({"run": ["awk", "{source}\0"]}, "run"),
    "a command without the source": ({"run": ["awk"]}, "run"),
    "a product without a build": ({"run": ["{build}/out"]}, "run"),
    "a build without a product": ({"build": ["compile", "{source}"]}, "build"),
    "a build by its own product": ({"build": ["{build}/x"]}, "build"),
    "a build that is nothing": ({"build": None}, "build"),
    "too long a command": ({"run": ["awk", "{source}", *["x"] * 64]}, "run"),
    "a relative path": ({"paths": ["lib/awk"]}, "paths"),
    "a path in no plain form": ({"paths": ["/opt/awk/../../etc"]}, "paths"),
    "the whole root": ({"paths": ["/"]}, "paths"),
    "all settings": ({"paths": ["/etc"]}, "paths"),
    "a home folder": ({"paths": ["/home/someone"]}, "paths"),
    "the own home folder": ({"paths": [str(Path.home())]}, "paths"),
    "processes": ({"paths": ["/proc/1/root"]}, "paths"),
    "a socket of a daemon": ({"paths": ["/run/docker.sock"]}, "paths"),
    "paths as one text": ({"paths": "/opt/awk"}, "paths"),
    "variables as a list": ({"env": ["A=1"]}, "env"),
    "a variable with a sign": ({"env": {"A=B": "1"}}, "env"),
    "a variable that is a number": ({"env": {"A": 1}}, "env.A"),
    "a variable with a NUL": ({"env": {"A": "\0"}}, "env.A"),
    "no install text": ({"install": ""}, "install"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_description_is_refused_by_its_key(case):
    change, key = WRONG[case]

    with pytest.raises(UsageError) as caught:
        language_from(AWK | change)

    assert caught.value.field == key
    assert str(caught.value).startswith(f"language: {key}: ")


@pytest.mark.parametrize("key", ["name", "suffixes", "run", "install"])
def test_a_description_without_a_required_key_is_refused(key):
    with pytest.raises(UsageError, match=f"language: {key}: is missing"):
        language_from({name: value for name, value in AWK.items() if name != key})


def test_what_is_no_table_is_refused():
    with pytest.raises(UsageError, match="not a table"):
        language_from(["awk"])


def test_a_path_whose_link_cannot_be_followed_is_refused(monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.path.realpath", refuse)

    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        language_from(AWK | {"paths": ["/opt/awk"]})


def test_a_link_to_a_wide_folder_is_refused(monkeypatch):
    """Resolved before it is judged; without that the link would show all of the root."""
    monkeypatch.setattr("os.path.realpath", lambda path: "/")

    with pytest.raises(UsageError, match="holds more than a language needs"):
        language_from(AWK | {"paths": ["/opt/awk"]})
