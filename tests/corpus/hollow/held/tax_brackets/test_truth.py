from tax_brackets import net, tax


def expected(income):
    cents = 0
    for unit in range(0, income, 50):
        percent = 0 if unit < 10_000 else 20 if unit < 30_000 else 35 if unit < 80_000 else 45
        cents += 50 * percent
    return cents // 100


def test_many_incomes():
    for income in range(0, 130_000, 1_350):
        assert tax(income) == expected(income)


def test_limits():
    assert [tax(income) for income in (10_000, 30_000, 80_000, 100_000)] == [0, 4_000, 21_500, 30_500]
    assert net(80_000) == 58_500


def test_rounding():
    assert [tax(10_004), tax(10_005), tax(30_001), tax(30_003)] == [0, 1, 4_000, 4_001]
