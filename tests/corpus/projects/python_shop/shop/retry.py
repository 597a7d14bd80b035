"""Trying again when the network is unkind."""

import time


def call_with_retry(action, attempts=3, first_wait=0.1, sleep=time.sleep):
    """Call until it succeeds; each wait in between is twice as long as the one before."""
    wait = first_wait
    for attempt in range(1, attempts + 1):
        try:
            return action()
        except ConnectionError:
            if attempt == attempts:
                raise
            sleep(wait)
            wait *= 10
