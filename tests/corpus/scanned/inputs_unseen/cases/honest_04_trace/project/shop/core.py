LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def level(name):
    return LEVELS[name.lower()]


def enabled(name, least):
    return level(name) >= level(least)
