import pytest

from windtunnel.core.trial import Delta, ExecutionTestResult, Status
from windtunnel.engine.delta import compare, suspects, with_proposed, without


def results(**statuses):
    return {name: ExecutionTestResult(id=name, status=Status(status)) for name, status in statuses.items()}


@pytest.mark.parametrize(("before", "after", "where"), [
    ("passed", "failed", "broken"), ("passed", "error", "broken"), ("skipped", "failed", "broken"),
    ("xfailed", "failed", "broken"), ("failed", "passed", "fixed"), ("error", "xpassed", "fixed"),
    ("failed", "error", "still_failing"), ("passed", "skipped", "silenced"), ("failed", "xfailed", "silenced"),
    ("error", "skipped", "silenced"), ("skipped", "passed", "new"), ("passed", None, "vanished"),
    ("skipped", None, "vanished"), (None, "passed", "new"), (None, "skipped", "new"), (None, "error", "new_failing"),
])
def test_each_test_stands_in_the_list_of_what_became_of_it(before, after, where):
    found = compare(results(**({"t": before} if before else {})), results(**({"t": after} if after else {})))

    assert found == Delta(**{where: ("t",)})


@pytest.mark.parametrize(("before", "after", "passing"), [
    ("passed", "passed", 1), ("passed", "xpassed", 1), ("skipped", "skipped", 0), ("xfailed", "skipped", 0)])
def test_what_stays_as_it_is_is_only_counted(before, after, passing):
    assert compare(results(t=before), results(t=after)) == Delta(still_passing=passing)


def test_a_flaky_test_stands_in_no_other_list():
    assert compare(results(a="passed", b="failed"), results(a="failed", b="passed"), flaky={"a"}) == Delta(
        flaky=("a",), fixed=("b",))


def test_tests_whose_status_changed_are_the_ones_to_run_again():
    found = compare(results(a="passed", b="failed", c="passed", d="failed"), results(a="failed", b="passed", d="error", e="failed"))

    assert suspects(found) == ("b", "a", "e")


def test_tests_that_only_the_change_brings_are_added():
    found = with_proposed(Delta(still_passing=1), results(a="passed"), results(a="failed", b="passed", c="failed"))

    assert found == Delta(still_passing=1, new=("b",), new_failing=("c",))


def test_tests_that_no_longer_apply_count_nowhere():
    assert without(Delta(broken=("a", "b"), vanished=("c",)), {"a", "c"}) == Delta(broken=("b",))
