from zones.offset import iso, offset
assert offset("gmt") == 0 and iso(" z ") == "+00:00" and offset("ist") == 330
