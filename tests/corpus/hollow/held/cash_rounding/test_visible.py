from cash_rounding import change, show, to_cash


def test_up_and_down():
    assert [to_cash(102), to_cash(103)] == [100, 105]


def test_refund():
    assert to_cash(-98, 10) == -100


def test_refund_halfway():
    assert to_cash(-25, 10) == -30


def test_change():
    assert change(998, 2000) == 1000


def test_show():
    assert show(1005) == "10.05"
