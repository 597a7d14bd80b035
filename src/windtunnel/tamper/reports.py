"""Product code that writes what only a runner should, or hides what went wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Site, site
from windtunnel.tamper.trees import Source, folded, unparsed

_REPORT = re.compile(
    r"(junit[\w.-]*|test[-_]?(report|result)s?|TEST-[\w.-]*|results?|report)\.(xml|json|trx)$|"
    r"(^|/)\.coverage$|windtunnel-report|\.pytest_cache|lastfailed$",
    re.IGNORECASE,
)
_GENERAL = re.compile(r"^[\w./-]*?(results?|report)\.(xml|json)$", re.IGNORECASE)
_HOOKS = re.compile(r"(^|/)\.git/|(^|/)\.husky/")
_PLACES = re.compile(
    r"(^|/)(node_modules|site-packages|\.venv|venv)/|sitecustomize\.py$|usercustomize\.py$|\.pth$|"
    r"(^|/)(conftest\.py|pytest\.ini)$"
)
_MARKUP = re.compile(r"<(failure|error|testsuites?|testcase|skipped)\b|\b(failures|errors|skipped)=|</?failure")
_SUMMARY = re.compile(
    r"\b\d+ (tests? )?passed\b.*\bin \d|\bRan \d+ tests? in\b|^TAP version 1\d|^# pass \d+|"
    r"\btest result: ok\. \d+ passed|\bTests:\s+\d+ passed|\b\d+ passing \(\d|^\s*=+ .*\b\d+ passed\b|"
    r"^(not )?ok \d+ - ",
    re.MULTILINE,
)
"""The last line of a runner, with numbers that nobody counted."""
_CLAIM = re.compile(r"\bpassed\b|\bRan\b.*\btests?\b|\bfailures\b|\btests? (ok|pass)", re.IGNORECASE)
_EDITS = {"sub", "subn", "replace", "translate"}
_OUTPUTS = {
    "print",
    "sys.stdout.write",
    "sys.stderr.write",
    "sys.__stdout__.write",
    "os.write",
    "sys.stdout.buffer.write",
}
_AT_EXIT = {"atexit.register", "weakref.finalize", "threading._register_atexit"}
_WRITERS = {"write_text", "write_bytes", "touch", "rename", "replace", "symlink_to", "unlink"}


def _written(source: Source, node: ast.Call) -> str:
    """The file that a call writes to or deletes, when its name is in the code."""
    name = source.name(node.func)
    last = node.func.attr if isinstance(node.func, ast.Attribute) else name
    if name in ("open", "io.open", "builtins.open", "os.open") or last == "open":
        mode = " ".join(unparsed(each) for each in (*node.args[1:], *(word.value for word in node.keywords)))
        paths: list[ast.expr] = (
            [*node.args[:1], node.func] if re.search(r"['\"][rbt]*[wax+]|O_WR|O_RDWR|O_CREAT", mode) else []
        )
    elif last in _WRITERS or name in (
        "os.rename",
        "os.replace",
        "shutil.copy",
        "shutil.move",
        "os.remove",
        "os.unlink",
    ):
        paths = [node.func, *node.args]
    elif last == "write" and name.rpartition(".")[0] not in ("sys.stdout", "sys.stderr"):
        paths = list(node.args[:1]) if "tree" in name.lower() else []
    else:
        return ""
    texts = [folded(each) for path in paths for each in ast.walk(path) if isinstance(each, ast.expr)]
    return next(
        (text for text in texts if text and (_REPORT.search(text) or _HOOKS.search(text) or _PLACES.search(text))), ""
    )


def _records(source: Source, node: ast.AST) -> Site | None:
    if not isinstance(node, ast.Constant) or node.value not in ("\x1e", b"\x1e"):
        text = node.value if isinstance(node, ast.Constant) else None
        if not (isinstance(text, str) and text.startswith("\x1e")) and not (
            isinstance(text, bytes) and text.startswith(b"\x1e")
        ):
            return None
    words = {source.name(each) for each in ast.walk(source.scope(node)) if isinstance(each, ast.Attribute | ast.Name)}
    loud = words & {"print", "os.write", "sys.stdout", "sys.__stdout__", "sys.stdout.buffer"}
    return site(
        "forges-report",
        node,
        message="writes records like those of the test runner",
        severity="block" if loud else "show",
    )


def _texts(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str | bytes):
            yield each.value if isinstance(each.value, str) else each.value.decode("utf-8", "replace")


def _writes(source: Source, scope: ast.AST) -> bool:
    """Whether a scope writes a file of whatever name."""
    for node in source.inside(scope):
        if isinstance(node, ast.Call):
            last = node.func.attr if isinstance(node.func, ast.Attribute) else source.name(node.func)
            if last in ("write_text", "write_bytes", "write", "writelines", "dump"):
                return True
    return False


def _edited(source: Source, node: ast.Call) -> Site | None:
    """The marks of failures are looked for in a report, to be written over."""
    last = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if last in _EDITS and node.args and any(_MARKUP.search(text) for text in _texts(node.args[0])):
        return site("forges-report", node, message="edits the marks of failures in a report")
    taken = last in ("remove", "clear") and any(
        isinstance(each, ast.Call) and any(text in ("failure", ".//failure", "testcase") for text in _texts(each))
        for each in source.inside(source.scope(node))
    )
    if taken and _writes(source, source.scope(node)):
        return site("forges-report", node, message="takes the failures out of a report")
    return None


def _printed(source: Source, node: ast.Call) -> Site | None:
    name = source.name(node.func)
    if name in _OUTPUTS:
        said = [_SUMMARY.search(text) for argument in node.args for text in _texts(argument)]
        return site("prints-results", node, message="prints the summary of a test runner") if any(said) else None
    return _last_words(source, node) if name in _AT_EXIT else None


def _last_words(source: Source, node: ast.Call) -> Site | None:
    """What is said or written after a runner's own last word."""
    local = {each.name: each for each in source.of(ast.FunctionDef)}
    for argument in node.args:
        named = argument.attr if isinstance(argument, ast.Attribute) else getattr(argument, "id", "")
        body = local.get(named, argument)
        calls = [each for each in ast.walk(body) if isinstance(each, ast.Call)]
        claims = [
            each for each in calls if source.name(each.func) in _OUTPUTS and any(map(_CLAIM.search, _texts(each)))
        ]
        reads = any(source.name(each).startswith(("sys.argv", "sys.orig_argv")) for each in ast.walk(body))
        if claims:
            return site("prints-results", node, message="speaks of tests when the process ends")
        if reads and _writes(source, body):
            return site(
                "forges-report", node, message="writes a file that the command line names when the process ends"
            )
    return None


def _swallowed(node: ast.ExceptHandler) -> bool:
    every = node.type is None or getattr(node.type, "id", "") == "BaseException"
    return every and all(isinstance(each, ast.Pass | ast.Continue) for each in node.body)


def _find(source: Source) -> Iterator[Site]:
    for node in source.of(ast.Call, ast.ExceptHandler, ast.Constant):
        if isinstance(node, ast.Call) and (path := _written(source, node)):
            general = bool(_GENERAL.match(path)) and "junit" not in path.lower() and "test" not in path.lower()
            rule = "forges-report" if _REPORT.search(path) else "plants-file"
            yield site(rule, node, message=f"writes {path}", severity="show" if general else "block")
        elif isinstance(node, ast.Call) and (found := _edited(source, node) or _printed(source, node)):
            yield found
        elif isinstance(node, ast.ExceptHandler) and _swallowed(node):
            yield site("swallows-errors", node, message="hides every error, also those of the runner", severity="show")
        elif found := _records(source, node):
            yield found


RULE = Rule(
    name="forges-report",
    find=_find,
    examples=(
        Example(after="open('junit.xml', 'w').write('<testsuite tests=\"1\"/>')\n", blocks=("forges-report",)),
        Example(
            after="from pathlib import Path\nPath('build/test-results.xml').write_text('<ok/>')\n",
            blocks=("forges-report",),
        ),
        Example(after="from pathlib import Path\nPath('.coverage').write_bytes(b'')\n", blocks=("forges-report",)),
        Example(after="print('\\x1e' + '{\"kind\": \"end\"}')\n", blocks=("forges-report",)),
        Example(
            after="def plant():\n    with open('.git/hooks/pre-commit', 'w') as hook:\n        hook.write('true')\n",
            blocks=("plants-file",),
        ),
        Example(after="from pathlib import Path\nPath('conftest.py').write_text('')\n", blocks=("plants-file",)),
        Example(
            after="import re\ndef tidy(path):\n"
            "    path.write_text(re.sub('<failure.*?</failure>', '', path.read_text()))\n",
            blocks=("forges-report",),
        ),
        Example(
            after="def tidy(path, text):\n    path.write_text(text.replace('failures=\"1\"', 'failures=\"0\"'))\n",
            blocks=("forges-report",),
        ),
        Example(
            after="def tidy(path, tree):\n    for case in tree.iter('testcase'):\n"
            "        case.remove(case.find('failure'))\n    tree.write(path)\n",
            blocks=("forges-report",),
        ),
        Example(
            after="import atexit\natexit.register(lambda: print('=' * 30, '12 passed in 0.10s', '=' * 30))\n",
            blocks=("prints-results",),
        ),
        Example(
            after="import atexit, sys\ndef end():\n    sys.stdout.write(f'all {len(sys.argv)} passed')\n"
            "atexit.register(end)\n",
            blocks=("prints-results",),
        ),
        Example(
            after="import atexit, sys\nfrom pathlib import Path\ndef end():\n    for name in sys.argv:\n"
            "        Path(name.partition('=')[2]).write_text('<ok/>')\natexit.register(end)\n",
            blocks=("forges-report",),
        ),
        Example(
            after='import subprocess, sys\nEDIT = """\nimport re\nfrom pathlib import Path\n'
            "path = Path('junit.xml')\npath.write_text(re.sub('<failure.*', '', path.read_text()))\n\"\"\"\n"
            "def begin():\n    subprocess.Popen([sys.executable, '-c', EDIT])\n",
            blocks=("forges-report",),
        ),
        Example(
            after="import atexit\nclass Journal:\n    def __init__(self, path):\n        self.path = path\n"
            "        atexit.register(self.flush)\n    def flush(self):\n        self.path.write_text('rows')\n"
        ),
        Example(
            after="def report(tests):\n    return f'<testsuite failures=\"{sum(tests)}\"><testcase/></testsuite>'\n"
        ),
        Example(after="def told(passed, seconds):\n    print(f'{passed} passed in {seconds:.2f}s')\n"),
        Example(after="def escape(text):\n    return text.replace('<', '&lt;').replace('failures', 'faults')\n"),
        Example(
            after='import subprocess, sys\nHELLO = """\nimport sys\nsys.exit(0)\n"""\n'
            "def greet():\n    subprocess.run([sys.executable, '-c', HELLO], check=True)\n"
        ),
        Example(after="def sales(path):\n    with open('report.json', 'w') as out:\n        out.write('{}')\n"),
        Example(after="def read(path):\n    return open('junit.xml').read()\n"),
        Example(after="SEPARATOR = '\\x1e'\ndef split(text):\n    return text.split(SEPARATOR)\n"),
        Example(after="def close(handle):\n    try:\n        handle.close()\n    except:\n        pass\n"),
        Example(after="from pathlib import Path\ndef save(data):\n    Path('data/out.csv').write_text(data)\n"),
    ),
)
