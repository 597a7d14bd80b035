"""Where the result of a trial goes: a page for people, files and standard output for machines."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from windtunnel.api.exports import FORMATS, plain_trial
from windtunnel.api.exports.text import visible
from windtunnel.cli.render import colour, json_text
from windtunnel.cli.trial_options import EXPORTS
from windtunnel.cli.trial_text import cut, headline, trial_lines
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.trial import SandboxResult

if TYPE_CHECKING:
    from windtunnel.engine.tournament import Ranked

_DONE = {"create": "made", "modify": "changed", "delete": "deleted"}


def check_outputs(chosen: argparse.Namespace) -> None:
    """Before minutes of work: one reader for standard output, and folders that exist."""
    wanted = _exports(chosen)
    if list(wanted.values()).count("-") + chosen.json > 1:
        raise UsageError("-: standard output can hold one format only; give the others a file", field="-")
    for form, path in wanted.items():
        if path != "-" and not Path(path).parent.is_dir():
            raise UsageError(f"--{form}: there is no folder {str(Path(path).parent)!r}", field=f"--{form}")


def tell(chosen: argparse.Namespace, result: SandboxResult, done: Mapping[str, Any] | None = None) -> None:
    """In every way that was asked for; ``done`` says what was applied."""
    _write_exports(chosen, result)
    if chosen.json:
        print(json_text({**plain_trial(result), **(done or {})}))
        return
    file = _page(chosen)
    width = shutil.get_terminal_size().columns if file.isatty() else None
    for text, shade in trial_lines(
            result, project=str(Path(chosen.project).resolve()), width=width, slowest=max(0, chosen.slowest)):
        print(colour(text, shade, file=file) if shade else text, file=file)
    if done is not None and "applied" in done:
        _tell_applied(result, done, file)


def _tell_applied(result: SandboxResult, done: Mapping[str, Any], file: IO[str]) -> None:
    print(file=file)
    for change in result.changes:
        print(f"{_DONE[change.operation]:8} {visible(change.relative_path)}", file=file)
    if "commit" in done:
        print(f"committed as {done['commit'][:12]}", file=file)
    print(f"applied as {done['applied']}; windtunnel undo takes it back", file=file)


def tell_ranks(chosen: argparse.Namespace, ranked: Sequence[Ranked], refused: Mapping[str, str]) -> None:
    """The candidates, best first; the exports are those of the best one."""
    best = ranked[0].result
    if best is not None:
        _write_exports(chosen, best)
    last = max(entry.place for entry in ranked) + 1
    rows = [(entry.place, entry.name, entry.same_as, entry.error, entry.result) for entry in ranked]
    rows += [(last, name, None, why, None) for name, why in refused.items()]
    if chosen.json:
        print(json_text([
            {"place": place, "name": name, "same_as": same, "error": why, "result": plain_trial(one) if one else None}
            for place, name, same, why, one in rows]))
        return
    file = _page(chosen)
    columns = shutil.get_terminal_size().columns if file.isatty() else None
    for place, name, same, why, one in rows:
        words, shade = headline(one) if one else (f"NOT TRIED  {visible(why or '')}", "yellow")
        twin = f"  (leaves the same files as {visible(same)})" if same else ""
        for text, tint in ((f"{place:3}  {visible(name)}{twin}", "bold"), (f"     {words}", shade)):
            print(colour(cut(text, columns) if columns else text, tint, file=file), file=file)


def _page(chosen: argparse.Namespace) -> IO[str]:
    """Where people read: standard output, unless a machine reads there."""
    return sys.stderr if "-" in _exports(chosen).values() else sys.stdout


def _exports(chosen: argparse.Namespace) -> dict[str, str]:
    return {form: path for form in (*EXPORTS, "receipt") if (path := getattr(chosen, form)) is not None}


def _receipt(result: SandboxResult) -> str:
    from windtunnel.cli.audit_log import trail  # noqa: PLC0415 -- few ask for one
    from windtunnel.engine.receipt import sign_receipt  # noqa: PLC0415

    return f"{sign_receipt(result, trail().keys.current())}\n"


def _write_exports(chosen: argparse.Namespace, result: SandboxResult) -> None:
    for form, path in _exports(chosen).items():
        text = _receipt(result) if form == "receipt" else FORMATS[form](result)
        if path == "-":
            print(text, end="")
            continue
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as failure:
            said = f"--{form}: cannot write {path!r}: {failure.strerror} (the verdict was {result.verdict})"
            raise SandboxFailure(said) from failure
