"""Broken little programs for every rule, two or more each: the rule's name, then what is wrong."""

from __future__ import annotations

CASES: dict[str, tuple[str, str, str]] = {
    "missing-import: a class of the library": (
        "def table():\n    return defaultdict(list)\n",
        "assert app.table() == {}",
        "assert app.table()['a'] == []",
    ),
    "missing-import: below a docstring": (
        '"""Roots."""\n\ndef root(x):\n    return math.sqrt(x)\n',
        "assert app.root(4) == 2",
        "assert app.__doc__ == 'Roots.'",
    ),
    "missing-import: a name of another file": (
        "def price():\n    return tax_rate() * 2\n# file: helper_taxes.py\ndef tax_rate():\n    return 3\n",
        "assert app.price() == 6",
        "",
    ),
    "misspelt-name: a global": ("LIMIT = 3\n\ndef limit():\n    return LIMT\n", "assert app.limit() == 3", ""),
    "misspelt-name: a builtin": ("def size(x):\n    return lenn(x)\n", "assert app.size('ab') == 2", ""),
    "misspelt-name: of an older version": (
        "def count(n):\n    return list(xrange(n))\n",
        "assert app.count(2) == [0, 1]",
        "",
    ),
    "missing-self-prefix: an attribute": (
        "class A:\n    def __init__(self):\n        self.size = 2\n\n    def twice(self):\n        return size * 2\n",
        "assert app.A().twice() == 4",
        "",
    ),
    "missing-self-prefix: a method": (
        "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return one() + one()\n",
        "assert app.A().two() == 2",
        "",
    ),
    "missing-self: without arguments": (
        (
            "class A:\n    size = 2\n\n    @staticmethod\n    def make():\n        return A()\n\n    def twice(other=None):\n        return self.size * 2\n\n"
            "def run():\n    return A.twice(A())\n"
        ),
        "assert app.A().twice() == 4",
        "",
    ),
    "missing-self: with a keyword": (
        "class A:\n    size = 2\n\n    def grow(by=1):\n        return self.size + by\n",
        "assert app.A().grow() == 3",
        "",
    ),
    "missing-quotes: a key": (
        "PORTS = {'web': 80}\n\ndef port():\n    return PORTS[web]\n",
        "assert app.port() == 80",
        "",
    ),
    "missing-quotes: another key": (
        "def name(user):\n    return user[nickname]\n",
        "assert app.name({'nickname': 'b'}) == 'b'",
        "",
    ),
    "moved-name: from collections": (
        "from collections import MutableMapping, OrderedDict\n\nBASE = MutableMapping, OrderedDict\n",
        "assert app.BASE",
        "",
    ),
    "moved-name: from fractions": (
        "from fractions import gcd\n\ndef f(a, b):\n    return gcd(a, b)\n",
        "assert app.f(4, 6) == 2",
        "",
    ),
    "misspelt-import: of the library": (
        "from itertools import chian\n\ndef f(a, b):\n    return list(chian(a, b))\n",
        "assert app.f([1], [2]) == [1, 2]",
        "",
    ),
    "misspelt-import: of the project": (
        "from helper_words import reverse_wrod\n\ndef f(a):\n    return reverse_wrod(a)\n# file: helper_words.py\ndef reverse_word(w):\n    return w[::-1]\n",
        "assert app.f('ab') == 'ba'",
        "",
    ),
    "module-path: an old name": (
        "import ConfigParser\n\ndef f():\n    return ConfigParser.ConfigParser()\n",
        "assert app.f().sections() == []",
        "",
    ),
    "module-path: misspelt": ("import jsn\n\ndef f():\n    return jsn.dumps([1])\n", "assert app.f() == '[1]'", ""),
    "module-path: old name with from": (
        "from Queue import Queue\n\ndef f():\n    return Queue().empty()\n",
        "assert app.f()",
        "",
    ),
    "module-path: inside a package": (
        (
            "from shop_one.cart import total\n# file: shop_one/__init__.py\n# file: shop_one/cart.py\nfrom prices_one import price\n\n\ndef total():\n    return price() * 2\n"
            "# file: shop_one/prices_one.py\ndef price():\n    return 2\n"
        ),
        "assert app.total() == 4",
        "",
    ),
    "relative-import: run alone": (
        "from .helper_rel import x\n# file: helper_rel.py\nx = 3\n",
        "assert app.x == 3",
        "",
    ),
    "relative-import: of a module": (
        "from . import helper_mod\n\nx = helper_mod.x\n# file: helper_mod.py\nx = 3\n",
        "assert app.x == 3",
        "",
    ),
    "circular-import: two modules": (
        (
            "from circle_a import first\n# file: circle_a.py\nfrom circle_b import second\n\n\ndef first():\n    return second()\n\n\ndef third():\n    return 3\n"
            "# file: circle_b.py\nfrom circle_a import third\n\n\ndef second():\n    return third()\n"
        ),
        "assert app.first() == 3",
        "",
    ),
    "circular-import: by attribute": (
        (
            "import ring_a\n\ndef run():\n    return ring_a.first()\n# file: ring_a.py\nfrom ring_b import second\n\n\ndef first():\n    return second()\n\n\ndef third():\n    return 4\n"
            "# file: ring_b.py\nfrom ring_a import third\n\n\ndef second():\n    return third()\n"
        ),
        "assert app.run() == 4",
        "",
    ),
    "method-of-a-builtin: push to a list": (
        "def f(x):\n    items = []\n    items.push(x)\n    return items\n",
        "assert app.f(1) == [1]",
        "",
    ),
    "method-of-a-builtin: length": ("def f(x):\n    return x.length\n", "assert app.f([1]) == 1", ""),
    "method-of-a-builtin: has_key": (
        "def f(d, k):\n    return d.has_key(k)\n",
        "assert app.f({1: 2}, 1)",
        "assert not app.f({}, 1)",
    ),
    "misspelt-attribute: a method": (
        "class A:\n    def total(self):\n        return 2\n\ndef f():\n    return A().totl()\n",
        "assert app.f() == 2",
        "",
    ),
    "misspelt-attribute: asked by the test": (
        "class A:\n    def comput(self):\n        return 2\n",
        "assert app.A().compute() == 2",
        "",
    ),
    "misspelt-attribute: never set": (
        "class A:\n    def __init__(self):\n        self.name = 'a'\n\n    def put(self, x):\n        self.items.append(x)\n        return self.items\n",
        "assert app.A().put(1) == [1]",
        "",
    ),
    "module-attribute: taken away": ("import time\n\ndef f():\n    return time.clock() >= 0\n", "assert app.f()", ""),
    "module-attribute: misspelt": ("import math\n\ndef f(x):\n    return math.sqroot(x)\n", "assert app.f(9) == 3", ""),
    "module-attribute: asked by the test": (
        "def add_al(x):\n    return sum(x)\n",
        "assert app.add_all([1, 2]) == 3",
        "",
    ),
    "module-attribute: datetime": (
        "import datetime\n\ndef f():\n    return datetime.strptime('2020', '%Y').year\n",
        "assert app.f() == 2020",
        "",
    ),
    "class-attribute: datetime": (
        "from datetime import datetime\n\ndef f():\n    return datetime.datetime(2020, 1, 1).year\n",
        "assert app.f() == 2020",
        "",
    ),
    "class-attribute: misspelt": (
        "from enum import Enum\n\nclass Colour(Enum):\n    GREEN = 1\n    RED = 2\n\ndef f():\n    return Colour.GREN.value\n",
        "assert app.f() == 1",
        "",
    ),
    "property-without-setter: a name": (
        "class A:\n    def __init__(self, name):\n        self.name = name\n\n    @property\n    def name(self):\n        return self.name\n",
        "assert app.A('x').name == 'x'",
        "",
    ),
    "property-without-setter: a sum": (
        "class A:\n    def __init__(self):\n        self.total = 2\n\n    @property\n    def total(self):\n        return self.total + 1\n",
        "assert app.A().total == 3",
        "",
    ),
    "missing-return: the last value": (
        "def double(x):\n    result = x * 2\n\ndef f(x):\n    return double(x) + 1\n",
        "assert app.f(1) == 3",
        "",
    ),
    "missing-return: of a list": (
        "def evens(n):\n    found = []\n    for i in range(n):\n        if i % 2 == 0:\n            found.append(i)\n\ndef f(n):\n    return len(evens(n))\n",
        "assert app.f(3) == 2",
        "",
    ),
    "missing-return: of a recursion": (
        "def find(n):\n    if n > 10:\n        return n\n    find(n * 2)\n\ndef f(n):\n    return find(n) + 1\n",
        "assert app.f(3) == 13",
        "",
    ),
    "method-gives-nothing: sort": ("def f(x):\n    y = x.sort()\n    return y[0]\n", "assert app.f([2, 1]) == 1", ""),
    "method-gives-nothing: append": (
        "def f(x):\n    x = x.append(1)\n    return len(x)\n",
        "assert app.f([2]) == 2",
        "",
    ),
    "none-guard: a search": (
        "import re\n\ndef f(text):\n    found = re.search('a(.)', text)\n    return found.group(1)\n",
        "assert app.f('x') is None",
        "assert app.f('ab') == 'b'",
    ),
    "none-guard: a default": (
        "def f(x, to=None):\n    to.append(x)\n    return to\n",
        "assert app.f(1) == [1]",
        "assert app.f(1, [0]) == [0, 1]",
    ),
    "method-without-self: one argument": (
        "class A:\n    def f(x):\n        return x\n",
        "assert app.A().f(2) == 2",
        "",
    ),
    "method-without-self: no argument": ("class A:\n    def f():\n        return 2\n", "assert app.A().f() == 2", ""),
    "too-many-arguments: one": ("def f(a):\n    return a\n\ndef g():\n    return f(1, 2)\n", "assert app.g() == 1", ""),
    "too-many-arguments: a parameter used": (
        "def f(a):\n    return a + scale\n\ndef g(scale):\n    return f(1, scale)\n",
        "assert app.g(2) == 3",
        "",
    ),
    "too-few-arguments: of the same name": (
        "def f(a, b):\n    return a - b\n\ndef g(a, b):\n    return f(a)\n",
        "assert app.g(3, 2) == 1",
        "",
    ),
    "too-few-arguments: a member": (
        (
            "def area(width, height):\n    return width * height\n\nclass A:\n    def __init__(self):\n        self.width, self.height = 2, 3\n\n"
            "    def f(self):\n        return area(self.width)\n"
        ),
        "assert app.A().f() == 6",
        "",
    ),
    "too-few-arguments: an object": (
        "class A:\n    def f(self):\n        return 1\n\ndef g():\n    return A.f()\n",
        "assert app.g() == 1",
        "",
    ),
    "unknown-keyword: misspelt": (
        "def f(width=1):\n    return width\n\ndef g():\n    return f(widht=2)\n",
        "assert app.g() == 2",
        "",
    ),
    "unknown-keyword: asked by the test": ("def f(widht=1):\n    return widht\n", "assert app.f(width=2) == 2", ""),
    "misspelt-init: one underscore": (
        "class A:\n    def _init_(self, x):\n        self.x = x\n",
        "assert app.A(2).x == 2",
        "",
    ),
    "misspelt-init: no dataclass": (
        "class A:\n    x: int\n    y: int = 2\n",
        "assert app.A(1).y == 2",
        "assert app.A(1).x == 1",
    ),
    "argument-twice: by place and by name": (
        "def f(a, b=1):\n    return a + b\n\ndef g():\n    return f(1, a=1)\n",
        "assert app.g() == 2",
        "",
    ),
    "argument-twice: no self": (
        "class A:\n    def f(a, b):\n        return a + b\n",
        "assert app.A().f(a=1, b=2) == 3",
        "",
    ),
    "operand-types: text and number": ("def f(n):\n    return 'n=' + n\n", "assert app.f(2) == 'n=2'", ""),
    "operand-types: number in text": ("def f(a, b):\n    return a - b\n", "assert app.f('3', 1) == 2", ""),
    "operand-types: list and item": ("def f(a, b):\n    return a + b\n", "assert app.f([1], 2) == [1, 2]", ""),
    "compared-types: text": ("def f(a):\n    return a >= 18\n", "assert app.f('20')", "assert not app.f('3')"),
    "compared-types: length": ("def f(a):\n    return a > 1\n", "assert app.f([1, 2])", "assert not app.f([])"),
    "joined-items: numbers": ("def f(a):\n    return '-'.join(a)\n", "assert app.f([1, 2]) == '1-2'", ""),
    "joined-items: made on the way": (
        "def f(a):\n    return '-'.join(x + 1 for x in a)\n",
        "assert app.f([1, 2]) == '2-3'",
        "",
    ),
    "whole-number: middle": ("def f(a):\n    return a[len(a) / 2]\n", "assert app.f([1, 2, 3]) == 2", ""),
    "whole-number: by a name": (
        "def f(n):\n    half = n / 2\n    return [0 for _ in range(half)]\n",
        "assert app.f(4) == [0, 0]",
        "",
    ),
    "text-and-bytes: split": ("def f(data):\n    return data.split(',')\n", "assert app.f(b'a,b') == [b'a', b'b']", ""),
    "text-and-bytes: written": (
        "import io\n\ndef f(text):\n    out = io.BytesIO()\n    out.write(text)\n    return out.getvalue()\n",
        "assert app.f('a') == b'a'",
        "",
    ),
    "unhashable-key: a list": (
        "def f(x):\n    seen = {}\n    seen[[x, 1]] = 2\n    return len(seen)\n",
        "assert app.f(1) == 1",
        "",
    ),
    "unhashable-key: a variable": (
        "def f(rows):\n    seen = set()\n    for row in rows:\n        seen.add(row)\n    return len(seen)\n",
        "assert app.f([[1], [1]]) == 1",
        "",
    ),
    "format-values: two values": ("def f(a, b):\n    return '%s-%s' % a, b\n", "assert app.f(1, 2) == '1-2'", ""),
    "format-values: text as number": ("def f(a):\n    return '%d items' % a\n", "assert app.f('3') == '3 items'", ""),
    "json-value: a set": (
        "import json\n\ndef f(x):\n    return json.dumps({'x': x})\n",
        "assert app.f({1}) == '{\"x\": [1]}'",
        "",
    ),
    "json-value: a date": (
        "import json\n\ndef f(x):\n    return json.dumps([x])\n",
        "import datetime\n    assert app.f(datetime.date(2020, 1, 2)) == '[\"2020-01-02\"]'",
        "",
    ),
    "number-text: commas": ("def f(x):\n    return int(x)\n", "assert app.f('1,000') == 1000", ""),
    "number-text: fraction": ("def f(x):\n    return int(x)\n", "assert app.f('2.0') == 2", ""),
    "not-callable: a property": (
        "class A:\n    @property\n    def size(self):\n        return 2\n\ndef f():\n    return A().size()\n",
        "assert app.f() == 2",
        "",
    ),
    "not-callable: a hidden builtin": ("def f(max):\n    return max(max, 2)\n", "assert app.f(1) == 2", ""),
    "not-callable: a list": ("def f(x):\n    return x(0)\n", "assert app.f([3]) == 3", ""),
    "not-callable: a decorator": (
        "def twice(f):\n    def inner(x):\n        return f(x) * 2\n\n\n@twice\ndef g(x):\n    return x\n",
        "assert app.g(2) == 4",
        "",
    ),
    "not-subscriptable: a function": (
        "def load():\n    return [1]\n\ndef f():\n    return load[0]\n",
        "assert app.f() == 1",
        "",
    ),
    "not-subscriptable: keys": ("def f(d):\n    return d.keys()[0]\n", "assert app.f({'a': 1}) == 'a'", ""),
    "no-length: a generator": ("def f(x):\n    return len(v for v in x if v)\n", "assert app.f([0, 1]) == 1", ""),
    "no-length: a map": ("def f(x):\n    y = map(abs, x)\n    return len(y)\n", "assert app.f([1, -1]) == 2", ""),
    "not-iterable: a number": ("def f(n):\n    return [i for i in n]\n", "assert app.f(2) == [0, 1]", ""),
    "not-iterable: a method": ("def f(d):\n    return [v for v in d.values]\n", "assert app.f({1: 2}) == [2]", ""),
    "not-iterable: extend": ("def f(x):\n    y = []\n    y.extend(x)\n    return y\n", "assert app.f(2) == [2]", ""),
    "unpacked-values: items": (
        "def f(d):\n    out = []\n    for key, value in d:\n        out.append(value)\n    return out\n",
        "assert app.f({'abc': 1}) == [1]",
        "",
    ),
    "unpacked-values: split": (
        "def f(line):\n    key, value = line.split('=')\n    return value\n",
        "assert app.f('a=b=c') == 'b=c'",
        "",
    ),
    "changed-while-walked: a dictionary": (
        "def f(d):\n    for k in d:\n        d.pop(k)\n    return d\n",
        "assert app.f({1: 2, 2: 3}) == {}",
        "",
    ),
    "changed-while-walked: a set": (
        "def f(s):\n    for x in s:\n        if x > 1:\n            s.remove(x)\n    return s\n",
        "assert app.f({1, 2, 3}) == {1}",
        "",
    ),
    "first-value-of-a-key: a list": (
        "def f(x):\n    d = {}\n    for i in x:\n        d[i % 2].append(i)\n    return d\n",
        "assert app.f([1]) == {1: [1]}",
        "",
    ),
    "first-value-of-a-key: a count": (
        "def f(x):\n    d = {}\n    for i in x:\n        d[i] += 2\n    return d\n",
        "assert app.f([1, 1]) == {1: 4}",
        "",
    ),
    "misspelt-key: a literal": ("D = {'address': 1}\n\ndef f():\n    return D['adress']\n", "assert app.f() == 1", ""),
    "misspelt-key: of a table set later": (
        "def f():\n    d = {}\n    d['total'] = 3\n    return d['totals']\n",
        "assert app.f() == 3",
        "",
    ),
    "missing-key: a default": (
        "def f(d, k):\n    return d[k]\n",
        "assert app.f({}, 1) is None",
        "assert app.f({1: 2}, 1) == 2",
    ),
    "missing-key: taken out": (
        "def f(d, k):\n    del d[k]\n    return d\n",
        "assert app.f({}, 1) == {}",
        "assert app.f({1: 2}, 1) == {}",
    ),
    "range-too-far: ahead": (
        "def f(x):\n    out = []\n    for i in range(len(x)):\n        out.append(x[i + 1] - x[i])\n    return out\n",
        "assert app.f([1, 3]) == [2]",
        "",
    ),
    "range-too-far: plus one": (
        "def f(x):\n    return [x[i] for i in range(len(x) + 1)]\n",
        "assert app.f([1, 3]) == [1, 3]",
        "",
    ),
    "range-too-far: while": (
        "def f(x):\n    i = 0\n    s = 0\n    while i <= len(x):\n        s += x[i]\n        i += 1\n    return s\n",
        "assert app.f([1, 3]) == 4",
        "",
    ),
    "index-too-far: the length": ("def f(x):\n    return x[len(x)]\n", "assert app.f([1, 3]) == 3", ""),
    "index-too-far: an empty list is filled": (
        "def f(n):\n    x = []\n    for i in range(n):\n        x[i] = i * 2\n    return x\n",
        "assert app.f(2) == [0, 2]",
        "",
    ),
    "empty-list: first": ("def f(x):\n    return x[0]\n", "assert app.f([]) is None", "assert app.f([2]) == 2"),
    "empty-list: pop": ("def f(x):\n    return x.pop()\n", "assert app.f([]) == 0", "assert app.f([2]) == 2"),
    "outer-variable: global": (
        "n = 1\n\ndef f():\n    n += 1\n    return n\n",
        "assert app.f() == 2",
        "assert app.f() == app.n",
    ),
    "outer-variable: a member": (
        "class A:\n    def __init__(self):\n        self.n = 1\n\n    def f(self):\n        n = n + 1\n        return self.n\n",
        "assert app.A().f() == 2",
        "",
    ),
    "variable-without-value: a sum": (
        "def f(x):\n    for i in x:\n        total += i\n    return total\n",
        "assert app.f([1, 2]) == 3",
        "assert app.f([]) == 0",
    ),
    "variable-without-value: a flag": (
        "def f(x):\n    for i in x:\n        if i > 1:\n            found = True\n    return found\n",
        "assert app.f([1]) == False",
        "assert app.f([2])",
    ),
    "abstract-method: misspelt": (
        "from abc import ABC, abstractmethod\n\nclass A(ABC):\n    @abstractmethod\n    def run(self): ...\n\nclass B(A):\n    def rum(self):\n        return 1\n",
        "assert app.B().run() == 1",
        "",
    ),
    "abstract-method: another name": (
        "from abc import ABC, abstractmethod\n\nclass A(ABC):\n    @abstractmethod\n    def speak(self): ...\n\nclass B(A):\n    def speek(self):\n        return 'hi'\n",
        "assert app.B().speak() == 'hi'",
        "",
    ),
    "field-order: text": (
        "from dataclasses import dataclass\n\n@dataclass\nclass A:\n    x: int = 1\n    y: str\n",
        "assert app.A().y == ''",
        "",
    ),
    "field-order: a list": (
        "from dataclasses import dataclass\n\n@dataclass\nclass A:\n    x: int = 1\n    y: list\n",
        "assert app.A().y == []",
        "",
    ),
    "mutable-field: a list": (
        "from dataclasses import dataclass\n\n@dataclass\nclass A:\n    x: list = []\n",
        "assert app.A().x == []",
        "",
    ),
    "mutable-field: with values": (
        "from dataclasses import dataclass, field\n\n@dataclass\nclass A:\n    x: dict = {'a': 1}\n",
        "assert app.A().x == {'a': 1}",
        "",
    ),
    "init-returns: self": (
        "class A:\n    def __init__(self):\n        self.x = 1\n        return self\n",
        "assert app.A().x == 1",
        "",
    ),
    "init-returns: a value": (
        "class A:\n    def __init__(self, x):\n        self.x = x\n        return x\n",
        "assert app.A(2).x == 2",
        "",
    ),
    "frozen-field: outside": (
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass A:\n    x: int = 1\n\ndef f(a):\n    a.x = 2\n    return a\n",
        "assert app.f(app.A()).x == 2",
        "",
    ),
    "frozen-field: inside": (
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass A:\n    x: int = 1\n\n    def __post_init__(self):\n        self.x = 5\n",
        "assert app.A().x == 5",
        "",
    ),
    "division-by-zero: a share": (
        "def f(a, b):\n    return a / b\n",
        "assert app.f(1, 0) == 0",
        "assert app.f(4, 2) == 2",
    ),
    "division-by-zero: none": (
        "def f(x):\n    return sum(x) / len(x)\n",
        "assert app.f([]) is None",
        "assert app.f([2]) == 2",
    ),
    "endless-recursion: a product": (
        "def f(n):\n    return n * f(n - 1)\n",
        "assert app.f(3) == 6",
        "assert app.f(1) == 1",
    ),
    "endless-recursion: a property": (
        "class A:\n    def __init__(self):\n        self._x = 3\n\n    @property\n    def x(self):\n        return self.x\n",
        "assert app.A().x == 3",
        "",
    ),
    "endless-recursion: two calls": (
        "def f(n):\n    return f(n - 1) + f(n - 2)\n",
        "assert app.f(6) == 8",
        "assert app.f(1) == 1",
    ),
    "missing-await: in a coroutine": (
        "import asyncio\n\nasync def a():\n    return [1]\n\nasync def b():\n    return a()[0]\n\ndef f():\n    return asyncio.run(b())\n",
        "assert app.f() == 1",
        "",
    ),
    "missing-await: not run": (
        "async def a():\n    return 1\n\ndef f():\n    return a() + 1\n",
        "assert app.f() == 2",
        "",
    ),
    "stray-await: a plain function": (
        "import asyncio\n\ndef a():\n    return 1\n\nasync def b():\n    return await a()\n\ndef f():\n    return asyncio.run(b())\n",
        "assert app.f() == 1",
        "",
    ),
    "stray-await: a value": (
        "import asyncio\n\nasync def b(x):\n    return await x\n\ndef f():\n    return asyncio.run(b(1))\n",
        "assert app.f() == 1",
        "",
    ),
    "with-protocol: a generator": (
        "def opened():\n    yield 1\n\ndef f():\n    with opened() as x:\n        return x\n",
        "assert app.f() == 1",
        "",
    ),
    "with-protocol: a lock": (
        "import asyncio\n\nasync def g():\n    lock = asyncio.Lock()\n    with lock:\n        return 1\n\ndef f():\n    return asyncio.run(g())\n",
        "assert app.f() == 1",
        "",
    ),
    "named-encoding: latin": (
        "def f(data):\n    return data.decode('utf-8')\n",
        "assert app.f(b'\\xe9') == '\\xe9'",
        "",
    ),
    "named-encoding: ascii": (
        "def f(text):\n    return text.encode('ascii')\n",
        "assert app.f('\\xe9') == b'\\xc3\\xa9'",
        "",
    ),
    "error-type: raised": (
        "def f(x):\n    if x < 0:\n        raise TypeError('negative')\n    return x\n",
        "import pytest\n    with pytest.raises(ValueError):\n        app.f(-1)",
        "assert app.f(1) == 1",
    ),
    "error-type: given on": (
        "def f(d):\n    return d['a']\n",
        "import pytest\n    with pytest.raises(ValueError):\n        app.f({})",
        "assert app.f({'a': 1}) == 1",
    ),
    "error-not-caught: an index": (
        "def f(x):\n    try:\n        return x[0]\n    except KeyError:\n        return None\n",
        "assert app.f([]) is None",
        "assert app.f({}) is None and app.f([1]) == 1",
    ),
    "error-not-caught: a number": (
        "def f(x):\n    try:\n        return int(x)\n    except TypeError:\n        return 0\n",
        "assert app.f('a') == 0",
        "assert app.f(None) == 0",
    ),
    "error-text: misspelt": (
        "def f():\n    raise ValueError('not fuond')\n",
        "import pytest\n    with pytest.raises(ValueError, match='not found'):\n        app.f()",
        "",
    ),
    "error-text: with a value": (
        "def f(x):\n    raise KeyError(f'no such kye: {x}')\n",
        "import pytest\n    with pytest.raises(KeyError, match='no such key: 3'):\n        app.f(3)",
        "",
    ),
    "wrong-text: one letter": (
        "def f(n):\n    return 'Total: ' + str(n) + ' pice'\n",
        "assert app.f(2) == 'Total: 2 piece'",
        "assert app.f(3) == 'Total: 3 piece'",
    ),
    "wrong-text: a separator": (
        "def f(x):\n    return ';'.join(x)\n",
        "assert app.f(['a', 'b', 'c']) == 'a, b, c'",
        "assert app.f(['x', 'y']) == 'x, y'",
    ),
    "missing-f: a name": (
        "def f(name):\n    return 'Hi {name}'\n",
        "assert app.f('Al') == 'Hi Al'",
        "assert app.f('B') == 'Hi B'",
    ),
    "missing-f: two names": (
        "def f(a, b):\n    text = '{a}/{b}'\n    return text\n",
        "assert app.f(1, 2) == '1/2'",
        "",
    ),
    "nothing-returned: an expression": ("def f(x):\n    x * 2\n", "assert app.f(2) == 4", ""),
    "nothing-returned: a sum": (
        "def f(x):\n    total = 0\n    for i in x:\n        total += i\n",
        "assert app.f([1, 2]) == 3",
        "",
    ),
    "returned-type: a map": ("def f(x):\n    return map(abs, x)\n", "assert app.f([-1]) == [1]", ""),
    "returned-type: text": ("def f(x):\n    return x.strip()\n", "assert app.f(' 3 ') == 3", ""),
    "returned-type: yielded": ("def f(x):\n    for i in x:\n        yield i + 1\n", "assert app.f([1]) == [2]", ""),
    "mutable-default: a list": (
        "def f(x, to=[]):\n    to.append(x)\n    return to\n",
        "app.f(1); assert app.f(2) == [2]",
        "assert app.f(1, [0]) == [0, 1]",
    ),
    "mutable-default: a dictionary": (
        "def f(k, seen={}):\n    seen[k] = 1\n    return len(seen)\n",
        "app.f(1); assert app.f(2) == 1",
        "",
    ),
    "identity: text": ("def f(x):\n    return x is 'ab'\n", "assert app.f(''.join(['a', 'b'])) == True", ""),
    "identity: a list": (
        "def f(x):\n    if x is []:\n        return 'empty'\n    return 'full'\n",
        "assert app.f([]) == 'empty'",
        "assert app.f([1]) == 'full'",
    ),
    "generator-end: raised": (
        "def g(n):\n    for i in range(n):\n        if i == 2:\n            raise StopIteration\n        yield i\n",
        "assert list(app.g(5)) == [0, 1]",
        "",
    ),
    "generator-end: next": (
        "def g(x):\n    it = iter(x)\n    while True:\n        yield next(it)\n",
        "assert list(app.g([1, 2])) == [1, 2]",
        "",
    ),
}
