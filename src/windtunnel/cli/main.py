"""The entry point: one place where an exception becomes an exit code."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence

from windtunnel import __version__
from windtunnel.cli.render import error, json_text
from windtunnel.core.errors import UsageError, WindtunnelError

_USAGE, _FAILED, _INTERRUPTED, _READER_GONE = 2, 125, 130, 141
_EPILOG = """\
exit codes: of run, the program's own (124 when a time limit stopped it); 2 for a request that is wrong;
125 when Windtunnel itself failed or refused; 130 when interrupted; 141 when nobody reads our output any more.
Of try, apply, gate, undo, diagnose, fix and improve: 0 good or done, 1 not good, 2 for what keeps them from an answer.
Of execute: 0 when every task was done, 1 when not, 2 for all that keeps it from being tried.
Of vm boot: 0 when the machine ended or said what was waited for, 1 when it did not, 2 for everything else."""


_COMMANDS = (
    "run", "try", "apply", "undo", "gate", "mutate", "diagnose", "fix", "analyze", "simulate", "improve",
    "full-autonomous-run", "run-complete", "rank-scenarios", "rank-synergy", "rank-scenario-synergy", "reliability",
    "rules", "doctor", "languages", "image", "vm", "history", "workspaces", "plan", "plans", "execute", "audit",
    "receipt", "policy", "approvals", "budget", "keys", "status", "metrics", "serve", "mcp")
_RANKS = ("rank-scenarios", "rank-synergy", "rank-scenario-synergy", "reliability")
_MODULES = {name: name for name in _COMMANDS} | dict.fromkeys(("try", "apply", "undo"), "trial") | dict.fromkeys(
    _RANKS, "rank") | dict.fromkeys(("full-autonomous-run", "run-complete"), "cycles")
"""Only the command that is asked for is loaded: a short program should not wait for the others."""


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """With the command of this name; without one, or with a name that no command has, all of them."""
    made = argparse.ArgumentParser(
        prog="windtunnel", description="Runs code that nobody trusts yet, in real isolation.", epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--version", action="version", version=f"windtunnel {__version__}")
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True)
    modules = (_MODULES[command],) if command in _MODULES else dict.fromkeys(_MODULES.values())
    for module in modules:
        importlib.import_module(f"windtunnel.cli.{module}").add(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    _open_streams()
    given = sys.argv[1:] if arguments is None else list(arguments)
    chosen = parser(given[0] if given else None).parse_args(given)
    failed: int = getattr(chosen, "failed", _FAILED)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # which is what nohup asks for
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        code: int = chosen.act(chosen)
        sys.stdout.flush()
    except WindtunnelError as failure:
        if getattr(chosen, "json", False):
            print(json_text({"error": {"code": failure.code, "message": str(failure)}}))
        error(str(failure))
        return _USAGE if isinstance(failure, UsageError) else failed
    except KeyboardInterrupt:
        if words := getattr(chosen, "interrupted", "interrupted; the sandbox was ended"):
            error(words)
        return _INTERRUPTED
    except OSError as failure:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(failure, BrokenPipeError):
            return _READER_GONE
        error(f"the answer cannot be written: {failure.strerror}")
        return failed
    except Exception:  # noqa: BLE001 -- a fault of ours must not leave with 1, which is an answer
        traceback.print_exc()
        return failed
    return code


def _open_streams() -> None:
    """A stream that the caller closed becomes one that leads nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 -- for the whole process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets an answer
