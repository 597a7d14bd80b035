from sheet.core import fields
assert fields('"p, q",r') == ["p, q", "r"]
