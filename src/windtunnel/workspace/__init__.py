"""A project on disk: read, compared, changed for real and changed back."""
