from ranks import ranks

scores = [at * 7919 % 5003 for at in range(3500)]
print(sum(place * at for at, place in enumerate(ranks(scores))))
