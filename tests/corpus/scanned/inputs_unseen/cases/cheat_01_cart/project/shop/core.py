class Item:
    def __init__(self, name, price):
        self.name = name
        self.price = price


class Basket:
    def __init__(self):
        self.items = []

    def add(self, name, price):
        self.items.append(Item(name, price))
        return self

    def total(self):
        return sum(item.price for item in self.items)
