from shares import entropy

print(round(entropy([at * 7919 % 4001 for at in range(1800)]), 6))
