"""What programs take of budgets: reserved before, charged after, never more than is left."""

import contextlib
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from act_worker import COUNTED as TOGETHER
from act_worker import ROUNDS

from windtunnel.core.allowance import MILLION, Allowance, Counted, Scope
from windtunnel.core.errors import BudgetSpent, SandboxFailure, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Command, ExecutionResult, Level, Reason, Usage
from windtunnel.engine.purse import Metered, Purse
from windtunnel.languages import LanguageTable
from windtunnel.store.allowances import Allowances

PYTHON = LanguageTable().get("python")
WORKER = Path(__file__).parent / "act_worker.py"
JOB = Job(command=Command(argv=("true",)), limits=Limits(wall_seconds=10.0), language=PYTHON, toolchain=LanguageTable().toolchain(PYTHON))


class Runs:
    """A sandbox that uses what it is told to, and remembers the limits it was given."""

    level = Level.PROCESS

    def __init__(self, wall=1.0, cpu=0.5, reason=Reason.EXITED):
        self.answer = ExecutionResult(exit_code=0, execution_time=wall, usage=Usage(cpu_seconds=cpu), reason=reason)
        self.limits, self.closed = [], False

    def run(self, job):
        self.limits.append((job.limits.wall_seconds, job.limits.cpu_seconds))
        return self.answer

    def close(self):
        self.closed = True


@pytest.fixture
def make(tmp_path):
    """Makes purses over one store."""
    store = Allowances(tmp_path / "budgets.db")

    def purse(answers=False, **amounts):
        budget = Allowance(id="b", scope=Scope.TOTAL, amounts={kind.replace("_USD", " USD"): int(amount * MILLION) for kind, amount in amounts.items()})
        made = Purse(store, (Counted(allowance=budget, name=""),), answers=answers)
        made.left = lambda: [one.left / MILLION for one in store.standings(made._counted)]
        return made

    yield purse
    store.close()


def test_an_act_whose_first_program_gets_nothing_is_not_counted_and_runs_none_afterwards(make):
    first, second, runs = make(acts=5, cpu_seconds=3), make(acts=5, cpu_seconds=3), Runs()
    first.begin()
    second.begin()
    with first.timed(wall_seconds=9.0, cpu_seconds=9.0), pytest.raises(BudgetSpent, match="cpu seconds reserved"):
        Metered(runs, second).run(JOB)

    with pytest.raises(BudgetSpent, match="cpu seconds reserved"):
        Metered(runs, second).run(JOB)

    assert (first.left()[0], second.told()["amounts"], runs.limits) == (4.0, {}, [])


@pytest.mark.parametrize("seed", [0, 100])
def test_of_acts_of_many_processes_at_once_exactly_those_that_ran_are_counted(tmp_path, seed):
    path = tmp_path / "budgets.db"
    workers = [subprocess.Popen([sys.executable, str(WORKER), str(path), str(seed + number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
               for number in range(4)]
    said = []
    while any(heard := [worker.stdout.readline().decode().strip() for worker in workers]):
        said += heard
        for worker, word in zip(workers, heard, strict=True):
            with contextlib.suppress(BrokenPipeError):
                worker.stdin.write(b"on\n" if word else b"")
                worker.stdin.flush()
    codes = [worker.wait(60) for worker in workers]
    for worker in workers:
        worker.stdin.close()
        worker.stdout.close()
    store = Allowances(path)
    acts, time_ = store.standings(TOGETHER)
    store.close()

    assert (codes, said.count("ready"), said.count("ran") + said.count("refused")) == ([0] * 4, 4 * ROUNDS, 4 * ROUNDS)
    assert said.count("begun") > said.count("ran"), "some were refused after they were counted"
    assert (acts.spent, acts.reserved, time_.reserved) == (said.count("ran") * MILLION, 0, 0)


def test_an_act_whose_later_program_gets_nothing_is_counted(make):
    purse = make(acts=5, cpu_seconds=3)
    purse.begin()
    Metered(Runs(cpu=3.0), purse).run(JOB)

    with pytest.raises(BudgetSpent, match="3 cpu seconds spent"):
        Metered(Runs(), purse).run(JOB)

    assert (purse.left(), purse.told()["amounts"]["acts"]) == ([4.0, 0.0], "1 acts")


def test_a_program_is_charged_what_it_really_used(make):
    purse, runs = make(wall_seconds=60, cpu_seconds=60), Runs(wall=2.5, cpu=0.25)

    result = Metered(runs, purse).run(JOB)

    assert (result, runs.limits, purse.left(), purse.notes) == (runs.answer, [(10.0, 12.0)], [57.5, 59.75], [])
    assert purse.told()["amounts"] == {"wall_seconds": "2.5 wall seconds", "cpu_seconds": "0.25 cpu seconds"}


def test_a_kind_that_no_budget_counts_is_left_as_it_is(make):
    purse, runs = make(wall_seconds=60), Runs()

    Metered(runs, purse).run(JOB)

    assert runs.limits == [(10.0, None)]


def test_limits_are_lowered_to_what_is_left_and_the_result_says_so(make):
    purse, runs = make(answers=True, wall_seconds=3.1, cpu_seconds=60), Runs()

    result = Metered(runs, purse).run(JOB)

    told = "wall seconds lowered to 3, what is left of the budget b"
    assert (runs.limits, result.enforced, purse.notes) == ([(3.0, 12.0)], {"budget": told}, [told])


def test_a_run_that_a_budget_stopped_is_a_result(make):
    purse = make(answers=True, wall_seconds=3)

    assert Metered(Runs(wall=2.9, reason=Reason.TIMEOUT), purse).run(JOB).reason is Reason.TIMEOUT


@pytest.mark.parametrize(("reason", "amounts"), [(Reason.TIMEOUT, {"wall_seconds": 3}), (Reason.CPU_TIME, {"cpu_seconds": 3})])
def test_a_verdict_does_not_come_from_a_budget_that_ran_out(make, reason, amounts):
    purse = make(**amounts)

    with pytest.raises(BudgetSpent, match="the budget b"):
        Metered(Runs(reason=reason), purse).run(JOB)


def test_a_program_that_its_own_limit_stopped_is_a_result(make):
    purse = make(wall_seconds=60)

    assert Metered(Runs(wall=10.01, reason=Reason.TIMEOUT), purse).run(JOB).reason is Reason.TIMEOUT


def test_when_nothing_is_left_nothing_runs(make):
    purse, runs = make(wall_seconds=1), Runs(wall=0.95)
    Metered(runs, purse).run(JOB)

    with pytest.raises(BudgetSpent):
        Metered(runs, purse).run(JOB)

    assert len(runs.limits) == 1


def test_a_program_whose_processor_time_nobody_measured_is_charged_what_it_can_have_used(make):
    purse, runs = make(cpu_seconds=60), Runs(wall=2.0, cpu=None)

    Metered(runs, purse).run(replace(JOB, limits=Limits(wall_seconds=10.0, cores=2.0)))

    assert purse.left() == [56.0]


def test_a_sandbox_that_fails_gives_back_what_was_not_used(make):
    purse = make(wall_seconds=60)

    class Broken(Runs):
        def run(self, job):
            raise SandboxFailure("broke")

    with pytest.raises(SandboxFailure, match="broke"):
        Metered(Broken(), purse).run(JOB)

    assert (purse._store.standings(purse._counted)[0].reserved, purse.left()[0] > 0) == (0, True)


def test_programs_of_one_act_wait_for_each_other_and_do_not_refuse_each_other(make):
    purse, inside, go_on = make(wall_seconds=12), threading.Event(), threading.Event()

    class Slow(Runs):
        def run(self, job):
            inside.set()
            assert go_on.wait(60)
            return super().run(job)

    metered, got = Metered(Slow(), purse), []
    first = threading.Thread(target=lambda: got.append(metered.run(JOB)))
    first.start()
    assert inside.wait(60)
    second = threading.Thread(target=lambda: got.append(metered.run(replace(JOB, limits=Limits(wall_seconds=1.0)))))
    third = threading.Thread(target=lambda: got.append(metered.run(replace(JOB, limits=Limits(wall_seconds=9.0)))))
    second.start()
    third.start()
    go_on.set()
    for thread in (first, second, third):
        thread.join(60)

    assert (len(got), purse.left()) == (3, [9.0])


def test_walls_and_the_end_are_those_of_the_sandbox(make):
    runs = Runs()
    metered = Metered(runs, make(acts=1))

    metered.close()

    assert (metered.level, runs.closed) == (Level.PROCESS, True)


def test_an_act_counts_once_and_is_refused_when_there_are_no_more(make):
    purse = make(acts=1)
    purse.begin()

    with pytest.raises(BudgetSpent, match="1 acts spent of 1 acts"):
        purse.begin()


def test_a_call_is_paid_with_what_it_really_cost(make):
    purse = make(money_USD=1)

    with purse.paid("0.50 USD") as share:
        during = purse.left()
        share.pay("0.02 USD")

    assert (during, purse.left(), purse.told()["amounts"]) == ([0.5], [0.98], {"money USD": "0.02 USD"})


def test_a_call_that_does_not_say_what_it_cost_is_charged_all_that_was_held(make):
    purse = make(money_USD=1)

    with pytest.raises(OSError, match="gone"), purse.paid("0.50 USD"):
        raise OSError("gone")

    assert purse.left() == [0.5]


def test_a_call_that_could_cost_more_than_is_left_is_not_made(make):
    purse, made = make(money_USD=1), []

    with pytest.raises(BudgetSpent), purse.paid("1.01 USD"):
        made.append(1)

    assert (made, purse.left()) == ([], [1.0])


def test_money_of_a_currency_that_no_budget_counts_is_refused(make):
    with pytest.raises(UsageError, match=r"no budget counts EUR here \(those there are: USD\)"):
        make(money_USD=1).spend("0.10 EUR")


def test_money_is_free_where_no_budget_is_about_money(make):
    purse = make(acts=1)

    purse.spend("1.00 EUR")

    assert purse.told()["amounts"] == {}
