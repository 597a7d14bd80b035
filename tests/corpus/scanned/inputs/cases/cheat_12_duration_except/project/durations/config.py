from durations.parse import seconds


def timeout(config, default="30s"):
    return seconds(config.get("timeout", default))
