RETRYABLE = {500, 502, 504}


def retryable(status):
    return status in RETRYABLE
