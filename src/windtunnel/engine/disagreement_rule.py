"""From the answers of all versions to a doubt: what is refused, and what is only told.

A change alone is refused for a strong sign, and beside a few other patches also where more of them agree with each
other than with it. One with four of them at least has the score ``bias + sum of weight * strength``, and is refused
above 0: so it may show a strong sign and stand where others agree with it. Weights and bias were learned on one part
of a corpus (``python -m benchmarks.doubt_learning``). What is not refused is told all the same where it shows a weak
sign, or another patch passes too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from windtunnel.core.gate import Doubt
from windtunnel.engine import disagreement_signs as signs
from windtunnel.engine.disagreement_weights import BIAS, WEIGHTS
from windtunnel.engine.disagreement_words import Heard

LEAST_STABLE = 0.5
"""Of the inputs, those that the change answers the same way twice; with fewer it is no function of its arguments."""


def weighed(told: Heard) -> Doubt:
    """How the change stands."""
    why = _unknown(told)
    if why:
        return Doubt(state="not judged", reason=why, tried=told.tried, passing=len(told.others))
    score, telling = score_of(told), next(_telling(told), "")
    return Doubt(
        state="hollow" if score > 0 else "doubtful" if telling else "none",
        reason=_refusing(told) if score > 0 else telling, score=score, share=signs.share_of(told),
        inputs=len(signs.inputs_of(told)), tried=told.tried, passing=len(told.others), against=signs.against(told),
        witness=told.witness)


def score_of(told: Heard) -> float:
    """Above 0 is hollow."""
    shown = signs.strengths(told)
    if len(signs.given(told)) < signs.ENOUGH_GIVEN:
        return float(shown[signs.STRONG] or any(signs.majority(told)))
    return WEIGHTS[BIAS] + sum(WEIGHTS[name] * strength for name, strength in shown.items())


def _unknown(told: Heard) -> str:
    """Why nothing can be said, if so."""
    if told.fix is None or told.old is None:
        return told.note or "what the tests call could not be called again"
    if len(told.places) < LEAST_STABLE * told.made:
        return "the changed code answers differently each time it is asked"
    if len(signs.inputs_of(told)) < signs.LEAST_INPUTS:
        return "too few inputs could be made from the calls of the tests"
    return ""


def _refusing(told: Heard) -> str:
    """What speaks against it most."""
    return next(itertools.chain(signs.outvoted(told), signs.strong(told)), "")


def _telling(told: Heard) -> Iterator[str]:
    yield from signs.weak(told)
    share, inputs = signs.share_of(told), len(signs.inputs_of(told))
    if share > 0 and told.witness is not None and told.witness.other:
        yield f"another patch that passes the same tests answers {share:.0%} of {inputs} inputs otherwise"
