"""From a request in plain words, and what a project is, to tasks with an order."""
