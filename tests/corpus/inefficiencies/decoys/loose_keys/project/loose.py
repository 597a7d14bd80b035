class Name:
    """A name without regard to case; only == knows it."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, Name) and self.text.lower() == other.text.lower()

    def __hash__(self):
        return hash(self.text)


def matched(people, badges):
    """Badges of people, by name."""
    found = []
    for person in people:
        for badge in badges:
            if badge["name"] == person["name"]:
                found.append((person["number"], badge["colour"]))
    return found
