def told(code):
    if code == 0:
        return "done"
    return f"failed with {code}"
