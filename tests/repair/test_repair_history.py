"""Fixes that worked before."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene
from windtunnel.repair.history import History


def _problem(name: str, *, kind: str = "name", file: str = "a.py") -> Problem:
    return Problem(kind=kind, message=f"name '{name}' is not defined", normal="name <name> is not defined",
                   place=Place(file=file, line=2))


def _scene(text: str, *problems: Problem) -> Scene:
    return Scene(paths=("a.py",), read=lambda path: text if path == "a.py" else None, problems=problems)


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "state" / "fixes.jsonl")


def test_the_same_lines_with_the_same_problem_are_changed_again(history: History) -> None:
    history.remember(_problem("prnt"), "spelling", {"b.py": ("x = 1\nprnt(x)\n", "x = 1\nprint(x)\n")})

    (proposal,) = history.propose(_scene("y = 2\nprnt(x)\n", _problem("prnt")))

    assert proposal.edits[0].text == "y = 2\nprint(x)\n"
    assert (proposal.origin, proposal.name, proposal.place.line) == ("history", "spelling", 2)


def test_names_of_the_message_are_holes(history: History) -> None:
    history.remember(_problem("total"), "initial value", {"b.py": (
        "def f(xs):\n    for x in xs:\n        total += x\n",
        "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n")})

    (proposal,) = history.propose(_scene("def f(xs):\n    for y in xs:\n        count += 1\n", _problem("count")))

    assert proposal.edits[0].text == "def f(xs):\n    count = 0\n    for y in xs:\n        count += 1\n"


def test_an_import_goes_to_the_top_of_the_file_with_the_problem(history: History) -> None:
    history.remember(_problem("json"), "missing-import", {"b.py": ("json.loads('1')\n", "import json\njson.loads('1')\n")})

    (proposal,) = history.propose(_scene('"""About."""\n\nre.compile("a")\n', _problem("re")))

    assert proposal.edits[0].text == '"""About."""\n\nimport re\nre.compile("a")\n'


def test_another_problem_brings_nothing_back(history: History) -> None:
    history.remember(_problem("prnt"), "spelling", {"b.py": ("prnt(x)\n", "print(x)\n")})

    assert list(history.propose(_scene("prnt(x)\n", _problem("prnt", kind="type")))) == []


def test_lines_that_stand_twice_are_left_alone(history: History) -> None:
    history.remember(_problem("prnt"), "spelling", {"b.py": ("prnt(x)\n", "print(x)\n")})

    assert list(history.propose(_scene("prnt(x)\nprnt(x)\n", _problem("prnt")))) == []


def test_what_helped_more_often_is_likelier(history: History) -> None:
    for _ in range(3):
        history.remember(_problem("prnt"), "spelling", {"b.py": ("prnt(x)\n", "print(x)\n")})
    history.remember(_problem("prnt"), "deletion", {"b.py": ("prnt(x)\n", "")})

    proposals = list(history.propose(_scene("prnt(x)\n", _problem("prnt"))))

    assert [(one.name, round(one.prior, 1)) for one in proposals] == [("spelling", 0.7), ("deletion", 0.5)]


def test_lines_that_are_not_ours_are_left_out(history: History) -> None:
    history.remember(_problem("prnt"), "spelling", {"b.py": ("prnt(x)\n", "print(x)\n")})
    with history.path.open("ab") as file:
        file.write(b'{"kind": 1}\n\xff\n[]\n{"kind": "a", "normal": "b", "before": 1, "after": "", "name": "d"}\n')

    assert [one.name for one in history.all()] == ["spelling"]


def test_a_link_in_its_place_is_not_followed(history: History, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("kept")
    history.path.parent.mkdir()
    history.path.symlink_to(elsewhere)

    with pytest.raises(OSError, match="symbolic links"):
        history.remember(_problem("prnt"), "spelling", {"b.py": ("prnt(x)\n", "print(x)\n")})
    assert elsewhere.read_text() == "kept"


def test_a_file_that_grew_too_large_forgets_its_oldest_half(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windtunnel.repair.history._MOST_BYTES", 2000)
    for number in range(40):
        history.remember(_problem("prnt"), f"fix {number}", {"b.py": (f"prnt({number})\n", f"print({number})\n")})

    names = [one.name for one in history.all()]
    assert "fix 0" not in names
    assert names[-1] == "fix 39"
    assert history.path.stat().st_size < 3000
