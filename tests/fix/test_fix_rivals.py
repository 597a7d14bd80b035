"""A fix beside others that pass the same tests."""

import sys

import pytest
from judging import write

from windtunnel.config import Settings
from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, FixState, Proposal
from windtunnel.tunnel import Tunnel

DOUBLE = "def double(n):\n    return n\n"
TESTS = "from double import double\n\n\ndef test_two():\n    assert double(2) == 4\n\n\ndef test_none():\n    assert double(0) == 0\n"
MORE = "\n\ndef test_more():\n    assert [double(n) for n in (1, 5, -3)] == [2, 10, -6]\n"


def offering(*answers):
    """A source of these and of nothing else, the first the likeliest."""
    def propose(scene):
        for number, answer in enumerate(answers):
            yield Proposal(
                edits=(FileEdit(path="double.py", text=f"def double(n):\n    return {answer}\n"),), origin="user",
                name=f"rule-{number}", reason=f"returns {answer}", place=Place(file="double.py", line=2), prior=0.98 - number / 100)

    return propose


@pytest.fixture
def fix(tmp_path):
    project = write(tmp_path / "project", {"double.py": DOUBLE, "test_double.py": TESTS})

    def fixed(*answers, more=""):
        (project / "test_double.py").write_text(TESTS + more)
        return tunnel.fix(project, test=f"{sys.executable} -m pytest", sources=[offering(*answers)], attempts=len(answers))

    with Tunnel(Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache"), pool_size=0) as tunnel:
        yield fixed


def test_a_fix_is_doubted_where_another_passes_too_and_answers_otherwise(fix):
    result = fix("n * 2", "n ** 2")

    assert (result.state, "+    return n * 2" in result.diff) == (FixState.DOUBTED, True)
    assert "another edit passes the same tests" in result.warnings[-1]
    assert result.question.startswith("double(n=")
    assert "with another that passes the same tests" in result.question


def test_fixes_that_answer_alike_leave_no_question(fix):
    result = fix("n * 2", "n + n", more=MORE)

    assert (result.state, result.question, len(result.alternatives)) == (FixState.FIXED, "", 1)


def test_a_fix_that_the_others_outvote_is_doubted(fix):
    result = fix("n + n", "n * n", "abs(n) * abs(n)", "-n * -n", "pow(n, 2)")

    assert (result.state, "+    return n + n" in result.diff) == (FixState.DOUBTED, True)
    assert "it may mend only what the tests look at" in result.warnings[-1]
