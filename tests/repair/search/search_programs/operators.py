"""Operators in the wrong place."""

from search_program import Program

PROGRAMS = (
    Program(name="first day at or above a level", right="if level >= wanted", wrong="if level > wanted", good="""
def first_day(levels, wanted):
    for day, level in enumerate(levels):
        if level >= wanted:
            return day
    return -1
""", tests=("first_day([1, 5, 9], 5)", "first_day([1, 2], 7)", "first_day([8], 7)"), extra=("first_day([3, 3], 3)", "first_day([], 1)", "first_day([1, 2, 4], 3)")),
    Program(name="lower bound", right="if values[middle] < wanted", wrong="if values[middle] <= wanted", good="""
def place(values, wanted):
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
""", tests=("place([1, 3, 3, 5], 3)", "place([1, 3, 5], 4)", "place([], 4)"), extra=("place([2, 2, 2], 2)", "place([1], 0)", "place([1, 2, 9], 9)")),
    Program(name="weighted mean", right="total += value * weight", wrong="total += value + weight", good="""
def weighted(values, weights):
    total = 0
    for value, weight in zip(values, weights):
        total += value * weight
    return total / sum(weights)
""", tests=("weighted([1, 2], [1, 3])", "weighted([4, 8], [5, 1])"), extra=("weighted([7], [2])", "weighted([1, 0, 3], [1, 1, 4])")),
    Program(name="minutes and seconds", right="seconds % 60", wrong="seconds // 60", good="""
def clock(seconds):
    minutes = seconds // 60
    rest = seconds % 60
    return f"{minutes}:{rest:02d}"
""", tests=("clock(75)", "clock(3600)"), extra=("clock(59)", "clock(0)", "clock(612)")),
    Program(name="overlapping spans", right="first[1] and second[0] < first[1]"[13:], wrong="second[0] > first[1]", good="""
def overlap(first, second):
    return first[0] < second[1] and second[0] < first[1]
""", tests=("overlap((1, 4), (2, 3))", "overlap((1, 2), (3, 4))", "overlap((5, 9), (1, 6))"), extra=("overlap((1, 2), (2, 3))", "overlap((0, 10), (4, 5))", "overlap((8, 9), (1, 2))")),
    Program(name="leap year", right="year % 4 == 0 and year % 100 != 0", wrong="year % 4 == 0 or year % 100 != 0", good="""
def leap(year):
    if year % 400 == 0:
        return True
    return year % 4 == 0 and year % 100 != 0
""", tests=("leap(2024)", "leap(1900)", "leap(2000)", "leap(2023)"), extra=("leap(2100)", "leap(1996)", "leap(1601)")),
    Program(name="pages needed", right="(count + size - 1) // size", wrong="(count + size + 1) // size", good="""
def pages(count, size):
    if size <= 0:
        raise ValueError(size)
    return (count + size - 1) // size
""", tests=("pages(10, 5)", "pages(11, 5)", "pages(0, 3)"), extra=("pages(1, 1)", "pages(99, 10)", "pages(7, 2)")),
    Program(name="bits set", right="number & 1", wrong="number | 1", good="""
def bits(number):
    found = 0
    while number:
        found += number & 1
        number >>= 1
    return found
""", tests=("bits(5)", "bits(8)", "bits(255)"), extra=("bits(0)", "bits(6)", "bits(1023)")),
    Program(name="distance on a grid", right="abs(a[0] - b[0]) + abs", wrong="abs(a[0] - b[0]) - abs", good="""
def steps(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])
""", tests=("steps((0, 0), (3, 4))", "steps((1, 1), (1, 1))", "steps((5, 1), (1, 0))"), extra=("steps((2, 2), (0, 7))", "steps((-1, -1), (1, 1))")),
    Program(name="peaks", right="items[i] > items[i + 1]", wrong="items[i] > items[i - 1]", good="""
def peaks(items):
    found = []
    for i in range(1, len(items) - 1):
        if items[i] > items[i - 1] and items[i] > items[i + 1]:
            found.append(i)
    return found
""", tests=("peaks([1, 3, 2, 4, 5, 1])", "peaks([1, 2, 3])"), extra=("peaks([3, 2, 1])", "peaks([0, 9, 0, 9, 0])", "peaks([])")),
    Program(name="compound interest", right="(1 + rate) ** years", wrong="(1 + rate) * years", good="""
def grown(amount, rate, years):
    return round(amount * (1 + rate) ** years, 2)
""", tests=("grown(100, 0.1, 2)", "grown(50, 0.5, 1)", "grown(10, 1, 3)"), extra=("grown(100, 0, 5)", "grown(200, 0.05, 3)")),
    Program(name="unique in order", right="if item not in seen", wrong="if item in seen", good="""
def unique(items):
    seen = set()
    found = []
    for item in items:
        if item not in seen:
            seen.add(item)
            found.append(item)
    return found
""", tests=("unique([1, 2, 1, 3])", "unique([])", "unique(['a', 'a'])"), extra=("unique([5])", "unique([3, 2, 3, 2])")),
    Program(name="trapezoid sum", right="(values[i] + values[i + 1]) / 2", wrong="values[i] + values[i + 1] / 2", good="""
def area(values):
    total = 0.0
    for i in range(len(values) - 1):
        total += (values[i] + values[i + 1]) / 2
    return total
""", tests=("area([1, 3])", "area([0, 2, 4])", "area([7])"), extra=("area([2, 2, 2])", "area([5, 1, 0, 1])")),
    Program(name="password rules", right="has_digit and has_upper", wrong="has_digit or has_upper", good="""
def strong(text):
    has_digit = any(c.isdigit() for c in text)
    has_upper = any(c.isupper() for c in text)
    return len(text) >= 6 and has_digit and has_upper
""", tests=("strong('Abcde1')", "strong('abcde1')", "strong('Ab1')", "strong('Abcdef')"), extra=("strong('ABCDEF')", "strong('123456')", "strong('xY3xxx')")),
)
