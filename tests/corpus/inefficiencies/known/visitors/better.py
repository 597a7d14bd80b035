def first_visits(events):
    """Visitors in the order in which they first came, from (time, visitor) pairs."""
    return list(dict.fromkeys(visitor for _, visitor in sorted(events)))
