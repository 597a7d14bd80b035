"""The script that records calls and answers them again, run as the sandbox runs it, on code of our own."""

import json
import subprocess
import sys

import pytest

from windtunnel.engine.improve.answers import compared
from windtunnel.mutation.alternatives.scripts import scripts
from windtunnel.speedups.scripts import script

METHOD = "class Cart:\n    def __init__(self, items):\n        self.items = items\n\n    def has(self, limit):\n        return {body}\n"
CART = "from shop import Cart\n\nfor limit in (1, 30, 9000):\n    Cart(list(range(5000))).has(limit)\n    Cart([4, 2]).has(limit)\n"


class Place:
    """A project with one function, and our scripts beside it."""

    def __init__(self, folder, target, workload):
        self.project, self.own = folder / "project", folder / "own"
        self.project.mkdir()
        self.own.mkdir()
        for name in ("windtunnel_doubt_inputs.py", "windtunnel_doubt_values.py"):
            (self.own / name).write_bytes(scripts()[name])
        (self.own / "answers.py").write_bytes(script("windtunnel_answers.py"))
        (self.own / "plan.json").write_text(json.dumps([{"path": "shop.py", "name": target}]))
        (self.project / "workload.py").write_text(workload)

    def run(self, text, mode, last):
        (self.project / "shop.py").write_text(text)
        command = [sys.executable, "-B", str(self.own / "answers.py"), str(self.own / "report.json"), mode,
                   str(self.own / "plan.json"), last]
        subprocess.run(command, cwd=self.project, check=True, timeout=60)
        return json.loads((self.own / "report.json").read_text())

    def alike(self, old, new):
        calls = self.run(old, "record", "workload.py")
        (self.own / "calls.json").write_text(json.dumps(calls))
        return compared(*(self.run(text, "answer", str(self.own / "calls.json")) for text in (old, old, new)))


def test_a_method_of_a_large_object_answers_alike_without_its_list(tmp_path):
    place = Place(tmp_path, "Cart.has", CART)

    found = place.alike(METHOD.format(body="any([item > limit for item in self.items])"),
                        METHOD.format(body="any(item > limit for item in self.items)"))

    assert found.difference == ""
    assert found.compared > 50


@pytest.mark.parametrize(("old", "new", "shown"), [
    ("def f(x):\n    return sorted(x)[0] if x else None\n", "def f(x):\n    return max(x) if x else None\n", "gave"),
    ("def f(x):\n    return x + [1]\n", "def f(x):\n    x.append(1)\n    return x\n", "leaves something else behind"),
    ("def f(x):\n    return list(x)\n", "KEPT = {}\n\n\ndef f(x):\n    return KEPT.setdefault(tuple(x), list(x))\n", "leaves"),
    ("SEEN = []\n\n\ndef f(x):\n    SEEN.append(1)\n    return 1\n", "SEEN = []\n\n\ndef f(x):\n    return 1\n", "shop.SEEN holds"),
    ("def f(x):\n    return sum(x)\n", "def f(x):\n    print(x)\n    return sum(x)\n", "leaves something else behind"),
    ("def f(x):\n    return len(x)\n", "def f(x):\n    while x:\n        pass\n    return 0\n", "no answer in time"),
], ids=["value", "argument", "same object", "module", "printed", "endless"])
def test_what_differs_is_found(tmp_path, old, new, shown):
    place = Place(tmp_path, "f", "from shop import f\n\nf([3, 1, 2])\nf([])\nf([5] * 400)\n")

    assert shown in place.alike(old, new).difference


def test_what_cannot_be_pickled_is_not_compared(tmp_path):
    place = Place(tmp_path, "f", "from shop import f\n\nf(lambda: 1)\n")

    assert place.alike("def f(x):\n    return x()\n", "def f(x):\n    return 1\n").compared == 0


def test_a_function_that_draws_lots_says_nothing(tmp_path):
    place = Place(tmp_path, "f", "from shop import f\n\nf([1, 2])\n")
    text = "import random\n\n\ndef f(x):\n    return random.random()\n"

    assert place.alike(text, text).compared == 0
