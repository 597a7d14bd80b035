from retry_delays import delays, total


def test_all_options():
    for tries in range(1, 12):
        for first in (0.5, 1.0, 5.0, 40.0):
            for factor in (1.0, 1.5, 3.0):
                for most in (0.25, 5.0, 30.0, 33.0, 1000.0):
                    found = delays(tries, first=first, factor=factor, most=most)
                    expected = [min(first * factor ** number, most) for number in range(tries - 1)]
                    assert [round(one, 6) for one in found] == [round(one, 6) for one in expected]
                    assert round(total(tries, first=first, factor=factor, most=most), 4) == round(sum(expected), 4)
