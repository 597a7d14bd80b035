"""Small pieces of Python that are hard to mutate in memory, each with its tests and the fate of its mutants.

Each case is a few files of one project, and what becomes of the mutants of ``arithmetic`` and ``constants`` in them, as
(path, line, what changes, fate).
"""

from __future__ import annotations

KILLED, SURVIVED, UNTESTED = "killed", "survived", "untested"

CASES = {
    "a function in a class": (
        {"in_class.py": "class Box:\n    def area(self, a, b):\n        return a * b\n\n    def edge(self, a, b):\n        return a + b\n",
         "test_in_class.py": "from in_class import Box\n\n\ndef test_area():\n    assert Box().area(2, 3) == 6\n\n\ndef test_edge():\n    Box().edge(2, 3)\n    assert True\n"},
        [("in_class.py", 3, "* → /", KILLED), ("in_class.py", 6, "+ → -", SURVIVED)]),
    "static, class and property": (
        {"bound.py": "class Box:\n    side = None\n\n    @staticmethod\n    def double(a):\n        return a + a\n\n    @classmethod\n    def of(cls, a):\n        box = cls()\n        box.side = a * a\n        return box\n\n    @property\n    def half(self):\n        return self.side - self.side\n",
         "test_bound.py": "from bound import Box\n\n\ndef test_all():\n    assert (Box.double(2), Box.of(3).side, Box.of(3).half) == (4, 9, 0)\n"},
        [("bound.py", 6, "+ → -", KILLED), ("bound.py", 11, "* → /", KILLED), ("bound.py", 16, "- → +", KILLED)]),
    "a closure made when the file is loaded": (
        {"closure.py": "def adder(a):\n    def add(b):\n        return a + b\n    return add\n\n\nADD = adder(4)\n",
         "test_closure.py": "import closure\n\n\ndef test_it():\n    assert closure.ADD(3) == 7\n"},
        [("closure.py", 3, "+ → -", KILLED), ("closure.py", 7, "4 → 5", KILLED)]),
    "decorators that wrap": (
        {"wrapped.py": "import functools\n\n\ndef twice(function):\n    @functools.wraps(function)\n    def inner(a):\n        return function(a) + function(a)\n    return inner\n\n\n@twice\ndef same(a):\n    return a - a\n\n\n@functools.lru_cache(maxsize=None)\ndef kept(a):\n    return a * a\n",
         "test_wrapped.py": "import wrapped\n\n\ndef test_same():\n    assert wrapped.same(3) == 0\n\n\ndef test_kept():\n    assert wrapped.kept(3) == 9\n    assert wrapped.kept(3) == 9\n"},
        [("wrapped.py", 7, "+ → -", SURVIVED), ("wrapped.py", 13, "- → +", KILLED), ("wrapped.py", 18, "* → /", KILLED)]),
    "generators": (
        {"generator.py": "def squares(values):\n    for value in values:\n        yield value * value\n",
         "test_generator.py": "import generator\n\n\ndef test_it():\n    assert list(generator.squares([2, 3])) == [4, 9]\n"},
        [("generator.py", 3, "* → /", KILLED)]),
    "functions that are awaited": (
        {"awaited.py": "import asyncio\n\n\nasync def add(a, b):\n    await asyncio.sleep(0)\n    return a + b\n\n\nasync def each(values):\n    for value in values:\n        yield value - value\n",
         "test_awaited.py": "import asyncio\n\nimport awaited\n\n\ndef test_add():\n    assert asyncio.run(awaited.add(2, 3)) == 5\n\n\ndef test_each():\n    async def all_of():\n        return [one async for one in awaited.each([2])]\n\n    assert asyncio.run(all_of()) == [0]\n"},
        [("awaited.py", 6, "+ → -", KILLED), ("awaited.py", 11, "- → +", KILLED)]),
    "constants, class bodies and what is called on loading": (
        {"loading.py": "LIMIT = 7\nUNUSED = 8\n\n\nclass Shape:\n    corners = 4\n\n\ndef make(a):\n    return a + a\n\n\nTABLE = make(21)\n",
         "user_of_loading.py": "import loading\n\n\ndef limit():\n    return loading.LIMIT\n",
         "test_loading.py": "import loading\nimport user_of_loading\n\n\ndef test_limit():\n    assert user_of_loading.limit() == 7\n\n\ndef test_corners():\n    assert loading.Shape.corners == 4\n\n\ndef test_table():\n    assert loading.TABLE == 42\n"},
        [("loading.py", 1, "7 → 8", KILLED), ("loading.py", 2, "8 → 9", SURVIVED), ("loading.py", 6, "4 → 5", KILLED),
         ("loading.py", 10, "+ → -", KILLED), ("loading.py", 13, "21 → 22", KILLED)]),
    "constants that others of a package load": (
        {"heat/__init__.py": "", "heat/offsets.py": "KELVIN = 273\n", "heat/table.py": "WIDE = 5\n",
         "heat/convert.py": "import importlib\n\nfrom .offsets import KELVIN\n\nHIDDEN = importlib.import_module('heat.ta' + 'ble')\n\n\ndef convert(a):\n    return a + KELVIN\n",
         "heat_helper.py": "import heat.convert\n\n\ndef shown(a):\n    return str(heat.convert.convert(a))\n",
         "test_heat.py": "import heat_helper\n\n\ndef test_shown():\n    assert heat_helper.shown(10) == '283'\n\n\ndef test_hidden():\n    assert heat_helper.heat.convert.HIDDEN.WIDE == 5\n"},
        [("heat/offsets.py", 1, "273 → 274", KILLED), ("heat/table.py", 1, "5 → 6", KILLED),
         ("heat/convert.py", 9, "+ → -", KILLED)]),
    "tests made of values that the code gives": (
        {"values.py": "COUNT = 3\n\n\ndef half(a):\n    return a // 2\n",
         "test_values.py": "import pytest\nimport values\n\n\n@pytest.mark.parametrize('value', range(values.COUNT))\ndef test_half(value):\n    assert values.half(value * 2) == value\n"},
        [("values.py", 1, "3 → 4", SURVIVED), ("values.py", 5, "// → /", SURVIVED), ("values.py", 5, "2 → 3", KILLED)]),
    "tests of unittest": (
        {"united.py": "def add(a, b):\n    return a + b\n\n\ndef less(a, b):\n    return a - b\n",
         "test_united.py": "import unittest\n\nimport united\n\n\nclass TestAll(unittest.TestCase):\n    def setUp(self):\n        self.one = 1\n\n    def test_add(self):\n        self.assertEqual(united.add(self.one, 2), 3)\n\n    def test_parts(self):\n        for value in (0, 1):\n            with self.subTest(value=value):\n                self.assertEqual(united.less(5, value), 5 - value)\n"},
        [("united.py", 2, "+ → -", KILLED), ("united.py", 6, "- → +", KILLED)]),
    "fixtures of a session, a module and a conftest": (
        {"fixed/base.py": "def session_value(a):\n    return a + a\n\n\ndef module_value(a):\n    return a * a\n",
         "fixed/conftest.py": "import pytest\nimport base\n\n\n@pytest.fixture(scope='session')\ndef whole():\n    return base.session_value(4)\n",
         "fixed/test_fixed.py": "import base\nimport pytest\n\n\n@pytest.fixture(scope='module')\ndef part():\n    return base.module_value(3)\n\n\ndef test_first(whole, part):\n    assert part == 9\n\n\ndef test_second(whole):\n    assert whole == 8\n"},
        [("fixed/base.py", 2, "+ → -", KILLED), ("fixed/base.py", 6, "* → /", KILLED)]),
    "fixtures of pytest itself": (
        {"noted.py": "def add(a, b):\n    return a + b\n\n\ndef less(a, b):\n    return a - b\n",
         "test_noted.py": "import os\nimport pathlib\n\nimport noted\n\n\ndef test_folder(tmp_path, monkeypatch):\n    monkeypatch.chdir(tmp_path)\n    (tmp_path / 'a').write_text(str(noted.add(2, 3)))\n    assert pathlib.Path('a').read_text() == '5'\n\n\ndef test_old_folder(tmpdir, capsys, caplog, recwarn, request):\n    print(noted.less(5, 2))\n    assert (capsys.readouterr().out, os.listdir(str(tmpdir)), request.node.name) == ('3\\n', [], 'test_old_folder')\n"},
        [("noted.py", 2, "+ → -", KILLED), ("noted.py", 6, "- → +", KILLED)]),
    "tests that start processes": (
        {"started.py": "import sys\n\n\ndef main(a):\n    return a + a\n\n\nif __name__ == '__main__':\n    print(main(len(sys.argv)))\n",
         "test_started.py": "import os\nimport subprocess\nimport sys\n\n\ndef test_it():\n    folder = os.path.dirname(os.path.abspath(__file__))\n    answer = subprocess.run([sys.executable, os.path.join(folder, 'started.py')], capture_output=True, text=True)\n    assert answer.stdout == '2\\n'\n"},
        [("started.py", 5, "+ → -", KILLED)]),
    "tests that run a file by themselves": (
        {"run_by_path.py": "VALUE = 5\n",
         "test_run_by_path.py": "import os\nimport runpy\n\n\ndef test_it():\n    found = runpy.run_path(os.path.join(os.path.dirname(__file__), 'run_by_path.py'))\n    assert found['VALUE'] == 5\n"},
        [("run_by_path.py", 1, "5 → 6", KILLED)]),
    "doctests": (
        {"documented.py": 'def add(a, b):\n    """Sum.\n\n    >>> add(2, 3)\n    5\n    """\n    return a + b\n'},
        [("documented.py", 7, "+ → -", KILLED)]),
    "code that a test replaces": (
        {"patched.py": "def price():\n    return 10\n\n\ndef total(count):\n    return price() * count\n",
         "test_patched.py": "import patched\n\n\ndef test_total(monkeypatch):\n    monkeypatch.setattr(patched, 'price', lambda: 2)\n    assert patched.total(3) == 6\n"},
        [("patched.py", 2, "10 → 11", UNTESTED), ("patched.py", 6, "* → /", KILLED)]),
    "tests that are expected to fail, and that skip": (
        {"expected.py": "def add(a, b):\n    return a + b\n\n\ndef less(a, b):\n    return a - b\n\n\ndef times(a, b):\n    return a * b\n",
         "test_expected.py": "import expected\nimport pytest\n\n\n@pytest.mark.xfail(reason='known')\ndef test_add():\n    assert expected.add(2, 2) == 4\n\n\ndef test_less():\n    if expected.less(3, 1) != 2:\n        pytest.skip('not here')\n\n\n@pytest.mark.skip(reason='later')\ndef test_times():\n    assert expected.times(2, 3) == 6\n"},
        [("expected.py", 2, "+ → -", UNTESTED), ("expected.py", 6, "- → +", SURVIVED), ("expected.py", 10, "* → /", UNTESTED)]),
    "files that are loaded again": (
        {"reloaded.py": "def add(a, b):\n    return a + b\n",
         "test_reloaded.py": "import importlib\n\nimport reloaded\n\n\ndef test_it():\n    assert importlib.reload(reloaded).add(2, 3) == 5\n"},
        [("reloaded.py", 2, "+ → -", KILLED)]),
    "files that a test loads late": (
        {"late.py": "def add(a, b):\n    return a + b\n",
         "test_late.py": "def test_it():\n    import late\n\n    assert late.add(2, 3) == 5\n"},
        [("late.py", 2, "+ → -", KILLED)]),
    "dataclasses and defaults": (
        {"datas.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Point:\n    x: int = 3\n\n    def twice(self):\n        return self.x + self.x\n\n\ndef shift(a, by=5):\n    return a + by\n",
         "test_datas.py": "import datas\n\n\ndef test_point():\n    assert (datas.Point().x, datas.Point(2).twice()) == (3, 4)\n\n\ndef test_shift():\n    assert datas.shift(2) == 7\n"},
        [("datas.py", 6, "3 → 4", KILLED), ("datas.py", 9, "+ → -", KILLED),
         ("datas.py", 13, "+ → -", KILLED)]),
    "names with two underscores": (
        {"mangled.py": "class Safe:\n    def __secret(self, a):\n        return a + a\n\n    def open(self, a):\n        return self.__secret(a) * a\n",
         "test_mangled.py": "import mangled\n\n\ndef test_it():\n    assert mangled.Safe().open(3) == 18\n"},
        [("mangled.py", 3, "+ → -", KILLED), ("mangled.py", 6, "* → /", KILLED)]),
    "functions in functions, and several on one line": (
        {"nested.py": "def outer(a):\n    def inner(b):\n        return b - a\n    return inner(a) + a\n\n\nPAIR = (lambda a: a + a, lambda a: a + a)\nKEYS = [lambda a: a * a, lambda a: a - a]\n",
         "test_nested.py": "import nested\n\n\ndef test_outer():\n    assert nested.outer(3) == 3\n\n\ndef test_first():\n    assert nested.PAIR[0](3) == 6\n\n\ndef test_keys():\n    assert [key(3) for key in nested.KEYS] == [9, 0]\n"},
        [("nested.py", 3, "- → +", KILLED), ("nested.py", 4, "+ → -", KILLED), ("nested.py", 7, "+ → -", KILLED),
         ("nested.py", 7, "+ → -", SURVIVED), ("nested.py", 8, "* → /", KILLED), ("nested.py", 8, "- → +", KILLED)]),
    "expressions over several lines": (
        {"long.py": "def total(values):\n    return sum(\n        value\n        * 2\n        for value in values\n        if value\n        - 1\n    )\n",
         "test_long.py": "import long\n\n\ndef test_it():\n    assert long.total([1, 2]) == 4\n"},
        [("long.py", 3, "* → /", KILLED), ("long.py", 4, "2 → 3", KILLED), ("long.py", 6, "- → +", KILLED),
         ("long.py", 7, "1 → 2", KILLED)]),
    "line ends and encodings": (
        {"ends.py": b"def add(a, b):\r\n    text = 'x'\r\n    return a + b\r\n",
         "letters.py": "# -*- coding: latin-1 -*-\ndef size(text):\n    return len(text) + len('äöü')\n".encode("latin-1"),
         "marked.py": b"\xef\xbb\xbfdef less(a, b):\n    return a - b\n",
         "test_ends.py": "import ends\nimport letters\nimport marked\n\n\ndef test_add():\n    assert ends.add(2, 3) == 5\n\n\ndef test_size():\n    assert letters.size('a') == 4\n\n\ndef test_less():\n    assert marked.less(3, 1) == 2\n"},
        [("ends.py", 3, "+ → -", KILLED), ("letters.py", 3, "+ → -", KILLED), ("marked.py", 2, "- → +", KILLED)]),
    "a package below src, and one without a file of its own": (
        {"src/inner/__init__.py": "from inner.parts import add\n\nSTEP = 2\n",
         "src/inner/parts.py": "def add(a, b):\n    return a + b\n",
         "src/open_space/tool.py": "def less(a, b):\n    return a - b\n",
         "tests/test_inner.py": "import inner\nimport open_space.tool\n\n\ndef test_add():\n    assert inner.add(2, 3) == 5\n\n\ndef test_step():\n    assert inner.STEP == 2\n\n\ndef test_less():\n    assert open_space.tool.less(3, 1) == 2\n"},
        [("src/inner/__init__.py", 3, "2 → 3", KILLED), ("src/inner/parts.py", 2, "+ → -", KILLED),
         ("src/open_space/tool.py", 2, "- → +", KILLED)]),
    "tests inside the package": (
        {"whole/__init__.py": "", "whole/core.py": "def add(a, b):\n    return a + b\n", "whole/tests/__init__.py": "",
         "whole/tests/test_core.py": "from whole.core import add\n\n\ndef test_it():\n    assert add(2, 3) == 5\n"},
        [("whole/core.py", 2, "+ → -", KILLED)]),
    "warnings that are errors": (
        {"warned.py": "import warnings\n\n\ndef warn(a):\n    if a - 1:\n        warnings.warn('odd')\n    return None\n",
         "test_warned.py": "import warned\n\n\ndef test_it():\n    assert warned.warn(1) is None\n"},
        [("warned.py", 5, "- → +", KILLED), ("warned.py", 5, "1 → 2", KILLED)]),
    "code that ends its process": (
        {"leaving.py": "import os\nimport sys\n\n\ndef leave(a):\n    if a - 1:\n        os._exit(0)\n    return a\n\n\ndef quit(a):\n    if a - 1:\n        sys.exit(0)\n    return a\n\n\nif len(sys.path) - len(sys.path):\n    sys.exit(0)\n",
         "test_leaving.py": "import leaving\n\n\ndef test_leave():\n    assert leaving.leave(1) == 1\n\n\ndef test_quit():\n    assert leaving.quit(1) == 1\n"},
        [("leaving.py", 7, "0 → 1", UNTESTED), ("leaving.py", 13, "0 → 1", UNTESTED), ("leaving.py", 18, "0 → 1", UNTESTED),
         ("leaving.py", 6, "- → +", KILLED), ("leaving.py", 6, "1 → 2", KILLED), ("leaving.py", 12, "- → +", KILLED),
         ("leaving.py", 12, "1 → 2", KILLED), ("leaving.py", 17, "- → +", KILLED)]),
}
SETTINGS = {"pytest.ini": "[pytest]\npythonpath = . src fixed\naddopts = --doctest-modules --import-mode=importlib\nfilterwarnings = error\n"}
