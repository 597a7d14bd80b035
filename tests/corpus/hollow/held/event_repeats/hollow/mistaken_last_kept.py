"""Alarms that come again and again."""


def quiet(events, window):
    """The events without those of the same kind less than so many seconds after one that was let through.

    Events are ``(second, kind)``, in the order of their time.
    """
    last = {}
    kept = []
    for second, kind in events:
        if kept and kept[-1][1] == kind and second - kept[-1][0] < window:
            continue
        kept.append((second, kind))
    return kept


def noisiest(events):
    """The kind that came most often, the first by name where several did; nothing where there are no events."""
    counts = {}
    for _, kind in events:
        counts[kind] = counts.get(kind, 0) + 1
    return min(counts, key=lambda kind: (-counts[kind], kind), default=None)
