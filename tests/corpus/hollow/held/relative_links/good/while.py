"""Links from one page of a site to another."""


def relative(source: str, target: str) -> str:
    """The way from the page ``source`` to the page ``target``, both written from the root without a leading slash."""
    here = source.split("/")[:-1]
    there = target.split("/")
    while here and len(there) > 1 and here[0] == there[0]:
        here, there = here[1:], there[1:]
    return "/".join([*(".." for _ in here), *there])


def menu(source: str, targets: list[str]) -> dict[str, str]:
    """Links to several pages by their path."""
    return {target: relative(source, target) for target in targets if target != source}
