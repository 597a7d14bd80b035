import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.engine.affected import affected, importers

SOURCE = b"""\
import os

LIMIT = 3


def first(x):
    return x + 1


@cached
def second(x):
    def inner():
        return x
    return inner


class Third:
    def method(self):
        return LIMIT
"""
TOUCHED = {
    "t::first": ("src/a.py:6", "src/b.py:1"), "t::second": ("src/a.py:10",), "t::inner": ("src/a.py:10", "src/a.py:12"),
    "t::third": ("src/a.py:18",), "t::other": ("src/b.py:1",),
}


def changed(old, new):
    assert old in SOURCE
    return ChangeSet(changes=(FileChange("src/a.py", "modify", SOURCE.replace(old, new)),))


def read(path):
    return {"src/a.py": SOURCE, "src/b.py": b"def f(): ...\n"}.get(path)


@pytest.mark.parametrize(("old", "new", "names"), [
    (b"x + 1", b"x + 2", ("t::first",)),
    (b"    return inner", b"    return inner()", ("t::second", "t::inner")),
    (b"        return x\n", b"        return -x\n", ("t::inner",)),
    (b"return LIMIT", b"return 4", ("t::third",)),
    (b"LIMIT = 3", b"LIMIT = 4", ("t::second", "t::third", "t::first", "t::inner")),
])
def test_tests_that_ran_the_changed_function_are_affected(old, new, names):
    assert affected(changed(old, new), before=read, touched=TOUCHED) == names


def test_a_deleted_file_affects_all_that_ran_any_of_it():
    gone = ChangeSet(changes=(FileChange("src/b.py", "delete"),))

    assert affected(gone, before=read, touched=TOUCHED) == ("t::other", "t::first")


def test_a_new_file_and_one_that_cannot_be_parsed_are_no_trouble():
    new = ChangeSet(changes=(FileChange("src/c.py", "create", "x = 1\n"),))

    assert affected(new, before=read, touched=TOUCHED) == ()
    assert affected(ChangeSet(changes=(FileChange("src/a.py", "modify", "x"),)), before=lambda _: b"def (", touched=TOUCHED)


def test_files_that_import_a_changed_one_are_found_through_others():
    files = {
        "src/pkg/core.py": b"", "src/pkg/api.py": b"from pkg.core import x\n", "src/pkg/__init__.py": b"",
        "src/pkg/near.py": b"from . import core\n", "tests/test_api.py": b"import pkg.api\n", "tests/test_no.py": b"",
        "lib/a.js": b"module.exports = 1", "lib/b.js": b"const a = require('./a');", "t/b.test.mjs": b"import b from '../lib/b.js'",
    }
    core = ChangeSet(changes=(FileChange("src/pkg/core.py", "modify", "y"),))
    script = ChangeSet(changes=(FileChange("lib/a.js", "modify", "y"),))

    assert importers(core, files=files) == ("src/pkg/api.py", "src/pkg/core.py", "src/pkg/near.py", "tests/test_api.py")
    assert importers(script, files=files) == ("lib/a.js", "lib/b.js", "t/b.test.mjs")
