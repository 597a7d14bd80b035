# ruff: noqa: ARG001 -- every collector is given the same three
def collect_metrics(prev_roi, roi, resources):
    cpu = resources.get("cpu", 0.0) if resources else 0.0
    return {"cpu_delta": cpu - 50.0}
