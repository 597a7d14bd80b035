"""What a project is, read from its files; nothing of it is run."""
