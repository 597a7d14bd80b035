"""``windtunnel mutate``: whether the tests would have noticed."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import json_text, tell
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.core.mutation import MutationResult

_BELOW, _FAILED = 1, 2
_SUGGEST_SECONDS = 120.0
REPORTS = ("html", "json", "sarif", "elements", "markdown")


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "mutate", help="seed defects, and see whether the tests notice",
        description="Seed defects in the project's own code, one at a time and in a sandbox, and see which of them its "
        "tests notice. 0 whatever the score, unless --least is given; 2 when nothing could be judged.")
    made.add_argument("paths", nargs="*", metavar="PATH", help="files or folders to mutate (default: all product code)")
    made.add_argument("--project", default=".", metavar="FOLDER", help="the project (default: the current folder)")
    _add_choice(made)
    _add_judging(made)
    told = made.add_argument_group("what you are told")
    told.add_argument("--least", type=_share, metavar="SCORE", help="1 for a score below this, such as 0.8 or 80%%")
    told.add_argument("--json", action="store_true", help="the whole result as JSON")
    told.add_argument("--report", choices=REPORTS, help="write it in this form too")
    told.add_argument("--out", metavar="FILE", help="where to; - for standard output (the default)")
    told.add_argument("--trend", action="store_true", help="judge nothing: the scores of this project over time")
    _add_suggesting(made)
    made.set_defaults(act=act, failed=_FAILED)


def _add_suggesting(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("tests that would have noticed (Python)")
    group.add_argument("--suggest", action="store_true",
                       help="show tests that survivors would not survive, each tried before it is shown")
    group.add_argument("--suggest-diff", action="store_true",
                       help="the same as a diff alone on standard output, for windtunnel try - or apply -")
    group.add_argument("--suggest-seconds", type=float, default=_SUGGEST_SECONDS, metavar="N",
                       help="for looking, and again for trying (default 120)")


def _add_choice(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("which lines; all of them where none is named")
    only = group.add_mutually_exclusive_group()
    only.add_argument("--changed", action="store_true", help="those that are not committed yet")
    only.add_argument("--diff", metavar="FILE", help="those that a unified diff added; - for standard input")
    only.add_argument("--range", metavar="A..B", help="those that these commits changed")
    only.add_argument("--lines", action="append", metavar="PATH:1-20", help="these; may be repeated")
    group.add_argument("--operators", metavar="NAMES", help="only these kinds of defects, with commas between")
    group.add_argument("--rules", metavar="FILE", help="kinds of defects of your own, beside ours")


def _add_judging(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("how they are judged")
    group.add_argument("--test", metavar="COMMAND", help="the test command (default: the project's own)")
    group.add_argument("--seconds", type=float, default=600.0, metavar="N", help="of the clock (default 600)")
    group.add_argument("--sample", type=int, metavar="N", help="judge only so many, drawn at random")
    group.add_argument("--compare", type=int, default=20, metavar="N",
                       help="fates that are found again in a fresh process (default 20)")
    group.add_argument("--fresh", action="store_true", help="judge every mutant in a fresh process: slow")
    group.add_argument("--no-keep", action="store_true", help="take no fates from before, and keep none")
    group.add_argument("--jobs", type=int, metavar="N", help="how many at once (default: one for each processor)")
    group.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    group.add_argument("--min-isolation", choices=[str(level) for level in Level], help="below this nothing runs")


def act(chosen: argparse.Namespace) -> int:
    """Judge, or show how the score went."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    project = Path(chosen.project)
    if not project.is_dir():
        raise UsageError(f"project: {chosen.project!r} is not a folder", field="project")
    _check_out(chosen)
    if chosen.trend:
        return _trend(chosen, project)
    if chosen.suggest_diff and (chosen.json or (chosen.report is not None and chosen.out in (None, "-"))):
        raise UsageError("--suggest-diff alone goes to standard output (leave out --json; give a report --out FILE)",
                         field="--suggest-diff")
    options = _options(chosen, project)
    from windtunnel.cli.mutate_progress import Progress  # noqa: PLC0415

    with Tunnel(config.load(project=project), level=chosen.level, min_isolation=chosen.min_isolation, pool_size=0,
                tell=tell) as tunnel, Progress(seconds=chosen.seconds, quiet=chosen.json) as progress:
        result = tunnel.mutate(project, tell=progress, **options)
    _show(chosen, result, project)
    return _code(result, chosen.least)


def _check_out(chosen: argparse.Namespace) -> None:
    """Where a report goes, before anything is judged for it."""
    if chosen.json and chosen.report is not None and chosen.out in (None, "-"):
        raise UsageError("--json and --report would both go to standard output (give the report a file: --out FILE)",
                         field="--out")
    if chosen.out is None:
        return
    if chosen.report is None:
        raise UsageError(f"--out: for a report alone (add --report, one of {', '.join(REPORTS)})", field="--out")
    folder = Path(chosen.out).absolute().parent
    if chosen.out != "-" and (not os.access(folder, os.W_OK) or Path(chosen.out).is_dir()):
        raise UsageError(f"--out: cannot write {chosen.out!r} (is its folder there, and yours?)", field="--out")


def _code(result: MutationResult, least: float | None) -> int:
    if result.score is None:
        return _FAILED
    return _BELOW if least is not None and result.score < least else 0


def _options(chosen: argparse.Namespace, project: Path) -> dict[str, Any]:
    """The fields of a ``Mutation``."""
    for name, least in (("jobs", 1), ("sample", 1), ("compare", 0)):
        if getattr(chosen, name) is not None and getattr(chosen, name) < least:
            raise UsageError(f"--{name}: at least {least}", field=name)
    given: dict[str, Any] = {
        "paths": _paths(chosen.paths, project), "lines": _lines(chosen, project), "seconds": chosen.seconds,
        "most": chosen.sample, "sample": chosen.compare, "jobs": chosen.jobs, "test": chosen.test,
        "way": "fresh" if chosen.fresh else "", "keep": not chosen.no_keep}
    if chosen.suggest or chosen.suggest_diff:
        if not chosen.suggest_seconds > 0:
            raise UsageError("--suggest-seconds: more than 0", field="--suggest-seconds")
        given["suggest"] = chosen.suggest_seconds
    if chosen.operators is not None:
        given["operators"] = tuple(name.strip() for name in chosen.operators.split(",") if name.strip())
        if not given["operators"]:
            raise UsageError("--operators: names none (docs/mutation-operators.md has them)", field="operators")
    if chosen.rules is not None:
        from windtunnel.cli.trial_options import read  # noqa: PLC0415
        from windtunnel.mutation.custom import read_rules  # noqa: PLC0415

        given["rules"] = read_rules(read(chosen.rules, field="rules"), file=chosen.rules)
    return given


def _paths(names: list[str], project: Path) -> tuple[str, ...]:
    """As the project calls them; a path may be given from here or from there."""
    root = project.resolve()
    found = []
    for name in names:
        here, there = Path(name).resolve(), (root / name).resolve()
        path = here if here.exists() and here.is_relative_to(root) else there
        if not path.is_relative_to(root) or not path.exists():
            raise UsageError(f"path: {name!r} is not in the project", field="path")
        found.append(str(path.relative_to(root)))
    return tuple(found)


def _lines(chosen: argparse.Namespace, project: Path) -> dict[str, set[int]] | None:
    from windtunnel.engine import mutation_lines as choice  # noqa: PLC0415

    if chosen.changed:
        return choice.of_tree(project)
    if chosen.range is not None:
        return choice.of_range(project, chosen.range)
    if chosen.diff is not None:
        from windtunnel.cli.trial_options import read  # noqa: PLC0415

        return choice.of_diff(read(chosen.diff, field="diff").decode("utf-8", "replace"))
    found = choice.of_words(chosen.lines) if chosen.lines else None
    for path in found or ():
        if not (project / path).is_file():
            raise UsageError(f"lines: {path!r} is no file of the project", field="lines")
    return found


def _show(chosen: argparse.Namespace, result: MutationResult, project: Path) -> None:
    from windtunnel.api.exports.mutations import export_mutation  # noqa: PLC0415
    from windtunnel.checks.project import Folder  # noqa: PLC0415
    from windtunnel.cli.mutate_text import told  # noqa: PLC0415

    folder = Folder(project)
    sources = {path: data for path in sorted({one.mutant.path for one in result.judged})
               if (data := folder.read(path)) is not None}
    if chosen.json:
        print(export_mutation(result, "json", sources=sources), end="")
    else:
        # A report on standard output is for a machine, and stands there alone.
        to_out = chosen.suggest_diff or (chosen.report is not None and chosen.out in (None, "-"))
        print(told(result, sources), file=sys.stderr if to_out else sys.stdout)
    if chosen.suggest_diff and result.suggestions is not None:
        print(result.suggestions.diff, end="")
    if chosen.report is not None:
        _write(chosen, export_mutation(result, chosen.report, sources=sources))


def _write(chosen: argparse.Namespace, text: str) -> None:
    if chosen.out in (None, "-"):
        print(text, end="")
        return
    try:
        Path(chosen.out).write_text(text, encoding="utf-8")
    except OSError as failure:
        raise SandboxFailure(f"--out: cannot write {chosen.out!r}: {failure.strerror}") from failure
    tell(f"{chosen.report}: {chosen.out}")


def _trend(chosen: argparse.Namespace, project: Path) -> int:
    from windtunnel import config  # noqa: PLC0415
    from windtunnel.cli.mutate_text import chart  # noqa: PLC0415
    from windtunnel.engine.mutation_act import fates_of  # noqa: PLC0415

    fates = fates_of(config.load(project=project).state_dir)
    try:
        scores = fates.scores(str(project.resolve()))
    finally:
        fates.close()
    if chosen.json:
        print(json_text({"project": str(project.resolve()), "scores": scores}))
    else:
        print(chart(scores, now=time.time()))
    return 0


def _share(text: str) -> float:
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share between 0 and 1, or a percentage")
    return value
