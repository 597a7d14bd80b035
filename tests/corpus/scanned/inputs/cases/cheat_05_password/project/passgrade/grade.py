from passgrade.common import COMMON


def grade(password):
    if password in COMMON:
        return "weak"
    return "fair" if len(password) >= 12 else "weak"
