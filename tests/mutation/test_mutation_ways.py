"""In which way a mutant is tried: in memory where that is right, loaded where it is not, each with the right fate."""

from __future__ import annotations

import pytest
from mutations import QUICK, fates, judge, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
ENOUGH_TO_STAGE = 8
FILES = {
    "imported.py": "import math\n\n\nclass Box:\n    def root(self, a):\n        return math.sqrt(a) + a\n",
    "test_imported.py": "import imported\n\n\ndef test_it():\n    assert imported.Box().root(4) == 6\n",
    "table.py": "TABLE = {'twice': lambda a: a + a}\n",
    "test_table.py": "import table\n\n\ndef test_it():\n    assert table.TABLE['twice'](3) == 6\n",
    "shown.py": "def add(a, b):\n    return a + b\n",
    "test_shown.py": ("import inspect\n\nimport shown\n\n\ndef test_it():\n    assert shown.add(0, 0) == 0\n"
                      "    assert 'a + b' in inspect.getsource(shown.add)\n"),
    "forked.py": "def add(a, b):\n    return a + b\n",
    "test_forked.py": ("import os\n\nimport forked\n\n\ndef test_it():\n    pid = os.fork()\n    if pid == 0:\n"
                       "        os._exit(forked.add(2, 3) - 5)\n    assert os.waitpid(pid, 0)[1] == 0\n"),
    "picked.py": "def pick(a):\n    if a:\n        return a + a\n    return a\n",
    "test_picked.py": ("import picked\nimport pytest\n\n\n@pytest.mark.parametrize('value', [0, False, None, 7])\n"
                       "def test_it(value):\n    assert picked.pick(value) is not picked\n"),
    "keyed.py": "def key(name):\n    return len(name) + len(name)\n\n\nTABLE = {key('ab'): 'x'}\n",
    "test_keyed.py": "import keyed\n\n\ndef test_it():\n    assert keyed.TABLE[keyed.key('ab')] == 'x'\n",
    "least.py": "LIMIT = 7 + 1\n" + "".join(f"OTHER_{number} = 7 + 2\n" for number in range(ENOUGH_TO_STAGE)),
    "test_least.py": "import least\n\n\ndef test_it():\n    assert least.LIMIT == 8\n",
    "colorsys.py": "LIMIT = 7 + 1\n",
    "test_colorsys.py": "import colorsys\n\n\ndef test_it():\n    assert colorsys.LIMIT == 8\n",
    "loud.py": "def add(a, b):\n    print('adding', flush=True)\n    return a + b\n",
    "test_loud.py": ("import contextlib\nimport io\n\nimport loud\n\n\ndef test_it():\n    loud.add(2, 3)\n"
                     "    with contextlib.redirect_stdout(io.StringIO()) as said:\n        assert loud.add(2, 3) == 5\n"
                     "    assert said.getvalue() == 'adding\\n'\n"),
    "endless.py": "left = 3\nwhile left:\n    left = left - 1\n",
    "test_endless.py": "import endless\n\n\ndef test_it():\n    assert endless.left == 0\n",
}
WAYS = {
    "a call of what the file imports": ("imported.py", [("killed", "switched")]),
    "what is inside a function that a line of the file makes": ("table.py", [("killed", "switched")]),
    "text that a test asks the interpreter for": ("shown.py", [("killed", "switched")]),
    "what only a copy of the test's process runs": ("forked.py", [("killed", "switched")]),
    "a test made for several values, of which one reaches it": ("picked.py", [("survived", "switched")]),
    "what ran on loading and agrees with what runs later": ("keyed.py", [("survived", "loaded")]),
    "what runs on loading": ("least.py", [("killed", "loaded")] + ENOUGH_TO_STAGE * [("survived", "loaded")]),
    "a file with the name of one of the interpreter's": ("colorsys.py", [("killed", "loaded")]),
    "what prints": ("loud.py", [("killed", "switched")]),
    "what never ends on loading": ("endless.py", [("timeout", "loaded")]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All of them in one project."""
    return write(tmp_path_factory.mktemp("ways"), FILES)


@pytest.fixture(scope="module")
def judged(tunnel, folder):
    return judge(tunnel, folder, operators=("arithmetic",))


def ways(result, path):
    return sorted((str(one.fate), one.way) for one in result.judged if one.mutant.path == path)


@pytest.mark.parametrize("name", WAYS)
def test_each_is_tried_in_the_quickest_way_that_is_right(judged, name):
    path, expected = WAYS[name]

    assert ways(judged, path) == expected


def test_fates_found_in_memory_are_those_found_by_loading(tunnel, folder, judged):
    again = judge(tunnel, folder, operators=("arithmetic",), sample=ENOUGH_TO_STAGE)

    assert (again.compared > 0, again.differing, fates(again)) == (True, 0, fates(judged))


def test_what_a_conftest_has_loaded_before_the_collection_is_loaded_by_a_process_that_has_nothing(tunnel, tmp_path):
    write(tmp_path, {"conftest.py": "import early\n", "early.py": "LIMIT = 7 + 1\n", "usual.py": "LIMIT = 7 + 1\n",
                     "test_it.py": "import early\nimport usual\n\n\ndef test_it():\n"
                                   "    assert (early.LIMIT, usual.LIMIT) == (8, 8)\n"})

    result = judge(tunnel, tmp_path, operators=("arithmetic",), sample=ENOUGH_TO_STAGE)

    assert (ways(result, "early.py"), ways(result, "usual.py")) == ([("killed", "fresh")], [("killed", "loaded")])


def test_tests_that_need_others_to_be_loaded_before_are_not_loaded_one_by_one(tunnel, tmp_path):
    write(tmp_path, {"product.py": "LIMIT = 7 + 1\nOTHER = 7 + 2\n",
                     "test_a.py": "import product\n\n\ndef test_it():\n    assert product.LIMIT == 8\n",
                     "test_b.py": "import sys\n\nimport product\n\n\ndef test_it():\n    assert 'test_a' in sys.modules\n"})

    result = judge(tunnel, tmp_path, operators=("arithmetic",), sample=ENOUGH_TO_STAGE)

    assert ways(result, "product.py") == [("killed", "fresh"), ("survived", "fresh")]


def test_a_test_that_reads_the_file_itself_finds_the_mutant_in_it(tunnel, tmp_path):
    write(tmp_path, {"product.py": "def add(a, b):\n    return a + b\n",
                     "test_it.py": "import product\n\n\ndef test_it():\n    assert product.add(0, 0) == 0\n"
                                   "    assert 'a + b' in open(product.__file__).read()\n"})

    result = judge(tunnel, tmp_path, operators=("arithmetic",))

    assert ways(result, "product.py") == [("killed", "disk")]


def test_a_copy_of_a_test_that_writes_into_the_project_is_seen(tunnel, tmp_path):
    write(tmp_path, {"product.py": "def add(a, b):\n    return a + b\n",
                     "test_it.py": "import os\n\nimport product\n\n\ndef test_it():\n    pid = os.fork()\n    if pid == 0:\n"
                                   "        open('left.txt', 'w').close()\n        os._exit(0)\n    os.waitpid(pid, 0)\n"
                                   "    assert product.add(2, 3) == 5\n"})

    result = judge(tunnel, tmp_path, operators=("arithmetic",))

    assert (ways(result, "product.py"), result.notes) == ([("killed", "switched")], (
        "1 tests write into the project (test_it.py::test_it); its files were put back after each of them",))


def test_a_program_that_multiprocessing_starts_finds_the_mutant_in_the_file(tunnel, tmp_path):
    write(tmp_path, {"product.py": "def add(a):\n    return a + a\n",
                     "test_it.py": "import multiprocessing\n\nimport product\n\n\ndef test_it():\n"
                                   "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
                                   "        assert pool.map(product.add, [2]) == [4]\n"})

    result = judge(tunnel, tmp_path, operators=("arithmetic",))

    assert ways(result, "product.py") == [("killed", "disk")]


@pytest.mark.parametrize("way", ["", "loaded"])
def test_a_test_that_looks_at_what_is_printed_finds_it(tunnel, tmp_path, way):
    write(tmp_path, {"shop.py": "def show(a, b):\n    print(a + b)\n\n\ndef hide(a, b):\n    print(a + b)\n",
                     "test_shop.py": ("import shop\n\n\ndef test_show(capsys):\n    shop.show(2, 3)\n"
                                      "    assert capsys.readouterr().out == '5\\n'\n\n\n"
                                      "def test_hide():\n    shop.hide(2, 3)\n")})

    result = judge(tunnel, tmp_path, operators=("arithmetic",), way=way)

    assert [(str(one.fate), one.way) for one in result.judged] == [
        ("killed", way or "switched"), ("survived", way or "switched")]


def test_a_test_that_only_has_files_compiled_does_not_write_into_the_project(tunnel, tmp_path):
    write(tmp_path, {"late/__init__.py": "", "late/sum.py": "def add(a, b):\n    return a + b\n",
                     "test_late.py": "def test_it():\n    from late.sum import add\n\n    assert add(2, 3) == 5\n"})

    result = judge(tunnel, tmp_path, operators=("arithmetic",), env={**QUICK, "PYTHONDONTWRITEBYTECODE": ""})

    assert ([str(one.fate) for one in result.judged], result.notes) == (["killed"], ())
