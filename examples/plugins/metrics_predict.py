"""Foretells the built-in metrics; what comes is set against it by the tracker."""
# ruff: noqa: ARG001 -- every collector is given the same three, and a plugin is one module

METRICS = (
    "security_score", "safety_rating", "adaptability", "antifragility", "shannon_entropy", "efficiency", "flexibility",
    "projected_lucrativity", "profitability", "patch_complexity", "energy_consumption", "resilience",
    "network_latency", "throughput", "risk_index", "recovery_time")
manager = tracker = None


def register(pm, roi_tracker=None):
    global manager, tracker
    manager, tracker = pm, roi_tracker
    if tracker is not None:
        tracker.register_metrics(*METRICS)


def collect_metrics(prev_roi, roi, resources):
    if manager is None or tracker is None:
        return {}
    return {f"pred_{name}": tracker.predict_metric_with_manager(manager, name, [prev_roi, roi]) for name in METRICS}
