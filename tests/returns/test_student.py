import pytest

from windtunnel.returns.student import below, quantile, two_sided


@pytest.mark.parametrize(("freedom", "level", "expected"), [
    (1, 0.95, 12.7062047), (2, 0.95, 4.3026527), (5, 0.95, 2.5705818), (30, 0.95, 2.0422725), (10, 0.5, 0.6998121),
    (1000, 0.95, 1.9623391), (3, 0.99, 5.8409093)])
def test_quantiles_are_those_of_the_tables(freedom, level, expected):
    assert quantile(level, freedom=freedom) == pytest.approx(expected, rel=1e-7)


def test_a_quantile_and_its_chance_are_inverse():
    assert two_sided(quantile(0.9, freedom=7), freedom=7) == pytest.approx(0.1)


def test_half_of_all_is_below_the_middle():
    assert (below(0.0, freedom=4), below(50.0, freedom=4) > 0.99, below(-50.0, freedom=4) < 0.01) == (0.5, True, True)
