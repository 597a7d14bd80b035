from tally import winner

votes = [f"candidate {at * at % 61}" for at in range(3000)]
print(winner(votes))
