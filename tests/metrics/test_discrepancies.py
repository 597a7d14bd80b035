"""What does not fit is found, and what fits, or cannot be known, is left alone."""

from __future__ import annotations

import ast

import pytest

from windtunnel.metrics.discrepancies import Known, find_discrepancies, read_files
from windtunnel.metrics.discrepancies.modules import read_module
from windtunnel.metrics.workflows import Workflow

CODE = '''
"""Orders of a shop."""
import argparse
from dataclasses import dataclass
from functools import lru_cache, wraps
from shop import base

LIMIT = 3


def load(path, *, limit=10, strict=False):
    """Load orders.

    Args:
        path: where from.
        limit (int): how many.
    """


def anything(*args, **kwargs):
    """Take anything.

    Args:
        whatever: is taken.
    """


def traced(function):
    return function


@traced
def changed(one):
    """Made into something else."""


@lru_cache
def kept(one, two=2):
    return one


class Cart(base.Base):
    size: int

    def __init__(self, owner, size=1):
        self.owner, self.size = owner, size

    def __enter__(self):
        return self

    def add(self, item, count=1):
        self.total = count


class Foreign(argparse.ArgumentParser):
    pass
'''
BASE = "class Base:\n    def save(self, path): pass\n"
COMMAND = """
import argparse

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int)
    parser.add_argument("--colour", action=argparse.BooleanOptionalAction)
    for name in ("actor", "since_day"):
        parser.add_argument(f"--{name.replace('_', '-')}")
    with open("shop.toml") as file:
        settings = tomllib.load(file)
    return settings["depth"], settings["cache"]["seconds"]
"""
PROJECT = '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.command:main"\n'
FILES = {"src/shop/__init__.py": "", "src/shop/orders.py": CODE, "src/shop/base.py": BASE,
         "src/shop/command.py": COMMAND, "pyproject.toml": PROJECT}
IMPORTS = "from shop.orders import Cart, anything, changed, kept, load\nimport shop.orders as orders\n"


def found(workflows=(), **more):
    files = {path.replace("__slash__", "/").replace("__dot__", "."): text for path, text in more.items()}
    every = find_discrepancies({path: text.encode() for path, text in (FILES | files).items()}, workflows)
    return [(str(one.kind), one.name) for one in every]


def page(text):
    return found(README__dot__md=text)


def block(*lines):
    return page("# Shop\n\n```python\n" + IMPORTS + "\n".join(lines) + "\n```\n")


@pytest.mark.parametrize(("text", "name"), [
    ("Call `shop.orders.lode` first.", "shop.orders.lode"), ("See `shop.orders.Cart.remove_all()`.", "shop.orders.Cart.remove_all"),
    ("See `shop.lode()` here.", "shop.lode"), ("```python\nfrom shop.orders import lode\n```", "shop.orders.lode"),
    ("```python\nimport shop.order\n```", "shop.order"), ("```pycon\n>>> import shop.orders\n>>> shop.orders.lode(1)\n3\n```", "shop.orders.lode"),
    ("```python\nfrom shop.orders import Cart\ncart = Cart('me')\ncart.empty()\n```", "Cart.empty"),
    ("```python\nfrom shop.orders import Cart\nwith Cart('me') as cart:\n    cart.empty()\n```", "Cart.empty")])
def test_a_name_that_is_gone_is_found(text, name):
    assert page(text) == [("missing-symbol", name)]


@pytest.mark.parametrize("text", [":func:`loading <shop.orders.lode>`", "{func}`~shop.orders.lode`", ":py:func:`shop.orders.lode`"])
def test_a_role_may_have_a_title_and_other_brackets(text):
    assert page(f"See {text} for it.") == [("missing-symbol", "shop.orders.lode")]


def test_a_role_of_sphinx_names_a_symbol():
    assert found(docs__slash__api__dot__rst="See :func:`shop.lode` and :class:`~shop.orders.Cart`.\n") == [
        ("missing-symbol", "shop.lode")]


@pytest.mark.parametrize("text", [
    "Call `shop.orders.load` and `shop.orders.Cart.add()` and `shop.orders.LIMIT`.", "Edit `shop.toml` and `shop.orders.py`.",
    "See `shop.example` for the key `shop.depth`.", "`shop.orders.lode` was removed.", "Use `load`, not\n`shop.orders.lode`, which is deprecated.",
    "See `json.lode` and `other.orders.lode`.", "`shop.orders.Foreign.lode` comes from its base.", "See `shop.orders.Cart.save`.",
    "See `shop.orders.Cart.total` and `shop.orders.Cart.owner`.", "See `shop.orders.__doc__`.", "```\nshop.orders.lode()\n```",
    "```python\nfrom shop.orders import (\n```", "```python\nfrom other import Cart\ncart = Cart()\ncart.empty()\n```",
    "```python\nfrom shop.orders import Cart\ncart = Cart('me')\ncart = other()\ncart.empty()\n```",
    "```python\nfrom shop import orders\norders = make()\norders.lode()\n```", '```json\n{"a": "shop.orders.lode"}\n```'])
def test_names_that_are_there_or_may_be_are_left_alone(text):
    assert page(text) == []


def test_a_package_with_something_of_its_own_name_may_mean_that():
    assert found(src__slash__shop__slash____init____dot__py="class shop:\n    def buy(self): pass\n", README__dot__md="See `shop.buy()`.") == []


def test_a_folder_that_only_describes_compiled_code_may_hold_more():
    assert found(fast__slash__fast__dot__pyi="def run(): ...\n", README__dot__md="```python\nimport fast\nimport fast.fast\nfast.fast.go()\n```\n") == []


def test_what_a_page_describes_for_others_to_write_is_left_alone():
    assert found(docs__slash__a__dot__rst=".. method:: process(one)\n\nSee :meth:`shop.orders.Writer.process` and :meth:`shop.orders.Writer.stop`.\n") == [
        ("missing-symbol", "shop.orders.Writer.stop")]


def test_a_name_that_two_star_imports_bring_is_not_judged():
    top = "from .orders import *\nfrom .more import *\n"

    assert found(src__slash__shop__slash____init____dot__py=top, src__slash__shop__slash__more__dot__py="def load(): pass\n",
                 README__dot__md="```python\nimport shop\nshop.load(1, 2, 3)\nshop.kept(1, 2, 3)\n```\n") == [
        ("changed-signature", "shop.kept")]


def test_a_star_import_takes_what_the_module_offers():
    assert found(src__slash__shop__slash____init____dot__py="from .more import *\n", README__dot__md="`shop.offered()` `shop.held()`",
                 src__slash__shop__slash__more__dot__py="__all__ = ['offered']\ndef offered(): pass\ndef held(): pass\n") == [
        ("missing-symbol", "shop.held")]


def test_code_of_others_is_not_compared():
    text = 'def f(a):\n    """Do.\n\n    :param b: gone\n    """\n'

    assert found(src__slash__shop__slash___vendor__slash__a__dot__py=text, src__slash__shop__slash__templates__slash__b__dot__py=text) == []


def test_a_page_of_what_changed_may_name_what_is_gone():
    assert found(CHANGELOG__dot__md="`shop.orders.lode()`", docs__slash__decisions__slash__1__dot__md="`shop.orders.lode()`") == []


@pytest.mark.parametrize("code", [
    "def __getattr__(name): ...\n", "from elsewhere import *\n", "globals()['lode'] = 1\n", "import sys\nsys.modules['shop.orders'] = x\n",
    "try:\n    from fast import lode\nexcept ImportError:\n    lode = None\n", "if True:\n    def lode(): pass\n", "for lode in (): pass\n",
    "def set():\n    global lode\n    lode = 1\n", "def broken(:\n"])
def test_a_module_that_may_have_more_names_is_left_alone(code):
    assert found(src__slash__shop__slash__orders__dot__py=code, README__dot__md="Call `shop.orders.lode()`.") == []


def test_a_name_that_comes_through_another_module_of_the_project_is_there():
    assert found(src__slash__shop__slash____init____dot__py="from .orders import *\nfrom . import base as basis\n",
                 README__dot__md="`shop.load()`, `shop.basis.Base`, `shop.orders.load`, `shop.lode()`, `shop.basis.Bass`") == [
        ("missing-symbol", "shop.basis.Bass"), ("missing-symbol", "shop.lode")]


@pytest.mark.parametrize(("line", "name"), [
    ("load('a', most=3)", "shop.orders.load"), ("load('a', 3)", "shop.orders.load"), ("load(limit=3)", "shop.orders.load"),
    ("orders.load()", "shop.orders.load"), ("kept(1, 2, 3)", "shop.orders.kept"), ("Cart('me', colour=1)", "shop.orders.Cart"),
    ("cart = Cart('me')\ncart.add()", "Cart.add"), ("cart = Cart('me')\ncart.save('a', 1)", "Cart.save")])
def test_a_call_that_the_function_does_not_take_is_found(line, name):
    assert block(line) == [("changed-signature", name)]


@pytest.mark.parametrize("line", [
    "load('a', limit=3, strict=True)", "load(*many)", "load(**many)", "load(...)", "anything(1, 2, three=3)", "changed(1, 2, 3)",
    "kept(1)", "Cart('me', size=3)", "cart = Cart('me')\ncart.add(1, count=2)", "def load(): pass\nload()", "load = other\nload(1, 2)",
    "orders.Foreign(1, 2, 3)", "unknown(1)", "orders.Cart.add(1, 2, 3, 4)", "lambda load: load(1, 2, 3)"])
def test_a_call_that_fits_or_may_fit_is_left_alone(line):
    assert block(line) == []


@pytest.mark.parametrize(("command", "options"), [
    ("shop --size 3", ["--size"]), ("DEBUG=1 shop a --size=3", ["--size"]), ("shop --limit 3 --no-colour --help", []),
    ("shop --lim 3", []), ("shop --actor me --since-day 3", []), ("other --size 3", []), ("shop run -- program --size 3", []),
    ("shop run | less --size", []), ("shop run '--size is long'", []), ("echo shop --size", [])])
def test_an_option_that_the_command_does_not_define_is_found(command, options):
    assert page(f"```console\n$ {command}\noutput --strange\n```\n") == [("missing-option", one) for one in options]


def test_options_that_are_made_of_parameters_are_left_alone():
    assert found(src__slash__shop__slash__more__dot__py="import typer\n", README__dot__md="```console\n$ shop --size 3\n```\n") == []


@pytest.mark.parametrize(("text", "keys"), [
    ("depth = 1\n", []), ("depth = 1\nheight = 2\n", ["height"]), ("depth = 1\n[cache]\nseconds = 1\nminutes = 2\n", ["minutes"]),
    ("[users]\nann = 1\nbob = 2\n", []), ("[users]\nann = 1\n[cache]\nseconds = 3\n", ["users"]), ("not toml", [])])
def test_a_key_that_nothing_reads_is_found_beside_one_that_is_read(text, keys):
    assert found(shop__dot__toml=text) == [("dead-configuration", key) for key in keys]


def test_files_that_the_code_never_names_are_left_alone():
    assert found(other__dot__toml="depth = 1\nheight = 2\n", mkdocs__dot__yml="depth: 1\nheight: 2\n") == []


def test_the_projects_own_table_of_pyproject_is_compared():
    assert found(pyproject__dot__toml=f"{PROJECT}[tool.shop]\ndepth = 1\nheight = 2\n[tool.ruff]\nheight = 2\n") == [
        ("dead-configuration", "height")]


def test_yaml_that_refers_to_itself_is_not_unfolded():
    yaml = "depth: &a [1, 2]\n" + "".join(f"height{n}: [*a, *a]\n" for n in range(9))

    assert found(src__slash__shop__slash__more__dot__py="open('shop.yaml')", shop__dot__yaml=yaml) == []


@pytest.mark.parametrize(("step", "gone"), [
    ("shop.orders:lode", True), ("shop.orders.lode", True), ("shop.order:load", True), ("shop.orders:Cart.empty", True),
    ("shop.orders:load", False), ("os.path:join", False), ("load", False), ("print(1)", False), ("shop.orders:Foreign.x", False)])
def test_a_step_whose_function_is_gone_is_found(step, gone):
    workflow = Workflow(id=4, title="", steps=(step,))

    assert found([workflow]) == ([("missing-step", step)] if gone else [])


@pytest.mark.parametrize(("text", "names"), [
    ("__all__ = ['load', 'lode']\ndef load(): pass\n", ["lode"]), ("__all__ = ('load',)\nfrom os import walk as load\n", []),
    ("__all__ = ['load']\n__all__ += other\n", []), ("__all__ = ['load']\ndef __getattr__(name): ...\n", []),
    ("__all__ = [name for name in x]\n", [])])
def test_an_export_that_does_not_exist_is_found(text, names):
    assert found(src__slash__shop__slash__more__dot__py=text) == [("missing-export", one) for one in names]


def test_a_package_may_export_its_modules():
    assert found(src__slash__shop__slash____init____dot__py="__all__ = ['orders', 'base']\n") == []


GOOGLE = 'def f(path, limit=1):\n    """Do.\n\n    Args:\n        path: where.\n            limits: deeper.\n        {}: how many.\n\n    Note:\n        other: no parameter.\n    """\n'
NUMPY = 'def f(path, limit=1):\n    """Do.\n\n    Parameters\n    ----------\n    path : str\n        where: from\n    {} : int\n\n    Returns\n    -------\n    other : int\n    """\n'
SPHINX = 'def f(path, limit=1):\n    """Do.\n\n    :param str path: where\n    :param {}: how many\n    :returns other: no\n    """\n'


@pytest.mark.parametrize("style", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_a_parameter_that_only_the_docstring_has_is_found(style):
    assert found(src__slash__shop__slash__more__dot__py=style.format("most")) == [("unknown-parameter", "f.most")]


@pytest.mark.parametrize("style", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
@pytest.mark.parametrize("change", [
    lambda text: text.format("limit"), lambda text: text.format("most").replace("limit=1", "**more"),
    lambda text: "@click.option('--most')\n" + text.format("most")])
def test_a_docstring_that_fits_or_may_fit_is_left_alone(style, change):
    assert found(src__slash__shop__slash__more__dot__py=change(style)) == []


def test_prose_among_parameters_is_no_parameter():
    text = 'def f(path):\n    """Do.\n\n    Parameters\n    ----------\n    path\n        where\n\n    inputs:\n\n    and so on\n    """\n'

    assert found(src__slash__shop__slash__more__dot__py=text) == []


def test_no_parameters_may_be_said_to_be_none():
    text = 'def f():\n    """Do.\n\n    Parameters\n    ----------\n    None\n    """\n'

    assert found(src__slash__shop__slash__more__dot__py=text) == []


def test_a_class_tells_of_what_it_is_made_of():
    text = 'class A:\n    """Is.\n\n    :param size: how large\n    :param colour: gone\n    """\n    def __init__(self, size): pass\n'

    assert found(src__slash__shop__slash__more__dot__py=text) == [("unknown-parameter", "A.colour")]


def test_a_sound_project_has_none():
    assert found(README__dot__md="# Shop\n\n`shop.orders.load`\n\n```console\n$ shop --limit 3\n```\n", shop__dot__toml="depth = 1\n") == []


def test_a_finding_says_where_and_what():
    every = find_discrepancies({**{path: text.encode() for path, text in FILES.items()},
                                "README.md": b"# Shop\n\n```python\nimport shop.orders\n\nshop.orders.load(1, 2)\n```\n"})

    assert [(one.path, one.line, one.message) for one in every] == [
        ("README.md", 6, "shop.orders.load takes at most 1 by place, and gets 2")]


def test_whatever_is_in_the_files_nothing_is_raised():
    odd = [b"\xff\xfe", b"```python\n" * 1000, b"(" * 10_000, b"```console\n$ shop 'open\n", b"\0", b">>> " * 5000]

    for content in odd:
        assert find_discrepancies({"a.py": content, "README.md": content, "pyproject.toml": content, "setup.cfg": content,
                                   "shop.yaml": content, "b.rst": content}) == ()


@pytest.mark.parametrize("code", [
    "if a: pass\n" + "elif b: pass\n" * 3000, "a" + ".a" * 3000 + "\n", "x = " + "-" * 3000 + "1\n",
    "class A(" + ", ".join(f"B{n}" for n in range(50)) + "): pass\n" + "".join(f"class B{n}(A): pass\n" for n in range(50)),
    'def f():\n    """Do.\n\n    :param' + " " * 50_000 + 'x\n    """\n', "from shop.orders import *\n" * 500])
def test_code_that_is_deep_or_goes_in_circles_comes_to_an_end(code):
    names = found(src__slash__shop__slash__orders__dot__py=code, README__dot__md="See `shop.orders.A.b`. `shop.base.Bass()`")

    assert ("missing-symbol", "shop.base.Bass") in names


def test_pages_of_nothing_but_marks_come_to_an_end():
    odd = [b".. data::" + b" " * 100_000, b"`" * 100_001, b"`a" * 50_000, b"    " * 50_000 + b"```", b"> " * 50_000]

    for content in odd:
        assert find_discrepancies({"src/shop/orders.py": b"", "README.md": content, "a.rst": content}) == ()


def test_files_are_read_without_links_hidden_folders_and_environments(tmp_path):
    for path in ("a.py", ".git/b.py", "venv/lib/c.py", "env2/d.py", "docs/e.md", "image.png", "node_modules/f.js"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    (tmp_path / "env2" / "pyvenv.cfg").write_text("")
    (tmp_path / "link.py").symlink_to("/etc/passwd")

    assert read_files(tmp_path) == {"a.py": b"x", "docs/e.md": b"x"}


SHOP = {
    "shop/__init__.py": b"__all__ = ['gone', 'orders']\n", "shop/orders.py": CODE.encode(), "shop/base.py": BASE.encode(),
    "shop/cli.py": COMMAND.encode(), "shop.toml": b"depth = 1\nwidth = 2\n[cache]\nseconds = 3\nminutes = 4\n",
    "pyproject.toml": b"[project]\nname = 'shop'\n[project.scripts]\nshop = 'shop.cli:main'\n",
    "README.md": b"Call `shop.orders.lode()`.\n\n```python\nfrom shop.orders import Cart, load\n\nload(1, depth=2)\n"
                 b"with Cart('me') as cart:\n    cart.remove()\n```\n\n```console\n$ shop --limt 3\n```\n",
    "shop/told.py": b'def f(a):\n    """Do.\n\n    Args:\n        b: what.\n    """\n    return a\n'}
KINDS = {"missing-symbol", "changed-signature", "missing-option", "dead-configuration", "missing-export",
         "unknown-parameter"}


def test_what_was_read_before_gives_the_same_findings():
    known = Known()
    first = find_discrepancies(SHOP, known=known)

    assert {str(one.kind) for one in first} == KINDS
    assert find_discrepancies(SHOP, known=known) == first == find_discrepancies(SHOP)


CHANGES = [
    {"shop/orders.py": CODE.replace("def load(path", "def lode(path").encode()},
    {"shop/base.py": b"class Base:\n    def remove(self): pass\n"},
    {"shop/cli.py": COMMAND.replace('"--limit"', '"--limt"').encode()},
    {"shop.toml": b"depth = 1\n"},
    {"shop/__init__.py": b"gone = 1\n__all__ = ['gone']\n"},
    {"README.md": b"Nothing.\n"},
    {"shop/orders.pyi": b"def other(): ...\n"},
    {"docs/api.rst": b".. function:: lode(path)\n"},
    {"shop/told.py": None},
]


@pytest.mark.parametrize("change", CHANGES, ids=[next(iter(one)) for one in CHANGES])
def test_after_a_change_the_findings_are_those_of_a_fresh_look(change):
    known = Known()
    find_discrepancies(SHOP, known=known)
    changed = {path: content for path, content in {**SHOP, **change}.items() if content is not None}

    assert find_discrepancies(changed, known=known) == find_discrepancies(changed)
    assert find_discrepancies(SHOP, known=known) == find_discrepancies(SHOP)


def test_a_file_that_did_not_change_is_not_parsed_again(monkeypatch):
    known, parsed = Known(), []
    find_discrepancies(SHOP, known=known)
    real = ast.parse
    monkeypatch.setattr(ast, "parse", lambda source: parsed.append(source) or real(source))
    find_discrepancies({**SHOP, "shop/base.py": b"class Base: pass\n"}, known=known)

    assert parsed == [b"class Base: pass\n"]


def test_what_is_no_longer_there_is_forgotten():
    known = Known()
    find_discrepancies(SHOP, known=known)
    whole = len(known)
    find_discrepancies({}, known=known)

    assert (whole > 10, len(known)) == (True, 0)


def test_of_a_module_no_more_is_kept_than_is_asked_for():
    module = read_module(CODE.encode(), name="shop.orders", path="shop/orders.py")

    assert [len(one.body) for one in module.functions if one.name in {"load", "traced", "__enter__"}] == [1, 1, 1]
