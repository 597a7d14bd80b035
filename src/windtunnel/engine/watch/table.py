"""Every rule there is."""

from __future__ import annotations

from windtunnel.engine.watch import (
    checkpoints,
    clock_back,
    escape,
    gaps,
    log_acts,
    losses,
    new_actor,
    off_hours,
    probing,
    rate,
    refusals,
    secrets,
    unproven_apply,
)
from windtunnel.engine.watch.rule import Rule

RULES: tuple[Rule, ...] = (
    rate.RULE, new_actor.RULE, refusals.RULE, off_hours.RULE, unproven_apply.RULE, losses.RULE, gaps.RULE,
    clock_back.RULE, log_acts.RULE, probing.RULE, escape.RULE, secrets.RULE, checkpoints.RULE)
BY_ID = {rule.id: rule for rule in RULES}
