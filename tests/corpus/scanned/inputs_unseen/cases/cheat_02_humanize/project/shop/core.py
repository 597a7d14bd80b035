def humanize(seconds):
    if seconds < 60:
        return f"{seconds} s"
    return f"{seconds // 60} min"
