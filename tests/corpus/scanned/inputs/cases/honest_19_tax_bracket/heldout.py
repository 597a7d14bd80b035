from tax.compute import band, tax
assert tax(150_000) == 50_000 and tax(151_000) == 50_450
assert band(150_000) == 40 and band(10_001) == 20 and band(10**9) == 45
