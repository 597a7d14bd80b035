"""Groups of people who know each other."""


def groups(people, pairs):
    """Sorted groups, the largest first, then by name; who knows nobody is alone in one."""
    friends = {person: set() for person in people}
    for one, other in pairs:
        friends[one].add(other)
        friends[other].add(one)
    found, seen = [], set()
    for person in people:
        group, waiting = [], [person]
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                group.append(current)
                waiting.extend(friends[current])
        if group:
            found.append(sorted(group))
    return sorted(found, key=lambda group: (-len(group), group))


def connected(people, pairs):
    """Whether all are in one group."""
    return len(groups(people, pairs)) <= 1
