"""All sorts of faults in somewhat longer programs; written after the search was, to see what it does unseen."""

from search_program import Program

PROGRAMS = (
    Program(name="merged spans", right="            merged[-1] = (merged[-1][0], max(merged[-1][1], end))", wrong="            merged[-1] = (merged[-1][0], end)", good="""
def merged_spans(spans):
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
""", tests=("merged_spans([(1, 9), (2, 3)])", "merged_spans([(1, 2), (5, 6)])", "merged_spans([(1, 3), (2, 4)])", "merged_spans([])"),
            extra=("merged_spans([(1, 10), (2, 3), (4, 12)])", "merged_spans([(3, 4), (1, 2)])")),
    Program(name="roman numerals", right="if index + 1 < len(text) and", wrong="if", good="""
VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}

def number(text):
    total = 0
    for index, letter in enumerate(text):
        value = VALUES[letter]
        if index + 1 < len(text) and VALUES[text[index + 1]] > value:
            total -= value
        else:
            total += value
    return total
""", tests=("number('IV')", "number('VI')", "number('XL')"), extra=("number('XIX')", "number('LXII')", "number('')")),
    Program(name="caesar shift", right="(ord(letter) - 97 + shift) % 26 + 97", wrong="(ord(letter) - 97 + shift) + 97", good="""
def shifted(text, shift):
    found = []
    for letter in text:
        if letter.isalpha():
            found.append(chr((ord(letter) - 97 + shift) % 26 + 97))
        else:
            found.append(letter)
    return "".join(found)
""", tests=("shifted('xyz', 3)", "shifted('a b', 1)"), extra=("shifted('zz', 26)", "shifted('hello', 13)")),
    Program(name="topological order", right="            waiting[other] -= 1\n", wrong="", good="""
def order(edges, nodes):
    waiting = {node: 0 for node in nodes}
    for _, other in edges:
        waiting[other] += 1
    ready = [node for node in nodes if waiting[node] == 0]
    found = []
    while ready:
        node = ready.pop(0)
        found.append(node)
        for first, other in edges:
            if first != node:
                continue
            waiting[other] -= 1
            if waiting[other] == 0:
                ready.append(other)
    return found
""", tests=("order([(1, 2), (2, 3)], [1, 2, 3])", "order([], [5])", "order([(2, 1)], [1, 2])"), extra=("order([(1, 2), (1, 3), (3, 2)], [1, 2, 3])",)),
    Program(name="balanced brackets", right="    return not stack", wrong="    return True", good="""
PAIRS = {")": "(", "]": "["}

def balanced(text):
    stack = []
    for letter in text:
        if letter in PAIRS.values():
            stack.append(letter)
        elif letter in PAIRS:
            if not stack or stack.pop() != PAIRS[letter]:
                return False
    return not stack
""", tests=("balanced('()')", "balanced('((')", "balanced('(]')", "balanced('')"), extra=("balanced('([])')", "balanced('[')", "balanced(')')")),
    Program(name="union of sets by size", right="sizes[first] += sizes[second]", wrong="sizes[first] += 1", good="""
def biggest(count, pairs):
    parents = list(range(count))
    sizes = [1] * count

    def root(node):
        while parents[node] != node:
            node = parents[node]
        return node

    for one, two in pairs:
        first, second = root(one), root(two)
        if first != second:
            parents[second] = first
            sizes[first] += sizes[second]
    return max(sizes)
""", tests=("biggest(4, [(0, 1), (2, 3), (0, 2)])", "biggest(3, [])", "biggest(3, [(0, 1), (1, 2)])"), extra=("biggest(6, [(0, 1), (2, 3), (4, 5), (0, 2), (0, 4)])", "biggest(2, [(1, 0)])")),
    Program(name="edit distance", right="row.append(min(row[-1], previous[j + 1], previous[j]) + 1)", wrong="row.append(min(row[-1], previous[j + 1]) + 1)", good="""
def distance(first, second):
    previous = list(range(len(second) + 1))
    for i, a in enumerate(first):
        row = [i + 1]
        for j, b in enumerate(second):
            if a == b:
                row.append(previous[j])
            else:
                row.append(min(row[-1], previous[j + 1], previous[j]) + 1)
        previous = row
    return previous[-1]
""", tests=("distance('cat', 'cut')", "distance('', 'ab')", "distance('abc', 'abc')"), extra=("distance('kitten', 'mitten')", "distance('ab', 'ba')", "distance('abcd', 'xbyd')")),
    Program(name="tokens", right="        i = j\n", wrong="        i += 1\n", good="""
def tokens(text):
    found = []
    i = 0
    while i < len(text):
        if text[i] == ' ':
            i += 1
            continue
        j = i
        while j < len(text) and text[j] != ' ':
            j += 1
        found.append(text[i:j])
        i = j
    return found
""", tests=("tokens('ab c')", "tokens('')", "tokens('  x')"), extra=("tokens('one two  three')",)),
    Program(name="stock with reserve", right="if stock.get(item, 0) < amount:", wrong="if stock.get(item, 0) <= amount:", good="""
def reserve(stock, order):
    taken = {}
    for item, amount in order.items():
        if stock.get(item, 0) < amount:
            raise ValueError(item)
        taken[item] = stock[item] - amount
    return taken
""", tests=("reserve({'a': 2}, {'a': 2})", "reserve({'a': 2}, {'a': 1})", "reserve({}, {'b': 1})"), extra=("reserve({'c': 5}, {'c': 6})", "reserve({'c': 5, 'd': 1}, {'c': 5, 'd': 1})")),
    Program(name="discount", right="    return round(total * (1 - rate), 2)", wrong="    return round(total * rate, 2)", good="""
def total_price(prices, rate):
    total = sum(prices)
    if total < 100:
        return total
    return round(total * (1 - rate), 2)
""", tests=("total_price([100, 100], 0.1)", "total_price([5], 0.1)", "total_price([150], 0.2)"), extra=("total_price([400], 0.25)", "total_price([], 0.5)")),
    Program(name="matrix product", right="                total += first[i][k] * second[k][j]", wrong="                total += first[i][k] * second[j][k]", good="""
def multiplied(first, second):
    found = []
    for i in range(len(first)):
        row = []
        for j in range(len(second[0])):
            total = 0
            for k in range(len(second)):
                total += first[i][k] * second[k][j]
            row.append(total)
        found.append(row)
    return found
""", tests=("multiplied([[1, 2], [3, 4]], [[0, 1], [2, 3]])", "multiplied([[2]], [[3]])"), extra=("multiplied([[1, 2]], [[3], [4]])",)),
    Program(name="text wrapped", right="if len(line) + 1 + len(word) <= width:", wrong="if len(line) + len(word) <= width:", good="""
def wrapped(text, width):
    lines = []
    line = ''
    for word in text.split():
        if not line:
            line = word
            continue
        if len(line) + 1 + len(word) <= width:
            line = line + ' ' + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return lines
""", tests=("wrapped('aa bb', 4)", "wrapped('aa bb', 5)", "wrapped('', 3)", "wrapped('a b c', 3)"), extra=("wrapped('one two three', 7)", "wrapped('aaaa b', 2)")),
    Program(name="ring buffer", right="        self.start = (self.start + 1) % self.size\n", wrong="        self.start += 1\n", good="""
class Ring:
    def __init__(self, size):
        self.size = size
        self.items = [None] * size
        self.start = 0
        self.count = 0

    def put(self, item):
        if self.count == self.size:
            return False
        self.items[(self.start + self.count) % self.size] = item
        self.count += 1
        return True

    def take(self):
        if self.count == 0:
            return None
        item = self.items[self.start]
        self.start = (self.start + 1) % self.size
        self.count -= 1
        return item

def played(size, moves):
    ring = Ring(size)
    return [ring.take() if move is None else ring.put(move) for move in moves]
""", tests=("played(2, [1, 2, None, 3, None, None])", "played(1, [1, 2])", "played(2, [None])"), extra=("played(3, [1, 2, 3, None, None, None, 4, None, None])", "played(1, [1, None, 2, None])")),
    Program(name="histogram", right="for number in range(1, highest + 1)", wrong="for number in range(highest)", good="""
def bars(rolls, highest):
    counts = {}
    for roll in rolls:
        counts[roll] = counts.get(roll, 0) + 1
    return [counts.get(number, 0) for number in range(1, highest + 1)]
""", tests=("bars([1, 2, 2], 2)", "bars([], 1)", "bars([3], 3)"), extra=("bars([4, 4, 1], 5)",)),
    Program(name="grouped by key", right="found.setdefault(key, []).append(item)", wrong="found[key] = [item]", good="""
def grouped(items):
    found = {}
    for item in items:
        key = item[0]
        found.setdefault(key, []).append(item)
    return found
""", tests=("grouped(['ab', 'ac', 'b'])", "grouped([])"), extra=("grouped(['x', 'y', 'xz'])",)),
    Program(name="greatest common measure", right="        a, b = b, a % b", wrong="        a, b = b, a - b", good="""
def measure(a, b):
    while b:
        a, b = b, a % b
    return abs(a)
""", tests=("measure(12, 18)", "measure(7, 0)", "measure(9, 3)"), extra=("measure(100, 75)", "measure(5, 8)")),
    Program(name="collatz steps", right="number = 3 * number + 1", wrong="number = 3 * (number + 1)", good="""
def steps(number):
    count = 0
    while number != 1:
        if number % 2 == 0:
            number //= 2
        else:
            number = 3 * number + 1
        count += 1
    return count
""", tests=("steps(1)", "steps(6)", "steps(3)"), extra=("steps(7)", "steps(16)")),
    Program(name="flattened tree", right="        yield from leaves(child)", wrong="        yield leaves(child)", good="""
def leaves(tree):
    if not isinstance(tree, list):
        yield tree
        return
    for child in tree:
        yield from leaves(child)

def listed(tree):
    return [one for one in leaves(tree)]
""", tests=("listed([1, [2, 3]])", "listed(4)", "listed([])"), extra=("listed([[[1]], 2])",)),
    Program(name="ways up the stairs", right="return ways(steps - 1) + ways(steps - 2)", wrong="return ways(steps - 1)", good="""
def ways(steps):
    if steps <= 1:
        return 1
    return ways(steps - 1) + ways(steps - 2)
""", tests=("ways(1)", "ways(3)", "ways(4)"), extra=("ways(6)", "ways(0)")),
    Program(name="linked list turned", right="        node = following\n", wrong="", good="""
class Node:
    def __init__(self, value, following=None):
        self.value = value
        self.following = following

def turned(items):
    node = None
    for item in reversed(items):
        node = Node(item, node)
    last = None
    while node is not None:
        following = node.following
        node.following = last
        last = node
        node = following
    found = []
    while last is not None:
        found.append(last.value)
        last = last.following
    return found
""", tests=("turned([1, 2, 3])", "turned([])", "turned([7])"), extra=("turned([1, 2, 3, 4])",)),
    Program(name="most frequent", right="if counts[item] > counts[best]:", wrong="if counts[item] > best:", good="""
def frequent(items):
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    best = items[0]
    for item in counts:
        if counts[item] > counts[best]:
            best = item
    return best
""", tests=("frequent([1, 2, 2])", "frequent([9, 9, 8])", "frequent([4])"), extra=("frequent([3, 5, 5, 5, 3])", "frequent([0, 7, 7])")),
    Program(name="perfect numbers", right="    return number > 1 and total == number", wrong="    return total == number", good="""
def perfect(number):
    total = 1
    for part in range(2, number):
        if number % part == 0:
            total += part
    return number > 1 and total == number
""", tests=("perfect(6)", "perfect(1)", "perfect(10)", "perfect(28)"), extra=("perfect(12)", "perfect(2)")),
    Program(name="next greater", right="        while stack and items[stack[-1]] < item:", wrong="        if stack and items[stack[-1]] < item:", good="""
def greater(items):
    found = [-1] * len(items)
    stack = []
    for index, item in enumerate(items):
        while stack and items[stack[-1]] < item:
            found[stack.pop()] = item
        stack.append(index)
    return found
""", tests=("greater([2, 1, 3])", "greater([1, 2])", "greater([])"), extra=("greater([5, 1, 2, 4, 6])",)),
    Program(name="rotated", right="    return items[count:] + items[:count]", wrong="    return items[count:]", good="""
def rotated(items, count):
    if not items:
        return items
    count = count % len(items)
    return items[count:] + items[:count]
""", tests=("rotated([1, 2, 3], 1)", "rotated([], 2)", "rotated([1, 2], 2)"), extra=("rotated([1, 2, 3, 4], 6)",)),
    Program(name="prefix shared", right="    return first[:length]", wrong="    return first[length:]", good="""
def shared(first, second):
    length = 0
    while length < min(len(first), len(second)) and first[length] == second[length]:
        length += 1
    return first[:length]
""", tests=("shared('abc', 'abd')", "shared('', 'x')", "shared('a', 'b')"), extra=("shared('hello', 'help')",)),
    Program(name="snake case", right="            found.append('_')\n", wrong="", good="""
def snake(name):
    found = []
    for index, letter in enumerate(name):
        if letter.isupper() and index > 0:
            found.append('_')
            letter = letter.lower()
        elif letter == '-':
            letter = '_'
        found.append(letter.lower())
    return ''.join(found)
""", tests=("snake('aB')", "snake('Ab')", "snake('a-b')"), extra=("snake('fooBarBaz')", "snake('')")),
    Program(name="sale window", right="if start <= day <= end and price < limit:", wrong="if start <= day <= end:", good="""
def bargains(offers, start, end, limit):
    found = []
    for day, price in offers:
        if start <= day <= end and price < limit:
            found.append(price)
    return found
""", tests=("bargains([(1, 5), (2, 50)], 1, 3, 10)", "bargains([(9, 1)], 1, 3, 10)", "bargains([(1, 10)], 1, 1, 10)"), extra=("bargains([(2, 9), (3, 11), (4, 1)], 2, 3, 10)",)),
    Program(name="queue time", right="        heap[shortest] += job\n", wrong="        heap[shortest] = job\n", good="""
def busy(jobs, tills):
    heap = [0] * tills
    for job in jobs:
        shortest = heap.index(min(heap))
        heap[shortest] += job
    return max(heap)
""", tests=("busy([1, 2, 3], 1)", "busy([5, 1, 1, 1], 2)", "busy([], 1)"), extra=("busy([2, 2, 2, 2], 2)",)),
    Program(name="pascal row", right="        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]", wrong="        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)]", good="""
def pascal(count):
    row = [1]
    for _ in range(count):
        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]
    return row
""", tests=("pascal(0)", "pascal(2)", "pascal(3)"), extra=("pascal(5)", "pascal(1)")),
    Program(name="index of the smallest", right="            best = index\n", wrong="            best = value\n", good="""
def smallest(values):
    best = 0
    for index, value in enumerate(values):
        if value < values[best]:
            best = index
    return best
""", tests=("smallest([3, 1, 2])", "smallest([1])", "smallest([5, 4, 3])"), extra=("smallest([9, 8, 7, 1])", "smallest([2, 2])")),
    Program(name="quick ordering", right="[one for one in rest if one >= pivot]", wrong="[one for one in rest if one > pivot]", good="""
def quick(items):
    if not items:
        return []
    pivot, rest = items[0], items[1:]
    small = [one for one in rest if one < pivot]
    large = [one for one in rest if one >= pivot]
    return quick(small) + [pivot] + quick(large)
""", tests=("quick([2, 1, 2])", "quick([])", "quick([3, 1])"), extra=("quick([5, 5, 5, 1])",)),
    Program(name="knapsack", right="if weight <= room:", wrong="if weight < room:", good="""
def packed(items, room):
    if not items:
        return 0
    weight, value = items[0]
    best = packed(items[1:], room)
    if weight <= room:
        best = max(best, value + packed(items[1:], room - weight))
    return best
""", tests=("packed([(2, 3)], 2)", "packed([(1, 1), (3, 5)], 3)", "packed([], 9)"), extra=("packed([(2, 3), (2, 4), (3, 5)], 5)",)),
    Program(name="flood", right="        if not (0 <= x < len(grid) and 0 <= y < len(grid[0])):", wrong="        if not (0 <= x < len(grid) and y < len(grid[0])):", good="""
def flooded(grid, x, y):
    count = 0
    todo = [(x, y)]
    seen = set()
    while todo:
        x, y = todo.pop()
        if not (0 <= x < len(grid) and 0 <= y < len(grid[0])):
            continue
        if (x, y) in seen or grid[x][y]:
            continue
        seen.add((x, y))
        count += 1
        todo.extend([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)])
    return count
""", tests=("flooded([[0, 0], [1, 0]], 0, 0)", "flooded([[1]], 0, 0)", "flooded([[0]], 0, 0)"), extra=("flooded([[0, 1, 0], [0, 0, 0]], 0, 0)",)),
    Program(name="csv field", right="            quoted = not quoted\n", wrong="            quoted = True\n", good="""
def fields(line):
    found = ['']
    quoted = False
    for letter in line:
        if letter == '"':
            quoted = not quoted
        elif letter == ',' and not quoted:
            found.append('')
        else:
            found[-1] += letter
    return found
""", tests=("fields('a,b')", "fields('\"a,b\",c')", "fields('')"), extra=("fields('x,\"y\",z')",)),
    Program(name="mode of payment", right="    elif kind == 'card':\n        return amount + 2\n", wrong="", good="""
def charged(kind, amount):
    if kind == 'cash':
        return amount
    elif kind == 'card':
        return amount + 2
    return amount + 5
""", tests=("charged('card', 10)", "charged('cash', 10)", "charged('bank', 1)"), extra=("charged('card', 3)",)),
    Program(name="digits of a base", right="    return ''.join(reversed(found))", wrong="    return ''.join(found)", good="""
def written(number, base):
    if number == 0:
        return '0'
    found = []
    while number:
        number, digit = divmod(number, base)
        found.append(str(digit))
    return ''.join(reversed(found))
""", tests=("written(6, 2)", "written(0, 3)", "written(5, 10)"), extra=("written(255, 8)",)),
    Program(name="triangle kinds", right="    if a + b <= c or b + c <= a or a + c <= b:", wrong="    if a + b <= c or b + c <= a:", good="""
def triangle(a, b, c):
    if a + b <= c or b + c <= a or a + c <= b:
        return 'none'
    if a == b == c:
        return 'equal'
    return 'other'
""", tests=("triangle(1, 9, 1)", "triangle(2, 2, 2)", "triangle(1, 1, 9)", "triangle(3, 4, 5)"), extra=("triangle(1, 5, 2)", "triangle(9, 1, 1)")),
    Program(name="median", right="        return (ordered[middle - 1] + ordered[middle]) / 2", wrong="        return ordered[middle]", good="""
def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 0:
        return (ordered[middle - 1] + ordered[middle]) / 2
    return ordered[middle]
""", tests=("median([1, 2])", "median([3, 1, 2])", "median([1, 2, 3, 6])"), extra=("median([4, 8])", "median([5])")),
)
