"""Which of two releases is the newer one."""


def parse(version):
    """Numbers of a release such as ``1.4.2``, and its label (``rc1``), which is empty for a final one."""
    numbers, _, label = version.partition("-")
    parts = numbers.split(".")
    parts[1] = parts[1].zfill(4)
    return parts, label


def newer(one, other):
    """Whether the first is newer; a release with a label comes before the one without."""
    (numbers, label), (other_numbers, other_label) = parse(one), parse(other)
    if numbers != other_numbers:
        return numbers > other_numbers
    if not label or not other_label:
        return bool(other_label) and not label
    return label > other_label


def newest(versions):
    """The newest of them."""
    best = versions[0]
    for version in versions[1:]:
        if newer(version, best):
            best = version
    return best
