from flood import fan_out

children = {at: [3 * at + 1, 3 * at + 2, 3 * at + 3] for at in range(30000)}
order = fan_out(0, children)
print(len(order), sum(at * node for at, node in enumerate(order)))
