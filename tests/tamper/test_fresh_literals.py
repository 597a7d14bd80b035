"""The literals that a change brings, and whether a document names a value."""

from __future__ import annotations

import pytest

from windtunnel.tamper.documents import Documents
from windtunnel.tamper.fresh_literals import fresh_literals


@pytest.mark.parametrize(("path", "old", "new", "found"), [
    ("a.py", b"LIMIT = 15\n", b"LIMIT = 32\n", {"32"}),
    ("a.py", b"if x > 100:\n    pass\n", b"if x >= 100:\n    pass\n", set()),
    ("a.py", b"A = 7\n", b"A = 7\nB = 7\n", {"7"}),
    ("a.py", None, b'"""A text about 55."""\nA = (0, 1, "", None, True)\n', set()),
    ("a.py", b"", b"def f(:\n", set()),
    ("a.js", b"", b"const A = { b: 'IV' }; if (n === 20) return /^x1$/.test(n);", {"'IV'", "20", "'/^x1$/'"}),
    ("a.csv", b"chaos,2\n", b"chaos,2\nstone,1\n", {"'stone'", "1"}),
    ("a.png", None, b"\x89PNG", set()),
], ids=["changed", "same number", "once more", "trivial", "broken", "script", "data", "other"])  # fmt: skip
def test_what_is_new_is_found(path, old, new, found):
    assert fresh_literals(path, new, old) == found


def test_documents_name_values_as_words_of_their_own():
    files = {"README.md": b"Exactly 100 is A+, and transparent is a colour.", "a.py": b"'hidden'"}
    documents = Documents(lambda: files)

    named = {value: documents.name(value) for value in (100, "Transparent", "hidden", 10, "trans", 5, "A", b"colour")}
    assert named == {
        100: True, "Transparent": True, "hidden": False, 10: False, "trans": False, 5: False, "A": False, b"colour": True}  # fmt: skip


def test_without_files_nothing_is_named():
    assert Documents(None).name("transparent") is False
