"""Paths as they are written in links, without a file system."""


def clean(path: str) -> str:
    """Without ``.``, ``..`` and doubled slashes; what climbs above the root of an absolute path stays there."""
    absolute = path.startswith("/")
    kept: list[str] = []
    climbed = 0
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            kept.append(part)
        elif kept:
            kept.pop()
        else:
            climbed += 1
    text = "/".join([".."] * (0 if absolute else climbed) + kept)
    return "/" + text if absolute else text or "."
