"""The nouns, the errors and the ports; nothing here reads or writes anything."""
