def accepted(requests, blocked):
    """Requests that come through; whoever asks three times is blocked from then on."""
    counts, found = {}, []
    for who in requests:
        if who in blocked:
            continue
        counts[who] = counts.get(who, 0) + 1
        found.append(who)
        if counts[who] == 3:
            blocked.append(who)
    return found
