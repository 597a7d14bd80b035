import pytest
from parcel_rates import parcel_price


@pytest.mark.parametrize("weight, price", [
    (0.01, 390), (0.99, 390), (1.0, 390), (1.001, 590), (2, 590), (4.999, 590), (5, 590), (5.001, 890), (9.9, 890),
    (10.0, 890), (10.1, 1690), (20, 1690), (31.5, 1690), (31.49, 1690)])
def test_prices(weight, price):
    assert parcel_price(weight) == price
    assert parcel_price(weight, express=True) == 2 * price


@pytest.mark.parametrize("weight", [31.51, 32, 100, 0, -1])
def test_refused(weight):
    with pytest.raises(ValueError):
        parcel_price(weight)
