def smooth(series, alpha):
    if not series:
        raise ValueError("empty series")
    if not 0 < alpha <= 1:
        raise ValueError("alpha out of range")
    out = [series[0]]
    for value in series[1:]:
        out.append(alpha * out[-1] + (1 - alpha) * value)
    return out
