from mutual import strangers

everyone = [f"person {at}" for at in range(4000)]
graph = {"me": everyone[1::3]}
print(len(strangers(graph, "me", everyone)))
