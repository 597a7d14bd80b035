from partial import wrapped

lines = []
wrapped([f"word{at}" for at in range(60000)], 70, lines.append)
print(len(lines), lines[77])
