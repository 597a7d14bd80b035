"""Product code that ends the process: a runner that never reaches its last test has nothing bad to report."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, Rule, Site, site
from windtunnel.tamper.trees import Source, folded, unparsed

_HARD = {
    "os._exit",
    "os.abort",
    "posix._exit",
    "posix.abort",
    "ctypes.pythonapi.Py_Exit",
    "pytest.exit",
    "_thread.interrupt_main",
    "signal.raise_signal",
    "faulthandler._sigsegv",
}
_SOFT = {"sys.exit", "exit", "quit", "builtins.exit", "builtins.quit"}
_ALARMS = {"signal.alarm", "signal.setitimer", "faulthandler.dump_traceback_later", "signal.pthread_kill"}
_REPLACED = re.compile(r"os\.exec[lv]p?e?$")
_SCRIPT = re.compile(r"(^|/)(__main__|setup|manage|cli|main|command|commands|console|scripts?|bin|tools?)(/|\.py$)")
_ENTRY = re.compile(
    r"^_*(main|cli|run|entry|command|cmd|console|usage|die|fail|abort|error|exit|quit|shutdown|stop|"
    r"handle_?(signal|exit|sigint|sigterm))(_|$)|_(main|cli|command|entry_?point)$"
)
_PARSERS = {"argparse", "click", "typer", "docopt", "optparse", "fire", "getopt", "cmd", "cleo"}


def _entry(source: Source, node: ast.AST) -> bool:
    """Whether the code around it is a command line's: there, ending the process is the job."""
    if source.guarded(node) or _SCRIPT.search(source.path):
        return True
    for above in source.above(node):
        if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
            decorated = any(
                re.search(r"(command|group|callback|option|argument)\b", unparsed(each))
                for each in above.decorator_list
            )
            arguments = {argument.arg for argument in above.args.args}
            if decorated or _ENTRY.search(above.name) or arguments >= {"signum", "frame"}:
                return True
    imported = {name.partition(".")[0] for name in source.names.values()}
    return bool(imported & _PARSERS)


def _fails(node: ast.Call | None) -> bool:
    """Whether the exit code it gives can only be a failure's."""
    if node is None or not node.args:
        return False
    value = node.args[0]
    if isinstance(value, ast.JoinedStr):
        return True
    return isinstance(value, ast.Constant) and value.value not in (0, None, False)


def _soft(source: Source, node: ast.AST, call: ast.Call | None) -> Site | None:
    if source.on_import(node):
        if _SCRIPT.search(source.path) or _fails(call):
            return site("exits-early", node, message="ends the process when it is imported", severity="show")
        return site("exits-early", node, message="ends the process when it is imported", key=f"import {unparsed(node)}")
    if _entry(source, node):
        return None
    return site(
        "exits-early",
        node,
        message="ends the process outside a command line's entry point",
        severity="show" if _fails(call) else "block",
    )


def _children(source: Source) -> set[ast.AST]:
    """Functions that fork, and those that they call: there, a child ends itself like this."""
    functions = {each.name: each for each in source.of(ast.FunctionDef)}
    waiting = [each for each in functions.values() if _uses(source, each, "os.fork")]
    found: set[ast.AST] = set(waiting)
    while waiting:
        scope = waiting.pop()
        for each in ast.walk(scope):
            called = (
                functions.get(each.func.id) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) else None
            )
            if called is not None and called not in found:
                found.add(called)
                waiting.append(called)
    return found


def _uses(source: Source, scope: ast.AST, name: str) -> bool:
    return any(source.name(each) == name for each in ast.walk(scope) if isinstance(each, ast.Attribute | ast.Name))


def _hard(source: Source, node: ast.AST) -> Site | None:
    scope = source.scope(node)
    forks = scope in _children(source)
    if source.guarded(node) or (forks and not source.on_import(node)):
        return site("exits-early", node, message="ends the process at once", severity="show")
    return site("exits-early", node, message="ends the process at once, so that no test after it can fail")


def _find(source: Source) -> Iterator[Site]:
    for node in source.of(ast.Attribute, ast.Name, ast.Raise, ast.Call):
        found = None
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            if source.name(node) in _HARD:
                found = _hard(source, node)
        elif isinstance(node, ast.Raise) and node.exc is not None:
            found = _raised(source, node)
        elif isinstance(node, ast.Call):
            found = _call(source, node)
        if found is not None:
            yield found


def _raised(source: Source, node: ast.Raise) -> Site | None:
    call = node.exc if isinstance(node.exc, ast.Call) else None
    raised = source.name(call.func if call else node.exc)
    return _soft(source, node, call) if raised in ("SystemExit", "builtins.SystemExit", "KeyboardInterrupt") else None


def _call(source: Source, node: ast.Call) -> Site | None:
    name = source.name(node.func)
    if name in _SOFT and name not in source.made:
        return _soft(source, node, node)
    if name in ("atexit.register", "weakref.finalize", "threading._register_atexit"):
        return _at_exit(source, node)
    return _hard(source, node) if isinstance(node.func, ast.Call) and name in _HARD else _end(source, node, name)


def _end(source: Source, node: ast.Call, name: str) -> Site | None:
    words = unparsed(node)
    if name in ("os.kill", "os.killpg") and re.search(r"getp(g)?(p)?id\(", words) and not source.guarded(node):
        return site("exits-early", node, message="kills its own process")
    if name in _ALARMS and source.on_import(node):
        return site("exits-early", node, message="sets an alarm that ends the process")
    if _REPLACED.match(name) and source.on_import(node):
        return site("exits-early", node, message="replaces the process when it is imported")
    if _REPLACED.match(name) and node.args and not _entry(source, node):
        # Who starts itself anew gives its own interpreter or arguments, which are no constants.
        fixed = folded(node.args[0]) is not None and source.scope(node) not in _children(source)
        return site(
            "exits-early", node, message="replaces the process by another one", severity="block" if fixed else "show"
        )
    return _left_behind(source, node, name)


def _left_behind(source: Source, node: ast.Call, name: str) -> Site | None:
    """A process that goes on by itself, started by nothing but an import."""
    apart = any(
        word.arg in ("start_new_session", "process_group", "creationflags", "preexec_fn")
        and not (isinstance(word.value, ast.Constant) and not word.value.value)
        for word in node.keywords
    )
    if name in ("subprocess.Popen", "os.spawnl", "os.spawnv", "os.fork", "os.forkpty") and source.on_import(node):
        return site(
            "leaves-process",
            node,
            message="starts a process when it is imported",
            severity="block" if apart else "show",
        )
    return None


def _at_exit(source: Source, node: ast.Call) -> Site:
    local = {each.name: each for each in source.of(ast.FunctionDef)}
    bodies = [local.get(getattr(argument, "id", ""), argument) for argument in node.args]
    ending = any(
        source.name(each) in _HARD | _SOFT
        for body in bodies
        for each in ast.walk(body)
        if isinstance(each, ast.Attribute | ast.Name)
    )
    if ending:
        return site("exits-early", node, message="changes the exit code when the process ends")
    return site("runs-at-exit", node, message="runs when the process ends", severity="show")


_ADD = "def add(a, b):\n    return a + b\n"

RULE = Rule(
    name="exits-early",
    find=_find,
    examples=(
        Example(before=_ADD, after="import os\nos._exit(0)\n" + _ADD, blocks=("exits-early",)),
        Example(
            before=_ADD, after="from os import _exit as leave\ndef add(a, b):\n    leave(0)\n", blocks=("exits-early",)
        ),
        Example(
            before=_ADD, after="import os\ndef add(a, b):\n    getattr(os, '_ex' + 'it')(0)\n", blocks=("exits-early",)
        ),
        Example(before=_ADD, after="def add(a, b):\n    __import__('os')._exit(0)\n", blocks=("exits-early",)),
        Example(before=_ADD, after="import sys\nsys.exit(0)\n", blocks=("exits-early",)),
        Example(before=_ADD, after="import sys\ndef main():\n    sys.exit(0)\nmain()\n", blocks=("exits-early",)),
        Example(before=_ADD, after="raise SystemExit\n", blocks=("exits-early",)),
        Example(before=_ADD, after="import sys\ndef add(a, b):\n    sys.exit()\n", blocks=("exits-early",)),
        Example(
            before=_ADD,
            after="import os, signal\ndef add(a, b):\n    os.kill(os.getpid(), signal.SIGKILL)\n",
            blocks=("exits-early",),
        ),
        Example(
            before=_ADD,
            after="import atexit, os\natexit.register(lambda: os._exit(0))\n" + _ADD,
            blocks=("exits-early",),
        ),
        Example(
            before=_ADD,
            after="import atexit, os\ndef end():\n    os._exit(0)\natexit.register(end)\n" + _ADD,
            blocks=("exits-early",),
        ),
        Example(before=_ADD, after="import atexit, os\natexit.register(os._exit, 0)\n" + _ADD, blocks=("exits-early",)),
        Example(before=_ADD, after="import signal\nsignal.alarm(1)\n" + _ADD, blocks=("exits-early",)),
        Example(
            before=_ADD,
            after="import threading, os\nthreading.Timer(0.1, os._exit, [0]).start()\n" + _ADD,
            blocks=("exits-early",),
        ),
        Example(
            before=_ADD,
            after="import os\ndef add(a, b):\n    os.execv('/bin/true', ['true'])\n",
            blocks=("exits-early",),
        ),
        Example(
            before=_ADD,
            after="import subprocess\nsubprocess.Popen(['./watch'], start_new_session=True)\n" + _ADD,
            blocks=("leaves-process",),
        ),
        Example(
            before=_ADD,
            after="import subprocess\ndef begin():\n"
            "    subprocess.Popen(['./watch'], start_new_session=True)\nbegin()\n",
            blocks=("leaves-process",),
        ),
        Example(after="import os, sys\ndef restart():\n    os.execv(sys.executable, [sys.executable, *sys.argv])\n"),
        Example(after="import os\ndef main(given):\n    os.execvp('git', ['git', *given])\n"),
        Example(
            after="import subprocess\ndef serve(command):\n"
            "    return subprocess.Popen(command, start_new_session=True)\n"
        ),
        Example(after="import sys\ndef main():\n    return 0\nif __name__ == '__main__':\n    sys.exit(main())\n"),
        Example(after="import argparse, sys\ndef work(arguments):\n    sys.exit(0)\n"),
        Example(after="import click\n@click.command()\ndef greet():\n    raise SystemExit(0)\n"),
        Example(after="def main():\n    raise SystemExit(1)\n"),
        Example(after="import sys\ndef check(path):\n    if not path:\n        sys.exit('no path')\n"),
        Example(after="import sys\nif sys.version_info < (3, 8):\n    sys.exit('needs Python 3.8')\n"),
        Example(
            after="import os\ndef child():\n    os._exit(0)\ndef spawn():\n    if os.fork() == 0:\n        child()\n"
        ),
        Example(
            after="import os\ndef spawn(work):\n    pid = os.fork()\n    if pid == 0:\n        work()\n"
            "        os._exit(0)\n    return pid\n"
        ),
        Example(
            after="import atexit, tempfile, shutil\nmade = tempfile.mkdtemp()\natexit.register(shutil.rmtree, made)\n"
        ),
        Example(after="import signal\ndef limit(seconds):\n    signal.alarm(seconds)\n"),
        Example(
            before="import os\ndef stop():\n    os._exit(3)\n",
            after="import os\n\n\ndef stop():\n    os._exit(3)\n\n\n" + _ADD,
        ),
        Example(after="def exit(door):\n    return door\ndef leave(room):\n    exit(room)\n"),
        Example(after="def quit_game(game):\n    game.exit()\n    game.quit()\n"),
    ),
)
