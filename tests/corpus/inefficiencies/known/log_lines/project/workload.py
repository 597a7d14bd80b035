from logs import parse

lines = [f"20{20 + at % 6}-0{at % 9 + 1}-11 ERROR: number {at}" for at in range(60000)]
print(len(parse(lines, 2024)))
