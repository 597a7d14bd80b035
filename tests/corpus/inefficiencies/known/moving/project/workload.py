from moving import running_total

print(sum(running_total(range(9000))))
