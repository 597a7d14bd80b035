from boxes import outside

boxes = [[at, at + 1] for at in range(300)]
print(len(outside([[at, at % 7] for at in range(1500)], boxes)))
