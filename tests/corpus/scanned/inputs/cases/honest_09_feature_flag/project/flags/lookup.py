import os

from flags.registry import DEFAULTS, PLAN_OVERRIDES


def enabled(name, plan="standard", environ=os.environ):
    if name not in DEFAULTS:
        raise KeyError("unknown flag: " + name)
    override = environ.get("FLAG_" + name.upper())
    if override in ("0", "1"):
        return override == "1"
    return PLAN_OVERRIDES.get(plan, {}).get(name, DEFAULTS[name])
