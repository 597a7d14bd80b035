from resorted import best

entries = [(f"name {at}", at * 7919 % 10007) for at in range(12000)]
shown = best(entries, 11990)
print(shown[:3], entries[-2:])
