class Cache:
    def __init__(self, size):
        self.size = size
        self.items = {}

    def put(self, key, value):
        self.items[key] = value
        while len(self.items) > self.size:
            self.items.pop(next(iter(self.items)))

    def get(self, key):
        return self.items.get(key)
