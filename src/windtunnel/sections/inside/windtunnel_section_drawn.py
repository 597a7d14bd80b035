"""Inputs from elsewhere: values that hypothesis draws for a type, where it is installed, and those of plugins."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any, Dict, List

from windtunnel_section_guess import literal  # type: ignore[import-not-found]  # lies beside this file when it runs

MOST_DRAWN, MOST_STUBS = 25, 50
OWN = os.path.dirname(os.path.abspath(__file__))


def drawn(hint: Any, seed: int) -> List[str]:
    """Texts of values that fit a type; none where hypothesis is missing or knows no better."""
    if "hypothesis" not in sys.modules and importlib.util.find_spec("hypothesis") is None:
        return []
    found: Dict[str, None] = {}
    try:
        import hypothesis
        from hypothesis import strategies

        @hypothesis.seed(seed)
        @hypothesis.settings(max_examples=MOST_DRAWN, database=None, deadline=None, phases=[hypothesis.Phase.generate],
                             suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.given(strategies.from_type(hint))
        def take(value: Any) -> None:
            found[literal(value)] = None

        take()
    except Exception:
        return [text for text in found if text]
    return [text for text in found if text]


def plugged(name: str, stubs: List[Dict[str, Any]], context: Dict[str, Any]) -> List[List[List[str]]]:
    """What one plugin makes of the stubs: ``generate_stubs(stubs, context)`` gives a list of inputs by parameter."""
    spec = importlib.util.spec_from_file_location(name[:-3], os.path.join(OWN, name))
    if spec is None or spec.loader is None:
        return []
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.generate_stubs([dict(stub) for stub in stubs], dict(context))
    rows = [[[str(key), literal(value)] for key, value in stub.items()] for stub in list(made or [])[:MOST_STUBS]
            if isinstance(stub, dict)]
    return [row for row in rows if all(text for _, text in row)]
