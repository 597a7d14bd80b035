"""``windtunnel policy``: check, explain, test."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, colour, json_text, table
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import said
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.core.policy import Decision, Request
    from windtunnel.policy.rules import Policy

_FAILED = 2
_COLOURS = {"allow": "green", "ask": "yellow", "deny": "red"}
_CODES = """\
exit codes: 0 when it is good, whatever explain says of the request; 1 when one of the policy's tests fails; 2 when the
policy or the request is wrong, or Windtunnel failed."""
_FILE = "a policy; without it, those in force: the one of the configuration and that of the project"
_LISTS = ("role", "path", "language", "command")
_TEXTS = {"actor": "who asks", "project": "the project, as a request names it",
          "risk": "low, medium or high, as the caller judges it"}


def add(commands: Any) -> None:  # noqa: ANN401
    """Its arguments."""
    made = commands.add_parser("policy", help="check, explain and test who may do what")
    acts = made.add_subparsers(dest="policy_act", metavar="ACT", required=True, help="what to do")
    check = _act(acts, "check", "read a policy and say what is wrong with it")
    check.set_defaults(act=act_check)
    explain = _act(acts, "explain", "what the policy says to a request, and why")
    explain.set_defaults(act=act_explain)
    _request_options(explain.add_argument_group("the request"))
    test = _act(acts, "test", "run the tests that are kept in the policy")
    test.set_defaults(act=act_test)


def _act(acts: Any, name: str, about: str) -> argparse.ArgumentParser:  # noqa: ANN401
    made: argparse.ArgumentParser = acts.add_parser(
        name, help=about, description=f"{about[0].upper()}{about[1:]}.", epilog=_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("file", nargs="?", metavar="FILE", help=_FILE)
    made.add_argument("--in", dest="folder", default=".", metavar="FOLDER",
                      help="without FILE: the project whose own policy counts too (default: the current folder)")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(failed=_FAILED)
    return made


def _request_options(group: Any) -> None:  # noqa: ANN401
    group.add_argument("--request", metavar="FILE.json", help="the whole request as a JSON object")
    group.add_argument("--verb", help="what is asked: run, try, apply, undo, image build …")
    for name, about in _TEXTS.items():
        group.add_argument(f"--{name}", metavar="TEXT", help=about)
    for name in _LISTS:
        group.add_argument(f"--{name}", action="append", metavar="TEXT", help=f"a {name}; may be repeated")
    group.add_argument("--level", choices=[str(level) for level in Level], help="the walls asked for")
    group.add_argument("--network", action="append", metavar="none|host|HOST",
                       help="the network asked for; a host may be repeated")
    group.add_argument("--limit", action="append", metavar="NAME=VALUE",
                       help="a limit asked for, such as memory_bytes=2g; may be repeated")
    group.add_argument("--change-files", type=int, metavar="N", help="files that the change touches")
    group.add_argument("--change-lines", type=int, metavar="N", help="lines that it adds and removes")


def act_check(chosen: argparse.Namespace) -> int:
    """Read them; 0 when they can be read, with what to look at."""
    from windtunnel.policy.review import warnings  # noqa: PLC0415 -- each command loads only what it uses

    told = [{"file": policy.file, "sha256": policy.sha256, "rules": len(policy.rules), "tests": len(policy.tests),
             "default": policy.default, "budgets": len(policy.budgets), "warnings": list(warnings(policy))}
            for policy in _policies(chosen)]
    if chosen.json:
        print(json_text({"policies": told}))
        return 0
    for one in told:
        counts = ", ".join(f"{name}: {one[name]}" for name in ("rules", "tests", "default"))
        print(f"{clean(str(one['file']))}: {counts}" + (f", budgets: {one['budgets']}" if one["budgets"] else ""))
        print(f"sha256 {one['sha256']}")
        for warned in one["warnings"]:  # type: ignore[attr-defined]  # a list, as made above
            print(f"{colour('warning:', 'yellow')} line {warned.line}: {warned.rule}: {clean(warned.why)}")
    if not told:
        print(_NONE)
    return 0


_NONE = "there is no policy here: everything is allowed"


def act_explain(chosen: argparse.Namespace) -> int:
    """Decide and say why."""
    from windtunnel.policy.decision import decide  # noqa: PLC0415

    policies, request = _policies(chosen), _request(chosen)
    decision = decide(policies, request)
    print(json_text(decision) if chosen.json else _told(decision))
    return 0


def act_test(chosen: argparse.Namespace) -> int:
    """Run the examples of each; 1 when one fails."""
    from windtunnel.policy.review import run_tests  # noqa: PLC0415

    outcomes = [(policy.file, outcome) for policy in _policies(chosen) for outcome in run_tests(policy)]
    failed = [outcome for _, outcome in outcomes if not outcome.passed]
    if chosen.json:
        print(json_text([{"file": file, **{name: getattr(outcome, name) for name in outcome.__slots__}}
                         for file, outcome in outcomes]))
        return 1 if failed else 0
    for file, outcome in outcomes:
        if not outcome.passed:
            wanted = f"{outcome.expect}{f' by {outcome.expect_rule}' if outcome.expect_rule else ''}"
            print(f"{clean(file)}:{outcome.line}: {colour('FAILED', 'red')} {clean(outcome.name)}: "
                  f"{outcome.effect} by {outcome.rule}, not {wanted}")
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} tests passed")
    return 1 if failed else 0


def _policies(chosen: argparse.Namespace) -> tuple[Policy, ...]:
    from windtunnel import config, trust  # noqa: PLC0415
    from windtunnel.engine.permit import policies  # noqa: PLC0415
    from windtunnel.policy.reading import read_policy  # noqa: PLC0415

    if chosen.file is None:
        folder = Path(chosen.folder).resolve()
        return policies(config.load(project=folder), folder)
    content = trust.read(Path(chosen.file), field="FILE")
    if content is None:
        raise UsageError(f"FILE: there is no {chosen.file!r}", field="FILE")
    return (read_policy(content, file=chosen.file),)


def _request(chosen: argparse.Namespace) -> Request:
    from windtunnel import trust  # noqa: PLC0415
    from windtunnel.policy.asking import request_from  # noqa: PLC0415
    from windtunnel.policy.tree import from_plain, read_json  # noqa: PLC0415

    given = _given(chosen)
    if chosen.request is None:
        if "verb" not in given:
            raise UsageError("--verb: say what is asked, such as --verb apply (or --request FILE.json)", field="--verb")
        return request_from(from_plain(given, file="the request"))
    if given:
        raise UsageError(f"--request: the whole request is in the file, so no other option goes with it "
                         f"({', '.join(given)})", field="--request")
    content = trust.read(Path(chosen.request), field="--request")
    if content is None:
        raise UsageError(f"--request: there is no {chosen.request!r}", field="--request")
    return request_from(read_json(content, file=chosen.request))


def _given(chosen: argparse.Namespace) -> dict[str, object]:
    """The options as a request is written."""
    names = ("verb", *_TEXTS, "level", "change_files", "change_lines")
    made = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    made |= {f"{name}s": getattr(chosen, name) for name in _LISTS if getattr(chosen, name) is not None}
    if chosen.network is not None:
        made["network"] = chosen.network[0] if chosen.network in (["none"], ["host"]) else chosen.network
    if chosen.limit is not None:
        made["limits"] = dict(map(_limit, chosen.limit))
    return made


def _limit(text: str) -> tuple[str, object]:
    name, _, value = text.partition("=")
    try:
        return name, float(value) if "." in value else int(value)
    except ValueError:
        return name, value


def _told(decision: Decision) -> str:
    effect = colour(decision.effect.upper(), _COLOURS[decision.effect])
    told = [f"{effect} by {decision.rule}: {clean(decision.reason)}"]
    if decision.min_isolation is not None:
        told.append(f"at least the {decision.min_isolation} level")
    if decision.caps:
        told.append("at most " + ", ".join(f"{name} {said(name, most)}" for name, most in decision.caps.items()))
    rows = [[row.rule, row.effect, "yes" if row.matched else "no", row.why, row.policy] for row in decision.explanation]
    if rows:
        told.append(table(rows, head=["rule", "effect", "matched", "why", "policy"]))
    return "\n".join([*told, f"policy {decision.policy}" if decision.policy else _NONE])
