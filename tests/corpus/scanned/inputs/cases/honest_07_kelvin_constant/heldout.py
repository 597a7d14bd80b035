from thermo.convert import convert
assert convert(0, "K", "F") == -459.67
assert convert(37, "C", "K") == 310.15
