def strength(password):
    return "fair" if len(password) >= 8 else "weak"
