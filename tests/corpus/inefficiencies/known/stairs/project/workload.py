from stairs import ways

print([ways(steps) for steps in range(18)], ways(22, 2))
