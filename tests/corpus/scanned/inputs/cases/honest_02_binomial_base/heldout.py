from math import comb
from choose.binomial import choose
for n in range(12):
    for k in range(14):
        assert choose(n, k) == comb(n, k)
