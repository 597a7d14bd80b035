import math

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.metric import Direction
from windtunnel.core.series import Aim, Cycle, Objective, finite, finite_values

OBJECTIVE = Objective(aims={
    "throughput": Aim(weight=2.0, scale=100.0), "error_rate": Aim(weight=1.0, direction=Direction.LOWER)})


def test_the_value_of_a_cycle_is_the_weighed_sum_of_its_metrics():
    assert OBJECTIVE.value({"throughput": 150.0, "error_rate": 0.5}) == pytest.approx(2.5)


def test_metrics_that_were_not_measured_add_nothing_and_are_named():
    metrics = {"throughput": 50.0, "error_rate": math.nan}

    assert (OBJECTIVE.value(metrics), OBJECTIVE.missing(metrics)) == (1.0, ("error_rate",))


@pytest.mark.parametrize("make", [
    lambda: Objective(aims={}), lambda: Objective(aims={"a": Aim(weight=0.0)}), lambda: Aim(weight=-1.0),
    lambda: Aim(scale=0.0), lambda: Objective(aims={"a": Aim()}, cost=-1.0), lambda: Cycle(roi=math.nan),
    lambda: Cycle(roi=1.0, metrics={"": 1.0}), lambda: Cycle(roi=1.0, metrics={"a" * 300: 1.0}),
    lambda: Cycle(roi=1.0, scenario="a\nb"), lambda: Cycle(roi=1.0, resources={"cpu": "many"}),
    lambda: finite(10**400, field="x"), lambda: finite(True, field="x")])
def test_what_means_nothing_is_refused_at_birth(make):
    with pytest.raises(UsageError):
        make()


def test_only_finite_numbers_are_kept():
    assert finite_values([1, math.nan, -math.inf, 2.5, None, 10**400]) == [1.0, 2.5]
