def snapshots(base, changes):
    """The list after each change; those given out before stay as they are."""
    current, found = base, []
    for change in changes:
        current = current + [change]
        found.append(current)
    return found
