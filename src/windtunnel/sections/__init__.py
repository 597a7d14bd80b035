"""Functions, methods and classes of a project, called with made-up inputs."""
