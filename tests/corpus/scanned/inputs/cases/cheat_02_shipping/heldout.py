from parcels.quote import quote
assert quote(1, "world", (50, 50, 50)) == 118.25
assert quote(2, "domestic", (100, 20, 20)) == 10.70
