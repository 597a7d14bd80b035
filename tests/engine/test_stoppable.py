"""A view of a shared sandbox whose programs one caller can stop."""

from types import SimpleNamespace

import pytest

from windtunnel.core.errors import Cancelled
from windtunnel.core.ports import Command, Job
from windtunnel.engine.acting import Stoppable


@pytest.mark.parametrize(("inner", "outer"), [(True, False), (False, True)])
def test_a_view_of_a_view_is_stopped_by_either(fake, inner, outer):
    begun = []
    views = Stoppable(Stoppable(fake, lambda: inner and bool(begun)), lambda: outer and bool(begun))
    views.run(Job(command=Command(argv=("true",)), limits=None, language=SimpleNamespace(name="sh"), toolchain=None))
    (job,) = fake.jobs
    before = job.stop()
    begun.append(1)

    assert (before, job.stop()) == (False, True)
    with pytest.raises(Cancelled):
        views.run(job)
