"""Parts of the judge's scripts by themselves: words believed, files put back, code told apart."""

from __future__ import annotations

import ast
import os
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import windtunnel.repair
from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, Proposal
from windtunnel.engine.fix.judge_texts import splices
from windtunnel.repair.scripts import RUNNER, scripts

INSIDE = Path(windtunnel.repair.__file__).parent / "inside"


@pytest.fixture(scope="module")
def inside():
    """The scripts as they lie beside each other in a sandbox."""
    before = set(sys.modules)
    sys.path.insert(0, str(INSIDE))
    try:
        import windtunnel_repair_code as code
        import windtunnel_repair_trace as trace
        import windtunnel_repair_tree as tree
        import windtunnel_repair_words as words
    finally:
        sys.path.remove(str(INSIDE))
    yield types.SimpleNamespace(code=code, trace=trace, tree=tree, words=words)
    for name in set(sys.modules) - before:
        if name.startswith("windtunnel_repair"):
            del sys.modules[name]


def looks(folder):
    return {str(path.relative_to(folder)): (path.is_symlink(), oct(path.lstat().st_mode), path.read_bytes() if path.is_file() else b"")
            for path in folder.rglob("*")}


def test_the_runner_and_all_beside_it_are_laid_into_the_sandbox():
    assert set(scripts()) == {path.name for path in INSIDE.glob("*.py")} >= {RUNNER}


def test_every_script_is_of_a_python_that_projects_may_have():
    assert [type(ast.parse(data, feature_version=(3, 8))) for data in scripts().values()] == [ast.Module] * len(scripts())


# --- words ---


def test_a_word_without_the_token_is_not_believed_and_one_with_it_is(inside):
    data = b'[0, "passed"]\n' + b"b" * 32 + b' [1, "passed"]\n' + b"a" * 32 + b' [2, "passed"]\n'

    assert inside.words.read(data, "a" * 32) == ([[2, "passed"]], False)


def test_only_a_last_word_ends_an_answer(inside):
    token = "a" * 32

    assert [inside.words.read(f"{token} {word}\n".encode(), token)[1] for word in ('{"wrote": false}', "{}", "[]", "", "{")] == [True, False, False, False, False]


@given(some.binary(max_size=200))
def test_whatever_is_written_reading_it_raises_nothing(inside, data):
    assert inside.words.read(data, "a" * 32) == ([], False)


def test_an_answer_reaches_the_other_end_with_its_token(inside):
    read, write = os.pipe()
    answer = inside.words.Answer(write, "a" * 32)
    answer.say([1, "passed"])
    os.close(answer.descriptor)
    with os.fdopen(read, "rb") as file:
        assert file.read() == b"a" * 32 + b' [1, "passed"]\n'


# --- files ---


def test_whatever_is_done_to_the_files_they_become_what_they_were(inside, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "one.py").write_text("one")
    (tmp_path / "two.py").write_text("two")
    (tmp_path / "link").symlink_to("two.py")
    before, tree = looks(tmp_path), inside.tree.Tree(str(tmp_path))

    (tmp_path / "pack" / "one.py").unlink()
    (tmp_path / "pack").rmdir()
    (tmp_path / "two.py").write_text("2")
    (tmp_path / "link").unlink()
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "new.py").write_text("new")
    (tmp_path / "pack").write_text("a file now")
    seen = tree.changed(), tree.restore(), tree.changed()

    assert (seen, looks(tmp_path)) == ((True, True, False), before)


def test_a_file_whose_time_and_size_were_forged_is_seen_to_differ(inside, tmp_path):
    path = tmp_path / "one.py"
    path.write_text("one")
    tree, before = inside.tree.Tree(str(tmp_path)), path.stat()
    path.write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert (tree.changed(), tree.restore(), path.read_text()) == (True, True, "one")


# --- code ---


def proposal_of(path, text):
    return Proposal(edits=(FileEdit(path=path, text=text),), origin="search", name="", reason="", place=Place(file=path), prior=0.5)


def pairs(inside, before, after, *, path="/nowhere/odd.py"):
    """What is switched, by name; None where it must be loaded."""
    sources = inside.code.Sources({path: before.encode()})
    (_, start, end, new), = splices(proposal_of(path, after), lambda _: before.encode())
    found = sources.pairs((path, start, end, new.encode("latin-1")))
    return None if found is None else [old.co_name for old, _ in found]


BODY = "import os\n\n\ndef act(a, b=1):\n    return a - b\n\n\nclass Many:\n    x = 1\n\n    def one(self):\n        def inner():\n            return 1\n        return inner\n"


@pytest.mark.parametrize(("old", "new", "switched"), [
    ("a - b", "a + b", ["act"]), ("return 1", "return True", ["one"]), ("return inner", "return inner()", ["one"]), ("a - b", "a - b", []),
    ("    return a - b", "    if a:\n        return b\n    return a - b", ["act"]),
    ("b=1", "b=2", None), ("x = 1", "x = 2", None), ("import os", "import sys", None), ("def act", "def acts", None), ("a - b", "a -", None), ("import os\n", "", None),
    ("a - b\n", "a - b\n\n\ndef more():\n    return 1\n", None)])
def test_only_what_changes_nothing_when_it_is_loaded_is_switched(inside, old, new, switched):
    assert pairs(inside, BODY, BODY.replace(old, new, 1)) == switched


@pytest.mark.parametrize("text", ["# -*- coding: latin-1 -*-\ndef act():\n    return 1\n", "def act(): return 1; x = 2\n", "def act():\r\n    return 1\r\n", "\ufeffdef act():\n    return 1\n"])
def test_a_file_whose_lines_are_counted_in_other_ways_is_never_switched_wrongly(inside, text):
    assert pairs(inside, text, text.replace("return 1", "return 2")) in (None, ["act"])


def test_a_function_that_loading_called_is_not_switched(inside, tmp_path):
    path = tmp_path / "live.py"
    path.write_text("def act():\n    return 1\n")
    space = {}
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), space)
    sources = inside.code.Sources({str(path): path.read_bytes()})
    found = sources.pairs((str(path), 22, 23, b"2"))
    ran = inside.code.Live(sources, {id(space["act"].__code__)})
    idle = inside.code.Live(sources, set())

    assert (ran.switch(str(path), found), space["act"](), idle.switch(str(path), found), space["act"]()) == (False, 1, True, 2)


def test_a_function_that_calls_what_its_module_imports_is_found(inside, tmp_path):
    path = tmp_path / "calls.py"
    path.write_text("try:\n    import collections\nexcept ImportError:\n    pass\nimport os.path as way\n\n\ndef act():\n    return collections.OrderedDict(a=way.join('a', 'b'))\n")
    space = {}
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), space)
    sources = inside.code.Sources({str(path): path.read_bytes()})
    at = path.read_bytes().index(b"'b'")
    found = sources.pairs((str(path), at, at + 3, b"'c'"))

    assert (inside.code.Live(sources, set()).switch(str(path), found), space["act"]()) == (True, {"a": "a/c"})


def test_splices_give_the_whole_new_bytes(inside):
    assert inside.code.applied({"a": b"one two"}, [("a", 4, 7, b"2"), ("b", 0, 0, b"new")]) == {"a": b"one 2", "b": b"new"}


# --- lines ---


def test_lines_frames_and_types_of_watched_files_alone_are_seen(inside, tmp_path):
    path = tmp_path / "seen.py"
    path.write_text("def act(a):\n    b = [a]\n    if a:\n        b = b[3]\n    return b\n")
    space = {}
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), space)
    tracer = inside.trace.Tracer([str(path)])
    before = sys.gettrace()
    tracer.start(typing=True)
    try:
        space["act"](1)
    except IndexError as error:
        raised = error
    finally:
        lines = tracer.stop()
        sys.settrace(before)

    assert sorted(line for _, line in lines) == [2, 3, 4]
    assert tracer.frames(raised) == [(str(path), 4)]
    assert tracer.types == {f"{path}:1": {"a": {"int"}, "b": {"list"}}}


def test_a_function_that_runs_for_long_is_left_alone(inside, tmp_path):
    path = tmp_path / "long.py"
    path.write_text("def act(n):\n    for i in range(n):\n        i += 1\n    return n\n")
    space = {}
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), space)
    tracer = inside.trace.Tracer([str(path)])
    before = sys.gettrace()
    tracer.start(typing=False)
    space["act"](3 * inside.trace.MOST_IDLE)
    lines = tracer.stop()
    sys.settrace(before)

    assert ({line for _, line in lines}, {line for _, line in tracer.assumed}) == ({2, 3}, {4})
