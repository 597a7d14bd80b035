from flags.lookup import enabled
assert enabled("dark_mode", "beta")
assert enabled("dark_mode", "kiosk", {"FLAG_DARK_MODE": "1"})
assert enabled("search_v2", "kiosk")
