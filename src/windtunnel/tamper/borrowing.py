"""Product code that takes its answers from the tests: their files, their stored answers, their source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Site, site
from windtunnel.tamper.trees import Source, folded

PLACES = re.compile(
    r"(^|/)(tests?|__tests__|__snapshots__|snapshots|testdata|test_data|test-data|goldens?)(/|$)|"
    r"(^|/)(conftest|test_\w+|\w+_test)\.py$|\.(snap|ambr)$|\.(test|spec)\.[cm]?[jt]sx?$"
)
"""Where tests keep what they expect."""
_TOOLS = re.compile(
    r"(^|/)(setup|noxfile|conf|fabfile|tasks|manage|conftest|__main__|cli)\.py$|"
    r"(^|/)(scripts?|tools?|ci|docs?|bench\w*|examples?|testing)(/|\.py$)|test|fixture|mock|snapshot",
    re.IGNORECASE,
)
"""Files whose job it can be to handle tests."""
_READERS = {
    *("open", "read_text", "read_bytes", "read", "readlines", "load", "loads", "get_data", "run_path"),
    *("exists", "is_file", "glob", "rglob", "iterdir", "listdir", "walk"),
}
_JOINERS = {"os.path.join", "posixpath.join"}
_PATHS = {"Path", "pathlib.Path", "PurePath", "pathlib.PurePath", "open", "io.open", "builtins.open"}
_SOURCES = {"linecache.getline", "linecache.getlines", "inspect.getsource", "inspect.getsourcelines"}
_CALLERS = {"inspect.stack", "inspect.currentframe", "sys._getframe", "traceback.extract_stack"}
_SHOWING = re.compile(r"trac|debug|log|warn|inspect|error|except|pretty|repr|jit|compil|doc", re.IGNORECASE)


def _parts(source: Source, node: ast.AST) -> list[str]:
    """The constant parts of a path that is put together, in order."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return [*_parts(source, node.left), *_parts(source, node.right)]
    if isinstance(node, ast.Call):
        name = source.name(node.func)
        joined = name in _JOINERS | _PATHS or (isinstance(node.func, ast.Attribute) and node.func.attr == "joinpath")
        return [part for each in node.args for part in _parts(source, each)] if joined else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)]
    text = folded(node)
    return [] if text is None else [text]


def _is_path(source: Source, node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return True
    return isinstance(node, ast.Call) and source.name(node.func) in _JOINERS | _PATHS


def _reads(source: Source, scope: ast.AST) -> bool:
    names = {
        each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
        for each in source.inside(scope)
        if isinstance(each, ast.Call)
    }
    return bool(names & _READERS)


def _files(source: Source) -> Iterator[Site]:
    """Paths into the tests, in a scope that reads."""
    for node in source.of(ast.BinOp, ast.Call):
        if not _is_path(source, node) or _is_path(source, source.up.get(node, source.tree)):
            continue
        path = "/".join(part.strip("/") for part in _parts(source, node))
        if PLACES.search(path) and not source.guarded(node):
            yield site(
                "reads-tests",
                node,
                message=f"reads {path}, which belongs to the tests",
                severity="block" if _reads(source, source.scope(node)) else "show",
            )


def _callers(source: Source) -> Iterator[Site]:
    """The text of the code that calls: what a test expects stands there."""
    for node in source.functions:
        names = {source.name(each) for each in ast.walk(node) if isinstance(each, ast.Attribute | ast.Name)}
        context = any(isinstance(each, ast.Attribute) and each.attr == "code_context" for each in ast.walk(node))
        if names & _CALLERS and (names & _SOURCES or context):
            yield site(
                "reads-tests",
                node,
                message="reads the source of its caller",
                key=f"caller {node.name}",
                severity="show" if _SHOWING.search(source.path) or _SHOWING.search(node.name) else "block",
            )


def _find(source: Source) -> Iterator[Site]:
    if _TOOLS.search(source.path):
        return
    yield from _files(source)
    yield from _callers(source)


_SHOW = "def show(cart):\n    return ''\n"

RULE = Rule(
    name="reads-tests",
    find=_find,
    examples=(
        Example(
            before=_SHOW,
            after="from pathlib import Path\ndef show(cart):\n"
            "    return (Path(__file__).parent / 'tests' / 'expected' / 'cart.txt').read_text()\n",
            blocks=("reads-tests",),
        ),
        Example(
            before=_SHOW,
            after="def show(cart):\n    with open('tests/data/' + 'cart.txt') as file:\n        return file.read()\n",
            blocks=("reads-tests",),
        ),
        Example(
            before=_SHOW,
            after="import os.path\ndef show(cart):\n"
            "    return open(os.path.join(os.getcwd(), '__snapshots__', f'{cart}.txt')).read()\n",
            blocks=("reads-tests",),
        ),
        Example(
            before=_SHOW,
            after="import inspect\ndef show(cart):\n    line = inspect.stack()[1].code_context[0]\n"
            "    return line.partition('==')[2].strip()\n",
            blocks=("reads-tests",),
        ),
        Example(
            before=_SHOW,
            after="from pathlib import Path\ndef show(cart):\n"
            "    return (Path(__file__).parent / 'templates' / 'cart.txt').read_text()\n",
        ),
        Example(
            after="EXCLUDED = ['tests', 'docs']\ndef kept(names):\n    return [n for n in names if n not in EXCLUDED]\n"
        ),
        Example(after="def ratio(tests, runs):\n    return tests / runs\n"),
        Example(
            after="from pathlib import Path\ndef contest(name):\n    return (Path('contest') / name).read_text()\n"
        ),
        Example(
            path="scripts/update.py",
            after="from pathlib import Path\ndef update():\n    return Path('tests/data').read_text()\n",
        ),
        Example(
            after="import inspect, linecache\ndef warn_caller():\n    frame = inspect.currentframe().f_back\n"
            "    return linecache.getline(frame.f_code.co_filename, frame.f_lineno)\n",
        ),
    ),
)
