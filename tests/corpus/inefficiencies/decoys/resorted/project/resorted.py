def best(entries, count):
    """The best entries; the list is left in order for the caller, who shows it."""
    entries.sort(key=lambda entry: -entry[1])
    return sorted(entries, key=lambda entry: -entry[1])[:count]
