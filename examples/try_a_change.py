"""Changes on trial: the verdict compares test by test, cheats are seen, and what is applied can be taken back."""

from __future__ import annotations

import tempfile
from pathlib import Path

from windtunnel import FileChange, Tunnel

WRONG = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n"
TESTS = """\
from calc import add, double


def test_add():
    assert add(2, 3) == 5


def test_double():
    assert double(4) == 8
"""
CHANGES = {
    "fixes": [FileChange("calc.py", "modify", WRONG.replace("a - b", "a + b"))],
    "breaks": [FileChange("calc.py", "modify", WRONG.replace("2 * a", "3 * a"))],
    "cheats": [FileChange("test_calc.py", "modify", TESTS.replace("add(2, 3) == 5", "True"))],
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Tunnel() as tunnel:
        project = Path(folder, "shop")
        project.mkdir()
        (project / "calc.py").write_text(WRONG)
        (project / "test_calc.py").write_text(TESTS)
        results = {name: tunnel.try_change(project, changes, test="pytest") for name, changes in CHANGES.items()}
        for name, result in results.items():
            print(f"{name:8} {result.verdict:9} {'; '.join(result.reasons)}")
        assert [result.success for result in results.values()] == [True, False, False]
        assert (project / "calc.py").read_text() == WRONG
        print("the project was never touched by a trial:", sorted(path.name for path in project.iterdir()))

        tunnel.apply(project, results["fixes"])
        assert (project / "calc.py").read_text() == CHANGES["fixes"][0].new_content
        tunnel.undo(project)
        assert (project / "calc.py").read_text() == WRONG
        print("applied, and taken back")


if __name__ == "__main__":
    main()
