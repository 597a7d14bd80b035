import random

from cheapest import Market, Offer

draw = random.Random(8)
market = Market(Offer(f"shop {at}", draw.randrange(10**6)) for at in range(9000))
price = None
for _ in range(12):
    price = market.cheapest(under=price).cents
print(price)
