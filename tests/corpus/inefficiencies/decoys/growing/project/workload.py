from growing import accepted

blocked = [f"old {at}" for at in range(400)]
print(len(accepted([f"user {at % 700}" for at in range(5000)], blocked)), len(blocked))
