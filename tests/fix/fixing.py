"""Small projects with faults, a source of proposals that knows a few edits, and a bench that runs nothing."""

from __future__ import annotations

from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, Judgement, Proposal
from windtunnel.engine.fix.base import Base, Texts
from windtunnel.engine.fix.bench import Seen
from windtunnel.engine.fix.node import Node
from windtunnel.engine.fix.validate import Validator

QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
PYTEST = {"test": "pytest", "build": "", "lint": "", "env": QUICK}
CALC = "def add(a, b):\n    return a - b\n\n\ndef small(a):\n    return a < 5\n"
TESTS = """import calc


def test_add():
    assert calc.add(2, 3) == 5


def test_zero():
    assert calc.add(0, 0) == 0


def test_small():
    assert calc.small(5)


def test_large():
    assert not calc.small(7)
"""
TWO_FAULTS = {"calc.py": CALC, "test_calc.py": TESTS}
ONE_FAULT = {"calc.py": CALC.replace("<", "<="), "test_calc.py": TESTS}
NO_FAULT = {"calc.py": CALC.replace("<", "<=").replace("a - b", "a + b"), "test_calc.py": TESTS}
EDITS = ((" - ", " * "), (" - ", " + "), (" < ", " <= "), (" 5", " 6"))


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def proposal(path, text, **fields):
    given = {"origin": "search", "name": "operator", "reason": "a sign becomes another", "prior": 0.1,
             "place": Place(file=path, line=1)}
    return Proposal(edits=(FileEdit(path=path, text=text),), **{**given, **fields})


def signs(scene):
    """Other signs wherever they stand, in the order of the table."""
    for path in scene.paths:
        text = scene.read(path) or ""
        for old, new in EDITS:
            at = text.find(old)
            while at >= 0:
                yield proposal(path, text[:at] + new + text[at + len(old):], reason=f"`{old.strip()}` becomes `{new.strip()}`",
                               place=Place(file=path, line=text.count("\n", 0, at) + 1))
                at = text.find(old, at + 1)


class Bench:
    """Says of each proposal what a function of its texts says: the names that fail."""

    after_good = 32

    def __init__(self, fails):
        self.fails, self.asked = fails, []

    def judge(self, proposals, *, tests, stop_at_first_failure, stop_after_good, seconds):
        good = 0
        for one in proposals:
            texts = {edit.path: edit.text for edit in one.edits}
            self.asked.append((one.key, tuple(tests)))
            failed = frozenset(self.fails(texts)) & frozenset(tests)
            answer = Judgement(key=one.key, passed=frozenset(tests) - failed, failed=failed)
            yield answer
            good += answer.good
            if stop_after_good is not None and good >= stop_after_good:
                return


def opener(files, fails, propose):
    """A function that makes nodes for a project of texts, and the bench that they share."""
    bench = Bench(fails)

    def open_node(base, earlier):
        texts = {**files, **base.texts}
        every = set(fails({})) | {"always"}
        failing = tuple(sorted(fails(texts)))
        validator = Validator(base, may=lambda path: path in files, earlier=earlier)
        return Node(base=base, seen=Seen(failing=failing, passing=tuple(sorted(every - set(failing))),
                                         groups=tuple(frozenset({name}) for name in failing)),
                    bench=bench, validator=validator, stream=validator(propose(base)))

    return open_node, bench


def base_of(files):
    return Base(folder=Texts(files))
