"""How fast Windtunnel is, beside the bare interpreter and its peers; ``python -m benchmarks`` prints one table."""
