from loan_plan import left_after, plan


def test_all_small_loans():
    for cents in range(0, 90):
        for months in range(1, 14):
            payments = plan(cents, months)
            assert (len(payments), sum(payments)) == (months, cents)
            assert min(payments) >= 0
            assert all(one >= two for one, two in zip(payments, payments[1:]))
            positive = [payment for payment in payments if payment]
            assert len(set(positive[:-1])) <= 1
            assert left_after(cents, months, months) == 0
