from choose.binomial import choose


def row(n):
    return [choose(n, k) for k in range(n + 1)]
