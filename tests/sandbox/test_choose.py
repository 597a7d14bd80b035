"""Which level a caller gets: the one asked for, never a weaker one than allowed."""

import pytest

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.result import Level
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.choose import WithFallback, choose, decide

R, P, C, V = Level.RESTRICTED, Level.PROCESS, Level.CONTAINER, Level.VM


@pytest.mark.parametrize(("least", "level"), [(R, P), (P, P), (C, C), (V, V)])
def test_without_a_level_it_is_the_process_level_or_the_least_allowed_where_that_is_stronger(least, level):
    assert decide(min_isolation=least) is level


@pytest.mark.parametrize(("asked", "least"), [(R, R), (P, R), (P, P), (C, R), (C, P), (C, C), (V, P), (V, C), (V, V)])
def test_a_level_that_is_asked_for_and_strong_enough_is_the_one(asked, least):
    assert decide(level=asked, min_isolation=least) is asked


@pytest.mark.parametrize(("asked", "least"), [(R, P), (R, C), (P, C), (P, V), (C, V)])
def test_a_level_below_the_least_is_refused_and_not_replaced(asked, least):
    with pytest.raises(IsolationUnavailable) as refused:
        decide(level=asked, min_isolation=least)

    assert str(refused.value) == f"the {asked} level is below the least one allowed here ({least})"


@pytest.mark.parametrize("asked", [None, *Level])
@pytest.mark.parametrize("least", list(Level))
def test_no_answer_is_ever_weaker_than_the_least(asked, least):
    try:
        answer = decide(level=asked, min_isolation=least)
    except IsolationUnavailable:
        answer = least

    assert answer.at_least(least)


@pytest.mark.parametrize("level", [C, V])
def test_a_level_that_is_made_of_an_engine_is_not_made_here(level):
    with pytest.raises(IsolationUnavailable, match=f"the {level} level is made of an engine"):
        choose(level=level)


@pytest.mark.parametrize(("options", "made"), [
    ({}, Bubblewrap), ({"level": P}, Bubblewrap), ({"level": P, "min_isolation": R}, Bubblewrap), ({"min_isolation": R}, WithFallback)])
def test_a_weaker_level_stands_by_only_where_it_was_allowed_and_none_was_asked_for(options, made):
    sandbox = choose(pool_size=0, **options)

    sandbox.close()
    assert type(sandbox) is made
