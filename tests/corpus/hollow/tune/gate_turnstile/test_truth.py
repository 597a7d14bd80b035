import itertools

from gate_turnstile import Turnstile


def test_every_short_story():
    for story in itertools.product("cp", repeat=8):
        turnstile, credit, passed, alarms = Turnstile(), 0, 0, 0
        for act in story:
            if act == "c":
                turnstile.coin()
                credit += 1
            else:
                assert turnstile.push() == (credit > 0)
                passed, alarms, credit = (passed + 1, alarms, credit - 1) if credit else (passed, alarms + 1, credit)
            assert (turnstile.state, turnstile.passed, turnstile.alarms) == ("open" if credit else "locked", passed, alarms)
