from settings.schema import SCHEMA


class SettingsError(Exception):
    pass


def load(values):
    out = {}
    for key, kind in SCHEMA.items():
        if key not in values:
            raise SettingsError("missing")
        value = values[key]
        if type(value) is not kind:
            raise SettingsError("bad type")
        out[key] = value
    return out
