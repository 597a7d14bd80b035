from combinat.partitions import partitions
assert partitions(6) == 11
assert partitions(20) == 627
