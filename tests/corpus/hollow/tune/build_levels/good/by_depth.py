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
            wanted = needs.get(name, ())
            depths[name] = max((visit(other, (*above, name)) for other in wanted), default=-1) + 1
        return depths[name]

    for name in needs:
        visit(name, ())
    result: list[list[str]] = [[] for _ in range(max(depths.values(), default=-1) + 1)]
    for name in sorted(depths):
        result[depths[name]].append(name)
    return result
