from ledger.core import valid
assert valid("4539 1488 0343 6467")
