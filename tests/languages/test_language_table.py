"""The table: names, endings, and what other packages bring."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.core.language import Language, Toolchain
from windtunnel.languages import LANGUAGES, LanguageTable, packages
from windtunnel.languages.places import LOADER_ENV

FIFTEEN = [
    "python", "javascript", "typescript", "bash", "sh", "ruby", "go", "rust", "java", "c", "c++", "php", "perl", "lua", "r",
]  # fmt: skip
ZIG = Language(name="zig", suffixes=(".zig",), source="main.zig", find=lambda which: None, install="get zig")


def test_the_fifteen_are_there():
    assert [language.name for language in LANGUAGES] == FIFTEEN


def test_every_name_alias_and_ending_belongs_to_one_language():
    given = Counter(name for language in LANGUAGES for name in (language.name, *language.aliases, *language.suffixes))

    assert [name for name, count in given.items() if count > 1] == []


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_language_reserves_what_changes_its_runner_and_shows_success_and_failure(language):
    assert language.reserved_env[: len(LOADER_ENV)] == LOADER_ENV
    assert len(language.reserved_env) > len(LOADER_ENV)
    assert len(language.examples) >= 3
    assert any(example.error for example in language.examples)
    assert any(example.stdin for example in language.examples)
    assert language.image
    assert language.source.endswith(language.suffixes[0])


def reserves(language, name):
    return any(name == entry or (entry[-1] == "*" and name.startswith(entry[:-1])) for entry in language.reserved_env)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("python", "PYTHONPATH"), ("python", "PYTHONSTARTUP"), ("python", "PYTHONHOME"), ("python", "PYTHONINSPECT"),
        ("python", "PYTHONUSERBASE"), ("python", "PYTHON_GIL"), ("python", "PYTHONWARNINGS"), ("python", "LD_PRELOAD"),
        ("javascript", "NODE_OPTIONS"), ("javascript", "NODE_PATH"), ("typescript", "BUN_OPTIONS"),
        ("bash", "BASH_ENV"), ("bash", "BASH_FUNC_ls%%"), ("bash", "SHELLOPTS"), ("sh", "ENV"), ("sh", "PS4"),
        ("perl", "PERL5LIB"), ("perl", "PERL5OPT"), ("ruby", "RUBYOPT"), ("ruby", "RUBYLIB"), ("ruby", "GEM_HOME"),
        ("java", "JAVA_TOOL_OPTIONS"), ("java", "_JAVA_OPTIONS"), ("java", "CLASSPATH"), ("java", "JDK_JAVA_OPTIONS"),
        ("lua", "LUA_INIT"), ("lua", "LUA_INIT_5_4"), ("lua", "LUA_CPATH"), ("php", "PHPRC"), ("php", "PHP_INI_SCAN_DIR"),
        ("r", "R_PROFILE_USER"), ("r", "R_ENVIRON"), ("r", "R_LIBS"), ("go", "GOFLAGS"), ("go", "GOROOT"),
        ("rust", "RUSTFLAGS"), ("rust", "RUSTC_WRAPPER"), ("c", "CPATH"), ("c", "LIBRARY_PATH"), ("c++", "GCC_EXEC_PREFIX"),
    ],
)  # fmt: skip
def test_a_variable_that_changes_the_runner_is_reserved(table, language, name):
    assert reserves(table.get(language), name)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("python", "PYTHONHASHSEED"), ("python", "PYTHONUNBUFFERED"), ("python", "PYTHONUTF8"),
        ("python", "PYTHONIOENCODING"), ("javascript", "NODE_ENV"), ("rust", "RUST_BACKTRACE"), ("bash", "COLOUR"),
    ],
)  # fmt: skip
def test_a_variable_of_the_program_is_not_reserved(table, language, name):
    assert not reserves(table.get(language), name)


@pytest.mark.parametrize(("asked", "name"), [("PYTHON", "python"), ("Cpp", "c++"), ("js", "javascript"), ("R", "r")])
def test_a_language_is_found_by_name_or_alias_in_any_case(table, asked, name):
    assert table.get(asked).name == name


def test_an_unknown_name_is_answered_with_near_ones(table):
    with pytest.raises(UsageError) as caught:
        table.get("pyhton")

    assert str(caught.value) == (
        "language: 'pyhton' is not known; near: python, python3 (`windtunnel languages` lists them)"
    )
    assert caught.value.field == "language"


def test_a_name_like_nothing_is_answered_without_guesses(table):
    with pytest.raises(UsageError, match=r"^language: '!!' is not known \(`windtunnel languages` lists them\)$"):
        table.get("!!")


@pytest.mark.parametrize(
    ("filename", "name"),
    [("a/b.d/main.py", "python"), ("x.C", "c"), ("x.R", "r"), ("x.r", "r"), ("x.cc", "c++"), ("x.SH", "sh"), ("y.mjs", "javascript")],
)
def test_a_file_name_tells_the_language(table, filename, name):
    assert table.from_suffix(filename).name == name


@pytest.mark.parametrize("filename", ["main", ".py", "a.py/main", "main.", "x.unknown", ""])
def test_a_file_name_that_tells_nothing_is_refused(table, filename):
    with pytest.raises(UsageError, match="cannot be told from"):
        table.from_suffix(filename)


def test_a_missing_language_says_what_to_install():
    nothing = LanguageTable(which=lambda name: None)

    with pytest.raises(LanguageMissing, match=r"^ruby is not installed here \(to install it: apt-get install ruby\)$"):
        nothing.toolchain(nothing.get("ruby"))


def test_a_toolchain_is_looked_for_once_it_is_there_and_again_while_it_is_not():
    answers = [None, Toolchain(run=("zig",)), Toolchain(run=("other",))]
    table = LanguageTable([replace(ZIG, find=lambda which: answers.pop(0))])
    with pytest.raises(LanguageMissing):
        table.toolchain(table.get("zig"))

    found = [table.toolchain(table.get("zig")) for _ in range(2)]

    assert found == [Toolchain(run=("zig",))] * 2


def test_an_extra_language_is_found_by_name_and_ending():
    table = LanguageTable([ZIG])

    assert (table.get("zig"), table.from_suffix("a.zig"), list(table)[-1]) == (ZIG, ZIG, ZIG)


@pytest.mark.parametrize("change", [{"name": "python"}, {"aliases": ("Py",)}, {"suffixes": (".py",)}])
def test_an_extra_language_cannot_take_the_place_of_another(change):
    with pytest.raises(UsageError, match="already belongs to 'python'"):
        LanguageTable([replace(ZIG, **change)])


def test_packages_are_asked_only_when_a_name_is_not_known():
    script = (
        "import sys\nfrom windtunnel.languages import LanguageTable\ntable = LanguageTable()\ntable.get('js')\n"
        "table.from_suffix('a.py')\nbefore = 'importlib.metadata' in sys.modules\nlist(table)\n"
        "print(before, 'importlib.metadata' in sys.modules)\n"
    )

    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=True)

    assert done.stdout == "False True\n"


@pytest.fixture
def brought(tmp_path, monkeypatch):
    """An installed package that brings languages."""

    def install(module):
        (tmp_path / "brought_language.py").write_text(module)
        folder = tmp_path / "brought-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text("[windtunnel.languages]\nzig = brought_language:LANGUAGE\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "brought_language", raising=False)

    return install


ZIG_MODULE = """\
from windtunnel.core.language import Language
LANGUAGE = Language(name="zig", suffixes=(".zig",), source="main.zig", find=lambda which: None, install="get zig")
"""


def test_a_package_brings_a_language_by_an_entry_point(brought):
    brought(ZIG_MODULE)

    assert LanguageTable().get("zig").install == "get zig"


def test_a_package_that_brings_something_else_is_named(brought):
    brought("LANGUAGE = 'zig'\n")

    with pytest.raises(UsageError, match=r"is not a Language \(upgrade or uninstall brought\)"):
        LanguageTable().get("zig")


def test_a_package_that_cannot_be_loaded_is_named(brought):
    brought("import no_such_module_at_all\n")

    with pytest.raises(UsageError, match=r"No module named 'no_such_module_at_all' \(upgrade or uninstall brought\)"):
        list(LanguageTable())


def test_a_package_that_cannot_be_loaded_is_named_each_time(brought):
    brought("import no_such_module_at_all\n")
    table = LanguageTable()
    with pytest.raises(UsageError):
        list(table)

    with pytest.raises(UsageError, match="no_such_module_at_all"):
        list(table)


def test_an_entry_point_without_a_package_can_still_be_reported():
    point = EntryPoint(name="zig", value="json:dumps", group="windtunnel.languages")

    with pytest.raises(UsageError, match="'json:dumps' is not a Language"):
        packages.load(point)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_the_page_of_languages_says_what_the_table_says(language):
    page = (Path(__file__).parents[2] / "docs" / "languages.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith(f"| {language.name} |"))

    name, suffixes, aliases, _how, install = (cell.strip() for cell in row.strip("|").split("|"))

    quoted = [" ".join(f"`{word}`" for word in words) or "-" for words in (language.suffixes, language.aliases)]
    assert [name, suffixes, aliases, install] == [language.name, *quoted, language.install]
