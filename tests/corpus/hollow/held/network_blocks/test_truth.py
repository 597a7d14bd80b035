import ipaddress
import random

from network_blocks import contains


def test_random_blocks():
    draw = random.Random(15)
    for _ in range(500):
        base = draw.getrandbits(32)
        bits = draw.randrange(33)
        address = (base + draw.choice((0, 1, -1, 200, -200, 2 ** (32 - bits), -(2 ** (32 - bits)), draw.getrandbits(20)))) % 2**32
        block, text = f"{ipaddress.IPv4Address(base)}/{bits}", str(ipaddress.IPv4Address(address))
        assert contains(block, text) == (ipaddress.IPv4Address(address) in ipaddress.ip_network(block, strict=False))
