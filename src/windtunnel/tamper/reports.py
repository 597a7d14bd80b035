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


def _swallowed(node: ast.ExceptHandler) -> bool:
    every = node.type is None or getattr(node.type, "id", "") == "BaseException"
    return every and all(isinstance(each, ast.Pass | ast.Continue) for each in node.body)


def _find(source: Source) -> Iterator[Site]:
    for node in source.nodes:
        if isinstance(node, ast.Call) and (path := _written(source, node)):
            general = bool(_GENERAL.match(path)) and "junit" not in path.lower() and "test" not in path.lower()
            rule = "forges-report" if _REPORT.search(path) else "plants-file"
            yield site(rule, node, message=f"writes {path}", severity="show" if general else "block")
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
        Example(after="def sales(path):\n    with open('report.json', 'w') as out:\n        out.write('{}')\n"),
        Example(after="def read(path):\n    return open('junit.xml').read()\n"),
        Example(after="SEPARATOR = '\\x1e'\ndef split(text):\n    return text.split(SEPARATOR)\n"),
        Example(after="def close(handle):\n    try:\n        handle.close()\n    except:\n        pass\n"),
        Example(after="from pathlib import Path\ndef save(data):\n    Path('data/out.csv').write_text(data)\n"),
    ),
)
