from settings.core import enabled
assert enabled("YES") and not enabled("maybe")
