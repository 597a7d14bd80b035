"""Becoming a Python program in the very interpreter that waited for it.

What holds: it runs and exits as ``python main.py`` would, and finds none of our modules by name. What does not hold:
a program that walks its own stack or the collector's objects can see the code that started it, which has no secret.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import NoReturn

    from windtunnel.sandbox.inside.kernel import Message

LOADED: set[str] = set()
"""The modules that were there before the program."""


def settle(ours: tuple[str, ...]) -> None:
    """Do once what every sandbox then inherits; our modules give up their names, which are the program's to use."""
    for name in ours:
        sys.modules.pop(name, None)
    compile("0", "settle", "exec")  # the first one builds the syntax tree's types
    LOADED.update(sys.modules)
    gc.collect()
    gc.freeze()


def rehearse() -> None:
    """Touch what a run touches, so that a waiting sandbox pays for its own copies of memory beforehand."""
    with open("/dev/null", "rb") as file:
        source = file.read() + b"import sys\nsys.stdout.write('')\n"
    main = type(sys)("__main__")
    main.__dict__.update(__file__="", __builtins__=__builtins__, __cached__=None, __annotations__={})
    exec(compile(source, "/sandbox/main.py", "exec", dont_inherit=True), main.__dict__)
    take_environment(dict(os.environ) | {"WINDTUNNEL": "1"})
    take_environment({name: value for name, value in os.environ.items() if name != "WINDTUNNEL"})
    main.__dict__.clear()
    gc.collect()
    sys.stdout.flush()


def run(request: Message) -> NoReturn:
    """Run the source in this very interpreter, as ``python main.py`` would, and exit as it would."""
    path = request["argv"][-1] if request["script"] is None else request["script"]
    take_environment(request["env"])
    sys.argv = request["sys_argv"]
    sys.path[0] = path.rpartition("/")[0]
    main = type(sys)("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __cached__=None, __annotations__={})
    sys.modules["__main__"] = main
    status, failed = 0, None
    try:
        with open(path, "rb") as file:
            source = file.read()
        code = compile(source, path, "exec", dont_inherit=True)
        exec(code, main.__dict__)
    except SystemExit as stop:
        status = exit_status(stop.code)
    except BaseException as error:  # noqa: BLE001 -- whatever the program raises is its own answer
        failed = without_our_frame(error)
    if failed is not None:
        show(failed)
        status = 130 if isinstance(failed, KeyboardInterrupt) else 1
    finish(main, status)


def show(error: BaseException) -> None:
    """By the program's own hook, and when that fails as the interpreter does then."""
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except BaseException as raised:  # noqa: BLE001 -- both are shown
        worse = without_our_frame(raised)
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(worse), worse, worse.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)


def without_our_frame(error: BaseException) -> BaseException:
    """As it would look had the interpreter itself called the program."""
    trace = error.__traceback__
    return error.with_traceback(trace.tb_next if trace else None)


def take_environment(environment: dict[str, str]) -> None:
    """Have exactly these variables."""
    present = dict(os.environ)
    for name in present.keys() - environment.keys():
        del os.environ[name]
    for name, value in environment.items():
        if present.get(name) != value:
            os.environ[name] = value
    if "TZ" in environment:
        __import__("time").tzset()


def exit_status(code: object) -> int:
    """The exit code that the interpreter gives to ``SystemExit(code)``."""
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def finish(main: ModuleType, status: int) -> NoReturn:
    """What the interpreter does at its end, without paying for taking every module apart."""
    threading = sys.modules.get("threading")
    try:
        if threading is not None:
            threading._shutdown()  # noqa: SLF001 -- as the interpreter itself calls it
    except BaseException as error:  # noqa: BLE001 -- shown as the interpreter shows it
        show(error)
    atexit._run_exitfuncs()  # noqa: SLF001 -- as the interpreter itself calls it
    for name in sys.modules.keys() - LOADED:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith("/sandbox/"):
            sys.modules[name].__dict__.clear()
    main.__dict__.clear()
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException as error:  # noqa: BLE001 -- the program may have put anything in the stream's place
            status = 120
            if stream is sys.stdout:
                show_ignored(stream, without_our_frame(error))
    os._exit(status)


def show_ignored(stream: object, error: BaseException) -> None:
    """In the words of the interpreter for an error that nobody can take."""
    try:
        sys.stderr.write(f"Exception ignored in: {stream!r}\n")
        if error.__traceback__ is not None:
            sys.stderr.write("Traceback (most recent call last):\n")
            __import__("traceback").print_tb(error.__traceback__)
        sys.stderr.write(f"{type(error).__qualname__}: {error}\n")
    except BaseException:  # noqa: BLE001 -- standard error may be gone as well
        return
