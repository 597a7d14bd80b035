import random

import pytest
from stock_costs import Stock


def test_random_trade():
    draw = random.Random(18)
    for _ in range(120):
        goods, single = Stock(), []
        for _ in range(20):
            if draw.random() < 0.5:
                pieces, price = draw.randrange(1, 6), draw.randrange(1, 9)
                goods.buy(pieces, price)
                single += [price] * pieces
            else:
                wanted = draw.randrange(0, 9)
                if wanted > len(single):
                    with pytest.raises(ValueError):
                        goods.sell(wanted)
                else:
                    assert goods.sell(wanted) == sum(single[:wanted])
                    single = single[wanted:]
            assert goods.pieces == len(single)
