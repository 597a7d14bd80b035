"""Which parts of a build can run at the same time."""


def levels(needs: dict[str, set[str]]) -> list[list[str]]:
    """Groups in order: each part comes after all that it needs; inside a group by name.

    A part that is needed and not listed needs nothing itself. A circle is a ``ValueError``.
    """
    left = {name: set(wanted) for name, wanted in needs.items()}
    for wanted in needs.values():
        for name in wanted:
            left.setdefault(name, set())
    result = []
    while left:
        ready = sorted(name for name, wanted in left.items() if not wanted)
        if not ready:
            raise ValueError("a circle")
        result.append(ready)
        for name in ready:
            del left[name]
        for wanted in left.values():
            wanted -= set(ready)
    return result
