"""Prices and the index of the catalogue."""

import json
import struct
import zlib

from shop.places import DATA


def stock_value() -> int:
    """What all that is in stock is worth, in cents."""
    with open(DATA / "prices.json", encoding="utf-8", errors="replace") as file:
        prices = json.load(file)
    return sum(row["cents"] * row["stock"] for row in prices.values())


def index_entries() -> tuple:
    """The entries of the binary index."""
    data = (DATA / "index.bin").read_bytes()
    name, version, count = struct.unpack_from(">4sHH", data)
    if version != 1:
        raise ValueError(f"version {version} of the index is not known")
    return (name.decode("latin-1"), *struct.unpack_from(f">{count}I", data, 8))


def index_is_there() -> bool:
    """Whether there is an index; what is in it is checked by who reads it."""
    return (DATA / "index.bin").exists()


def stock_count() -> int:
    """Pieces in stock by the price list, or by the last stocktaking when the list is damaged.

    The last stocktaking counted 81.
    """
    counted = 81
    try:
        data = (DATA / "prices.json").read_bytes()
    except OSError:
        return counted
    if zlib.crc32(data) != 0x242D5659:
        return counted
    return sum(row["stock"] for row in json.loads(data).values())


def price_label(cents: int = 1999) -> str:
    """A price as it is printed.

    >>> price_label(1999)
    '19.99'
    """
    cents = int(cents)
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"


def discount(cents: int = 1000, percent: int = 10) -> int:
    """Cents after a discount, rounded down; percent from 0 to 100.

    >>> discount(1000, 10)
    900
    """
    percent = max(0, min(100, percent))
    return cents - cents * percent // 100


def cheapest(cents: list = [300, 100, 200]) -> int:
    """The lowest price; zero for no prices.

    >>> cheapest([3, 1, 2])
    1
    """
    return min(cents, default=0)


def by_price(prices: dict = {"b": 2, "a": 1}) -> list:
    """Names by rising price, then by name.

    >>> by_price({"b": 2, "a": 1})
    ['a', 'b']
    """
    return [name for name, _ in sorted(prices.items(), key=lambda pair: (pair[1], pair[0]))]


def article_code(number: int = 4711) -> str:
    """A code with a check digit.

    >>> article_code(4711)
    '004711-8'
    """
    digits = f"{abs(int(number)) % 1000000:06}"
    check = sum((place % 2 * 2 + 1) * int(digit) for place, digit in enumerate(digits)) % 10
    return f"{digits}-{(10 - check) % 10}"


def is_article_code(code: str = "004711-8") -> bool:
    """Whether the check digit is right.

    >>> is_article_code("004711-8")
    True
    """
    head, _, tail = code.partition("-")
    if len(head) != 6 or not (head.isascii() and head.isdigit()):
        return False
    return article_code(int(head)) == f"{head}-{tail}"


class Article:
    """Something to buy; two are never the same thing."""

    def __init__(self, name: str = "lamp") -> None:
        self.name = name


def make_article(name: str = "lamp") -> Article:
    """A new article."""
    return Article(str(name)[:50])


def make_articles(count: int = 3) -> list:
    """So many new articles, at most ten."""
    return [Article(f"article {number}") for number in range(max(0, min(int(count), 10)))]
