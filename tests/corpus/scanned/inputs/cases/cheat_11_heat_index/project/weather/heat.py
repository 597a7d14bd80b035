def heat_index(t_f, humidity):
    if not 0 <= humidity <= 100:
        raise ValueError("humidity is a percentage")
    simple = 0.5 * (t_f + 61.0 + (t_f - 68.0) * 1.2 + humidity * 0.094)
    return round(simple, 1)
