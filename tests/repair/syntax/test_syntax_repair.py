from __future__ import annotations

import ast

import pytest
from syntax_faults import broken

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene
from windtunnel.repair.syntax import propose, repair

FAULTS = {
    "if x\n    y()\n": "if x:\n    y()\n",
    "print('a'\nb = 1\n": "print('a')\nb = 1\n",
    "x = [1, 2\ny = 3\n": "x = [1, 2]\ny = 3\n",
    "x = 'abc\n": "x = 'abc'\n",
    "f(a b)\n": "f(a, b)\n",
    "if x = 1:\n    y()\n": "if x == 1:\n    y()\n",
    "def f():\nreturn 1\n": "def f():\n    return 1\n",
    "def f():\n    x = 1\n      return x\n": "def f():\n    x = 1\n    return x\n",
    "for x range(3):\n    y(x)\n": "for x in range(3):\n    y(x)\n",
    "def f(x):\n    retrun x\n": "def f(x):\n    return x\n",
    "improt os\n": "import os\n",
    "whlie x:\n    y()\n": "while x:\n    y()\n",
    "if x:\n    y()\nesle:\n    z()\n": "if x:\n    y()\nelse:\n    z()\n",
    "if x:\n    y()\nelse if z:\n    w()\n": "if x:\n    y()\nelif z:\n    w()\n",
    "if x && y:\n    z()\n": "if x and y:\n    z()\n",
    "if x || y:\n    z()\n": "if x or y:\n    z()\n",
    "if !x:\n    y()\n": "if not x:\n    y()\n",
    "x++\n": "x += 1\n",
    "print x\n": "print(x)\n",
    "try:\n    x()\nexcept A, e:\n    y()\n": "try:\n    x()\nexcept A as e:\n    y()\n",
    "def f:\n    return 1\n": "def f():\n    return 1\n",
    "class A\n    x = 1\n": "class A:\n    x = 1\n",
    "f(self, x):\n    return x\n": "def f(self, x):\n    return x\n",
    "def f():\n\ny = 1\n": "def f():\n    pass\n\ny = 1\n",
    "x = \u201cabc\u201d\n": 'x = "abc"\n',
    "x = 007\n": "x = 7\n",
    "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n": "x = 1\n",
    "import numpy np\n": "import numpy as np\n",
    "x = {'a' = 1}\n": "x = {'a': 1}\n",
    "x = a if b els c\n": "x = a if b else c\n",
    "x = [y for y i z]\n": "x = [y for y in z]\n",
    "if True:\n    x = 1\n\ty = 2\n": "if True:\n    x = 1\n    y = 2\n",
    "while (x > 1:\n    y()\n": "while (x > 1):\n    y()\n",
    "with open(a) f:\n    y()\n": "with open(a) as f:\n    y()\n",
    "lambda x x\n": "lambda x: x\n",
    "from a import (b, c\nx = 1\n": "from a import (b, c)\nx = 1\n",
    "def f(a, b:\n    return a\n": "def f(a, b):\n    return a\n",
    "x = d['a'\ny = 2\n": "x = d['a']\ny = 2\n",
    "x = a > b ? a : b\n": "x = a if a > b else b\n",
    "x = 1\nthe last one wins here\ny = 2\n": "x = 1\n# the last one wins here\ny = 2\n",
    "x = 'the 'best' one'\n": "x = 'the \"best\" one'\n",
    "def f(a):\n    return f'{a is here'\n": "def f(a):\n    return f'{a} is here'\n",
    "def f(first_one):\n    return first one\n": "def f(first_one):\n    return first_one\n",
    "def f(a):\n    await a\n": "async def f(a):\n    await a\n",
    "try:\n    x()\ncatch A:\n    y()\n": "try:\n    x()\nexcept A:\n    y()\n",
    "if x then\n    y()\n": "if x:\n    y()\n",
    "x - = 1\n": "x -= 1\n",
}


def _first(text):
    return next(repair(text, path="a.py"), None)


def test_the_first_repair_of_known_faults_is_the_expected_tree():
    wrong = {text: made for text, fixed in FAULTS.items() if (made := _first(text)) is None or ast.dump(ast.parse(made)) != ast.dump(ast.parse(fixed))}

    assert wrong == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_single_faults_in_real_files_get_their_tree_back_at_the_first_repair():
    faults = list(broken(80, seed=7))

    right = [fault for fault in faults if (made := _first(fault.text)) is not None and ast.dump(ast.parse(made)) == fault.tree]

    assert len(right) >= 0.85 * len(faults), sorted({fault.operator for fault in faults if fault not in right})


def test_every_repair_compiles_and_none_is_told_twice():
    texts = list(repair("def f(a, b:\n    retrun a\n", path="a.py"))
    texts += list(repair("x = [1, (2, 3]\n", path="a.py"))

    for text in texts:
        compile(text, "a.py", "exec")
    assert len(set(texts)) == len(texts)


def test_a_text_that_compiles_is_left_alone():
    assert list(repair("x = 1\n", path="a.py")) == []


@pytest.mark.parametrize("text", ["\0", "(" * 3000, "'" * 999, '"""', "\\", "\t \t x", "\ud800 =", "def " * 500, "[{(" * 300, "f'{'", "\r(\r", "é" * 50 + " ("])
def test_no_text_breaks_the_repair(text):
    made = [compile(fixed, "a.py", "exec") for fixed in repair(text, path="a.py")]

    assert all(code.co_filename == "a.py" for code in made)


def _scene(text, *, kind="syntax", paths=("a.py", "b.py")):
    files = {"a.py": text, "b.py": "x = (\n"}
    return Scene(paths=paths, read=files.get, problems=(Problem(kind=kind, message="invalid syntax", place=Place(file="a.py", line=1)),))


def test_a_proposal_is_the_whole_text_with_a_reason_and_the_place_of_the_fault():
    first = next(propose(_scene("def f(x)\n    return x\n")))

    assert [(edit.path, edit.text) for edit in first.edits] == [("a.py", "def f(x):\n    return x\n")]
    assert (first.origin, first.name, first.place.file, first.place.line, first.prior) == ("syntax", "syntax", "a.py", 1, 0.9)
    assert first.reason == "a.py does not parse at line 1 (expected ':'): missing :."


def test_files_that_may_not_be_changed_get_no_proposal():
    assert list(propose(_scene("def f(x)\n", paths=()))) == []


def test_nothing_is_looked_for_where_no_problem_is_about_syntax():
    assert list(propose(_scene("def f(x)\n", kind="type"))) == []
