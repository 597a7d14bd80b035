class Access:
    """Who may do what."""

    def __init__(self, rules):
        self.rules = rules

    def allowed(self, user, action):
        return any(rule.matches(user, action) for rule in self.rules)


class Rule:
    def __init__(self, user, actions):
        self.user = user
        self.actions = actions

    def matches(self, user, action):
        return self.user in ("*", user) and action in self.actions
