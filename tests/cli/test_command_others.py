"""Doctor, languages, history, and the help of all commands."""

import json
import re

import pytest

from windtunnel import __version__
from windtunnel.cli.main import main, parser
from windtunnel.cli.render import clean, seconds, size, table
from windtunnel.languages import LANGUAGES

COMMANDS = parser()._subparsers._group_actions[0].choices


def options():
    for command, made in COMMANDS.items():
        for action in made._actions:
            yield pytest.param(action, id=f"{command} {'/'.join(action.option_strings) or action.dest}")


# --- help and usage ---

@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_is_found_by_its_name_alone_and_has_help(capsys, command):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])

    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: windtunnel {command} ")


@pytest.mark.parametrize("action", list(options()))
def test_every_option_says_what_it_does(action):
    assert action.help


def test_the_help_lists_all_commands_and_the_exit_codes(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--help"])

    said = capsys.readouterr().out
    assert left.value.code == 0
    assert [command for command in COMMANDS if f"\n    {command}" not in said] == []
    assert [code for code in ("124", "125", "130", "2 for") if code not in said] == []


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--version"])

    assert (left.value.code, capsys.readouterr().out) == (0, f"windtunnel {__version__}\n")


@pytest.mark.parametrize("arguments", [
    [], ["fly"], ["--fly"], ["run", "--fly"], ["run", "--seconds", "soon"], ["run", "--processes", "1.5"],
    ["run", "--net", "all"], ["run", "--level", "fortress"], ["history", "--limit", "x"],
], ids=" ".join)
def test_what_is_not_understood_is_2_with_the_usage(capsys, arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)

    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: windtunnel")


def test_a_wrong_setting_is_named(cli):
    cli.env["WINDTUNNEL_POOL_SIZE"] = "many"

    done = cli("run", "-c", "1")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("windtunnel: WINDTUNNEL_POOL_SIZE: ")


def test_a_cap_of_the_environment_holds(cli):
    cli.env["WINDTUNNEL_MAX_SECONDS"] = "2"

    done = cli("run", "--seconds", "3", "-c", "1")

    assert (done.returncode, done.stdout) == (2, "")
    assert "wall_seconds: 3 is over the cap of 2" in done.stderr


# --- doctor and languages ---

def test_the_doctor_tells_each_control_as_json(cli):
    done = cli("doctor", "--json")

    findings = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert [set(finding) for finding in findings] == [{"level", "name", "ready", "found", "remedy", "needed"}] * len(findings)
    assert all(finding["ready"] for finding in findings if finding["needed"])


def test_the_doctor_tells_people_in_a_table(cli):
    done = cli("doctor")

    assert done.returncode == 0
    assert done.stdout.splitlines()[0].split() == ["level", "control", "ready", "found", "to", "have", "it", "or", "more"]
    assert "namespaces" in done.stdout


def test_the_languages_are_told_as_json(cli):
    rows = json.loads(cli("languages", "--json").stdout)

    assert [row["name"] for row in rows] == [language.name for language in LANGUAGES]
    assert all((row["command"] is not None) is row["installed"] and row["install"] for row in rows)
    assert rows[0]["installed"] is True


def test_a_language_that_is_not_installed_says_what_to_install(cli):
    rows = {line.split()[0]: line for line in cli("languages").stdout.splitlines()}

    assert list(rows) == ["language", *(language.name for language in LANGUAGES)]
    missing = [language for language in LANGUAGES if rows[language.name].split()[1] == "no"]
    assert [language.name for language in missing if not rows[language.name].endswith(language.install)] == []


# --- history ---

def records(cli):
    return json.loads(cli("history", "--json").stdout)


def test_an_empty_history_is_empty(cli):
    assert (records(cli), cli("history", "--export").stdout) == ([], "")


def test_runs_are_listed_newest_first(cli):
    cli("run", "-c", "print('first')")
    cli("run", "-c", "raise SystemExit(4)")

    told = records(cli)
    lines = cli("history").stdout.splitlines()

    assert [(record["stdout"], record["exit_code"]) for record in told] == [("", 4), ("first\n", 0)]
    assert [line.split()[0] for line in lines] == ["id", *(record["id"][:12] for record in told)]


def test_one_run_is_shown_by_its_id_or_its_beginning(cli):
    run_id = json.loads(cli("run", "--json", "-c", "print(1)").stdout)["id"]

    shown = [json.loads(cli("history", name).stdout) for name in (run_id, run_id[:12])]

    assert [record["id"] for record in shown] == [run_id, run_id]


def test_an_unknown_run_is_a_wrong_request(cli):
    done = cli("history", "nobody")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "windtunnel: id: no run or trial 'nobody' (windtunnel history lists them)\n"


def test_the_history_is_exported_oldest_first(cli):
    for number in range(3):
        cli("run", "-c", f"print({number})")

    lines = cli("history", "--export").stdout.splitlines()

    assert [json.loads(line)["stdout"] for line in lines] == ["0\n", "1\n", "2\n"]


def test_old_runs_are_forgotten(cli):
    for number in range(3):
        cli("run", "-c", f"print({number})")

    done = cli("history", "--prune", "--keep", "1")

    assert (done.returncode, done.stdout) == (0, "2 runs and trials forgotten\n")
    assert [record["stdout"] for record in records(cli)] == ["2\n"]


@pytest.fixture
def tried(cli, tmp_path):
    """A run, then a change that was tried and applied; the project."""
    project = tmp_path / "shop"
    project.mkdir()
    (project / "calc.py").write_text("ONE = 1\n")
    (project / "test_calc.py").write_text("import calc\n\n\ndef test_one():\n    assert calc.ONE == 1\n")
    (tmp_path / "new.py").write_text("ONE = 2 - 1\n")
    cli("run", "-c", "print(1)")
    done = cli("apply", "--project", str(project), "--change", f"calc.py={tmp_path}/new.py", "--test", "pytest", "--no-lint")
    assert done.returncode == 0, done.stderr
    return project


def test_trials_are_listed_below_the_runs(cli, tried):
    runs, trials = cli("history").stdout.split("\n\n")

    head, *rows = [re.split(r"  +", line) for line in trials.splitlines()]
    assert (head, len(runs.splitlines())) == (["id", "when", "act", "verdict", "files", "tests", "took", "project"], 2)
    assert [(*row[2:6], row[-1]) for row in rows] == [
        ("apply", "applied", "1", "-", str(tried)), ("try", "good", "1", "1 of 1 passed", str(tried))]


def test_runs_and_trials_are_in_one_list_of_json_newest_first(cli, tried):
    told = records(cli)

    assert [record.get("verb", "run") for record in told] == ["apply", "try", "run"]
    assert told[0]["part_of"] == told[1]["id"]
    assert [len(json.loads(cli("history", "--json", "--only", what).stdout)) for what in ("runs", "trials")] == [1, 2]


def test_one_trial_is_shown_by_its_id_or_its_beginning(cli, tried):
    trial = records(cli)[1]

    assert [json.loads(cli("history", name).stdout) for name in (trial["id"], trial["id"][:12])] == [trial, trial]


@pytest.mark.parametrize(("arguments", "said"), [
    (("--prune",), "--prune: say what to keep"), (("--prune", "--keep", "-1"), "keep: not a number of runs"),
    (("--prune", "--days", "nan"), "days: not a number of days"), (("-n", "-1"), "limit: not a number of runs"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_a_wrong_wish_about_the_history_is_refused(cli, arguments, said):
    done = cli("history", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"windtunnel: {said}")


def test_a_history_that_cannot_be_kept_is_our_failure(cli, tmp_path):
    (tmp_path / "state").write_text("a file, not a folder")

    done = cli("run", "-c", "print(1)")
    cli.env["WINDTUNNEL_AUDIT"] = "off"
    unaudited = cli("run", "-c", "print(1)")

    assert (done.returncode, unaudited.returncode) == (125, 125)
    assert "the audit log cannot be used" in done.stderr
    assert "the history cannot be used" in unaudited.stderr


# --- text for people ---

@pytest.mark.parametrize(("text", "shown"), [
    ("plain größe", "plain größe"), ("\x1b[31mred", "\N{REPLACEMENT CHARACTER}[31mred"), ("a\nb\tc", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"),
    ("\x9b2J", "\N{REPLACEMENT CHARACTER}2J"), ("\u202eevil", "\N{REPLACEMENT CHARACTER}evil"), ("\x00\x7f", "\N{REPLACEMENT CHARACTER}" * 2),
])
def test_what_a_terminal_would_obey_is_replaced(text, shown):
    assert clean(text) == shown


def test_a_table_is_as_wide_as_its_cells():
    assert table([["a", "long\x1b"], ["bbb", "c"]], head=["x", "y"]) == (
        "x    y\na    long\N{REPLACEMENT CHARACTER}\nbbb  c")


@pytest.mark.parametrize(("count", "said"), [
    (None, "-"), (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (5 * 1024**2, "5 MiB"), (3 * 1024**3, "3.0 GiB")])
def test_sizes_are_told_as_people_say_them(count, said):
    assert size(count) == said


@pytest.mark.parametrize(("value", "said"), [(None, "-"), (0.0042, "4.2 ms"), (1.5, "1.50 s")])
def test_durations_are_told_as_people_say_them(value, said):
    assert seconds(value) == said
