"""Foretells ``synergy_roi`` and every other synergy that was measured."""
# ruff: noqa: ARG001 -- every collector is given the same three, and a plugin is one module

manager = tracker = None


def register(pm, roi_tracker=None):
    global manager, tracker
    manager, tracker = pm, roi_tracker
    if tracker is not None:
        tracker.register_metrics("synergy_roi")


def collect_metrics(prev_roi, roi, resources):
    if manager is None or tracker is None:
        return {}
    return {f"pred_{name}": tracker.predict_metric_with_manager(manager, name)
            for name in sorted(tracker.synergy_metrics_history)}
