"""More than there should be."""

from search_program import Program

PROGRAMS = (
    Program(name="count words", right="len(text.split())", wrong="len(text.split()) + 1", good="""
def words(text):
    return len(text.split())
""", tests=("words('a b')", "words('')", "words('x')"), extra=("words('one two three')",)),
    Program(name="total price", right="return total", wrong="return int(total)", good="""
def price(items):
    total = 0
    for amount, cost in items:
        total += amount * cost
    return total
""", tests=("price([(2, 1.5)])", "price([(1, 0.25)])", "price([])"), extra=("price([(3, 0.5), (1, 2.25)])",)),
    Program(name="adults", right="if age >= 18]", wrong="if age >= 18 and age < 65]", good="""
def adults(ages):
    return [name for name, age in ages.items() if age >= 18]
""", tests=("adults({'a': 18, 'b': 70})", "adults({'c': 17})"), extra=("adults({'d': 65, 'e': 40})",)),
    Program(name="flat list", right="        found.extend(inner)\n", wrong="        found.extend(inner)\n        found.append(inner)\n", good="""
def flat(nested):
    found = []
    for inner in nested:
        found.extend(inner)
    return found
""", tests=("flat([[1], [2, 3]])", "flat([])"), extra=("flat([[], [5]])",)),
    Program(name="capital letters", right="if letter.isupper()", wrong="if not letter.isupper()", good="""
def initials(text):
    return "".join(letter for letter in text if letter.isupper())
""", tests=("initials('Ada Lovelace')", "initials('')"), extra=("initials('xYZ')",)),
    Program(name="sum of squares", right="total += value ** 2\n", wrong="total += value ** 2\n        total += value\n", good="""
def squares(values):
    total = 0
    for value in values:
        total += value ** 2
    return total
""", tests=("squares([1, 2])", "squares([3])", "squares([])"), extra=("squares([4, 5])",)),
    Program(name="find in table", right="            return row\n", wrong="            return row\n        break\n", good="""
def lookup(rows, wanted):
    for row in rows:
        if row[0] == wanted:
            return row
    return None
""", tests=("lookup([(1, 'a'), (2, 'b')], 2)", "lookup([(1, 'a')], 1)", "lookup([], 1)"), extra=("lookup([(1, 'a'), (3, 'c'), (4, 'd')], 4)",)),
    Program(name="centred", right="return text.center(width)", wrong="return text.strip().center(width)", good="""
def centred(text, width):
    if len(text) >= width:
        return text
    return text.center(width)
""", tests=("centred(' a', 6)", "centred('abc', 2)", "centred('b', 3)"), extra=("centred('xy ', 7)",)),
    Program(name="return in loop", right="    return found\n", wrong="        return found\n", good="""
def positions(items, wanted):
    found = []
    for index, item in enumerate(items):
        if item == wanted:
            found.append(index)
    return found
""", tests=("positions([1, 2, 1], 1)", "positions([3], 3)", "positions([1, 5], 5)"), extra=("positions([2, 2, 2], 2)",)),
)
