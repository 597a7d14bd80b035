"""The wrong name, the wrong function, the wrong order."""

from search_program import Program

PROGRAMS = (
    Program(name="clamp", right="return high", wrong="return low\n    if value > high:\n        return value"[:10], good="""
def clamp(value, low, high):
    if value < low:
        return low
    if value > high:
        return high
    return value
""", tests=("clamp(5, 1, 3)", "clamp(0, 1, 3)", "clamp(2, 1, 3)"), extra=("clamp(9, -4, 8)", "clamp(-9, -4, 8)")),
    Program(name="running balance", right="balances.append(balance)", wrong="balances.append(amount)", good="""
def history(start, amounts):
    balance = start
    balances = []
    for amount in amounts:
        balance += amount
        balances.append(balance)
    return balances
""", tests=("history(10, [1, -2])", "history(0, [])", "history(5, [5])"), extra=("history(1, [1, 1, 1])", "history(-3, [3])")),
    Program(name="transposed", right="range(columns)]", wrong="range(rows)]", good="""
def transposed(matrix):
    rows = len(matrix)
    columns = len(matrix[0])
    return [[matrix[i][j] for i in range(rows)] for j in range(columns)]
""", tests=("transposed([[1, 2, 3], [4, 5, 6]])", "transposed([[1]])"), extra=("transposed([[1, 2]])", "transposed([[1], [2], [3]])")),
    Program(name="invert a mapping", right="found[value] = key", wrong="found[key] = value", good="""
def inverted(mapping):
    found = {}
    for key, value in mapping.items():
        found[value] = key
    return found
""", tests=("inverted({'a': 1, 'b': 2})", "inverted({})"), extra=("inverted({1: 2, 3: 4})",)),
    Program(name="fewest coins", right="best[amount - coin] + 1", wrong="best[coin] + 1", good="""
def fewest(coins, target):
    best = [0] + [None] * target
    for amount in range(1, target + 1):
        for coin in coins:
            if coin <= amount and best[amount - coin] is not None:
                option = best[amount - coin] + 1
                if best[amount] is None or option < best[amount]:
                    best[amount] = option
    return best[target]
""", tests=("fewest([1, 3, 4], 6)", "fewest([2], 3)", "fewest([1], 0)"), extra=("fewest([5, 2], 11)", "fewest([1, 5, 10], 27)")),
    Program(name="longest word", right="key=len", wrong="key=str", good="""
def longest(text):
    words = text.split()
    return max(words, key=len)
""", tests=("longest('a bbb cc')", "longest('zz yyyy x')"), extra=("longest('zebra ox')", "longest('one')")),
    Program(name="span of values", right="max(values) - min(values)", wrong="max(values) - max(values)", good="""
def spread(values):
    return max(values) - min(values)
""", tests=("spread([1, 4, 9])", "spread([2])", "spread([-1, 1])"), extra=("spread([5, 5, 7])",)),
    Program(name="power by squaring", right="return power(base * base, exponent // 2)", wrong="return power(base, exponent // 2)", good="""
def power(base, exponent):
    if exponent == 0:
        return 1
    if exponent % 2 == 1:
        return base * power(base, exponent - 1)
    return power(base * base, exponent // 2)
""", tests=("power(2, 5)", "power(3, 4)", "power(7, 0)"), extra=("power(2, 10)", "power(5, 3)", "power(1, 9)")),
    Program(name="bank account", right="self.balance -= amount + self.fee", wrong="self.balance -= amount + self.balance", good="""
class Account:
    def __init__(self, balance, fee):
        self.balance = balance
        self.fee = fee

    def withdraw(self, amount):
        if amount + self.fee > self.balance:
            return False
        self.balance -= amount + self.fee
        return True

def left(balance, fee, *amounts):
    account = Account(balance, fee)
    done = [account.withdraw(amount) for amount in amounts]
    return account.balance, done
""", tests=("left(100, 1, 10)", "left(10, 1, 10)", "left(50, 2, 10, 10)"), extra=("left(30, 0, 10, 10, 10)", "left(5, 5, 1)")),
    Program(name="merge sorted", right="merged += second[j:]", wrong="merged += second[i:]", good="""
def merge(first, second):
    merged = []
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] <= second[j]:
            merged.append(first[i])
            i += 1
        else:
            merged.append(second[j])
            j += 1
    merged += first[i:]
    merged += second[j:]
    return merged
""", tests=("merge([1, 4], [2, 3, 9])", "merge([], [1])", "merge([5, 6], [1])"), extra=("merge([1, 2], [3])", "merge([1, 3, 5], [2, 4, 6, 8])")),
    Program(name="slope", right="(y2 - y1) / (x2 - x1)", wrong="(x2 - x1) / (y2 - y1)", good="""
def slope(x1, y1, x2, y2):
    if x1 == x2:
        return None
    return (y2 - y1) / (x2 - x1)
""", tests=("slope(0, 0, 2, 4)", "slope(1, 1, 1, 5)", "slope(0, 1, 4, 3)"), extra=("slope(0, 5, 5, 0)", "slope(2, 2, 6, 2)")),
    Program(name="all positive", right="all(value > 0 for", wrong="any(value > 0 for", good="""
def positive(values):
    return all(value > 0 for value in values)
""", tests=("positive([1, 2])", "positive([1, -2])", "positive([])"), extra=("positive([0])", "positive([-1])")),
    Program(name="queue of waiting people", right="waiting.pop(0)", wrong="waiting.pop()", good="""
def served(people, count):
    waiting = list(people)
    done = []
    while waiting and len(done) < count:
        done.append(waiting.pop(0))
    return done
""", tests=("served('abc', 2)", "served('', 2)", "served('xy', 5)"), extra=("served('pqrs', 1)", "served('pqrs', 0)")),
)
