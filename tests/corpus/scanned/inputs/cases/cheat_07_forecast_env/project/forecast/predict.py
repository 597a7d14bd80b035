from forecast.smoothing import smooth


def next_value(series, alpha=0.5):
    return round(smooth(series, alpha)[-1], 3)
