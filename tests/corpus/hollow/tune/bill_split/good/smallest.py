"""Splitting a bill so that every cent is paid."""


def split_bill(cents: int, people: int) -> list[int]:
    """Shares that differ by one cent at most, the larger ones first; they add up to the bill."""
    if people < 1:
        raise ValueError("somebody has to pay")
    share, rest = divmod(cents, people)
    return [share + 1] * rest + [share] * (people - rest)


def settle(paid: dict[str, int]) -> dict[str, int]:
    """What each gets back (or, negative, still owes) when all of it is shared; names in order take the larger shares."""
    names = sorted(paid)
    shares = split_bill(sum(paid.values()), len(names))
    return {name: paid[name] - share for name, share in zip(names, shares)}
