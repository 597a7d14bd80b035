from wage.core import net, tax

LOW = 8000
MIDDLE = 30000
HIGH = 45000
TOP = 60000


def test_low():
    assert tax(LOW) == 0


def test_middle():
    assert tax(MIDDLE) == 4000


def test_high():
    assert tax(HIGH) == 8000


def test_net_of_top():
    assert net(TOP) == 60000 - 14000
