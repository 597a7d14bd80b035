"""Paths as they are written in links, without a file system."""


def clean(path: str) -> str:
    """Without ``.``, ``..`` and doubled slashes; what climbs above the root of an absolute path stays there."""
    absolute = path.startswith("/")
    kept: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if kept:
                kept.pop()
        else:
            kept.append(part)
    text = "/".join(kept)
    return "/" + text if absolute else text or "."
