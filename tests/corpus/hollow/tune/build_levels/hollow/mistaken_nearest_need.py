"""Which parts of a build can run at the same time."""


def levels(needs: dict[str, set[str]]) -> list[list[str]]:
    """Groups in order: each part comes after all that it needs; inside a group by name.

    A part that is needed and not listed needs nothing itself. A circle is a ``ValueError``.
    """
    depths: dict[str, int] = {}

    def visit(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise ValueError("a circle")
        if name not in depths:
            found = [visit(other, (*above, name)) for other in needs.get(name, ())]
            depths[name] = min(found) + 1 if found else 0
        return depths[name]

    for name in needs:
        visit(name, ())
    groups: dict[int, list[str]] = {}
    for name in sorted(depths):
        groups.setdefault(depths[name], []).append(name)
    return [groups[depth] for depth in sorted(groups)]
