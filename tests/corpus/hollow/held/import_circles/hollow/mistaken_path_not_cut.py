"""Modules that import each other in a circle."""


def circle(imports: dict[str, list[str]]) -> list[str] | None:
    """One circle from its first module round to the same again, or ``None``; modules are visited in order."""
    seen: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str] | None:
        if module in path:
            return [*path, module]
        seen.add(module)
        for other in imports.get(module, []):
            found = visit(other, [*path, module])
            if found:
                return found
        return None

    for module in imports:
        if module not in seen:
            found = visit(module, [])
            if found:
                return found
    return None
