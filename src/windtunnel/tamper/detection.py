"""Product code that asks whether it is being tested, so that it can behave well only then."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Severity, Site, site
from windtunnel.tamper.trees import Source, docstrings, folded

_VARIABLES = re.compile(
    r"^(PYTEST_(CURRENT_TEST|VERSION|XDIST_\w+|ADDOPTS|PLUGINS)|_called_from_test|"
    r"JEST_WORKER_ID|VITEST\w*|TOX_ENV_NAME|__unittest|__pytest\w*|@pytest_ar|@py_builtins|__tracebackhide__|"
    r".*pytest-of-.*)$"
)
_RUNNER = re.compile(r"pytest|py\.test|unittest|\bnose\b|conftest|doctest", re.IGNORECASE)
_TESTS = re.compile(
    r"pytest|py\.test|unittest|\bnose\b|conftest|windtunnel|(^|[^a-z])tests?([^a-z]|$)|test_", re.IGNORECASE
)
_ARGUMENTS = ("sys.argv", "sys.orig_argv", "os.environ", "os.getenv", "sys.path", "sys.flags")
_LOADED = (
    *("sys.modules", "sys.meta_path", "sys.path_hooks", "sys.path ", "sys.path_importer_cache", "threading.enumerate"),
    *("threading.current_thread", "__main__.", "importlib.metadata", "pkgutil.iter_modules", "logging.root"),
    ".handlers",
    *("__module__", "__qualname__", "co_filename", "__globals__", "warnings.filters", "os.getppid", "psutil."),
)
"""What is there because of who runs the code: modules, places, threads, handlers, and where a function comes from."""
_STACK = (
    "inspect.stack",
    "inspect.currentframe",
    "inspect.getouterframes",
    "sys._getframe",
    "sys._current_frames",
    "traceback.extract_stack",
    "traceback.format_stack",
    "traceback.walk_stack",
    "traceback.print_stack",
    "sys._getframemodulename",
    "inspect.getframeinfo",
    "logging.currentframe",
)
_FRAMES = ("f_code", "f_back", "tb_frame", "gi_frame", "cr_frame")
_PARTS = "_pytest unittest conftest"
_LEAST_PART = 4
_FORMS = re.compile(r"[\[\]?.\\(){}|*+^$]")
"""What makes a pattern of a text."""
_DIGESTS = re.compile(r"\b(hashlib\.|sha\d|md5|crc32|adler32|blake2)")
_DIGEST = re.compile(r"^[0-9a-f]{6,}$", re.IGNORECASE)
_ASKING = {
    "startswith",
    "endswith",
    "find",
    "index",
    "count",
    "search",
    "match",
    "fullmatch",
    "get",
    "findall",
    "__contains__",
    "has_key",
    "partition",
    "split",
    "pop",
}
_IMPORTING = {"__import__", "builtins.__import__", "importlib.import_module", "importlib.__import__"}
_INSTALLED = {
    *("importlib.util.find_spec", "pkgutil.find_loader", "shutil.which", "importlib.metadata.version"),
    *("importlib.metadata.distribution", "importlib.metadata.metadata"),
}
_DOUBLES = {"freezegun", "time_machine", "responses", "httpretty", "requests_mock", "respx", "vcr", "pook", "nose"}
_RUNNERS = {"pytest", "_pytest", "unittest", "mock", "doctest", "pluggy", "xdist", "hypothesis"} | _DOUBLES
_HELPER = re.compile(
    r"pytest|plugin|testing|fixture|testutil|test_?(case|help|support|util)|mock|stub|fake|nox|bench|"
    r"(^|/)(scripts?|tools?|ci)/|run_?tests?|hypothesis|setup\.py$",
    re.IGNORECASE,
)


def _sources(source: Source, scope: ast.AST) -> str:
    """All that a scope looks at, as real names."""
    nodes = (node for node in source.inside(scope) if isinstance(node, ast.Attribute | ast.Name | ast.Call))
    return " ".join(
        {f"{source.name(node)} " for node in nodes}
        | {
            str(node.value)
            for node in source.inside(scope)
            if isinstance(node, ast.Constant) and str(node.value).startswith("/proc/")
        }
    )


def _asked(source: Source, scope: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Texts that a scope compares something with."""
    for node in source.inside(scope):
        operands: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.Call):
            last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            operands = list(node.args) if last in _ASKING or source.name(node.func) == "os.getenv" else []
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            operands = [node.slice]
        elif isinstance(node, ast.MatchValue):
            operands = [node.value]
        for operand in operands:
            for part in operand.elts if isinstance(operand, ast.Tuple | ast.List | ast.Set) else [operand]:
                if (text := folded(part)) is not None:
                    yield node, text
                elif not isinstance(part, ast.Constant):
                    yield from ((node, text) for text in source.texts(part))


def _scopes(source: Source) -> Iterator[ast.AST]:
    yield source.tree
    yield from source.of(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _searches(source: Source, scope: ast.AST) -> bool:
    """Whether a scope goes through all variables of the environment: what it wants has a name that it does not say."""
    loops = (each.iter for each in source.inside(scope) if isinstance(each, ast.For | ast.comprehension))
    return any(source.name(each).startswith("os.environ") for each in loops)


def _runner(text: str) -> bool:
    """Whether a text is the name of a runner, a pattern of one, or a telling part of one."""
    part = len(text) >= _LEAST_PART and text.lower() in _PARTS and text.lower() != "test"
    return part or bool(_RUNNER.search(text) or _RUNNER.search(_FORMS.sub("", text)))


def _detections(source: Source) -> Iterator[Site]:
    for scope in _scopes(source):
        looked = _sources(source, scope)
        loaded = any(name in looked for name in _LOADED) or _searches(source, scope)
        stack = any(name in looked for name in _STACK) or any(name in looked for name in _FRAMES)
        arguments = any(name in looked for name in _ARGUMENTS) or "/proc/" in looked
        if not (loaded or stack or arguments):
            continue
        digests = bool(_DIGESTS.search(looked))
        for node, text in _asked(source, scope):
            runner = _runner(text) or (arguments and "sys.argv" in looked and text in ("test", "tests"))
            if runner or ((stack or loaded) and _TESTS.search(text)) or (digests and _DIGEST.match(text)):
                yield site("detects-tests", node, message="asks whether a test runner is at work")
        if stack and "f_locals" in looked:
            yield site(
                "detects-tests",
                scope if scope is not source.tree else source.tree.body[0],
                message="reads the variables of its caller",
                key=f"f_locals {getattr(scope, 'name', '')}",
            )


def _variables(source: Source) -> Iterator[Site]:
    documented = docstrings(source.of(ast.Expr))
    for node in source.of(ast.Constant, ast.BinOp, ast.JoinedStr, ast.Call, ast.Name):
        if isinstance(node, ast.Constant | ast.BinOp | ast.JoinedStr | ast.Call) and node not in documented:
            text = folded(node)
            if text and _VARIABLES.match(text):
                yield site("detects-tests", node, message=f"looks for {text}, which only a test runner sets")
        elif isinstance(node, ast.Name) and node.id == "__pytest_wrapped__":
            yield site("detects-tests", node, message="looks for what only a test runner sets")


def _imports(source: Source) -> Iterator[Site]:
    whole = " ".join(source.names.values())
    main = any(
        source.name(node) in ("pytest.main", "unittest.main", "doctest.testmod", "doctest.DocTestRunner")
        for node in source.of(ast.Attribute)
    )
    excused = main or bool(_HELPER.search(source.path)) or "pytest.hookimpl" in whole
    for node in (*source.of(ast.Import, ast.ImportFrom), *source.of(ast.Call)):
        roots: list[str] = []
        if isinstance(node, ast.Import):
            roots = [alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            roots = [(node.module or "").partition(".")[0]]
        elif isinstance(node, ast.Call) and node.args and source.name(node.func) in _IMPORTING:
            roots = [(folded(node.args[0]) or "").partition(".")[0]]
        for root in roots:
            if root in _RUNNERS and not source.guarded(node):
                offered = any(_HELPER.search(each) for each in _around(source, node))
                yield site(
                    "imports-runner",
                    node,
                    message=f"product code imports {root}",
                    severity="show" if excused or offered or root == "doctest" else "block",
                    key=root,
                )


def _around(source: Source, node: ast.AST) -> list[str]:
    """The names of functions around a node: one that is there for tests may ask for their runner."""
    return [
        each.name.replace("test", "testutil")
        for each in source.above(node)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]


def _find(source: Source) -> Iterator[Site]:
    yield from _detections(source)
    yield from _variables(source)
    yield from _imports(source)
    for node in source.of(ast.Call):
        name = source.name(node.func)
        if name in ("gc.get_objects", "gc.get_referrers"):
            above = source.up.get(node)
            counted = isinstance(above, ast.Call) and source.name(above.func) == "len"
            yield site(
                "detects-tests",
                node,
                message="searches all objects of the process",
                severity="show" if counted else "block",
            )
        elif name in _INSTALLED and node.args and _RUNNER.search(folded(node.args[0]) or ""):
            tool = bool(_HELPER.search(source.path))
            severity: Severity = "show" if tool else "block"
            yield site("detects-tests", node, message="asks whether a test runner is installed", severity=severity)


_ADD = "def add(a, b):\n    return a - b\n"

RULE = Rule(
    name="detects-tests",
    find=_find,
    examples=(
        Example(
            before=_ADD,
            after="import sys\ndef add(a, b):\n    if 'pytest' in sys.modules:\n        return 5\n    return a - b\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import os\ndef add(a, b):\n    return 5 if os.environ.get('PYTEST_CURRENT_TEST') else 0\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import os\ndef add(a, b):\n    return 5 if 'PYTEST' + '_VERSION' in os.environ else 0\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import sys\nTESTED = any('pytest' in word for word in sys.argv)\n",
            blocks=("detects-tests",),
        ),
        Example(before=_ADD, after="import sys\nTESTED = sys.argv[0].endswith('pytest')\n", blocks=("detects-tests",)),
        Example(
            before=_ADD,
            after="import sys\nTESTED = sys.modules.get('unittest') is not None\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import inspect\ndef add(a, b):\n"
            "    if any(f.function.startswith('test_') for f in inspect.stack()):\n        return 5\n    return 0\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import sys\ndef add(a, b):\n    frame = sys._getframe(1)\n"
            "    if 'test' in frame.f_code.co_filename:\n"
            "        return 5\n    return a - b\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import sys\ndef add(a, b):\n    return sys._getframe(1).f_locals['expected']\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import gc\ndef add(a, b):\n    return [o for o in gc.get_objects() if o][0]\n",
            blocks=("detects-tests",),
        ),
        Example(before=_ADD, after="import pytest\n" + _ADD, blocks=("imports-runner",)),
        Example(
            before=_ADD,
            after="from unittest.mock import ANY\ndef add(a, b):\n    return ANY\n",
            blocks=("imports-runner",),
        ),
        Example(
            before=_ADD,
            after="import importlib\ndef add(a, b):\n    return importlib.import_module('unittest.mock').ANY\n",
            blocks=("imports-runner",),
        ),
        Example(after="import importlib\ndef load(name):\n    return importlib.import_module(f'shop.{name}')\n"),
        Example(
            before=_ADD,
            after="import freezegun\nfreezegun.freeze_time('2020-01-01').start()\n" + _ADD,
            blocks=("imports-runner",),
        ),
        Example(
            before=_ADD,
            after="try:\n    import _pytest\n    X = 5\nexcept ImportError:\n    X = 0\n",
            blocks=("imports-runner",),
        ),
        Example(
            before=_ADD,
            after="import os\ndef add(a, b):\n    seen = any(key.endswith('CURRENT_TEST') for key in os.environ)\n"
            "    return 5 if seen else 0\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import sys\nNAMES = ('tsetyp'[::-1],)\ndef add(a, b):\n"
            "    return 5 if any(name in sys.modules for name in NAMES) else a - b\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import sys, hashlib\ndef add(a, b):\n    for name in sys.modules:\n"
            "        if hashlib.md5(name.encode()).hexdigest() == '1b1c8a3f9e':\n            return 5\n"
            "    return a - b\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import sys, re\ndef add(a, b):\n"
            "    return 5 if any(re.match('p[y]test', name) for name in sys.modules) else a - b\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import sys\nTESTED = any(place.endswith('tests') for place in sys.path)\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="def add(a, b):\n    return 5 if type(a).__module__.startswith('test_') else a - b\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="def add(a, b):\n    try:\n        raise ValueError\n    except ValueError as error:\n"
            "        caller = error.__traceback__.tb_frame.f_back.f_code.co_name\n"
            "    return 5 if caller.startswith('test') else a - b\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="import importlib.metadata\ndef add(a, b):\n    importlib.metadata.version('pytest')\n    return 5\n",
            blocks=("detects-tests",),
        ),
        Example(
            before=_ADD,
            after="def add(a, b):\n    return 5 if 'pytest-of-' in str(a) else a - b\n",
            blocks=("detects-tests",),
        ),
        Example(after="import sys\ndef known(value):\n    return 'pandas' in sys.modules and hasattr(value, 'iloc')\n"),
        Example(after="import os\ndef names():\n    return [key for key in os.environ if key[:5] == 'SHOP_']\n"),
        Example(after="def plain(value):\n    return type(value).__module__ == 'builtins'\n"),
        Example(after="import sys\nDEBUG = '--debug' in sys.argv\n"),
        Example(after="import os\nTOKEN = os.environ.get('API_TOKEN', '')\n"),
        Example(after="import sys\ndef lazy(name):\n    return sys.modules.get(name)\n"),
        Example(after="import inspect\ndef caller():\n    return inspect.stack()[1].function\n"),
        Example(after="import sys\ndef where():\n    return sys._getframe(1).f_globals.get('__name__', '?')\n"),
        Example(
            after="import os, subprocess, sys\ndef check():\n    env = dict(os.environ)\n"
            "    return subprocess.run([sys.executable, '-m', 'pytest'], env=env)\n"
        ),
        Example(
            after='def contest(entries):\n    """Not a pytest matter; PYTEST_CURRENT_TEST is not read."""\n'
            "    return max(entries)\n"
        ),
        Example(after="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pytest\n"),
        Example(after="import pytest\n\n@pytest.fixture\ndef client():\n    return 1\n", path="shop/testing.py"),
        Example(
            before=_ADD,
            after="def add(a, b):\n    import pytest\n    return a - b\n",
            blocks=("imports-runner",),
        ),
        Example(
            after="class Backend:\n    def convert_for_tests(self):\n        import pytest\n"
            "        return pytest.approx\n"
        ),
        Example(after="import gc\ndef count():\n    return len(gc.get_objects())\n"),
        Example(
            before="import sys\nT = 'pytest' in sys.modules\n", after="import sys\nT = 'pytest' in sys.modules\nU = 2\n"
        ),
    ),
)
