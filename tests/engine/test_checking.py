"""One check in a sandbox: what goes in, what comes out, and who is believed."""

import hashlib
import hmac
import json
from dataclasses import replace

import pytest

from windtunnel.checks.project import Folder
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Network
from windtunnel.core.result import Artifact, ExecutionResult, Level, Reason
from windtunnel.core.tool import Ask
from windtunnel.core.trial import Channel, Check, Kind, Status
from windtunnel.engine.checking import Step, run_step
from windtunnel.engine.ground import Ground
from windtunnel.languages.search import which

PYTEST = Check(kind=Kind.TEST, tool="pytest", argv=("pytest",))
COMMAND = Check(kind=Kind.TEST, tool="command", argv=("true",))


class Runner:
    """A sandbox in which a runner says what a test wants it to, with the key that it got."""

    level = Level.PROCESS

    def __init__(self, *, says=None, **result):
        self.says, self.result, self.jobs = says or (lambda _: []), result, []

    def run(self, job):
        self.jobs.append(job)
        key = job.command.stdin.decode().strip()
        pieces = self.says(key)
        for piece in pieces:
            if job.on_stdout is not None:
                job.on_stdout(piece)
        return ExecutionResult(**{"exit_code": 0, "stdout_bytes": b"".join(pieces), **self.result})

    def close(self):
        pass


def sealed(key, number, kind, **fields):
    text = json.dumps({"n": number, "kind": kind, **fields}).encode()
    return b"\x1e" + hmac.new(key.encode(), text, hashlib.sha256).hexdigest()[:32].encode() + b" " + text + b"\n"


def session(key, *, status="passed", end=True, extra=()):
    lines = [sealed(key, 0, "begin", tool="pytest", version="9"), sealed(key, 1, "collected", ids=["t.py::a"]),
             sealed(key, 2, "start", id="t.py::a"),
             sealed(key, 3, "test", id="t.py::a", status=status, seconds=0.1, message="", path="t.py", line=1, category="")]
    return [*lines, *extra, *([sealed(key, 4, "end", exit=0, count=1)] if end else [])]


@pytest.fixture
def act(rig, tmp_path):
    def run(runner, check=PYTEST, **step):
        ground = Ground(project=str(tmp_path), folder=Folder(tmp_path, search=which), paths=("/opt/shown",), env={"GROUND": "1", "OVER": "ground"})
        return run_step(replace(rig, sandbox=runner), ground, Step(check=check, limits=Limits(), **step))[0]

    return run


def test_sealed_records_are_the_result(act):
    report = act(Runner(says=session))

    assert (report.channel, [(test.id, test.status) for test in report.tests], report.notes, report.forged) == (
        Channel.LIVE, [("t.py::a", Status.PASSED)], (), 0)
    assert report.stdout == ""


def test_records_may_come_in_any_pieces(act):
    def byte_by_byte(key):
        return [bytes([byte]) for byte in b"".join(session(key))]

    assert act(Runner(says=byte_by_byte)).tests == act(Runner(says=session)).tests


def test_a_record_with_another_key_is_forged_and_not_believed(act):
    report = act(Runner(says=lambda key: session(key, status="failed", extra=[sealed("guess", 4, "test", id="t.py::a", status="passed")])))

    assert ([test.status for test in report.tests], report.forged) == ([Status.FAILED], 1)


def test_a_record_that_is_played_again_is_forged(act):
    report = act(Runner(says=lambda key: session(key, extra=[session(key)[3]])))

    assert report.forged == 1


def test_a_runner_that_ends_early_is_no_pass(act):
    report = act(Runner(says=lambda key: session(key)[:3]))

    assert [(test.id, test.status, test.category) for test in report.tests] == [("t.py::a", Status.ERROR, "crash")]


def test_a_runner_that_says_nothing_has_no_tests(act):
    report = act(Runner(says=lambda _: [b"t.py::a PASSED\n1 passed in 0.01s\n"]))

    assert (report.tests, report.channel) == ((), Channel.EXIT_CODE)
    assert report.stdout == "t.py::a PASSED\n1 passed in 0.01s\n"


def test_hands_on_the_runner_are_told(act):
    report = act(Runner(says=lambda key: [*session(key, end=False), sealed(key, 4, "integrity", what="print was replaced"),
                                          sealed(key, 5, "end", exit=0, count=1)]))

    assert report.interfered == ("print was replaced",)


def test_the_key_is_new_each_time_and_reaches_the_runner_by_its_input_alone(act):
    runner = Runner(says=session)
    act(runner)
    act(runner)

    keys = [job.command.stdin.decode().strip() for job in runner.jobs]
    assert (len(set(keys)), {len(key) for key in keys}) == (2, {32})
    for key, job in zip(keys, runner.jobs, strict=True):
        shown = repr((job.command.argv, dict(job.command.env), dict(job.command.files)))
        assert key not in shown


def test_a_test_that_decides_ends_the_run(act):
    report = act(Runner(says=lambda key: session(key, status="failed")), on_test=lambda record: record["kind"] == "test")

    assert (report.reason, [(test.id, test.status) for test in report.tests]) == (Reason.CANCELLED, [("t.py::a", Status.FAILED)])
    assert not report.success


def test_tests_that_had_not_begun_when_a_race_was_decided_are_not_crashes(act):
    def two(key):
        return [sealed(key, 0, "begin", tool="pytest", version="9"), sealed(key, 1, "collected", ids=["t.py::a", "t.py::b"]),
                sealed(key, 2, "test", id="t.py::a", status="failed", seconds=0, message="", path="t.py", line=1, category="")]

    report = act(Runner(says=two), on_test=lambda record: record["kind"] == "test")

    assert [test.id for test in report.tests] == ["t.py::a"]


@pytest.mark.parametrize("reason", [each for each in Reason if each is not Reason.EXITED])
def test_a_run_that_was_stopped_says_so_in_a_note_and_is_no_success(act, reason):
    report = act(Runner(says=session, reason=reason))

    assert (report.success, f"stopped: {reason}" in report.notes) == (False, True)


@pytest.mark.parametrize(("exit_code", "status"), [(0, Status.PASSED), (3, Status.FAILED)])
def test_a_command_that_tells_nothing_is_one_test(act, exit_code, status):
    report = act(Runner(exit_code=exit_code), COMMAND)

    assert ([(test.id, test.status) for test in report.tests], report.channel) == ([("true", status)], Channel.EXIT_CODE)


def test_a_command_that_was_stopped_is_no_passed_test(act):
    report = act(Runner(exit_code=0, reason=Reason.OUT_OF_DISK), COMMAND)

    assert [test.status.bad for test in report.tests] == [True]


def test_the_surroundings_of_a_step_are_as_given(act):
    runner = Runner()
    overlay = {"a.py": Artifact(data=b"x"), "b.py": None}
    act(runner, COMMAND, overlay=overlay, env={"SECRET": "s", "OVER": "step"}, network=Network(allow_hosts=("h",)))

    (job,) = runner.jobs
    assert (job.command.overlay, job.command.cwd, job.network, job.toolchain.paths, job.warm) == (
        overlay, "/workspace", Network(allow_hosts=("h",)), ("/opt/shown",), False)
    assert {name: job.command.env[name] for name in ("GROUND", "OVER", "SECRET")} == {"GROUND": "1", "OVER": "step", "SECRET": "s"}
    assert "HOSTNAME" not in job.command.env


def test_the_environment_of_our_own_process_stays_out(act, monkeypatch):
    monkeypatch.setenv("API_KEY", "of the supervisor")
    runner = Runner()
    act(runner, COMMAND)

    assert "of the supervisor" not in repr(runner.jobs[0])


@pytest.mark.parametrize("kind", list(Kind))
def test_only_a_build_is_read_back(act, kind):
    runner = Runner(layer={"out": Artifact(data=b"made"), "gone": None})
    report = act(runner, replace(COMMAND, kind=kind))

    assert (runner.jobs[0].command.keep_layer, report.products) == (kind is Kind.BUILD, {"out": Artifact(data=b"made"), "gone": None})


def test_much_output_is_cut_in_the_middle(act):
    report = act(Runner(says=lambda _: [b"head" + b"x" * 10**6 + b"tail"]), COMMAND)

    assert (report.stdout[:4], report.stdout[-4:], len(report.stdout) < 70_000) == ("head", "tail", True)


def test_output_that_is_no_text_is_shown_as_well_as_it_can_be(act):
    assert act(Runner(says=lambda _: [b"\xff\xfe\0ok"]), COMMAND).stdout == "\ufffd\ufffd\0ok"


def test_a_pattern_and_a_selection_reach_the_runner(act):
    runner = Runner(says=session)
    act(runner, ask=Ask(select=("t.py::a",), pattern="add"))

    options = json.loads(runner.jobs[0].command.files["windtunnel_options.json"])
    assert (options["select"], options["pattern"]) == (["t.py::a"], "add")
