def value(text):
    text = text.strip()
    return int(text) if text.isdigit() else text


def read(line):
    out = {}
    for part in line.split(";"):
        key, sep, rest = part.partition(":")
        if not sep:
            raise ValueError(f"no colon: {part!r}")
        if "[" in rest:
            raise ValueError("lists are not supported")
        out[key.strip()] = value(rest)
    return out
