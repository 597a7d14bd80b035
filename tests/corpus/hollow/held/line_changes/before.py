"""What differs between two sets of settings."""


def changes(old, new):
    """``("added" | "removed" | "changed", name)`` for every difference, by name; a value of another type is a change."""
    result = []
    for name in sorted(old):
        if name not in new:
            result.append(("removed", name))
        elif old[name] != new[name]:
            result.append(("changed", name))
    for name in sorted(new):
        if name not in old:
            result.append(("added", name))
    return result


def summary(old, new):
    """Counts of the three kinds in words."""
    kinds = [kind for kind, _ in changes(old, new)]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("added", "changed", "removed") if kind in kinds) or "no change"
