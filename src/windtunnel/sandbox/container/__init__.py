"""The container level: Docker or Podman, by their socket or their command line."""
