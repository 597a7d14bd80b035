"""``windtunnel try``, ``apply`` and ``undo`` as a person starts them, on a small project with one wrong function."""

import difflib
import json
import subprocess
from xml.etree import ElementTree as ET

import pytest

from windtunnel.cli import trial
from windtunnel.cli.main import main

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n"
FIXED = CALC.replace("a - b", "a + b")
WORSE = CALC.replace("2 * a", "3 * a")
TESTS = """\
import os

from calc import add, double


def test_add():
    assert add(2, 3) == 5


def test_double():
    assert double(4) == 8, os.environ.get("TOKEN")
"""
SETTINGS = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ["."]\n'


def patch(new, old=CALC, name="calc.py"):
    lines = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}")
    return "".join(lines)


@pytest.fixture(scope="module")
def baselines(tmp_path_factory):
    """One cache for all, so that the unchanged project is run once."""
    return tmp_path_factory.mktemp("baselines")


class Shop:
    """The project, and the command line beside it."""

    def __init__(self, cli, folder):
        self.cli, self.project = cli, folder / "shop"
        (self.project / "tests").mkdir(parents=True)
        self.calc = self.project / "calc.py"
        self.calc.write_text(CALC)
        (self.project / "tests" / "test_calc.py").write_text(TESTS)
        (self.project / "pyproject.toml").write_text(SETTINGS)
        self.patches = {}
        for name, text in (("fix", FIXED), ("worse", WORSE)):
            self.patches[name] = str(folder / f"{name}.patch")
            (folder / f"{name}.patch").write_text(patch(text))

    def __call__(self, command, *arguments, **streams):
        return self.cli(command, "--project", str(self.project), *arguments, **streams)

    def state(self):
        return {str(path.relative_to(self.project)): (path.lstat().st_mtime_ns, path.lstat().st_mode, path.is_file() and path.read_bytes())
                for path in sorted(self.project.rglob("*"))}

    def git(self, *words):
        return subprocess.run(["git", "-C", self.project, "-c", "user.name=me", "-c", "user.email=me@example.org", *words],
                              check=True, capture_output=True, text=True).stdout

    def repository(self):
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")
        self.git("config", "user.name", "me")
        self.git("config", "user.email", "me@example.org")
        return self


@pytest.fixture
def shop(cli, tmp_path, baselines):
    cli.env["WINDTUNNEL_CACHE_DIR"] = str(baselines)
    return Shop(cli, tmp_path)


# --- try ---

def test_a_good_change_is_0_and_says_what_it_fixed(shop):
    before = shop.state()

    done = shop("try", shop.patches["fix"])

    assert (done.returncode, done.stdout.partition("  (")[0]) == (0, "GOOD  1 test fixed, nothing broken"), done.stderr
    assert shop.state() == before


def test_a_change_that_breaks_a_test_is_1_and_names_it(shop):
    done = shop("try", shop.patches["worse"])

    assert (done.returncode, done.stdout.partition("  (")[0]) == (
        1, "NOT GOOD  1 test broken: tests/test_calc.py::test_double"), done.stderr
    assert "  failed  tests/test_calc.py::test_double\n" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_patch_may_come_on_standard_input_and_the_answer_be_json(shop):
    done = shop("try", "-", "--json", stdin=patch(FIXED))

    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (told["success"], told["delta"]["fixed"]) == (True, ["tests/test_calc.py::test_add"])


def test_the_project_is_the_current_folder_unless_another_is_named(shop):
    changes = json.dumps([{"path": "calc.py", "operation": "modify", "content": FIXED}])
    process = shop.cli.start("try", "--changes", "-", "--json", cwd=shop.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    out, _ = process.communicate(changes.encode(), timeout=60)

    assert (process.returncode, json.loads(out)["delta"]["fixed"]) == (0, ["tests/test_calc.py::test_add"])


def test_several_patches_and_files_are_one_change(shop, tmp_path):
    (tmp_path / "second.patch").write_text(patch(FIXED.replace("2 * a", "a + a"), FIXED))
    (tmp_path / "note.txt").write_text("hello\n")
    (tmp_path / "changes.json").write_text('[{"path": "more.txt", "operation": "create", "content": "more"}]')

    done = shop("try", "--change", f"note.txt={tmp_path / 'note.txt'}", "--json", str(tmp_path / "changes.json"),
                shop.patches["fix"], str(tmp_path / "second.patch"))

    told = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert [(change["path"], change["operation"]) for change in told["changes"]] == [
        ("calc.py", "modify"), ("more.txt", "create"), ("note.txt", "create")]


def test_exports_are_written_and_standard_output_can_be_one_of_them(shop, tmp_path):
    done = shop("try", shop.patches["worse"], "--junit", str(tmp_path / "r.xml"), "--sarif", str(tmp_path / "r.sarif"), "--markdown", "-")

    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "### Windtunnel: ❌ **Not good**")
    assert ET.parse(tmp_path / "r.xml").getroot().get("failures") == "2"
    assert json.loads((tmp_path / "r.sarif").read_text())["runs"][0]["properties"]["verdict"] == "not good"
    assert "NOT GOOD  1 test broken" in done.stderr


def test_candidates_are_ranked_and_one_that_does_not_apply_is_last(shop, tmp_path):
    (tmp_path / "off.patch").write_text(patch("nothing\n", "like it\n"))

    done = shop("try", shop.patches["worse"], str(tmp_path / "off.patch"), shop.patches["fix"], "--rank", "--json")

    told = json.loads(done.stdout)
    assert (done.returncode, [row["name"] for row in told]) == (
        0, [shop.patches["fix"], shop.patches["worse"], str(tmp_path / "off.patch")]), done.stderr
    assert [row["result"] and row["result"]["success"] for row in told] == [True, False, None]
    assert "calc.py" in told[2]["error"]


def test_a_secret_reaches_its_step_and_nobody_else(shop):
    shop.cli.env["TOKEN"] = "hunter2-hunter2"

    done = shop("try", shop.patches["worse"], "--secret", "test:TOKEN")

    assert done.returncode == 1
    assert "hunter2" not in done.stdout + done.stderr
    assert "********" in done.stdout


@pytest.mark.parametrize(("arguments", "said"), [
    ((), "patch: nothing to try"),
    (("/no/such.patch",), "patch: cannot read '/no/such.patch': No such file or directory"),
    (("-", "-"), "-: standard input can be read once only"),
    (("-",), "patch: empty"),
    (("--change", "calc.py"), "--change: not PATH=FILE: 'calc.py'"),
    (("--change", "../x=/dev/null"), "changes: '../x':"),
    (("--delete", "nothing.py"), "changes: 'nothing.py': cannot delete it"),
    (("--changes", "/dev/null"), "changes: not JSON"),
    (("--delete", "calc.py", "--rank"), "--rank: takes patches alone"),
    (("--delete", "calc.py", "--secret", "TOKEN"), "--secret: not STEP:NAME"),
    (("--delete", "calc.py", "--secret", "test:NO_SUCH"), "--secret: there is no variable 'NO_SUCH'"),
    (("--delete", "calc.py", "--jobs", "0"), "--jobs: 0 is not a number"),
    (("--delete", "calc.py", "--lint", "x", "--no-lint"), "--lint: given together with --no-lint"),
    (("--delete", "calc.py", "--memory", "much"), "--memory: not a size"),
    (("--delete", "calc.py", "--seconds", "1e9"), "wall_seconds: out of range"),
    (("--delete", "calc.py", "--env", "A"), "--env: not NAME=VALUE"),
    (("--delete", "calc.py", "--json", "--sarif", "-"), "-: standard output can hold one format only"),
    (("--delete", "calc.py", "--junit", "/no/such/r.xml"), "--junit: there is no folder '/no/such'"),
    (("--delete", "calc.py", "--project", "/no/such"), "project: '/no/such' is not a folder"),
    (("--delete", "calc.py", "--project", "/usr"), "project: '/usr' is too wide"),
], ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "")
def test_a_wrong_request_is_2_and_nothing_runs(shop, arguments, said):
    done = shop("try", *arguments)

    assert (done.returncode, "test: pytest" in done.stderr) == (2, False), done.stdout
    assert said in done.stderr


def test_a_project_without_checks_is_a_wrong_request(cli, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.txt").write_text("a\n")

    done = cli("try", "--project", str(tmp_path / "empty"), "--delete", "a.txt")

    assert done.returncode == 2
    assert "no test command found" in done.stderr


def test_walls_that_cannot_be_had_are_2_and_not_a_verdict(shop, no_engine):
    shop.cli.env |= no_engine
    done = shop("try", shop.patches["fix"], "--level", "container", "--json")

    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "isolation-unavailable")


def test_a_fault_of_ours_is_2_and_not_a_verdict(monkeypatch, capsys):
    def fault(_):
        raise RuntimeError("ours")

    monkeypatch.setattr(trial, "act", fault)

    assert main(["try", "x.patch"]) == 2
    assert "RuntimeError: ours" in capsys.readouterr().err


# --- apply and undo ---

def test_a_good_change_is_applied_and_can_be_taken_back(shop):
    shop.calc.chmod(0o755)

    done = shop("apply", shop.patches["fix"], "--json")
    applied = shop.calc.read_text()
    listed = json.loads(shop("undo", "--list", "--json").stdout)
    undone = shop("undo")

    assert (done.returncode, applied) == (0, FIXED), done.stderr
    assert [(entry["id"], entry["state"]) for entry in listed] == [(json.loads(done.stdout)["applied"], "applied")]
    assert (undone.returncode, undone.stdout.splitlines()[0]) == (0, "restored calc.py")
    assert (shop.calc.read_text(), shop.calc.stat().st_mode & 0o777) == (CALC, 0o755)


def test_a_change_that_is_not_good_is_not_applied(shop):
    before = shop.state()

    done = shop("apply", shop.patches["worse"])

    assert (done.returncode, done.stdout.split("  ")[0]) == (1, "NOT GOOD")
    assert shop.state() == before
    assert (shop("undo").returncode, shop("undo", "--list").stdout) == (2, "nothing was applied here\n")


def test_an_edit_made_while_the_change_was_on_trial_is_not_lost(shop):
    shop("try", shop.patches["fix"])
    process = shop.cli.start("apply", "--project", str(shop.project), shop.patches["fix"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr.readline().startswith(b"changed, test: pytest")

    shop.calc.write_text(CALC + "# an edit\n")
    out, said = process.communicate(timeout=60)

    assert (process.returncode, out.split(b"  ")[0]) == (2, b"GOOD")
    assert b"project: changed since the trial: calc.py" in said
    assert shop.calc.read_text() == CALC + "# an edit\n"


def test_what_changed_since_is_only_taken_back_by_force(shop):
    assert shop("apply", shop.patches["fix"]).returncode == 0
    shop.calc.write_text(FIXED + "# an edit\n")

    refused, kept = shop("undo"), shop.calc.read_text()
    forced = shop("undo", "--force")

    assert (refused.returncode, kept) == (2, FIXED + "# an edit\n")
    assert (forced.returncode, shop.calc.read_text()) == (0, CALC)


def test_a_commit_has_the_change_alone_and_the_trial_in_its_trailers(shop, tmp_path):
    shop.repository()
    (shop.project / ".git" / "hooks" / "pre-commit").write_text(f"#!/bin/sh\ntouch {tmp_path}/hook-ran\n")
    (shop.project / ".git" / "hooks" / "pre-commit").chmod(0o755)
    (shop.project / "other.txt").write_text("staged\n")
    shop.git("add", "other.txt")

    done = shop("apply", shop.patches["fix"], "--commit", "-m", "Add, really", "--json")

    told = json.loads(done.stdout)
    assert (done.returncode, told["commit"]) == (0, shop.git("rev-parse", "HEAD").strip()), done.stderr
    assert shop.git("log", "-1", "--format=%B").strip() == (
        f"Add, really\n\nWindtunnel-Trial: {told['id']}\nWindtunnel-Tree: {told['tree']}")
    assert shop.git("show", "--name-only", "--format=", "HEAD") == "calc.py\n"
    assert shop.git("status", "--porcelain") == "A  other.txt\n"
    assert not (tmp_path / "hook-ran").exists()


def stage_an_edit(shop):
    shop.repository().calc.write_text(CALC + "# mine\n")
    shop.git("add", "calc.py")


def edit(shop):
    shop.repository().calc.write_text(CALC + "# mine\n")


def forget(shop):
    shop.repository().git("rm", "-q", "--cached", "calc.py")
    shop.git("commit", "-qm", "second")


def begin(shop):
    shop.git("init", "-q")


def nothing(shop):
    """It is no repository."""


@pytest.mark.parametrize(("act", "said"), [
    (nothing, "is not in a git repository"), (begin, "has no commit yet"), (edit, "changes of your own"),
    (stage_an_edit, "changes of your own"), (forget, "not tracked by git"),
])
def test_what_could_not_be_committed_alone_is_refused_before_anything_runs(shop, act, said):
    act(shop)
    before = shop.calc.read_text()

    done = shop("apply", shop.patches["fix"], "--commit")

    assert (done.returncode, done.stdout, shop.calc.read_text()) == (2, "", before)
    assert said in done.stderr
    assert done.stderr.startswith("windtunnel: --commit: ")


@pytest.mark.parametrize("arguments", [("undo", "9999-00000000"), ("undo", "../../etc"), ("undo", "--project", "/no/such")], ids=" ".join)
def test_what_was_never_applied_cannot_be_undone(shop, arguments):
    done = shop(*arguments)

    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("command", ["try", "apply", "undo"])
def test_each_command_has_help_in_which_every_option_is_explained(capsys, command):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])

    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: windtunnel {command} ")


def test_a_page_that_lacks_letters_still_gets_its_answer(shop):
    shop.cli.env["PYTHONIOENCODING"] = "ascii"

    done = shop("try", shop.patches["worse"], "--markdown", "-")

    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "### Windtunnel: \\u274c **Not good**")


# --- receipts ---

def test_a_receipt_is_written_and_checked_against_the_patch(shop, tmp_path):
    file = tmp_path / "receipt.json"
    shop("try", shop.patches["fix"], "--receipt", str(file))

    done = shop.cli("receipt", "verify", str(file), "--patch", shop.patches["fix"], "--project", str(shop.project), "--json")
    other = shop.cli("receipt", "verify", str(file), "--patch", shop.patches["worse"], "--project", str(shop.project))

    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "good")
    assert (other.returncode, "about another change" in other.stderr) == (2, True)
    assert json.loads(shop.cli("receipt", "show", str(file)).stdout)["predicate"]["delta"]["fixed"] == ["tests/test_calc.py::test_add"]
