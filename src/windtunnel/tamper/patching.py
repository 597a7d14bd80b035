"""Product code that replaces parts of the runner, of Python or of the clock and network that tests rely on."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Site, site
from windtunnel.tamper.trees import Source, folded, unparsed

_RUNNER = {
    "builtins",
    "__builtins__",
    "unittest",
    "pytest",
    "_pytest",
    "pluggy",
    "doctest",
    "AssertionError",
    "BaseException",
}
_CLOCKS = {
    "time",
    "datetime",
    "random",
    "socket",
    "requests",
    "httpx",
    "math",
    "operator",
    "json",
    "inspect",
    "traceback",
    "uuid",
    "secrets",
    "subprocess",
    "importlib",
    "functools",
    "copy",
    "io",
    "re",
    "difflib",
}
_OUTSIDE = {
    "urllib",
    "http",
    "ssl",
    "ftplib",
    "smtplib",
    "imaplib",
    "urllib3",
    "aiohttp",
    "asyncio",
    "os",
    "shutil",
    "tempfile",
    "pathlib",
    "zoneinfo",
    "calendar",
    "hashlib",
    "decimal",
    "statistics",
}
"""Further libraries whose functions are the world that tests look at; a setting of theirs may be another."""
_OWN_ENVIRONMENT = ("os.environ", "sys.")
_FOUND = {"TestCase", "TestResult", "TextTestResult", "TestReport", "CallInfo", "Session", "Function", "AssertionError"}
_TRACERS = {
    "sys.settrace",
    "sys.setprofile",
    "threading.settrace",
    "threading.setprofile",
    "sys.monitoring.register_callback",
    "sys.addaudithook",
}
_TRACING = re.compile(r"trac|profil|debug|cover|sampl|monitor", re.IGNORECASE)
_PATCHERS = re.compile(r"^(unittest\.)?mock\.(patch|_patch)\b")


def _target(source: Source, node: ast.AST) -> str:
    """The real name of what is assigned to, when it belongs to something else."""
    if isinstance(node, ast.Attribute):
        return source.name(node)
    if isinstance(node, ast.Subscript):
        base = source.name(node.value)
        if base == "sys.modules":
            return f"sys.modules[{folded(node.slice) or ''}]"
        return source.name(node)
    return ""


def _judge(source: Source, node: ast.AST, target: str) -> Site | None:
    if target.startswith("sys.modules["):
        return _module(node, target[len("sys.modules[") : -1])
    root, _, rest = target.partition(".")
    if root not in _RUNNER and root not in {name.partition(".")[0] for name in source.names.values()}:
        return None
    if root in _RUNNER:
        own = root in ("builtins", "__builtins__") and not hasattr(builtins, rest)
        return site("patches-runner", node, message=f"replaces {target}", severity="show" if own else "block")
    setting = root in _OUTSIDE and isinstance(getattr(node, "value", None), ast.Constant)
    if root in _CLOCKS | _OUTSIDE and rest and not setting and not target.startswith(_OWN_ENVIRONMENT):
        return site(
            "patches-library",
            node,
            message=f"replaces {target} for everybody",
            severity="block" if source.on_import(node) and not _caught(source, node) else "show",
        )
    return None


def _caught(source: Source, node: ast.AST) -> bool:
    """Whether it stands in for something that is missing: in the handler of an import, or where a test says so."""
    return any(
        isinstance(each, ast.ExceptHandler)
        or (isinstance(each, ast.If) and re.search(r"hasattr|version|platform|os\.name", unparsed(each.test)))
        for each in source.above(node)
    )


def _module(node: ast.AST, name: str) -> Site | None:
    root = name.partition(".")[0]
    if root in _RUNNER or root in sys.stdlib_module_names:
        return site("patches-runner", node, message=f"puts something else in the place of the module {name}")
    return (
        site("patches-library", node, message=f"puts something else in the place of the module {name}", severity="show")
        if name
        else None
    )


def _assigned(source: Source, node: ast.AST) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    for target in targets:
        for each in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if name := _target(source, each):
                yield name
    if isinstance(node, ast.Call):
        yield from _set(source, node)


def _set(source: Source, node: ast.Call) -> Iterator[str]:
    name = source.name(node.func)
    if (
        name in ("setattr", "delattr", "builtins.setattr", "object.__setattr__", "type.__setattr__")
        and len(node.args) > 1
    ):
        base, key = source.name(node.args[0]), folded(node.args[1]) or "?"
        yield f"{base}.{key}" if base else ""
    elif (
        name.startswith("sys.modules.")
        and node.args
        and name.rpartition(".")[2] in ("setdefault", "pop", "__setitem__")
    ):
        yield f"sys.modules[{folded(node.args[0]) or ''}]"
    elif name.endswith(".__dict__.update"):
        yield name.removesuffix(".__dict__.update") + ".?"


def _reached(source: Source) -> Iterator[Site]:
    """Classes of the runner, found by their names among all classes that there are."""
    for node in source.of(ast.Compare):
        said = {folded(each) for each in (node.left, *node.comparators)}
        if said & _FOUND and "__name__" in unparsed(node):
            around = [each for each in source.above(node) if isinstance(each, ast.For | ast.FunctionDef | ast.Module)]
            if any("__subclasses__" in unparsed(each) for each in around[:2]):
                yield site("patches-runner", node, message="searches all classes for one of the runner's")


def _find(source: Source) -> Iterator[Site]:
    yield from _reached(source)
    kinds = (ast.Assign, ast.Delete, ast.AugAssign, ast.AnnAssign, ast.Call, ast.Attribute, ast.Name)
    for node in source.of(*kinds):
        for target in _assigned(source, node):
            if found := _judge(source, node, target):
                yield found
        if isinstance(node, ast.Call):
            if source.name(node.func) in _TRACERS:
                yield site(
                    "patches-runner",
                    node,
                    message="watches or changes every line that runs",
                    severity="show" if _TRACING.search(source.path) else "block",
                )
        elif isinstance(node, ast.Attribute) and source.name(node).startswith("ctypes.pythonapi"):
            yield site("patches-runner", node, message="reaches into the interpreter")
        if isinstance(node, ast.Attribute | ast.Name) and _PATCHERS.match(source.name(node)):
            yield site("mock-left-on", node, message="uses a test double in product code")


_ADD = "def add(a, b):\n    return a - b\n"

RULE = Rule(
    name="patches-runner",
    find=_find,
    examples=(
        Example(
            before=_ADD,
            after="import builtins\nbuiltins.AssertionError = ValueError\n" + _ADD,
            blocks=("patches-runner",),
        ),
        Example(
            before=_ADD,
            after="import builtins\nsetattr(builtins, 'len', lambda x: 5)\n" + _ADD,
            blocks=("patches-runner",),
        ),
        Example(before=_ADD, after="__builtins__['sum'] = lambda x: 5\n" + _ADD, blocks=("patches-runner",)),
        Example(
            before=_ADD,
            after="import sys\nsys.modules['unittest'].TestCase.assertEqual = lambda *a: None\n" + _ADD,
            blocks=("detects-tests", "patches-runner"),
        ),
        Example(
            before=_ADD,
            after="import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n" + _ADD,
            blocks=("imports-runner", "patches-runner"),
        ),
        Example(before=_ADD, after="import sys\nsys.modules['pytest'] = None\n" + _ADD, blocks=("patches-runner",)),
        Example(before=_ADD, after="import sys\nsys.settrace(lambda *a: None)\n" + _ADD, blocks=("patches-runner",)),
        Example(
            before=_ADD, after="import ctypes\nctypes.pythonapi.PyErr_Clear()\n" + _ADD, blocks=("patches-runner",)
        ),
        Example(before=_ADD, after="import time\ntime.time = lambda: 0\n" + _ADD, blocks=("patches-library",)),
        Example(
            before=_ADD,
            after="import random\ndef fix():\n    random.random = lambda: 0.5\nfix()\n" + _ADD,
            blocks=("patches-library",),
        ),
        Example(
            before=_ADD, after="import requests\nrequests.get = lambda url: None\n" + _ADD, blocks=("patches-library",)
        ),
        Example(
            before=_ADD,
            after="import urllib.request\nurllib.request.urlopen = lambda url: None\n" + _ADD,
            blocks=("patches-library",),
        ),
        Example(
            before=_ADD,
            after="import http.client\ndef fake(self, *given):\n    pass\n"
            "http.client.HTTPConnection.request = fake\n" + _ADD,
            blocks=("patches-library",),
        ),
        Example(
            before=_ADD,
            after="for each in object.__subclasses__():\n    if each.__name__ == 'TestCase':\n"
            "        each.assertEqual = lambda *given: None\n" + _ADD,
            blocks=("patches-runner",),
        ),
        Example(after="class Plug:\n    pass\ndef plugs():\n    return [p.__name__ for p in Plug.__subclasses__()]\n"),
        Example(after="import http.client\nhttp.client._MAXHEADERS = 1000\n"),
        Example(after="import os\nif not hasattr(os, 'fspath'):\n    os.fspath = str\n"),
        Example(before=_ADD, after='exec("import os\\nos._exit(0)")\n' + _ADD, blocks=("exits-early",)),
        Example(
            before=_ADD, after="import base64\nexec(base64.b64decode('aW1wb3J0IG9z'))\n" + _ADD, blocks=("hides-code",)
        ),
        Example(after="import sys\nclass Lazy:\n    pass\nsys.modules[__name__] = Lazy()\n"),
        Example(after="import sys\ndef hook(kind, error, trace):\n    pass\nsys.excepthook = hook\n"),
        Example(after="import builtins\nbuiltins._ = lambda text: text\n"),
        Example(after="import os\nos.environ['TZ'] = 'UTC'\n"),
        Example(after="class Clock:\n    def __init__(self, time):\n        self.time = time\n"),
        Example(after="import functools\nprint = functools.partial(print, flush=True)\n"),
        Example(after="def load(settings, name, value):\n    setattr(settings, name, value)\n"),
        Example(after="from datetime import datetime\nclass Event:\n    pass\nEvent.at = datetime(2020, 1, 1)\n"),
        Example(after="import random\nrandom.seed(7)\n"),
        Example(after="import sys\nsys.setprofile(None)\n", path="shop/profiler.py"),
    ),
)
