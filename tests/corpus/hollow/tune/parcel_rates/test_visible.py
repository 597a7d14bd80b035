import pytest
from parcel_rates import parcel_price


def test_light_parcel():
    assert parcel_price(0.4) == 390


def test_exactly_five_kilograms_are_in_the_second_band():
    assert parcel_price(5.0) == 590


def test_express_costs_double():
    assert parcel_price(7.5, express=True) == 1780


def test_too_heavy():
    with pytest.raises(ValueError):
        parcel_price(40)
