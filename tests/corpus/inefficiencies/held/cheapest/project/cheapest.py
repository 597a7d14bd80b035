from dataclasses import dataclass


@dataclass(frozen=True)
class Offer:
    shop: str
    cents: int


class Market:
    def __init__(self, offers):
        self.offers = list(offers)

    def cheapest(self, under=None):
        """The cheapest offer, or the cheapest above a price."""
        offers = self.offers
        if under is not None:
            offers = [offer for offer in offers if offer.cents > under]
        ranked = sorted(offers, key=lambda offer: (offer.cents, offer.shop))
        return ranked[0]
