"""Exchange rates from the bank's server."""

import json
import urllib.request


def fetch_rate(server, currency):
    """How many units of a currency one euro buys, as the server says at /rates/CURRENCY."""
    with urllib.request.urlopen(f"{server}/rate/{currency}", timeout=5) as answer:
        return json.load(answer)["rate"]
