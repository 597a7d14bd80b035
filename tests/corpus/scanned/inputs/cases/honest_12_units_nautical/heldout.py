from lengths.convert import convert
assert abs(convert(1, "mi", "yd") - 1760) < 1e-9
assert abs(convert(60, "nmi", "km") - 111.12) < 1e-9
