from visitors import first_visits

events = [(at, f"visitor {at * 7919 % 2500}") for at in range(7000)]
print(first_visits(events)[-3:])
