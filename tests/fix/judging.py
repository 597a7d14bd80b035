"""Small projects, and proposals for them judged in a real sandbox."""

from __future__ import annotations

from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, Proposal
from windtunnel.engine.fix.judge import Judge

QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""What is installed beside Windtunnel has nothing to do with these projects, and takes time to load."""
CODE = "import os\nimport sys\n\n\ndef act(a):\n    return a - 1\n\n\ndef other(a):\n    return a * 2\n"
TESTS = ("import odd\n\n\ndef test_act():\n    assert odd.act(1) == 2\n\n\n"
         "def test_other():\n    assert odd.other(2) == 4\n")
FAILING, PASSING = "test_odd.py::test_act", "test_odd.py::test_other"
GOOD = CODE.replace("a - 1", "a + 1")


def write(folder, files):
    """The files in a folder of their own."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def odd(folder, *, code=CODE, tests=TESTS, **more):
    """A project of one module, whose ``act`` is wrong."""
    return write(folder, {"odd.py": code, "test_odd.py": tests, **more})


def proposal(text, *, path="odd.py", **more):
    """One that replaces a file; ``more`` are other files, with two underscores for a slash."""
    edits = (FileEdit(path=path, text=text), *(FileEdit(path=name.replace("__", "/") + ".py", text=new) for name, new in more.items()))
    return Proposal(edits=edits, origin="search", name="test", reason="a test", place=Place(file=path, line=1), prior=0.5)


def acting(body):
    """The module with another body of ``act``."""
    return proposal(CODE.replace("    return a - 1\n", body))


def judge_for(tunnel, project, **options):
    """To be used in ``with``; two at a time."""
    return Judge(tunnel.rig, project, **{"test": "pytest", "env": QUICK, "jobs": 2, **options})


def judged(tunnel, project, proposals, *, tests=(FAILING,), observe=False, **options):
    """What becomes of proposals, in a sandbox of their own."""
    with judge_for(tunnel, project) as judge:
        if observe:
            judge.observe()
        return list(judge.judge(proposals, tests=tests, **options))


def plain(judgements):
    """Without keys and seconds."""
    return [(sorted(one.passed), sorted(one.failed), one.error, one.good) for one in judgements]
