from fetcher.statuses import retryable

MAX_ATTEMPTS = 5


def decide(status, headers=None, attempt=1):
    if not retryable(status) or attempt >= MAX_ATTEMPTS:
        return None
    return 2 ** attempt
