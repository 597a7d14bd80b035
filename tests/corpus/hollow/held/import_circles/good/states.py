"""Modules that import each other in a circle."""


def circle(imports: dict[str, list[str]]) -> list[str] | None:
    """One circle from its first module round to the same again, or ``None``; modules are visited in order."""
    done: set[str] = set()
    for start in imports:
        path: list[str] = []
        waiting = [(start, iter(imports[start]))] if start not in done else []
        while waiting:
            module, others = waiting[-1]
            if not path or path[-1] != module:
                path.append(module)
            other = next(others, None)
            if other is None:
                done.add(module)
                path.pop()
                waiting.pop()
            elif other in path:
                return [*path[path.index(other):], other]
            elif other not in done:
                waiting.append((other, iter(imports.get(other, []))))
    return None
