"""``windtunnel audit watch`` as a person starts it."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from windtunnel.core.audit import AuditEntry
from windtunnel.store.audit.log import AuditLog


def state(cli):
    return Path(cli.env["WINDTUNNEL_STATE_DIR"])


def append(cli, *kinds, **fields):
    log = AuditLog(state(cli) / "audit.db")
    log.append_all([AuditEntry(kind=kind, outcome="done", actor="ann", subject="1", **fields) for kind in kinds])
    log.close()


def rules(tmp_path, text):
    path = tmp_path / "rules.yaml"
    path.write_text(f"version: 1\n{text}\n")
    return str(path)


def test_nothing_out_of_the_ordinary_is_said_and_exits_with_0(cli):
    append(cli, "run", "run")

    done = cli("audit", "watch", "--once")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "nothing out of the ordinary; records looked at: 2\n")


def test_an_alert_is_told_once_and_exits_with_1(cli):
    append(cli, "run", "redact")

    first, second = cli("audit", "watch", "--once"), cli("audit", "watch")

    assert (first.returncode, second.returncode, second.stdout) == (1, 0, "")
    (line,) = first.stdout.splitlines()
    assert "  medium  log-acts: ann did redact on 1 in the audit log: done  (records 1; " in line


def test_what_was_found_before_is_told_again_by_its_time(cli):
    append(cli, "redact")
    cli("audit", "watch", "--once")

    again, none = cli("audit", "watch", "--since", "24h", "--json"), cli("audit", "watch", "--since", "2999-01-01", "--json")

    told = json.loads(again.stdout)
    assert (again.returncode, [one["rule"] for one in told["alerts"]], told["delivered"]) == (1, ["log-acts"], 0)
    assert (none.returncode, json.loads(none.stdout)["alerts"]) == (0, [])


def test_the_rules_are_those_of_the_option_and_of_the_configuration(cli, tmp_path):
    append(cli, "redact", "run")
    path = rules(tmp_path, "rules: {log-acts: false, rate: {most: 0, severity: low}}")

    by_option = cli("audit", "watch", "--rules", path, "--json")
    cli.env["WINDTUNNEL_AUDIT_WATCH"] = path
    by_variable = cli("audit", "watch", "--since", "1h", "--json")

    expected = [("rate", "low", "ann, redact"), ("rate", "low", "ann, run")]
    for done in (by_option, by_variable):
        assert [(one["rule"], one["severity"], one["subject"]) for one in json.loads(done.stdout)["alerts"]] == expected


def test_alerts_go_to_the_destinations_and_stdout_gets_them_as_lines(cli, tmp_path):
    append(cli, "redact")
    path = rules(tmp_path, f"destinations: [{{name: out, stdout: true}}, {{name: file, log: {tmp_path}/alerts.log}}]")

    done = cli("audit", "watch", "--rules", path)

    (line,) = done.stdout.splitlines()
    assert (done.returncode, json.loads(line)["rule"]) == (1, "log-acts")
    assert (tmp_path / "alerts.log").read_text() == f"{line}\n"
    log = json.loads(cli("audit", "log", "--kind", "alert", "--json").stdout)
    assert sorted((one["subject"], one["details"]["destination"]) for one in log) == [("log-acts", "file"), ("log-acts", "out")]


def test_with_a_destination_on_standard_output_the_answer_is_lines_of_json(cli, tmp_path):
    append(cli, "redact")

    done = cli("audit", "watch", "--json", "--rules", rules(tmp_path, "destinations: [{name: out, stdout: true}]"))

    alert, rest = map(json.loads, done.stdout.splitlines())
    assert (alert["rule"], rest) == ("log-acts", {"records": 1, "delivered": 1, "owed": [], "notes": []})


def test_a_destination_that_does_not_take_it_is_said_and_exits_with_1_until_it_does(cli, tmp_path):
    append(cli, "redact")
    path = rules(tmp_path, f"destinations: [{{name: file, log: {tmp_path}/missing/alerts.log}}]")

    first, second = cli("audit", "watch", "--rules", path), cli("audit", "watch", "--rules", path)
    (tmp_path / "missing").mkdir()
    third, fourth = cli("audit", "watch", "--rules", path), cli("audit", "watch", "--rules", path)

    said = f"windtunnel: file: 1 alerts wait: {tmp_path}/missing/alerts.log: cannot be written: No such file or directory\n"
    assert (first.returncode, first.stderr) == (1, said)
    assert (second.returncode, second.stdout, second.stderr) == (1, "", said)
    assert (third.returncode, fourth.returncode) == (0, 0)
    assert len((tmp_path / "missing" / "alerts.log").read_text().splitlines()) == 1


def test_what_waits_for_a_destination_that_is_not_in_the_rules_is_said_and_is_no_alert(cli, tmp_path):
    append(cli, "redact")
    cli("audit", "watch", "--rules", rules(tmp_path, f"destinations: [{{name: gone, log: {tmp_path}/missing/alerts.log}}]"))

    done = cli("audit", "watch")

    assert (done.returncode, done.stderr.startswith("windtunnel: gone: 1 alerts wait: ")) == (0, True)


@pytest.mark.parametrize(("text", "said"), [
    ("rules: {rate: {most: x}}", ":2:22: rules.rate.most: not a number"), ("extra: 1", ":2:1: extra: unknown")])
def test_rules_that_are_wrong_are_refused_with_their_place(cli, tmp_path, text, said):
    done = cli("audit", "watch", "--rules", rules(tmp_path, text))

    assert (done.returncode, said in done.stderr) == (2, True)


def test_rules_that_are_not_there_or_could_be_anybody_s_are_refused(cli, tmp_path):
    path = rules(tmp_path, "")
    Path(path).chmod(0o666)

    missing, loose = cli("audit", "watch", "--rules", "nowhere.yaml"), cli("audit", "watch", "--rules", path)

    assert (missing.returncode, "there is no such file of rules" in missing.stderr) == (2, True)
    assert (loose.returncode, "everyone may write to it" in loose.stderr) == (2, True)


def test_the_option_is_named_where_it_is_wrong_and_links_are_not_followed(cli, tmp_path):
    (tmp_path / "link.yaml").symlink_to(rules(tmp_path, ""))

    odd, link = cli("audit", "watch", "--rules", "a\nb"), cli("audit", "watch", "--rules", str(tmp_path / "x/../link.yaml"))

    assert (odd.returncode, "--rules: " in odd.stderr, "is not a path" in odd.stderr) == (2, True, True)
    assert (link.returncode, "a symbolic link" in link.stderr) == (2, True)


def test_the_rules_there_are_can_be_listed(cli):
    text, told = cli("audit", "watch", "--list"), json.loads(cli("audit", "watch", "--list", "--json").stdout)

    assert "off-hours  medium, off unless the rules say so: changes applied or undone" in text.stdout
    assert {one["id"]: one["on"] for one in told}["rate"] is True


def test_records_that_were_sealed_are_looked_at_like_others_and_holds_are_told(cli, tmp_path):
    append(cli, *["run"] * 5)
    cli("audit", "seal", "--keep-live", "1")
    cli("audit", "hold", "add", "case", "--reason", "a case")

    done = cli("audit", "watch", "--json", "--rules", rules(tmp_path, "rules: {rate: {most: 4}}"))

    told = {one["rule"]: (one["message"], one["records"][-1]["seq"]) for one in json.loads(done.stdout)["alerts"]}
    assert told["rate"] == ("ann did run 5 times within 3600 seconds, more than 4", 4)
    assert " did hold add on " in told["log-acts"][0]


def test_hostile_names_reach_no_terminal(cli):
    append(cli, "redact", session="s")
    log = AuditLog(state(cli) / "audit.db")
    log.append(AuditEntry(kind="redact", outcome="done", actor="eve\n\x1b[2Jroot \u2028\u202e", subject="x"))
    log.close()

    done = cli("audit", "watch")

    assert len(done.stdout.split("\n")) == 3
    assert all(letter.isprintable() or letter == "\n" for letter in done.stdout)


def test_following_tells_what_comes_and_goes_on_after_a_kill(cli, tmp_path):
    append(cli, "redact")
    told = []
    for number in range(2):
        following = cli.start("audit", "watch", "--follow", "--json", stdout=subprocess.PIPE, text=True)
        try:
            if number == 0:
                told.append(json.loads(following.stdout.readline()))
            append(cli, "redact")
            told.append(json.loads(following.stdout.readline()))
        finally:
            os.kill(following.pid, signal.SIGKILL)
            following.wait()
            following.stdout.close()

    assert [one["records"][0]["seq"] for one in told] == [0, 1, 2]
    assert len({one["id"] for one in told}) == 3
