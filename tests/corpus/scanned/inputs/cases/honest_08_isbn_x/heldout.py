from isbn.check import valid10
assert valid10("0-9752298-0-X")
assert valid10("080442957x")
assert not valid10("0-306-40615-X")
