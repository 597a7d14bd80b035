from access import Access, Rule

access = Access([Rule(f"user {at % 40}", ["read", "write"]) for at in range(2000)])
print(sum(access.allowed(f"user {at % 50}", "write") for at in range(400)))
