from expiring_values import ExpiringValues


class Clock:
    now = 0

    def __call__(self):
        return self.now


def test_value_is_kept():
    values = ExpiringValues(10, Clock())
    values.put("a", 1)
    assert values.get("a") == 1


def test_a_gone_value_can_come_again():
    clock = Clock()
    values = ExpiringValues(10, clock)
    values.put("a", 1)
    clock.now = 15
    assert values.get("a") is None
    values.put("a", 2)
    assert values.get("a") == 2
