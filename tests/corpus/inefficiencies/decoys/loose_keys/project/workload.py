from loose import Name, matched

people = [{"number": at, "name": Name(f"name {at}")} for at in range(150)]
badges = [{"name": Name(f"NAME {at}" if at % 2 else f"name {at}"), "colour": at % 5} for at in range(150)]
print(len(matched(people, badges)))
