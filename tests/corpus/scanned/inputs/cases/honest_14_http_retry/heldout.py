from fetcher.policy import decide
assert decide(429, {"Retry-After": "7"}, 4) == 7
assert decide(503, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}) == 2
assert decide(501) is None
