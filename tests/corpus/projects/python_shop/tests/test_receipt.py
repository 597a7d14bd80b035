from pathlib import Path

from shop.receipt import render

SNAPSHOTS = Path(__file__).parent / "snapshots"


def snapshot(name):
    return (SNAPSHOTS / name).read_text(encoding="utf-8")


def test_a_plain_receipt(cart):
    assert render(cart) == snapshot("plain.txt")


def test_a_receipt_with_a_coupon(cart):
    assert render(cart, "WELCOME") == snapshot("coupon.txt")
