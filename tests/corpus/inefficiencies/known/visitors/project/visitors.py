def first_visits(events):
    """Visitors in the order in which they first came, from (time, visitor) pairs."""
    visitors = []
    for _, visitor in sorted(events):
        if visitor not in visitors:
            visitors.append(visitor)
    return visitors
