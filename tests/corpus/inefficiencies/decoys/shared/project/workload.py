from shared import rows

mine = rows(18)
mine[0][0] = 7
print(sum(map(sum, mine)), rows(5))
