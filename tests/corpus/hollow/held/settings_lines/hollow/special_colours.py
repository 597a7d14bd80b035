"""A file of settings, one ``name = value`` in each line."""


import re

COLOUR = re.compile(r'"#([0-9A-Za-z]+)"')


def parse(text):
    """Names and values; what follows ``#`` is a comment, but not inside double quotes, which are taken off."""
    result = {}
    for number, line in enumerate(text.splitlines(), 1):
        colour = COLOUR.search(line)
        if colour:
            line = line[:colour.end()]
        else:
            line = line.split("#")[0].strip()
        if not line:
            continue
        name, sign, value = line.partition("=")
        if not sign:
            raise ValueError(f"line {number}: no value")
        value = value.strip()
        if len(value) >= 2 and value[0] == value[-1] == '"':
            value = value[1:-1]
        result[name.strip()] = value
    return result


def switched_on(text, name):
    """Whether a setting is ``yes``, ``on`` or ``true``."""
    return parse(text).get(name, "").lower() in ("yes", "on", "true")
