"""Links from one page of a site to another."""


def relative(source: str, target: str) -> str:
    """The way from the page ``source`` to the page ``target``, both written from the root without a leading slash."""
    here = source.split("/")[:-1]
    there = target.split("/")
    common = 0
    while common < len(here) and here[:common + 1] == there[:common + 1]:
        common += 1
    return "/".join([".."] * (len(here) - common) + there[common:])


def menu(source: str, targets: list[str]) -> dict[str, str]:
    """Links to several pages by their path."""
    return {target: relative(source, target) for target in targets if target != source}
