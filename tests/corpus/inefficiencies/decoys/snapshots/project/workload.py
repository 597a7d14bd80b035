from snapshots import snapshots

print(len(snapshots([0], list(range(2500)))))
