import os
import subprocess
import sys

import pytest

from windtunnel import config
from windtunnel.core.errors import ApprovalNeeded, Refused, UsageError
from windtunnel.core.policy import NO_POLICY, Effect, Request
from windtunnel.engine.permit import approvals, permit, policies
from windtunnel.policy.rules import Approvals

ALLOW = "version: 1\ndefault: allow\n"
DENY = "version: 1\nrules: [{id: never, effect: deny, reason: not today}]\n"


class Machine:
    """A configuration, and a project with a policy of its own."""

    def __init__(self, root):
        self.root, self.project = root, root / "project"
        self.project.mkdir()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def policies(self):
        environ = {"HOME": str(self.root)}
        return policies(config.load(environ, self.project, operator=self.root / "config.toml"), self.project)

    def effect(self, verb="run"):
        try:
            return permit(self.policies(), Request(verb=verb)).effect
        except (Refused, ApprovalNeeded) as stopped:
            return stopped.decision.effect


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def set_policy(machine, text):
    path = machine.write("operator.yaml", text)
    machine.write("config.toml", f'policy = "{path}"')


def test_without_a_policy_everything_goes_on(machine):
    assert permit(machine.policies(), Request(verb="apply", paths=("a",))) is NO_POLICY


def test_what_is_allowed_goes_on_with_its_decision(machine):
    set_policy(machine, ALLOW)

    assert permit(machine.policies(), Request(verb="run")).rule == "default"


def test_what_is_denied_is_refused_with_the_rule_and_the_reason(machine):
    set_policy(machine, DENY)

    with pytest.raises(Refused) as refusal:
        permit(machine.policies(), Request(verb="run"))

    assert (str(refusal.value), refusal.value.code, refusal.value.field, refusal.value.decision.rule) == (
        "refused by policy: not today (never)", "refused", "policy", "never")
    assert isinstance(refusal.value, UsageError)


def test_what_must_be_asked_for_needs_an_approval(machine):
    set_policy(machine, "version: 1")

    with pytest.raises(ApprovalNeeded) as refusal:
        permit(machine.policies(), Request(verb="run"))

    assert (str(refusal.value), refusal.value.code, refusal.value.decision.effect) == (
        "policy: a person must approve this first: no rule matches, and the default is ask (default)", "approval-needed",
        Effect.ASK)


@pytest.mark.parametrize(("operator", "project", "expected"), [
    (ALLOW, DENY, Effect.DENY), (DENY, ALLOW, Effect.DENY), (ALLOW, "version: 1", Effect.ASK), (ALLOW, ALLOW, Effect.ALLOW),
    ("version: 1", ALLOW, Effect.ASK), (None, DENY, Effect.DENY), (ALLOW, None, Effect.ALLOW),
])
def test_a_project_can_only_tighten(machine, operator, project, expected):
    if operator is not None:
        set_policy(machine, operator)
    if project is not None:
        machine.write("project/.windtunnel/policy.yaml", project)

    assert machine.effect() is expected


def test_approvals_are_as_strict_as_the_strictest_policy_wants_them(machine):
    set_policy(machine, "version: 1\napprovals: {self_approval: true, expires: 1h}")
    machine.write("project/.windtunnel/policy.yaml", "version: 1\napprovals: {expires: 2h}")

    assert (approvals(machine.policies()), approvals(())) == (
        Approvals(self_approval=False, expires_seconds=3600.0), Approvals(self_approval=False, expires_seconds=86_400.0))


def test_a_project_may_keep_its_policy_elsewhere(machine):
    set_policy(machine, ALLOW)
    machine.write("project/.windtunnel.toml", 'policy = "ci/rules.yaml"')
    machine.write("project/ci/rules.yaml", DENY)

    assert [policy.file for policy in machine.policies()] == [
        str(machine.root / "operator.yaml"), str(machine.project / "ci/rules.yaml")]


@pytest.mark.parametrize("place", ["operator.yaml", "project/.windtunnel/policy.yaml"])
def test_a_broken_policy_is_an_error_and_never_none(machine, place):
    set_policy(machine, ALLOW)
    machine.write(place, "version: 1\nrules: [{id: a}]")

    with pytest.raises(UsageError, match=rf"{place}:2:9: rules\[0\].effect: missing"):
        machine.policies()


def test_a_policy_that_is_named_and_not_there_is_an_error(machine):
    machine.write("config.toml", 'policy = "/nowhere/policy.yaml"')

    with pytest.raises(UsageError, match=r"^/nowhere/policy.yaml: there is no such policy \(the configuration names it\)"):
        machine.policies()


def test_a_project_s_policy_that_is_named_and_not_there_is_an_error(machine):
    machine.write("project/.windtunnel.toml", 'policy = "ci/rules.yaml"')

    with pytest.raises(UsageError, match=r"ci/rules.yaml: there is no such policy"):
        machine.policies()


def test_a_policy_in_a_linked_folder_of_the_project_is_refused(machine):
    machine.write("elsewhere/policy.yaml", ALLOW)
    (machine.project / ".windtunnel").symlink_to(machine.root / "elsewhere")

    with pytest.raises(UsageError, match=r"policy.yaml: refused: .windtunnel on the way to it is not a folder of its own"):
        machine.policies()


def test_a_linked_policy_is_refused(machine):
    (machine.project / ".windtunnel").mkdir()
    (machine.project / ".windtunnel/policy.yaml").symlink_to(machine.write("elsewhere.yaml", ALLOW))

    with pytest.raises(UsageError, match="refused: a symbolic link"):
        machine.policies()


def test_a_policy_that_everyone_may_write_to_is_refused(machine):
    set_policy(machine, ALLOW)
    (machine.root / "operator.yaml").chmod(0o666)

    with pytest.raises(UsageError, match="refused: everyone may write to it"):
        machine.policies()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_policy_of_another_user_is_refused(machine):
    os.chown(machine.write("project/.windtunnel/policy.yaml", ALLOW), 65534, 65534)

    with pytest.raises(UsageError, match="refused: it belongs to user 65534"):
        machine.policies()


def test_a_pipe_in_its_place_is_refused_and_does_not_hang(machine):
    (machine.project / ".windtunnel").mkdir()
    os.mkfifo(machine.project / ".windtunnel/policy.yaml")

    with pytest.raises(UsageError, match="refused: not a plain file"):
        machine.policies()


def test_a_file_where_the_folder_should_be_is_refused(machine):
    machine.write("project/.windtunnel", "words")

    with pytest.raises(UsageError, match="is not a folder of its own"):
        machine.policies()


def test_who_has_no_policy_loads_no_reader_of_one():
    code = ("import sys, windtunnel; from windtunnel import Tunnel; from windtunnel.engine.permit import permit, policies; "
            "from windtunnel.core.policy import Request; from windtunnel import config; from pathlib import Path; "
            "permit(policies(config.load({'HOME': '/nowhere'}), Path('/')), Request(verb='run')); "
            "print([name for name in sys.modules if name.split('.')[0] in ('yaml', 'cel')])")

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout == "[]\n"


def test_a_policy_is_compiled_once_and_a_change_of_it_counts_at_once(tmp_path):
    settings = config.Settings(state_dir=tmp_path, cache_dir=tmp_path, policy=tmp_path / "policy.yaml")
    (tmp_path / "policy.yaml").write_text("version: 1\ndefault: allow\n")
    first, again = policies(settings), policies(settings)
    (tmp_path / "policy.yaml").write_text("version: 1\ndefault: deny\n")

    changed = policies(settings)

    assert (again[0] is first[0], first[0].default, changed[0].default) == (True, Effect.ALLOW, Effect.DENY)
