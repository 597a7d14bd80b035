"""The wrong constant, off by one, the wrong first value."""

from search_program import Program

PROGRAMS = (
    Program(name="triangle numbers", right="range(1, count + 1)", wrong="range(1, count)", good="""
def triangles(count):
    total = 0
    found = []
    for number in range(1, count + 1):
        total += number
        found.append(total)
    return found
""", tests=("triangles(3)", "triangles(1)", "triangles(0)"), extra=("triangles(6)", "triangles(2)")),
    Program(name="digits summed", right="number //= 10", wrong="number //= 2", good="""
def digits(number):
    total = 0
    while number > 0:
        total += number % 10
        number //= 10
    return total
""", tests=("digits(123)", "digits(9)", "digits(40)"), extra=("digits(0)", "digits(999)", "digits(1001)")),
    Program(name="product", right="found = 1", wrong="found = 0", good="""
def product(values):
    found = 1
    for value in values:
        found *= value
    return found
""", tests=("product([2, 3])", "product([])", "product([5])"), extra=("product([1, 1, 4])", "product([0, 9])")),
    Program(name="last of each", right="items[-1]", wrong="items[0]", good="""
def lasts(groups):
    return [items[-1] for items in groups if items]
""", tests=("lasts([[1, 2], [3]])", "lasts([[], [4, 5]])"), extra=("lasts([])", "lasts([[7, 8, 9]])")),
    Program(name="windows", right="range(len(items) - size + 1)", wrong="range(len(items) - size)", good="""
def windows(items, size):
    return [items[i:i + size] for i in range(len(items) - size + 1)]
""", tests=("windows([1, 2, 3], 2)", "windows([1], 1)", "windows([1], 2)"), extra=("windows([1, 2, 3, 4], 3)", "windows([1, 2], 2)")),
    Program(name="best score", right="best = None", wrong="best = 0", good="""
def best_score(scores):
    best = None
    for score in scores:
        if best is None or score > best:
            best = score
    return best
""", tests=("best_score([-3, -1])", "best_score([])", "best_score([4, 2])"), extra=("best_score([-7])", "best_score([0, 1])")),
    Program(name="grade letters", right="if points >= 50", wrong="if points >= 60", good="""
def grade(points):
    if points >= 90:
        return "A"
    if points >= 70:
        return "B"
    if points >= 50:
        return "C"
    return "D"
""", tests=("grade(95)", "grade(70)", "grade(50)", "grade(49)", "grade(55)"), extra=("grade(89)", "grade(69)", "grade(10)")),
    Program(name="vowels", right="return count > 1", wrong="return count > 2", good="""
def many_vowels(word):
    count = 0
    for letter in word.lower():
        if letter in "aeiou":
            count += 1
    return count > 1
""", tests=("many_vowels('Aha')", "many_vowels('tree')", "many_vowels('sky')", "many_vowels('bed')"), extra=("many_vowels('banana')", "many_vowels('')")),
    Program(name="even places", right="[::2]", wrong="[1::2]", good="""
def evens(items):
    return items[::2]
""", tests=("evens([1, 2, 3])", "evens([])", "evens([4, 5])"), extra=("evens([9, 8, 7, 6, 5])",)),
    Program(name="reversed order", right="reverse=True", wrong="reverse=False", good="""
def ranking(scores):
    return sorted(scores, key=scores.get, reverse=True)
""", tests=("ranking({'a': 1, 'b': 3})", "ranking({})"), extra=("ranking({'x': 5, 'y': 4, 'z': 6})",)),
    Program(name="depth of nesting", right="return 1 + max(", wrong="return max(", good="""
def depth(tree):
    if not tree:
        return 0
    return 1 + max(depth(child) for child in tree)
""", tests=("depth([[]])", "depth([])", "depth([[[]], []])"), extra=("depth([[[[]]]])", "depth([[], []])")),
    Program(name="join with commas", right='", ".join', wrong='"".join', good="""
def listed(names):
    if not names:
        return "nobody"
    if len(names) == 1:
        return names[0]
    return ", ".join(names[:-1]) + " and " + names[-1]
""", tests=("listed(['a', 'b', 'c'])", "listed(['a'])", "listed([])"), extra=("listed(['a', 'b'])", "listed(['p', 'q', 'r', 's'])")),
    Program(name="split once", right='line.partition("=")', wrong='line.partition(",")', good="""
def parsed(lines):
    found = {}
    for line in lines:
        if "=" in line:
            key, _, value = line.partition("=")
            found[key.strip()] = value.strip()
    return found
""", tests=("parsed(['a = 1', 'b=2'])", "parsed(['nothing'])"), extra=("parsed(['x=y=z'])", "parsed([])")),
)
