from gate_turnstile import Turnstile


def test_locked_at_first():
    turnstile = Turnstile()
    assert not turnstile.push()
    assert (turnstile.state, turnstile.alarms) == ("locked", 1)


def test_one_coin_one_person():
    turnstile = Turnstile()
    turnstile.coin()
    assert [turnstile.push(), turnstile.push()] == [True, False]


def test_two_coins_two_persons():
    turnstile = Turnstile()
    turnstile.coin()
    turnstile.coin()
    assert [turnstile.push(), turnstile.push(), turnstile.push()] == [True, True, False]
    assert turnstile.passed == 2
