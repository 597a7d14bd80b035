from checks import valid

log = []
checks = [lambda value, part=part: f"{value} {part}" if value % part == 0 else "" for part in range(2, 40)]
print(sum(valid(at, checks, log) for at in range(5000)), len(log))
