"""Every wrong request is refused by the name of its field, and the sandbox never hears of it."""

import math
import pwd
from pathlib import Path

import pytest

from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import Level
from windtunnel.engine.check import check_path
from windtunnel.engine.run import Snippet, run
from windtunnel.languages import LanguageTable

BAD_NAMES = [
    "/etc/passwd", "/", "../x", "a/../x", "a/..", "./x", ".", "..", "a//b", "a/", "", "a\0b", "a\nb", "a\x1b[31mb",
    "a\x7fb", "a\\b", "..\\x", "x" * 256, "/".join(["x"] * 600), "\ud800", "é" * 128, 7, None, b"x",
]


def refusal(rig, **given):
    """What is raised, for a request of which only this is wrong."""
    with pytest.raises(UsageError) as refused:
        run(rig, Snippet(**{"code": "print(1)", "language": "python", **given}))
    return refused.value


@pytest.mark.parametrize("language", ["klingon", "", "py thon", "../python", "python\0", "\x1b[31m", "x" * 100_000])
def test_an_unknown_language_is_refused(rig, fake, language):
    refused = refusal(rig, language=language)

    assert (refused.field, fake.jobs) == ("language", [])
    assert "`windtunnel languages` lists them" in str(refused)
    assert len(str(refused)) < 400
    assert "\x1b" not in str(refused)


def test_a_language_that_is_nearly_right_is_told_what_is_near(rig):
    assert "near: python" in str(refusal(rig, language="pyton"))


@pytest.mark.parametrize("language", [None, 5, b"python"])
def test_a_language_that_is_not_text_is_refused(rig, fake, language):
    assert (refusal(rig, language=language).field, fake.jobs) == ("language", [])


def test_a_missing_language_says_what_to_install(rig, fake):
    bare = Rig(sandbox=fake, languages=LanguageTable(which=lambda _: None), history=None, builds=None, caps=rig.caps,
               default_limits=rig.default_limits)

    with pytest.raises(LanguageMissing, match=r"^ruby is not installed here \(to install it: apt-get install ruby"):
        run(bare, Snippet(code="puts 1", language="ruby"))

    assert fake.jobs == []


@pytest.mark.parametrize("code", ["", " ", "\n\t\n", b"", b" \n", None, 5, ["print(1)"], "#" * (16 * 1024**2 + 1)],
                         ids=lambda code: repr(code)[:20])
def test_code_that_is_empty_too_long_or_no_text_is_refused(rig, fake, code):
    assert (refusal(rig, code=code).field, fake.jobs) == ("code", [])


@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: repr(name)[:20])
def test_a_file_name_that_leads_elsewhere_is_refused(rig, fake, name):
    refused = refusal(rig, files={name: "x"})

    assert (refused.field, fake.jobs) == ("files", [])
    assert "\x1b" not in str(refused)


@pytest.mark.parametrize("files", [
    {"a": "", "a/b": ""}, {"a/b/c": "", "a/b": ""}, {"main.py": "x"}, {"main.py/x": ""}, {"build": ""},
    {"build/x": ""}, {".windtunnel/profiler": ""}, {"a": None}, {"a": 5}, {"a": ["x"]}, ["a"], "a", 5,
    {str(number): "" for number in range(10_001)}, {"a": b"x" * (128 * 1024**2 + 1)},
], ids=lambda files: repr(files)[:30])
def test_files_that_clash_or_are_no_files_are_refused(rig, fake, files):
    assert (refusal(rig, files=files).field, fake.jobs) == ("files", [])


@pytest.mark.parametrize("name", ["a", "a/b.txt", "deep/er/x", ".hidden", "größe.txt", "a b", "-rf", "~", "x" * 255, "a..b"])
def test_a_harmless_file_name_is_let_through(name):
    assert check_path(name, field="files") == name


@pytest.mark.parametrize(("language", "name"), [
    *[("python", name) for name in (
        "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GCONV_PATH", "GLIBC_TUNABLES", "PYTHONPATH", "PYTHONHOME",
        "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONWARNINGS", "PYTHONBREAKPOINT", "PYTHONUSERBASE")],
    *[(shell, name) for shell in ("bash", "sh") for name in ("BASH_ENV", "ENV", "SHELLOPTS", "BASH_FUNC_ls", "LD_PRELOAD")],
    *[("javascript", name) for name in ("NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD")],
    *[("ruby", name) for name in ("RUBYOPT", "RUBYLIB")],
    *[("perl", name) for name in ("PERL5OPT", "PERL5LIB")],
    ("c", "C_INCLUDE_PATH"), ("c", "LIBRARY_PATH"), ("c", "GCC_EXEC_PREFIX"), ("c++", "CPLUS_INCLUDE_PATH"),
    ("go", "GOFLAGS"), ("rust", "RUSTFLAGS"), ("java", "JAVA_TOOL_OPTIONS"), ("php", "PHPRC"), ("lua", "LUA_INIT"),
    ("r", "R_PROFILE_USER"),
])
def test_a_variable_that_would_change_the_runner_is_refused(rig, fake, language, name):
    refused = refusal(rig, code="1", language=language, env_vars={name: "/tmp/evil"})

    assert (refused.field, fake.jobs) == ("env_vars", [])
    assert str(refused).startswith(f"env_vars: {name} would change the runner of {language}")


@pytest.mark.parametrize("env", [
    {"": "x"}, {"A=B": "x"}, {"A B": "x"}, {"1A": "x"}, {"A\0": "x"}, {"Ä": "x"}, {"A" * 256: "x"}, {5: "x"},
    {"A": "x\0y"}, {"A": None}, {"A": 5}, {"A": b"x"}, {"A": "\ud800"}, ["A"], "A=B", 5,
], ids=lambda env: repr(env)[:20])
def test_what_is_no_environment_is_refused(rig, fake, env):
    assert (refusal(rig, env_vars=env).field, fake.jobs) == ("env_vars", [])


def test_an_ordinary_variable_reaches_the_job(rig, fake):
    run(rig, Snippet(code="1", language="python", env_vars={"GREETING": "größe"}))

    assert fake.jobs[0].command.env["GREETING"] == "größe"


@pytest.mark.parametrize("arguments", [["a\0b"], [5], [None], [b"x"], "text", 5, ["\ud800"]], ids=repr)
def test_what_are_no_arguments_is_refused(rig, fake, arguments):
    assert (refusal(rig, args=arguments).field, fake.jobs) == ("args", [])


@pytest.mark.parametrize(("field", "given"), [("args", {"args": ["x" * 131_072]}), ("env_vars", {"env_vars": {"A": "x" * 131_072}})])
def test_text_too_long_for_any_program_to_be_started_with_is_refused(rig, fake, field, given):
    """The kernel takes no single argument or variable of 128 KiB; that is the request's fault and not the program's."""
    assert (refusal(rig, **given).field, fake.jobs) == (field, [])


@pytest.mark.parametrize("stages", [[""], [" "], ["a\0b"], [5], ["true"] * 17, "make"], ids=lambda one: repr(one)[:20])
def test_what_are_no_stages_is_refused(rig, fake, stages):
    assert (refusal(rig, stages=stages).field, fake.jobs) == ("stages", [])


@pytest.mark.parametrize("stdin", [None, 5, ["x"]], ids=repr)
def test_what_is_no_input_is_refused(rig, fake, stdin):
    assert (refusal(rig, stdin=stdin).field, fake.jobs) == ("stdin", [])


@pytest.mark.parametrize("limits", [{"memory_bytes": 1}, "512m", 5], ids=repr)
def test_what_are_no_limits_is_refused(rig, fake, limits):
    assert (refusal(rig, limits=limits).field, fake.jobs) == ("limits", [])


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "30"], ids=repr)
def test_a_limit_that_is_none_never_reaches_a_request(rig, fake, value):
    with pytest.raises(UsageError) as refused:
        run(rig, Snippet(code="1", language="python", limits=Limits(wall_seconds=value)))

    assert (refused.value.field, fake.jobs) == ("wall_seconds", [])


@pytest.mark.parametrize(("name", "value"), [
    ("wall_seconds", 30.5), ("cpu_seconds", 3601.0), ("cores", 65.0), ("cpu_weight", 10_241), ("memory_bytes", 17 * GIB),
    ("swap_bytes", 17 * GIB), ("processes", 10_001), ("disk_bytes", 17 * GIB), ("files", 1_000_001),
    ("open_files", 65_537), ("output_bytes", GIB),
])
def test_a_limit_over_the_cap_is_refused_and_says_where_to_raise_it(rig, fake, name, value):
    refused = refusal(rig, limits=Limits(**{name: value}))

    assert (refused.field, fake.jobs) == (name, [])
    assert f"caps.{name}" in str(refused)


@pytest.mark.parametrize("hosts", [
    [""], ["bad host!"], ["http://example.org/"], ["example.org:0"], ["example.org:99999"], ["a\0b"], [5], "example.org",
], ids=repr)
def test_an_allow_list_with_what_is_no_host_is_refused(rig, fake, hosts):
    """A compiled language shows it best: its build must not run before the refusal either."""
    assert (refusal(rig, code="int main(void) { return 0; }", language="c", allow_hosts=hosts).field, fake.jobs) == (
        "allow_hosts", [])


def test_an_allow_list_and_the_whole_network_exclude_each_other(rig, fake):
    assert (refusal(rig, network_enabled=True, allow_hosts=[]).field, fake.jobs) == ("allow_hosts", [])


@pytest.mark.parametrize("given", [{"network_enabled": True}, {"allow_hosts": ["example.org"]}])
def test_a_network_that_the_operator_forbids_is_refused(rig, fake, given):
    forbidding = Rig(sandbox=fake, languages=rig.languages, history=None, builds=None, caps=rig.caps,
                     default_limits=rig.default_limits, allow_network=False)

    assert (refusal(forbidding, **given).field, fake.jobs) == ("network_enabled", [])


def test_a_profile_of_a_language_without_profiler_is_refused(rig, fake):
    assert (refusal(rig, code="true", language="sh", profile=True).field, fake.jobs) == ("profile", [])


@pytest.mark.parametrize("path", ["missing", "file", "link", "/", 5], ids=repr)
def test_what_is_no_workspace_is_refused(rig, fake, tmp_path, path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("folder")
    given = path if path in ("/", 5) else str(tmp_path / path)

    assert (refusal(rig, workspace=given).field, fake.jobs) == ("workspace", [])


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home some folders down, as where many people share a machine."""
    made = tmp_path / "people/anna"
    (made / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(made))
    return made


def test_a_workspace_that_holds_a_home_is_refused_however_deep_the_home_lies(rig, fake, home):
    said = {str(refusal(rig, workspace=folder)) for folder in (str(home), str(home.parent), home.parent.parent)}

    assert said == {f"workspace: '{folder}' is too wide (give the project's own folder)" for folder in (home, home.parent, home.parent.parent)}
    assert fake.jobs == []


def test_a_home_that_is_reached_by_a_link_is_a_home_as_well(rig, home, monkeypatch):
    (home.parents[1] / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(home.parents[1] / "link"))

    assert "too wide" in str(refusal(rig, workspace=str(home.parent)))


def test_the_home_of_the_table_of_users_counts_though_the_variable_says_another(rig, home, monkeypatch):
    monkeypatch.setattr("pwd.getpwuid", lambda _: pwd.struct_passwd(("anna", "x", 1, 1, "", str(home), "")))
    monkeypatch.setenv("HOME", "/elsewhere")

    assert "too wide" in str(refusal(rig, workspace=str(home.parent)))


def test_a_folder_below_a_home_is_a_workspace_also_where_nobody_knows_our_user(rig, fake, home, monkeypatch):
    def unknown(number):
        raise KeyError(number)

    monkeypatch.setattr("pwd.getpwuid", unknown)

    run(rig, Snippet(code="print(1)", language="python", workspace=home / "project"))

    assert [job.command.workspace for job in fake.jobs] == [str(home / "project")]


@pytest.mark.parametrize("kind", [str, Path])
def test_a_refused_workspace_is_named_as_it_was_given(rig, tmp_path, kind):
    assert str(refusal(rig, workspace=kind(tmp_path / "none"))) == f"workspace: '{tmp_path}/none' is not a folder (links are not followed)"


class Bytes:
    def __fspath__(self):
        return b"/srv"


@pytest.mark.parametrize("given", [5, b"/srv", ["/srv"], Bytes()])
def test_what_is_no_path_is_refused_by_its_kind(rig, given):
    assert str(refusal(rig, workspace=given)) == f"workspace: not a path: {type(given).__name__}"


@pytest.mark.parametrize("path", ["missing", "file"])
def test_what_is_no_folder_for_the_whole_output_is_refused(rig, fake, tmp_path, path):
    (tmp_path / "file").write_text("x")

    assert (refusal(rig, spill=str(tmp_path / path)).field, fake.jobs) == ("spill", [])


def test_a_good_request_does_reach_the_sandbox(rig, fake):
    """Without this, a list of jobs that is always empty would prove nothing."""
    result = run(rig, Snippet(code="print(1)", language="py", files={"a/b": "c"}, args=["x"], stdin="in"))

    (job,) = fake.jobs
    assert (job.command.files, job.command.stdin, job.command.argv[1:], job.read_only, job.network.host) == (
        {"main.py": b"print(1)", "a/b": b"c"}, b"in", ("/sandbox/main.py", "x"), True, False)
    assert (result.exit_code, fake.level) == (0, Level.PROCESS)
