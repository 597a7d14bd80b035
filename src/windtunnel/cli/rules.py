"""``windtunnel rules``: what is known about mending code, with examples."""

from __future__ import annotations

import argparse
import difflib
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import colour, json_text, table
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.core.repair import Rule


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "rules", help="the rules and sorts of edits that windtunnel fix knows",
        description="List every rule and sort of edit that `windtunnel fix` proposes; with a name, its example.")
    made.add_argument("name", nargs="?", metavar="NAME", help="show this one, with its example before and after")
    made.add_argument("--language", metavar="NAME", help="only those for one language")
    made.add_argument("--json", action="store_true", help="all of it as JSON")
    made.set_defaults(act=act)


def act(chosen: argparse.Namespace) -> int:
    """Show them."""
    from windtunnel.engine.fix.rules import every_rule  # noqa: PLC0415 -- each command loads only what it uses

    rules = every_rule()
    if chosen.language is not None:
        rules = tuple(rule for rule in rules if chosen.language in rule.languages)
    found = [rule for rule in rules if chosen.name in (None, rule.name)]
    if not found:
        near = difflib.get_close_matches(chosen.name or "", [rule.name for rule in rules], n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else " (windtunnel rules lists all)"
        what = f"name: no rule {chosen.name!r:.60}" if chosen.name else (
            f"--language: nothing for {chosen.language!r:.60}")
        raise UsageError(f"{what}{hint}", field="name" if chosen.name else "--language")
    if chosen.json:
        print(json_text(found))
    elif chosen.name is None:
        print(table([(rule.name, rule.origin, ", ".join(rule.languages), rule.what) for rule in found],
                    head=("rule", "origin", "languages", "what it does")))
    else:
        for rule in found:
            _one(rule)
    return 0


def _one(rule: Rule) -> None:
    print(colour(rule.name, "bold"), f"({rule.origin}; {', '.join(rule.languages)})")
    print(rule.what)
    before, after = rule.before.splitlines(), rule.after.splitlines()
    for line in list(difflib.unified_diff(before, after, lineterm="", n=3))[2:]:
        if not line.startswith("@@"):
            print(colour(f"  {line}", "green" if line[:1] == "+" else "red") if line[:1] in "+-" else f"  {line}")
