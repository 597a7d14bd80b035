BEATS = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}


def winner(a, b):
    if a == b:
        return None
    return a if (a, b) in BEATS else b
