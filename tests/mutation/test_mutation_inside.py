"""Parts of the runner by themselves: files put back, words read, processes that cannot be looked into."""

from __future__ import annotations

import argparse
import inspect
import os
import re
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import windtunnel.mutation

INSIDE = Path(windtunnel.mutation.__file__).parent / "inside"


@pytest.fixture(scope="module")
def inside():
    """The runner's own modules, as they lie beside each other in a sandbox."""
    before = set(sys.modules)
    sys.path.insert(0, str(INSIDE))
    try:
        import windtunnel_mutant_code as code
        import windtunnel_mutant_cuts as cuts
        import windtunnel_mutant_modules as modules
        import windtunnel_mutant_needs as needs
        import windtunnel_mutant_output as output
        import windtunnel_mutant_stage as stage
        import windtunnel_mutant_tree as tree
        import windtunnel_mutant_words as words
    finally:
        sys.path.remove(str(INSIDE))
    yield {"tree": tree, "words": words, "needs": needs, "code": code, "cuts": cuts, "modules": modules,
           "output": output, "stage": stage}
    for name in set(sys.modules) - before:
        if name.startswith("windtunnel_mutant"):
            del sys.modules[name]


def looks(folder):
    return {str(path.relative_to(folder)): (path.is_symlink(), oct(path.lstat().st_mode), path.read_bytes() if path.is_file() else b"")
            for path in folder.rglob("*")}


@pytest.fixture
def tree(inside, tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "data.txt").write_bytes(b"data")
    (tmp_path / "code.py").write_bytes(b"x = 1\n")
    (tmp_path / "link").symlink_to("code.py")
    return inside["tree"].Tree(str(tmp_path))


DEEDS = {
    "a new file": lambda folder: (folder / "deep" / "new.txt").write_text("x"),
    "a new folder": lambda folder: (folder / "more" / "deep").mkdir(parents=True),
    "a changed file": lambda folder: (folder / "code.py").write_text("x = 2222\n"),
    "a removed file": lambda folder: (folder / "code.py").unlink(),
    "a removed folder": lambda folder: __import__("shutil").rmtree(folder / "deep"),
    "a moved file": lambda folder: (folder / "code.py").rename(folder / "moved.py"),
    "another mode": lambda folder: (folder / "code.py").chmod(0o755),
    "a file for a folder": lambda folder: (__import__("shutil").rmtree(folder / "deep"), (folder / "deep").write_text("x")),
    "a folder for a file": lambda folder: ((folder / "code.py").unlink(), (folder / "code.py").mkdir()),
    "a link for a file": lambda folder: ((folder / "code.py").unlink(), (folder / "code.py").symlink_to("/etc/hostname")),
    "another link": lambda folder: ((folder / "link").unlink(), (folder / "link").symlink_to("deep")),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=list(DEEDS))
def test_whatever_a_test_does_to_the_files_is_put_back(tree, tmp_path, deed):
    before = looks(tmp_path)
    deed(tmp_path)

    assert (tree.restore(), looks(tmp_path), tree.lost) == (True, before, {})


def test_where_nothing_changed_nothing_is_done(tree, tmp_path):
    assert tree.restore() is False


def test_a_file_too_large_to_be_kept_is_named(inside, tmp_path, monkeypatch):
    monkeypatch.setattr(inside["tree"], "MOST_BYTES", 3)
    (tmp_path / "large.txt").write_bytes(b"large")
    tree = inside["tree"].Tree(str(tmp_path))
    (tmp_path / "large.txt").write_bytes(b"changed")

    assert (tree.restore(), list(tree.lost)) == (True, [str(tmp_path / "large.txt")])


@given(some.binary(max_size=200))
def test_no_words_of_a_copy_break_their_reader(inside, data):
    word, at = inside["words"].read(data)

    assert isinstance(word, dict)
    assert at is None or isinstance(at, int)


@pytest.mark.parametrize(("status", "fate"), [
    (90 << 8, "survived"), (91 << 8, "killed"), (92 << 8, "timeout"), (0, "crashed"), (1 << 8, "crashed"), (9, "crashed"),
    (24, "timeout"), (27, "timeout"), (None, "lost")])
def test_a_fate_is_how_the_process_ended(inside, status, fate):
    assert inside["words"].fate_of(status, late=False) == fate


def test_an_answer_that_cannot_be_written_is_no_error(inside):
    read, write = os.pipe()
    os.close(read)
    ended = []
    answer = inside["words"].Answer(write)
    answer.leave = ended.append
    try:
        answer.end("survived")
    finally:
        os.close(write)

    assert ended == [90]


def test_a_file_needs_what_its_words_name_and_what_those_name(inside, tmp_path):
    files = {"test_a.py": "from pkg import one\n", "pkg/__init__.py": "", "pkg/one.py": "from . import two\n", "pkg/two.py": "",
             "pkg/three.py": "", "conftest.py": ""}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    needs = inside["needs"].Needs(str(tmp_path), [str(tmp_path / name) for name in files])

    found = {str(Path(path).relative_to(tmp_path)) for path in needs.of(str(tmp_path / "test_a.py"))}

    assert found == {"test_a.py", "conftest.py", "pkg/__init__.py", "pkg/one.py", "pkg/two.py"}


@pytest.mark.parametrize(("new", "told"), [
    ("def f(a):\n    return a - 1\n", 1), ("def f(a, b=1):\n    return a + 1\n", None), ("def f(a):\n    return a + 1\n", 0),
    ("def f(a):\n    return a + True\n", 1), ("@staticmethod\ndef f(a):\n    return a + 1\n", None)])
def test_only_what_functions_do_is_switched(inside, new, told):
    old = compile("def f(a):\n    return a + 1\n", "x", "exec")

    found = inside["code"].differing(old, compile(new, "x", "exec"))

    assert (found if found is None else len(found)) == told


LOOKING = """
import os, time
exec(open("kin.py").read())
def child(hidden):
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        if hidden:
            become_hidden()
        os.write(told, b"x")
        time.sleep(30)
        os._exit(0)
    os.read(ready, 1)
    try:
        return "used" if os.readlink(f"/proc/{pid}/fd/1") else "empty"
    except PermissionError:
        return "hidden"
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
print(child(False), child(True))
"""


def test_the_process_that_decides_cannot_be_looked_into_where_a_plain_one_can(tunnel):
    result = tunnel.run(LOOKING, files={"kin.py": (INSIDE / "windtunnel_mutant_kin.py").read_text()})

    assert result.stdout == "used hidden\n", result.stderr


SWEEPING = """
import os, time
exec(open("kin.py").read())
def sleeper():
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    return pid
def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
ready, told = os.pipe()
decides = os.fork()
if decides == 0:
    kin = Kin()
    os.write(told, b"k")
    time.sleep(0.2)  # so that the stranger is younger than the one that sweeps
    hiding, hidden = os.pipe()
    middle = os.fork()
    if middle == 0:
        os.setsid()
        os.write(hidden, b"%d" % sleeper())
        os._exit(0)
    os.waitpid(middle, 0)
    daemon = int(os.read(hiding, 20))
    kin.sweep(set())
    for _ in range(200):
        if not alive(daemon):
            break
        time.sleep(0.01)
    os.write(told, b"ended" if not alive(daemon) else b"there")
    os._exit(0)
os.read(ready, 1)
stranger = sleeper()
os.waitpid(decides, 0)
print(os.read(ready, 10).decode(), alive(stranger))
os.kill(stranger, 9)
"""


def test_sweeping_ends_what_hides_below_and_nothing_of_others_whatever_its_age(tunnel):
    result = tunnel.run(SWEEPING, files={"kin.py": (INSIDE / "windtunnel_mutant_kin.py").read_text()})

    assert result.stdout == "ended True\n", result.stderr


PIECES = {
    "calls of what the file imports": "import os.path as place\nfrom re import sub\n\n\ndef f(a):\n    return place.join(a, sub.x(a))\n",
    "imports that are tried": "try:\n    import json\nexcept ImportError:\n    json = None\n\n\ndef f(a):\n    return json.loads(a)\n",
    "a method": "import re\n\n\nclass Box:\n    side = 1\n\n    def f(self, a):\n        return super().f(re.sub(a)) + self.__own\n",
    "a method with decorators": "import re\n\n\nclass Box:\n    @property\n    @staticmethod\n    def f(a):\n        return re.sub(a)\n",
    "a class on few lines": "import re\n\n\nclass Box:\n    a = 1; f = lambda a: re.sub(a)\n",
    "another encoding": "# coding: latin-1\nimport re\n\n\ndef f(a):\n    return re.sub('\xe4', a)\n",
    "what the future brings": "from __future__ import annotations\n\nimport re\n\n\ndef f(a: int):\n    return re.sub(a)\n",
}


def functions_of(code, found=None):
    """By name and first line, all that matters of each function in it."""
    found = {} if found is None else found
    for part in code.co_consts:
        if hasattr(part, "co_code"):
            functions_of(part, found)
            if part.co_flags & 1:
                found[part.co_name, part.co_firstlineno] = part
    return found


def pieced(inside, source, *, imports=True):
    """The same of all pieces of the file, each compiled alone."""
    cuts = inside["cuts"].Cuts(source, "file.py")
    cuts.imports = cuts.imports if imports else b"\n"
    found = {}
    for piece in cuts.pieces:
        functions_of(cuts.compiled(piece, source[piece.start:piece.end]), found)
    return found


def compared(inside, functions):
    return {name: inside["code"]._bytes(code) for name, code in functions.items()}


@pytest.mark.parametrize("name", PIECES)
def test_a_piece_compiles_to_the_code_that_it_has_in_its_file(inside, name):
    source = PIECES[name].encode("latin-1")

    whole = functions_of(compile(source, "file.py", "exec", dont_inherit=True))

    assert compared(inside, pieced(inside, source)) == compared(inside, whole)


@pytest.mark.parametrize("module", [textwrap, argparse, inspect])
def test_pieces_of_a_long_file_compile_to_the_code_that_they_have_in_it(inside, module):
    source = Path(module.__file__).read_bytes()

    whole = functions_of(compile(source, "file.py", "exec", dont_inherit=True))

    assert compared(inside, pieced(inside, source)) == compared(inside, whole)


def test_without_the_names_that_the_file_imports_a_piece_compiles_to_other_code(inside):
    source = PIECES["calls of what the file imports"].encode()

    whole = functions_of(compile(source, "file.py", "exec", dont_inherit=True))

    assert compared(inside, pieced(inside, source, imports=False)) != compared(inside, whole)


RAN = {
    "the function that was called": ("def f(a):\n    return a + 1\n", "def f(a):\n    return a + 2\n", {("file.py", "f", 1)}, True),
    "one that was not": ("def f(a):\n    return a + 1\n", "def f(a):\n    return a + 2\n", {("file.py", "g", 9)}, False),
    "one inside the function that was called": (
        "def f(a):\n    return lambda: a + 1\n", "def f(a):\n    return lambda: a + 2\n", {("file.py", "f", 1)}, False),
    "one whose head is another": ("def f(a):\n    return 1\n", "def f(b):\n    return 1\n", set(), True),
    "one whose words are others": ("def f(a):\n    'x'\n", "def f(a):\n    'y'\n", set(), True),
}


@pytest.mark.parametrize("name", RAN)
def test_only_what_was_called_on_loading_or_can_be_seen_without_a_call_acts_on_loading(inside, name):
    before, after, codes, expected = RAN[name]
    pairs = inside["code"].differing(*(compile(text, "file.py", "exec", dont_inherit=True) for text in (before, after)))

    assert inside["code"].run_in(pairs, codes, "file.py") is expected


def test_patterns_are_compiled_again_elsewhere_and_bad_ones_are_left_out(inside):
    re.purge()
    flags = int(re.IGNORECASE)

    inside["modules"].make_ready({"modules": ["json", "no_such_module"], "patterns": [("(", 0), ("ab+", flags)]})

    assert inside["modules"].held(os.sep)["patterns"] == [("ab+", flags)]


def test_what_is_to_be_switched_is_found_before_anything_is_switched(inside, tmp_path):
    path, space = tmp_path / "file.py", {}
    path.write_text("def f(a):\n    return a + 1\n")
    exec(compile(path.read_text(), str(path), "exec", dont_inherit=True), space)
    sources = inside["code"].Sources({str(path): path.read_bytes()})
    pairs = sources.pairs({"path": str(path), "start": 23, "end": 24, "replacement": "-"})

    plan = inside["code"].Live(sources).planned(str(path), pairs)
    before = space["f"](1)
    fits = inside["code"].switch(plan)

    assert (before, fits, space["f"](1)) == (2, True, 0)


def test_a_few_functions_of_a_file_of_many_come_first_with_all_of_their_values(inside):
    names = ["a.py::test_0[1]", "b.py::test_x", *(f"a.py::test_{number}" for number in range(1, 14)), "a.py::test_0[2]"]

    found = [(file, [name for _, name in numbered]) for file, numbered in inside["stage"].steps(names)]

    first = ["a.py::test_0[1]", "a.py::test_1", "a.py::test_2", "a.py::test_3", "a.py::test_0[2]"]
    assert found == [("a.py", first), ("a.py", [f"a.py::test_{number}" for number in range(4, 14)]), ("b.py", ["b.py::test_x"])]


@pytest.mark.parametrize(("fixtures", "left"), [(("tmp_path",), True), (("tmp_path", "capsys"), False)])
def test_output_is_taken_once_for_all_tests_unless_one_of_them_looks_at_it(inside, fixtures, left):
    config = argparse.Namespace(hook=argparse.Namespace(), pluginmanager=argparse.Namespace(getplugin=lambda _: "it"))
    removed = []
    for name in inside["output"].PARTS:
        setattr(config.hook, name, argparse.Namespace(_remove_plugin=removed.append))

    told = inside["output"].Output(config).leave([argparse.Namespace(fixturenames=fixtures)])

    assert (told, removed) == (left, ["it"] * 3 * left)


def test_what_cannot_be_collected_is_told_without_words_and_other_errors_keep_theirs(inside):
    with pytest.raises(ValueError, match="the reason") as caught:
        raise ValueError("the reason")

    with inside["stage"].wordless():
        during = str(caught.getrepr())

    assert (during, "the reason" in str(caught.getrepr())) == ("", True)
