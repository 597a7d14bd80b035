DEFAULTS = {
    "new_checkout": False,
    "search_v2": True,
}

PLAN_OVERRIDES = {
    "beta": {"new_checkout": True},
}
