def postage(total, express=False):
    if express:
        return 12.5
    return 4.9
