"""Groups of people who know each other."""


def groups(people, pairs):
    """Sorted groups, the largest first, then by name; who knows nobody is alone in one."""
    label = {person: person for person in people}
    for one, other in pairs:
        label[other] = label[one]
    found = {}
    for person in people:
        found.setdefault(label[person], []).append(person)
    return sorted((sorted(group) for group in found.values()), key=lambda group: (-len(group), group))


def connected(people, pairs):
    """Whether all are in one group."""
    return len(groups(people, pairs)) <= 1
