"""What differs between two sets of settings."""


def changes(old, new):
    """``("added" | "removed" | "changed", name)`` for every difference, by name; a value of another type is a change."""
    result = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            result.append(("removed", name))
        elif name not in old:
            result.append(("added", name))
        elif old[name] != new[name] or type(old[name]) is not type(new[name]):
            result.append(("changed", name))
    return result


def summary(old, new):
    """Counts of the three kinds in words."""
    kinds = [kind for kind, _ in changes(old, new)]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("added", "changed", "removed") if kind in kinds) or "no change"
