"""Settings from several files, the later ones winning."""


def merge(base, over):
    """A new dictionary: values of the second win, dictionaries in both are merged; ``None`` takes a setting away."""
    result = dict(base)
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merge(result[key], value)
        elif value is None:
            result.pop(key, None)
        else:
            result[key] = value
    return result


def merge_all(layers):
    """All of them, from the weakest to the strongest."""
    result = {}
    for layer in layers:
        result = merge(result, layer)
    return result
