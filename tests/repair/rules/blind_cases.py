"""Broken little programs that were written before any rule: each with the test that fails and one it never sees.

A fix is right where both bodies pass afterwards; ``app`` is the module under test in both.
"""

from __future__ import annotations

BLIND: dict[str, tuple[str, str, str]] = {
    "import of a module of the library": (
        "def read(text):\n    return json.loads(text)\n",
        "assert app.read('[1]') == [1]",
        "assert app.read('{}') == {}",
    ),
    "import of a name of the library": (
        "def count(words):\n    return Counter(words)\n",
        "assert app.count('aab')['a'] == 2",
        "assert app.count('')['a'] == 0",
    ),
    "import from path library": (
        "import os\n\ndef name(path):\n    return Path(path).stem\n",
        "assert app.name('a/b.txt') == 'b'",
        "assert app.name('c.d') == 'c'",
    ),
    "misspelt local": (
        "def total(values):\n    result = 0\n    for value in values:\n        result += vaule\n    return result\n",
        "assert app.total([1, 2]) == 3",
        "assert app.total([]) == 0",
    ),
    "misspelt method of a string": (
        "def shout(text):\n    return text.uper()\n",
        "assert app.shout('a') == 'A'",
        "assert app.shout('bc') == 'BC'",
    ),
    "misspelt own attribute": (
        (
            "class Box:\n    def __init__(self, width):\n        self.width = width\n\n"
            "    def double(self):\n        return self.widht * 2\n"
        ),
        "assert app.Box(2).double() == 4",
        "assert app.Box(0).double() == 0",
    ),
    "append of a set": (
        "def unique(items):\n    seen = set()\n    for item in items:\n        seen.append(item)\n    return seen\n",
        "assert app.unique([1, 1]) == {1}",
        "assert app.unique([]) == set()",
    ),
    "string plus number": (
        "def label(count):\n    return 'items: ' + count\n",
        "assert app.label(3) == 'items: 3'",
        "assert app.label(0) == 'items: 0'",
    ),
    "number from text": (
        "def after(text):\n    return text + 1\n",
        "assert app.after('3') == 4",
        "assert app.after('-1') == 0",
    ),
    "forgotten return": (
        "def square(x):\n    y = x * x\n\ndef area(x):\n    return square(x) + 1\n",
        "assert app.area(2) == 5",
        "assert app.square(3) == 9",
    ),
    "missing key counts": (
        "def tally(words):\n    counts = {}\n    for word in words:\n        counts[word] += 1\n    return counts\n",
        "assert app.tally(['a', 'a']) == {'a': 2}",
        "assert app.tally([]) == {}",
    ),
    "missing key grouped": (
        "def group(words):\n    groups = {}\n    for word in words:\n        groups[word[0]].append(word)\n    return groups\n",
        "assert app.group(['ab', 'ac']) == {'a': ['ab', 'ac']}",
        "assert app.group([]) == {}",
    ),
    "misspelt key": (
        "SETTINGS = {'colour': 'red', 'size': 3}\n\ndef colour():\n    return SETTINGS['color']\n",
        "assert app.colour() == 'red'",
        "",
    ),
    "one past the end": (
        "def pairs(items):\n    return [(items[i], items[i + 1]) for i in range(len(items))]\n",
        "assert app.pairs([1, 2, 3]) == [(1, 2), (2, 3)]",
        "assert app.pairs([1]) == []",
    ),
    "last index": (
        "def last(items):\n    return items[len(items)]\n",
        "assert app.last([1, 2]) == 2",
        "assert app.last('abc') == 'c'",
    ),
    "method without self": (
        "class Greeter:\n    def greet(name):\n        return 'hi ' + name\n",
        "assert app.Greeter().greet('bo') == 'hi bo'",
        "",
    ),
    "attribute without self": (
        "class Counter:\n    def __init__(self):\n        self.count = 0\n\n    def add(self):\n        count += 1\n        return self.count\n",
        "assert app.Counter().add() == 1",
        "",
    ),
    "method called without self": (
        "class Shape:\n    def side(self):\n        return 3\n\n    def area(self):\n        return side() ** 2\n",
        "assert app.Shape().area() == 9",
        "",
    ),
    "coroutine not awaited": (
        "import asyncio\n\nasync def load():\n    return 3\n\nasync def double():\n    return load() * 2\n\ndef main():\n    return asyncio.run(double())\n",
        "assert app.main() == 6",
        "",
    ),
    "global counter": (
        "count = 0\n\ndef step():\n    count += 1\n    return count\n",
        "assert app.step() == 1",
        "assert app.step() == app.count",
    ),
    "nonlocal counter": (
        "def counter():\n    n = 0\n    def step():\n        n += 1\n        return n\n    return step\n",
        "assert app.counter()() == 1",
        "f = app.counter(); f(); assert f() == 2",
    ),
    "local never set": (
        "def find(items, wanted):\n    for i, item in enumerate(items):\n        if item == wanted:\n            where = i\n    return where\n",
        "assert app.find([1], 2) is None",
        "assert app.find([1, 2], 2) == 1",
    ),
    "unhashable key": (
        "def remember(points):\n    seen = set()\n    for point in points:\n        seen.add([point, point])\n    return len(seen)\n",
        "assert app.remember([1, 1]) == 1",
        "",
    ),
    "dictionary changed while walked": (
        "def clean(d):\n    for key in d:\n        if not d[key]:\n            del d[key]\n    return d\n",
        "assert app.clean({1: 0, 2: 1}) == {2: 1}",
        "assert app.clean({}) == {}",
    ),
    "division by nothing": (
        "def mean(values):\n    return sum(values) / len(values)\n",
        "assert app.mean([]) == 0",
        "assert app.mean([1, 3]) == 2",
    ),
    "property called": (
        (
            "class Circle:\n    def __init__(self, r):\n        self.r = r\n\n    @property\n    def area(self):\n        return self.r * 3\n\n"
            "def total(circles):\n    return sum(c.area() for c in circles)\n"
        ),
        "assert app.total([app.Circle(1)]) == 3",
        "",
    ),
    "method not called": (
        "def words(text):\n    return [w for w in text.split]\n",
        "assert app.words('a b') == ['a', 'b']",
        "",
    ),
    "too many arguments": (
        "def area(width):\n    return width * width\n\ndef main():\n    return area(2, 2)\n",
        "assert app.main() == 4",
        "",
    ),
    "misspelt keyword": (
        "def draw(width, height):\n    return width * height\n\ndef main():\n    return draw(width=2, heigth=3)\n",
        "assert app.main() == 6",
        "",
    ),
    "missing argument": (
        "def add(a, b):\n    return a + b\n\ndef double(a):\n    return add(a)\n",
        "assert app.double(2) == 4",
        "",
    ),
    "super never called": (
        (
            "class Base:\n    def __init__(self):\n        self.items = []\n\nclass Child(Base):\n    def __init__(self, name):\n        self.name = name\n\n"
            "def make():\n    child = Child('x')\n    child.items.append(1)\n    return child\n"
        ),
        "assert app.make().items == [1]",
        "assert app.make().name == 'x'",
    ),
    "dataclass default order": (
        "from dataclasses import dataclass\n\n@dataclass\nclass Item:\n    price: int = 0\n    name: str\n",
        "assert app.Item(name='a').price == 0",
        "assert app.Item(1, 'b').name == 'b'",
    ),
    "mutable default of a dataclass": (
        "from dataclasses import dataclass\n\n@dataclass\nclass Cart:\n    items: list = []\n",
        "assert app.Cart().items == []",
        "app.Cart().items.append(1); assert app.Cart().items == []",
    ),
    "moved abstract class": (
        "from collections import Mapping\n\ndef is_map(x):\n    return isinstance(x, Mapping)\n",
        "assert app.is_map({})",
        "assert not app.is_map([])",
    ),
    "bytes and text": ("def line(data):\n    return data.decode() + b'!'\n", "assert app.line(b'a') == 'a!'", ""),
    "join of numbers": (
        "def row(values):\n    return ','.join(values)\n",
        "assert app.row([1, 2]) == '1,2'",
        "assert app.row([]) == ''",
    ),
    "none from a match": (
        "import re\n\ndef number(text):\n    found = re.match(r'\\d+', text)\n    return found.group()\n",
        "assert app.number('x') is None",
        "assert app.number('12a') == '12'",
    ),
    "sort gives nothing": (
        "def ordered(items):\n    items = items.sort()\n    return items[0]\n",
        "assert app.ordered([2, 1]) == 1",
        "",
    ),
    "length of a generator": (
        "def even(values):\n    found = (v for v in values if v % 2 == 0)\n    return len(found)\n",
        "assert app.even([1, 2]) == 1",
        "",
    ),
    "wrong message": (
        "def check(age):\n    if age < 0:\n        raise ValueError('age must be positve')\n    return age\n",
        "import pytest\n    with pytest.raises(ValueError, match='age must be positive'):\n        app.check(-1)",
        "assert app.check(1) == 1",
    ),
    "wrong exception": (
        "def get(items, name):\n    if name not in items:\n        raise ValueError(name)\n    return items[name]\n",
        "import pytest\n    with pytest.raises(KeyError):\n        app.get({}, 'a')",
        "",
    ),
    "wrong text": (
        "def greet(name):\n    return f'Helo, {name}!'\n",
        "assert app.greet('Al') == 'Hello, Al!'",
        "assert app.greet('B') == 'Hello, B!'",
    ),
    "abstract method missing": (
        (
            "from abc import ABC, abstractmethod\n\nclass Shape(ABC):\n    @abstractmethod\n    def area(self):\n        ...\n\n"
            "class Square(Shape):\n    def aera(self):\n        return 4\n"
        ),
        "assert app.Square().area() == 4",
        "",
    ),
    "endless recursion": (
        "def factorial(n):\n    return n * factorial(n - 1)\n",
        "assert app.factorial(3) == 6",
        "assert app.factorial(0) == 1",
    ),
    "range of a float": (
        "def halves(n):\n    return [i for i in range(n / 2)]\n",
        "assert app.halves(4) == [0, 1]",
        "assert app.halves(0) == []",
    ),
    "alias of a package": ("def now():\n    return dt.date(2020, 1, 2)\n", "assert app.now().year == 2020", ""),
    "comparison of text and number": (
        "def old(ages):\n    return [a for a in ages if a > 18]\n",
        "assert app.old(['20', '3']) == ['20']",
        "",
    ),
    "tuple unpacked wrongly": (
        "def pairs(d):\n    return [k + str(v) for k, v in d]\n",
        "assert app.pairs({'ab': 1}) == ['ab1']",
        "assert app.pairs({}) == []",
    ),
    "static call of a method": (
        "class Tool:\n    def run(self):\n        return 1\n\ndef main():\n    return Tool.run()\n",
        "assert app.main() == 1",
        "",
    ),
    "shadowed builtin": (
        "def sizes(list):\n    return list(map(len, list))\n",
        "assert app.sizes(['a', 'bb']) == [1, 2]",
        "",
    ),
}
