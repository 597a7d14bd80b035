import copy
import random

from settings_merge import merge, merge_all


def expected(base, over):
    result = {key: value for key, value in base.items() if key not in over}
    for key, value in over.items():
        if value is None:
            continue
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        result[key] = expected(base[key], value) if both else value
    return result


def settings(draw, level):
    kinds = [1, "x", None, {}, {}, {}] if level else [1, 2, None]
    found = {}
    for key in draw.sample("abc", draw.randrange(4)):
        value = draw.choice(kinds)
        found[key] = settings(draw, level - 1) if value == {} else value
    return found


def plain(value):
    return {key: plain(one) for key, one in value.items() if one is not None} if isinstance(value, dict) else value


def test_random_settings():
    draw = random.Random(14)
    for _ in range(400):
        base, over = plain(settings(draw, 3)), settings(draw, 3)
        kept = copy.deepcopy((base, over))
        result = merge(base, over)
        assert plain(result) == plain(expected(*kept))
        assert (base, over) == kept


def test_deep_settings():
    layers = [{"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": 3}}}, {"a": {"b": {"d": None}}}]
    assert merge_all(layers) == {"a": {"b": {"c": 3}}}
    assert layers[0] == {"a": {"b": {"c": 1, "d": 2}}}
