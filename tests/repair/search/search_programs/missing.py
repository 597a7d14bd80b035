"""Less than there should be."""

from search_program import Program

PROGRAMS = (
    Program(name="difference", right="return abs(first - second)", wrong="return first - second", good="""
def difference(first, second):
    return abs(first - second)
""", tests=("difference(3, 5)", "difference(5, 3)"), extra=("difference(-1, 1)",)),
    Program(name="runs of letters", right="    runs.append((text[start], len(text) - start))\n", wrong="", good="""
def runs_of(text):
    if not text:
        return []
    runs = []
    start = 0
    for index in range(1, len(text)):
        if text[index] != text[start]:
            runs.append((text[start], index - start))
            start = index
    runs.append((text[start], len(text) - start))
    return runs
""", tests=("runs_of('aab')", "runs_of('')", "runs_of('x')"), extra=("runs_of('aabbb')", "runs_of('abc')")),
    Program(name="chunks with a rest", right="    if chunk:\n        chunks.append(chunk)\n", wrong="", good="""
def chunked(items, size):
    chunks = []
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            chunks.append(chunk)
            chunk = []
    if chunk:
        chunks.append(chunk)
    return chunks
""", tests=("chunked([1, 2, 3], 2)", "chunked([1, 2], 2)", "chunked([], 3)"), extra=("chunked([1], 3)", "chunked([1, 2, 3, 4, 5], 2)")),
    Program(name="reachable", right="                seen.add(other)\n", wrong="", good="""
def reachable(graph, start):
    seen = {start}
    todo = [start]
    while todo:
        node = todo.pop()
        for other in graph.get(node, []):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return sorted(seen)
""", tests=("reachable({1: [2], 2: [3]}, 1)", "reachable({}, 5)", "reachable({1: [1]}, 1)"), extra=("reachable({1: [2, 3], 3: [4]}, 1)", "reachable({1: [2], 2: [1]}, 2)")),
    Program(name="mean of nothing", right="    if not values:\n        return 0\n", wrong="", good="""
def mean(values):
    if not values:
        return 0
    return sum(values) / len(values)
""", tests=("mean([1, 3])", "mean([])"), extra=("mean([5])", "mean([0, 0])")),
    Program(name="recursive length", right="    if not items:\n        return 0\n", wrong="", good="""
def length(items):
    if not items:
        return 0
    return 1 + length(items[1:])
""", tests=("length([1, 2])", "length([])"), extra=("length([1, 2, 3])",)),
    Program(name="same letters", right="sorted(first.lower()) ==", wrong="sorted(first) ==", good="""
def anagrams(first, second):
    return sorted(first.lower()) == sorted(second.lower())
""", tests=("anagrams('Tea', 'eat')", "anagrams('ab', 'cd')", "anagrams('Aa', 'aa')"), extra=("anagrams('NO', 'on')", "anagrams('x', 'xx')")),
    Program(name="two pointers", right="        right -= 1\n", wrong="", good="""
def mirrored(text):
    left, right = 0, len(text) - 1
    while left < right:
        if text[left] != text[right]:
            return False
        left += 1
        right -= 1
    return True
""", tests=("mirrored('abba')", "mirrored('abc')", "mirrored('')", "mirrored('xyx')"), extra=("mirrored('abcba')", "mirrored('ab')")),
    Program(name="positive only", right=" if value > 0)", wrong=")", good="""
def income(values):
    return sum(value for value in values if value > 0)
""", tests=("income([1, -2, 3])", "income([-1])", "income([])"), extra=("income([0, 5, -5])",)),
    Program(name="bounded neighbours", right="0 <= x + dx < width", wrong="x + dx < width", good="""
def neighbours(x, width):
    found = []
    for dx in (-1, 1):
        if 0 <= x + dx < width:
            found.append(x + dx)
    return found
""", tests=("neighbours(0, 3)", "neighbours(1, 3)", "neighbours(2, 3)"), extra=("neighbours(0, 1)", "neighbours(4, 6)")),
    Program(name="longest streak", right="            current = 0\n", wrong="            pass\n", good="""
def streak(days):
    best = 0
    current = 0
    for day in days:
        if day:
            current += 1
            best = max(best, current)
        else:
            current = 0
    return best
""", tests=("streak([1, 0, 1, 1])", "streak([])", "streak([1, 1, 1])"), extra=("streak([1, 0, 1, 0, 1])", "streak([0])")),
    Program(name="largest so far", right="best = max(best, value)", wrong="best = value", good="""
def records(values):
    best = values[0]
    found = []
    for value in values:
        best = max(best, value)
        found.append(best)
    return found
""", tests=("records([1, 3, 2])", "records([5, 1])"), extra=("records([2, 2, 9, 3])",)),
    Program(name="letters counted", right="counts.get(letter, 0) + 1", wrong="counts.get(letter, 0)", good="""
def counted(text):
    counts = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    return counts
""", tests=("counted('aab')", "counted('')"), extra=("counted('xyzx')",)),
    Program(name="circular", right="(index + step) % len(items)", wrong="index + step", good="""
def turned(items, index, step):
    return items[(index + step) % len(items)]
""", tests=("turned([1, 2, 3], 2, 2)", "turned([1], 0, 5)", "turned([4, 5], 0, 1)"), extra=("turned([1, 2, 3], 1, 4)",)),
    Program(name="descending", right="sorted(scores, reverse=True)", wrong="sorted(scores)", good="""
def podium(scores):
    ordered = sorted(scores, reverse=True)
    return ordered[:3]
""", tests=("podium([1, 5, 3, 4])", "podium([2])"), extra=("podium([9, 8, 7, 6])",)),
    Program(name="power set", right="    return without + [[first] + one for one in without]", wrong="    return [[first] + one for one in without]", good="""
def subsets(items):
    if not items:
        return [[]]
    first = items[0]
    without = subsets(items[1:])
    return without + [[first] + one for one in without]
""", tests=("subsets([1])", "subsets([])", "subsets([1, 2])"), extra=("subsets([1, 2, 3])",)),
    Program(name="insertion sort", right="            place -= 1\n", wrong="", good="""
def ordered(items):
    found = list(items)
    for index in range(1, len(found)):
        value = found[index]
        place = index
        while place > 0 and found[place - 1] > value:
            found[place] = found[place - 1]
            place -= 1
        found[place] = value
    return found
""", tests=("ordered([3, 1, 2])", "ordered([])", "ordered([2, 1])"), extra=("ordered([5, 4, 3, 2, 1])",)),
    Program(name="original untouched", right="found = list(items)", wrong="found = items", good="""
def doubled(items):
    found = list(items)
    for index in range(len(found)):
        found[index] *= 2
    return found

def both(items):
    return doubled(items), items
""", tests=("both([1, 2])", "both([])"), extra=("both([3, 0])",)),
    Program(name="numbers in a text", right="            number = ''\n", wrong="", good="""
def numbers(text):
    found = []
    number = ''
    for letter in text + ' ':
        if letter.isdigit():
            number += letter
        elif number:
            found.append(int(number))
            number = ''
    return found
""", tests=("numbers('a1b22')", "numbers('')", "numbers('7')"), extra=("numbers('1 2 3')",)),
    Program(name="swap places", right="    items[i], items[j] = items[j], items[i]\n", wrong="    items[i] = items[j]\n", good="""
def swapped(items, i, j):
    items = items[:]
    items[i], items[j] = items[j], items[i]
    return items
""", tests=("swapped([1, 2, 3], 0, 2)", "swapped([1, 2], 1, 1)"), extra=("swapped([4, 5, 6], 1, 2)",)),
    Program(name="sign of a number", right="    if number == 0:\n        return 0\n", wrong="", good="""
def sign(number):
    if number == 0:
        return 0
    if number > 0:
        return 1
    return -1
""", tests=("sign(0)", "sign(5)", "sign(-3)"), extra=("sign(100)", "sign(-1)")),
    Program(name="return of recursion", right="        return found_in(items, wanted, low, middle)\n", wrong="        found_in(items, wanted, low, middle)\n", good="""
def found_in(items, wanted, low, high):
    if low >= high:
        return False
    middle = (low + high) // 2
    if items[middle] == wanted:
        return True
    if wanted < items[middle]:
        return found_in(items, wanted, low, middle)
    return found_in(items, wanted, middle + 1, high)
""", tests=("found_in([1, 3, 5], 1, 0, 3)", "found_in([1, 3, 5], 5, 0, 3)", "found_in([1, 3, 5], 0, 0, 3)"), extra=("found_in([1, 2, 3, 4, 5], 2, 0, 5)",)),
    Program(name="stop at the first blank", right="            break\n", wrong="            pass\n", good="""
def header(lines):
    found = []
    for line in lines:
        if not line:
            break
        found.append(line)
    return found
""", tests=("header(['a', '', 'b'])", "header(['a'])", "header([])"), extra=("header(['', 'x'])", "header(['p', 'q', '', '', 'r'])")),
    Program(name="skip comments", right="        if not line or line.startswith('#'):", wrong="        if not line:", good="""
def settings(lines):
    found = []
    for line in lines:
        line = line.strip()
        if not line or line.startswith('#'):
            continue
        found.append(line)
    return found
""", tests=("settings(['a', '# b', ''])", "settings([' c '])"), extra=("settings(['#', 'd'])",)),
    Program(name="stack machine", right="            stack.append(left - right)\n", wrong="            stack.append(left)\n", good="""
def evaluated(tokens):
    stack = []
    for token in tokens:
        if token == '+':
            right, left = stack.pop(), stack.pop()
            stack.append(left + right)
        elif token == '-':
            right, left = stack.pop(), stack.pop()
            stack.append(left - right)
        else:
            stack.append(int(token))
    return stack.pop()
""", tests=("evaluated(['3', '2', '-'])", "evaluated(['1', '2', '+'])", "evaluated(['9', '4', '-', '1', '+'])"), extra=("evaluated(['5', '5', '-'])",)),
    Program(name="least recently used", right="            self.order.remove(key)\n", wrong="", good="""
class Recent:
    def __init__(self, size):
        self.size = size
        self.order = []

    def touch(self, key):
        if key in self.order:
            self.order.remove(key)
        elif len(self.order) == self.size:
            self.order.pop(0)
        self.order.append(key)

def kept(size, keys):
    recent = Recent(size)
    for key in keys:
        recent.touch(key)
    return recent.order
""".replace("        if key in self.order:\n            self.order.remove(key)\n", "        if key in self.order:\n            print(end='')\n            self.order.remove(key)\n"),
            tests=("kept(2, 'aba')", "kept(2, 'abc')", "kept(1, 'xx')"), extra=("kept(3, 'abcab')", "kept(2, '')")),
    Program(name="first and rest", right="joined + separator + word", wrong="joined + word", good="""
def joined_words(words, separator):
    joined = ''
    for word in words:
        joined = joined + separator + word if joined else word
    return joined
""", tests=("joined_words(['a', 'b'], '-')", "joined_words([], '-')", "joined_words(['x'], '/')"), extra=("joined_words(['p', 'q', 'r'], '::')",)),
    Program(name="tree height", right="return 1 + max(height(tree[0]), height(tree[1]))", wrong="return max(height(tree[0]), height(tree[1]))", good="""
def height(tree):
    if tree is None:
        return 0
    return 1 + max(height(tree[0]), height(tree[1]))
""", tests=("height(None)", "height((None, None))", "height(((None, None), None))"), extra=("height((None, ((None, None), None)))",)),
    Program(name="dedicated default", right="def greet(name, word='Hello'):", wrong="def greet(name, word=''):", good="""
def greet(name, word='Hello'):
    if not name:
        return 'Hello'
    return word + ' ' + name
""", tests=("greet('Ann')", "greet('')", "greet('Bob', 'Bye')"), extra=("greet('Cy', 'Hi')",)),
)
