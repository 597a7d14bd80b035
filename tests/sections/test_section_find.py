"""Which functions, methods and classes a project has, by reading alone."""

from __future__ import annotations

import pytest
from section_samples import write

from windtunnel.core.errors import UsageError
from windtunnel.core.section import Section, SectionKind
from windtunnel.sections.find import find, reasons


def told(found):
    return {section.name: (str(section.kind), section.module, section.line) for section in found.sections}


def why_not(found):
    return {section.name or section.path: section.reason for section in found.skipped}


def test_every_kind_of_section_is_found(tmp_path):
    source = ("class Box:\n    def put(self, x): ...\n    @property\n    def full(self): ...\n    @staticmethod\n"
              "    def of(x): ...\n    @classmethod\n    def empty(cls): ...\n    class Lid:\n        def lift(self): ...\n\n\n"
              "async def later(): ...\n\n\ndef many():\n    yield 1\n")

    assert told(find(write(tmp_path, {"m.py": source}))) == {
        "Box": ("class", "m", 1), "Box.put": ("method", "m", 2), "Box.full": ("property", "m", 3),
        "Box.of": ("static method", "m", 5), "Box.empty": ("class method", "m", 7), "Box.Lid": ("class", "m", 9),
        "Box.Lid.lift": ("method", "m", 10), "later": ("function", "m", 13), "many": ("function", "m", 16)}


def test_a_class_has_no_section_for_its_constructor(tmp_path):
    found = find(write(tmp_path, {"m.py": "class A:\n    def __init__(self, x): ...\n    def __len__(self): ...\n"}))

    assert list(told(found)) == ["A", "A.__len__"]


@pytest.mark.parametrize(("files", "module", "root"), [
    ({"pkg/__init__.py": "", "pkg/m.py": "def f(): ..."}, "pkg.m", ""),
    ({"src/pkg/__init__.py": "", "src/pkg/m.py": "def f(): ..."}, "pkg.m", "src"),
    ({"src/space/pkg/__init__.py": "", "src/space/pkg/m.py": "def f(): ...", "a.py": "import space.pkg.m"},
     "space.pkg.m", "src"),
    ({"lib/pkg/__init__.py": "", "lib/pkg/m.py": "def f(): ..."}, "pkg.m", "lib"),
    ({"tools/m.py": "def f(): ..."}, "m", "tools"),
    ({"tools/m.py": "def f(): ...", "a.py": "from tools.m import f"}, "tools.m", ""),
    ({"pkg/__init__.py": "def f(): ..."}, "pkg", ""),
])
def test_a_file_is_imported_by_the_name_that_finds_it(tmp_path, files, module, root):
    found = find(write(tmp_path, files))

    assert [(section.module, section.root) for section in found.sections if section.name == "f"] == [(module, root)]


def test_what_cannot_be_called_says_why(tmp_path):
    found = find(write(tmp_path, {
        "m.py": ("from abc import ABC, abstractmethod\nfrom typing import Protocol, TypedDict, overload\n\n"
                 "class A(ABC):\n    @abstractmethod\n    def f(self): ...\n\n\nclass P(Protocol):\n    x: int\n\n\n"
                 "class T(TypedDict):\n    x: int\n\n\n@overload\ndef g(x: int): ...\n\n\n"
                 "def ask():\n    return input('?')\n\n\ndef outer():\n    def inner(): ...\n\n\n"
                 "if __name__ == '__main__':\n    def main(): ...\n"),
        "broken.py": "def f(:\n", "tests/test_m.py": "def test(): ...\n", "setup.py": "setup()\n",
        "zero.py": "\0"}))

    assert why_not(found) == {
        "A": "an abstract class", "A.f": "abstract", "P": "a protocol: there is nothing to make",
        "T": "a kind of values alone", "g": "a stub of an overload", "ask": "it needs a terminal: input",
        "outer.<locals>.inner": "defined inside a function", "main": "defined only where the file is run as a program",
        "broken.py": "a syntax error in line 1: invalid syntax", "tests/test_m.py": "a test file",
        "setup.py": "a build script", "zero.py": why_not(found)["zero.py"]}
    assert why_not(found)["zero.py"].startswith(("not text of Python", "a syntax error"))


def test_the_implementation_behind_overloads_can_be_called(tmp_path):
    source = "from typing import overload\n@overload\ndef f(x: int): ...\ndef f(x):\n    return x\n"

    assert told(find(write(tmp_path, {"m.py": source}))) == {"f": ("function", "m", 4)}


def test_a_name_in_a_private_module_is_public_where_the_package_exports_it(tmp_path):
    found = find(write(tmp_path, {
        "pkg/__init__.py": "from ._inner import shown, other as _other\n", "pkg/_inner.py": "def shown(): ...\ndef other(): ...\n",
        "pkg/open.py": "def free(): ...\ndef _own(): ...\n"}))

    assert {section.name: section.public for section in found.sections} == {
        "shown": True, "other": False, "free": True, "_own": False}


def test_links_environments_and_hidden_folders_are_not_entered(tmp_path):
    outside = write(tmp_path / "outside", {"m.py": "def f(): ..."})
    project = write(tmp_path / "project", {
        ".hidden/m.py": "def f(): ...", "env/pyvenv.cfg": "", "env/m.py": "def f(): ...", "node_modules/m.py": "def f(): ..."})
    (project / "link").symlink_to(outside)
    (project / "link.py").symlink_to(outside / "m.py")

    assert find(project).sections == ()


def test_more_sections_than_asked_for_are_counted(tmp_path):
    found = find(write(tmp_path, {"m.py": "".join(f"def f{number}(): ...\n" for number in range(10))}), most=4)

    assert ([section.name for section in found.sections], found.left_out) == (["f0", "f1", "f2", "f3"], 6)


def test_reasons_are_counted(tmp_path):
    found = find(write(tmp_path, {"test_a.py": "", "test_b.py": "", "setup.py": ""}))

    assert reasons(found) == {"a test file": 2, "a build script": 1}


def test_a_section_that_leads_out_of_the_project_is_refused():
    with pytest.raises(UsageError, match="does not stay in the project"):
        Section(path="../m.py", name="f", kind=SectionKind.FUNCTION)
