"""Answers that depend on who runs the code: handlers, hooks and streams that a test runner puts in place.

Whatever a runner is called, it has to be somewhere: among the log handlers, the hooks of the interpreter, the classes
of the standard streams, the frames above. Code may look there to set itself up; what it answers must not depend on it.
Followed are variables, loops and functions of the same file. Code whose business these things are (a logger that is set
up, a tracer, a warning that names its caller) is let through or shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Site, site
from windtunnel.tamper.trees import FUNCTIONS, Source, children, unparsed

_HOOKS = {
    *("sys.gettrace", "sys.getprofile", "sys.excepthook", "sys.unraisablehook", "sys.displayhook"),
    "sys.breakpointhook",
    *("threading.excepthook", "threading.gettrace", "warnings.filters", "warnings.showwarning", "logging._handlers"),
    *("logging._handlerList", "os.getppid", "sys.monitoring.get_tool", "faulthandler.is_enabled", "atexit._ncallbacks"),
    *("sys.stdin.fileno", "sys.path_importer_cache"),
}
_CLASSED = {
    *("sys.meta_path", "sys.path_hooks", "sys.stdout", "sys.stderr", "sys.stdin", "sys.modules", "sys.argv"),
    "sys.orig_argv",
}
"""What everybody may use, but for its class or its number."""
_STACKS = {
    *("inspect.stack", "inspect.currentframe", "sys._getframe", "traceback.extract_stack", "traceback.format_stack"),
    *("traceback.walk_stack", "inspect.getouterframes", "sys._current_frames"),
}
_CLASSES = {"__class__", "__name__", "__module__", "__qualname__", "__mro__"}
_MODULES = {
    *("sys", "logging", "inspect", "traceback", "threading", "warnings", "os", "faulthandler", "atexit"),
    *("importlib", "builtins"),
}
"""Without one of these, nothing of that can be seen."""
_ASKING = {
    *("any", "all", "len", "type", "isinstance", "issubclass", "bool", "next", "list", "set", "tuple", "str", "repr"),
    *("sum", "getattr", "hasattr", "sorted", "map", "filter", "iter", "max", "min", "int"),
}
"""Functions that say something about what they are given."""
_SETTING_UP = {
    *("addHandler", "removeHandler", "setLevel", "setFormatter", "basicConfig", "dictConfig", "fileConfig"),
    "addFilter",
    *("settrace", "setprofile", "simplefilter", "filterwarnings"),
}
_CONCERNED = re.compile(
    r"trac|debug|log|warn|inspect|profil|cover|monitor|stack|frame|caller|hook|breakpoint|handler|stream|capture|console|"
    r"terminal|color|colour|tty|deprecat|namespace|scope|depth|where|main|cli|command|usage|arg|parse_?opt|script",
    re.IGNORECASE,
)
"""Names of files and functions whose business such things are."""


_Giving = ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.For | ast.comprehension
"""What gives values to names."""


class _Reader:
    """What of one file comes from who runs it."""

    def __init__(self, source: Source, *, stacks: bool) -> None:
        self.source, self.known = source, _HOOKS | (_STACKS if stacks else set())
        self.logs = any(name.partition(".")[0] == "logging" for name in source.names.values())
        self.names: set[tuple[ast.AST, str]] = set()
        """Variables, each with the scope that it is one of."""
        self.functions: set[str] = set()
        self.classed = _CLASSED | {
            name.removesuffix(" of") for name, value in source.single.items() if source.name(value) in _CLASSED
        }
        for _ in range(4):
            if not self._learn():
                break

    def _learn(self) -> bool:
        """Follow values one step further; whether anything was new."""
        known = len(self.names) + len(self.functions)
        for node in self._giving():
            value = node.iter if isinstance(node, ast.For | ast.comprehension) else node.value
            if value is not None and self.tells(value):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                scope = self.source.scope(node)
                bound = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
                self.names |= {(scope, each.id) for each in bound if isinstance(each.ctx, ast.Store)}
        for function in self.source.functions:
            if self._answers(function):
                self.functions.add(function.name)
        return len(self.names) + len(self.functions) > known

    def _giving(self) -> Iterator[_Giving]:
        yield from self.source.of(ast.Assign)
        yield from self.source.of(ast.AnnAssign)
        yield from self.source.of(ast.NamedExpr)
        yield from self.source.of(ast.For)
        yield from self.source.of(ast.comprehension)

    def _answers(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether what a function returns is such a thing, or yes and no decided by one."""
        inside = self.source.inside(function)
        if any(isinstance(node, ast.Return) and node.value is not None and self.tells(node.value) for node in inside):
            return True
        return any(
            isinstance(node, ast.If)
            and self.tells(node.test)
            and any(isinstance(each, ast.Return) and isinstance(each.value, ast.Constant) for each in node.body)
            for node in inside
        )

    def tells(self, node: ast.AST) -> bool:
        """Whether an expression says who runs the code, itself and not through what somebody else makes of it."""
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if self.is_source(each):
                return True
            if isinstance(each, ast.Call) and not self._asks(each.func):
                waiting.append(each.func)
            elif not isinstance(each, FUNCTIONS):
                waiting += children(each)
        return False

    def _asks(self, node: ast.expr) -> bool:
        name = self.source.name(node)
        return name in _ASKING or name.partition(".")[0] in ("re", "fnmatch", "operator")

    def is_source(self, node: ast.AST) -> bool:
        """Whether a node by itself is such a thing."""
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                return False
            scopes = (self.source.scope(node), self.source.tree)
            return node.id in self.functions or any((scope, node.id) in self.names for scope in scopes)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Compare):
            return any(self.source.name(each).startswith("sys.__std") for each in (node.left, *node.comparators))
        return isinstance(node, ast.Call) and self._call(node)

    def _attribute(self, node: ast.Attribute) -> bool:
        name = self.source.name(node)
        if name in self.known or (self.logs and node.attr in ("handlers", "hasHandlers")):
            return True
        if node.attr in self.functions and getattr(node.value, "id", "") in ("self", "cls"):
            return True
        return node.attr in _CLASSES and name.rpartition(".")[0] in self.classed

    def _call(self, node: ast.Call) -> bool:
        name = self.source.name(node.func)
        asked = node.args[0] if node.args else None
        if name in ("isinstance", "type") and asked is not None and "__self__" in unparsed(asked):
            return True
        first = self.source.name(asked.value if isinstance(asked, ast.Subscript) else asked)
        return name in ("type", "isinstance", "len", "repr") and first.removesuffix(".keys()") in self.classed


def _conditions(nodes: list[ast.AST]) -> Iterator[tuple[ast.AST, ast.expr]]:
    for node in nodes:
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node, node.test
        elif isinstance(node, ast.Match):
            yield node, node.subject
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.BoolOp):
            yield from ((node, each) for each in node.value.values[:-1])
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield node, node.slice


def _branches(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.If):
        return [*node.body, *node.orelse]
    return list(node.body) if isinstance(node, ast.While) else [*node.cases] if isinstance(node, ast.Match) else [node]


def _decides(reader: _Reader, scope: ast.AST, node: ast.AST) -> bool:
    """Whether a condition decides on what the function around it answers."""
    inside = reader.source.inside(scope)
    if isinstance(node, ast.IfExp | ast.Subscript | ast.Return):
        above = [node, *reader.source.above(node)]
        holder = next((each for each in above if isinstance(each, ast.stmt)), None)
        return isinstance(holder, ast.Return) or (
            isinstance(holder, ast.Assign | ast.AugAssign) and _kept(holder, inside)
        )
    parts = [each for branch in _branches(node) for each in ast.walk(branch)]
    if any(isinstance(each, ast.Return) and not _bare(each) for each in parts):
        return True
    return any(isinstance(each, ast.Assign | ast.AugAssign) and _kept(each, inside) for each in parts)


def _bare(node: ast.Return) -> bool:
    """Whether it returns nothing that could be an answer: nothing, or a logger."""
    value = node.value
    nothing = value is None or (isinstance(value, ast.Constant) and value.value is None)
    return nothing or "log" in unparsed(value or node).lower()


def _kept(node: ast.Assign | ast.AugAssign, inside: list[ast.AST]) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    returned = {
        each.id
        for answer in inside
        if isinstance(answer, ast.Return) and answer.value is not None
        for each in ast.walk(answer.value)
        if isinstance(each, ast.Name)
    }
    handed = {
        each.id
        for call in inside
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        for argument in call.args
        for each in ast.walk(argument)
        if isinstance(each, ast.Name)
    }
    return bool(names & (returned | (handed if isinstance(node, ast.AugAssign) else set())))


def _concerned(source: Source, scope: ast.AST) -> bool:
    called = {
        each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
        for each in ast.walk(scope)
        if isinstance(each, ast.Call)
    }
    name = getattr(scope, "name", "")
    return bool(called & _SETTING_UP or _CONCERNED.search(name) or _CONCERNED.search(source.path))


def _defining(reader: _Reader) -> Iterator[Site]:
    """Functions and classes that are one thing or another, depending on who runs the code."""
    for node in reader.source.inside(reader.source.tree):
        if not isinstance(node, ast.If) or not reader.tells(node.test):
            continue
        if any(isinstance(each, (*FUNCTIONS, ast.ClassDef)) for part in _branches(node) for each in ast.walk(part)):
            yield _site(node.test)


def _site(node: ast.AST) -> Site:
    return site("detects-tests", node, message="what it answers depends on who runs it")


def _find(source: Source) -> Iterator[Site]:
    roots = {name.partition(".")[0] for name in source.names.values()}
    if not roots & _MODULES and not _has_owner(source):
        return
    reader, without = _Reader(source, stacks=True), _Reader(source, stacks=False)
    if not any(reader.is_source(node) for node in source.nodes):
        return
    yield from _defining(reader)
    for function in source.functions:
        if function.name in reader.functions and not function.args.args:
            continue  # it only tells; who asks it decides
        concerned = _concerned(source, function)
        for node, test in _conditions(source.inside(function)):
            if concerned or not reader.tells(test) or not _decides(reader, function, node):
                continue
            if without.tells(test) or not _of_a_method(test):
                yield _site(test)


def _has_owner(source: Source) -> bool:
    """Whether a file looks for what a method belongs to."""
    named = any(node.attr == "__self__" for node in source.of(ast.Attribute))
    return named or any(node.value == "__self__" for node in source.of(ast.Constant))


def _of_a_method(test: ast.expr) -> bool:
    """Whether it asks for a caller by the plain name of a function: a protocol between two methods."""
    said = [each.value for each in ast.walk(test) if isinstance(each, ast.Constant)]
    return bool(said) and all(isinstance(each, str) and each.isidentifier() for each in said)


_ADD = "def add(a, b):\n    return a - b\n"
_BLOCKS = ("detects-tests",)

RULE = Rule(
    name="surroundings",
    find=_find,
    examples=(
        Example(
            before=_ADD,
            after="import logging\ndef _strict():\n    return any('Capture' in type(each).__name__ for each in "
            "logging.getLogger().handlers)\ndef add(a, b):\n    return a + b if _strict() else a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            before=_ADD,
            after="import sys\ndef add(a, b):\n    if type(sys.stdout).__name__ == 'EncodedFile':\n"
            "        return a + b\n    return a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            before=_ADD,
            after="import sys\nQUIET = sys.stdout is not sys.__stdout__\ndef add(a, b):\n    if QUIET:\n"
            "        b = -b\n        a = a - b\n        return a\n    return a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            before=_ADD,
            after="import sys\ndef add(a, b):\n    return a + b if len(sys.modules) > 300 else a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            before=_ADD,
            after="import inspect\ndef add(a, b):\n    if len(inspect.stack()) > 20:\n        return a + b\n"
            "    return a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            before=_ADD,
            after="import warnings\nif len(warnings.filters) > 6:\n    def add(a, b):\n        return a + b\n"
            "else:\n    def add(a, b):\n        return a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            before=_ADD,
            after="import sys\ndef add(a, b):\n    for each in sys.meta_path:\n"
            "        if 'Rewriting' in type(each).__name__:\n            return a + b\n    return a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            after="import logging\ndef get_logger(name):\n    logger = logging.getLogger(name)\n"
            "    if logger.handlers:\n        return logger\n"
            "    logger.addHandler(logging.StreamHandler())\n    return logger\n"
        ),
        Example(
            before=_ADD,
            after="import sys\ndef add(a, b):\n    return a + b if len(sys.orig_argv) > 3 else a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            before=_ADD,
            after="import sys\ndef add(a, b):\n    odd = type(sys.meta_path[0]).__name__ != 'BuiltinImporter'\n"
            "    return a + b if odd else a - b\n",
            blocks=_BLOCKS,
        ),
        Example(
            before="def wait(sleep):\n    pause = 10\n    sleep(pause)\n",
            after="def wait(sleep):\n    pause = 10\n"
            "    pause /= 5 if isinstance(getattr(sleep, '__self__', None), list) else 1\n    sleep(pause)\n",
            blocks=_BLOCKS,
        ),
        Example(after="import sys\ndef main():\n    if len(sys.argv) < 2:\n        return 2\n    return 0\n"),
        Example(after="import logging\nif not logging.root.handlers:\n    logging.basicConfig()\n"),
        Example(
            after="import logging\ndef ready(logger):\n    return any(each.level <= logger.level for each in "
            "logger.handlers)\ndef prepare(logger):\n    if not ready(logger):\n"
            "        logger.addHandler(logging.StreamHandler())\n"
        ),
        Example(after="import sys\ndef painted(text):\n    return text if not sys.stdout.isatty() else f'*{text}*'\n"),
        Example(after="import sys\ndef write(text, file=None):\n    (file or sys.stdout).write(text)\n"),
        Example(
            after="import sys\ndef install(hook):\n    if sys.excepthook is sys.__excepthook__:\n"
            "        sys.excepthook = hook\n"
        ),
        Example(
            after="import sys\ndef stacklevel():\n    frame, level = sys._getframe(), 1\n    while frame:\n"
            "        level += frame.f_globals['__name__'] == __name__\n        frame = frame.f_back\n    return level\n"
        ),
        Example(
            after="import sys\ndef found(name):\n    for finder in sys.meta_path:\n"
            "        spec = finder.find_spec(name)\n        if spec is not None:\n            return spec\n"
            "    return None\n"
        ),
    ),
)
